import { mount } from 'svelte'
import './ui/page.css'
import App from './App.svelte'
import { language } from './i18n/language.svelte'
import { connectivity } from './protocol/connectivity.svelte'
import { settings } from './state/settings.svelte'

settings.apply()
connectivity.listen()
void language.init().then(() => mount(App, { target: document.getElementById('app')! }))
// Fetch the home page when the browser is idle, so that a visitor who came by a link can open it even
// if the server is unreachable by then. (Safari has no requestIdleCallback.)
const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 1000))
// The service worker fetches all pages, so it comes after everything that is shown first.
addEventListener('load', () =>
  whenIdle(() => {
    if (import.meta.env.PROD)
      void navigator.serviceWorker?.register('/service-worker.js').catch(() => undefined) // offline
  })
)
addEventListener('load', () =>
  setTimeout(
    () => whenIdle(() => void import('./pages/HomePage.svelte').catch(() => undefined)),
    500
  )
)
