/** Client-side router: which page the address shows. */

export type NewTableMode = 'friends' | 'screen' | 'bots'

export type Route =
  | { page: 'home' }
  | { page: 'new'; mode: NewTableMode }
  | { page: 'table'; table: string; secret: string | null }
  | { page: 'watch' }
  | { page: 'account' }
  | { page: 'games' }
  | { page: 'tutorial'; step: number }
  | { page: 'rules'; edition: string | null }
  | { page: 'replay'; table: string | null; ply: number | null }
  | { page: 'not_found' }

function parseLocation(): Route {
  const { pathname, search, hash } = location
  const [, first, second] = pathname.split('/')
  switch (first) {
    case '':
      return { page: 'home' }
    case 'new':
      return second === 'friends' || second === 'screen' || second === 'bots'
        ? { page: 'new', mode: second }
        : { page: 'not_found' }
    case 'table':
      return second
        ? { page: 'table', table: second, secret: hash.startsWith('#take=') ? hash.slice(6) : null }
        : { page: 'not_found' }
    case 'watch':
      return { page: 'watch' }
    case 'account':
      return { page: 'account' }
    case 'games':
      return { page: 'games' }
    case 'learn':
      return { page: 'tutorial', step: Number(second ?? 1) || 1 }
    case 'rules':
      return { page: 'rules', edition: second ?? null }
    case 'replay': {
      const ply = new URLSearchParams(search).get('at') ?? ''
      return { page: 'replay', table: second || null, ply: /^\d+$/.test(ply) ? Number(ply) : null }
    }
    default:
      return { page: 'not_found' }
  }
}

class Router {
  route = $state.raw<Route>(parseLocation())

  constructor() {
    addEventListener('popstate', () => (this.route = parseLocation()))
  }

  navigate(address: string, { replace = false } = {}): void {
    if (replace) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    this.route = parseLocation()
    if (!replace) scrollTo(0, 0)
  }
}

export const router = new Router()

/** Follow a link inside the page without a reload. Modified clicks, downloads, and links to the API
 * and to the documentation are left to the browser. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest('a')
  const isInternal =
    link && link.origin === location.origin && !link.target && !link.hasAttribute('download')
  if (!isInternal || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey)
    return
  if (event.shiftKey || event.altKey || /^\/(api|docs)\//.test(link.pathname)) return
  const samePage = link.pathname === location.pathname && link.search === location.search
  if (link.hash && samePage) return // the browser scrolls to the anchor
  event.preventDefault()
  router.navigate(link.pathname + link.search + link.hash)
}
