/** The service worker: it keeps the page usable without the server, and shows notifications.
 *
 * The page itself comes from the server whenever that answers in time, so nobody gets a stale one.
 * Files with a hash in their names never change and come from the cache. What the server decides
 * (tables, moves, accounts) is never cached. */

import { showPush, openTable } from './push'

declare const self: ServiceWorkerGlobalScope
/** The files of this build, and a digest of their contents. */
declare const __FILES__: readonly string[]
declare const __VERSION__: string

const FILES = __FILES__

const PREFIX = 'manhattan-page-'
const PAGE_CACHE = PREFIX + __VERSION__
/** Answers that a page can use without the server: editions, the tutorial, records of games. */
const DATA_CACHE = 'manhattan-data'
const KEPT_DATA = /^\/api\/(catalog|tutorial\/\d+(\/outcomes)?|tables\/[^/]+\/record)$/
/** After this time a page that was opened before is shown from the cache. */
const PATIENCE_MS = 2500
/** A page of the build before this one may still be open, and needs its files. */
const KEPT_BUILDS = 2

self.addEventListener('install', (event) => event.waitUntil(install()))
self.addEventListener('activate', (event) => event.waitUntil(activate()))
self.addEventListener('fetch', (event) => {
  const answer = answerTo(event.request)
  if (answer) event.respondWith(answer)
})
self.addEventListener('push', (event) => event.waitUntil(showPush(self, event.data)))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openTable(self, event.notification))
})

async function install(): Promise<void> {
  const cache = await caches.open(PAGE_CACHE)
  await cache.addAll(
    FILES.map((file) => new Request(file, isHashed(file) ? {} : { cache: 'reload' }))
  )
  await self.skipWaiting()
}

async function activate(): Promise<void> {
  const builds = (await caches.keys()).filter((name) => name.startsWith(PREFIX))
  await Promise.all(builds.slice(0, -KEPT_BUILDS).map((name) => caches.delete(name)))
  await self.clients.claim()
  void keepTutorial().catch(() => undefined) // it is kept when it is visited, at the latest
}

/** Keep what the tutorial needs, so that it works on the way. */
async function keepTutorial(): Promise<void> {
  const first = await fromServerOrKept(new Request('/api/tutorial/1'))
  const { steps } = (await first.json()) as { steps: number }
  await fromServerOrKept(new Request('/api/catalog'))
  for (let step = 1; step <= steps; step++) {
    await fromServerOrKept(new Request(`/api/tutorial/${step}`))
    await fromServerOrKept(new Request(`/api/tutorial/${step}/outcomes`))
  }
}

function answerTo(request: Request): Promise<Response> | null {
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return null
  if (KEPT_DATA.test(pathname)) return fromServerOrKept(request)
  if (/^\/(api|docs)(\/|$)/.test(pathname)) return null
  if (request.mode === 'navigate') return pageFor(request, pathname)
  return isHashed(pathname) || FILES.includes(pathname) ? fromCache(request) : null
}

const isHashed = (path: string): boolean => path.startsWith('/assets/')

/** The HTML of an address: from the server, or from the cache if the server is slow or away. */
async function pageFor(request: Request, pathname: string): Promise<Response> {
  const kind = pathname.split('/')[1] || 'index'
  const file = `/${kind}.html`
  const kept = await caches.match(FILES.includes(file) ? file : '/index.html')
  const fromServer = fetch(request)
  if (!kept) return fromServer
  const late = new Promise<Response>((resolve) => setTimeout(resolve, PATIENCE_MS, kept))
  // A proxy answers with an error of its own while the server is down.
  const usable = fromServer.then((response) => (response.status < 500 ? response : kept))
  return Promise.race([usable.catch(() => kept), late])
}

async function fromCache(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request)
}

/** The server's answer, which is kept, or the one that was kept before. */
async function fromServerOrKept(request: Request): Promise<Response> {
  const cache = await caches.open(DATA_CACHE)
  try {
    const response = await fetch(request)
    const isRefused = response.headers.has('preference-applied') // although its status is 200
    if (response.ok && !isRefused) await cache.put(request, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(request)
    if (kept) return kept
    throw error
  }
}
