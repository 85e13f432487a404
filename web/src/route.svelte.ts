/** Which page is shown, by the address. */

export type Route =
  | { page: 'home' }
  | { page: 'new'; way: 'friends' | 'screen' | 'bots' }
  | { page: 'table'; table: string; secret: string | null }
  | { page: 'watch' }
  | { page: 'learn'; step: number }
  | { page: 'rules'; edition: string | null }
  | { page: 'replay'; table: string | null; ply: number | null }
  | { page: 'nowhere' }

function read(): Route {
  const { pathname, search, hash } = location
  const [, first, second] = pathname.split('/')
  const about = new URLSearchParams(search)
  switch (first) {
    case '':
      return { page: 'home' }
    case 'new':
      return second === 'friends' || second === 'screen' || second === 'bots'
        ? { page: 'new', way: second }
        : { page: 'nowhere' }
    case 'table':
      return second
        ? { page: 'table', table: second, secret: hash.startsWith('#take=') ? hash.slice(6) : null }
        : { page: 'nowhere' }
    case 'watch':
      return { page: 'watch' }
    case 'learn':
      return { page: 'learn', step: Number(second ?? 1) || 1 }
    case 'rules':
      return { page: 'rules', edition: second ?? null }
    case 'replay': {
      const at = about.get('at') ?? ''
      return { page: 'replay', table: second || null, ply: /^\d+$/.test(at) ? Number(at) : null }
    }
    default:
      return { page: 'nowhere' }
  }
}

class Place {
  now = $state.raw<Route>(read())

  constructor() {
    addEventListener('popstate', () => (this.now = read()))
  }

  go(address: string, { instead = false } = {}): void {
    if (instead) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    this.now = read()
    if (!instead) scrollTo(0, 0)
  }
}

export const place = new Place()

/** Follow a link without loading the page anew; a new tab stays a new tab. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest('a')
  const own =
    link && link.origin === location.origin && !link.target && !link.hasAttribute('download')
  if (!own || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey) return
  if (event.shiftKey || event.altKey || link.pathname.startsWith('/api/')) return
  const samePage = link.pathname === location.pathname && link.search === location.search
  if (link.hash && samePage) return // to a part of the page, which the browser knows how to find
  event.preventDefault()
  place.go(link.pathname + link.search + link.hash)
}
