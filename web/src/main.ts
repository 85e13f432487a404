import { mount } from 'svelte'
import './ui/page.css'
import App from './App.svelte'
import { language } from './i18n/language.svelte'
import { settings } from './settings.svelte'

settings.apply()
void language.begin().then(() => mount(App, { target: document.getElementById('app')! }))
// Whoever has come by a link finds home even if the server is gone by then: it is fetched when there
// is nothing else to do. (Not every browser tells when that is.)
const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 1000))
addEventListener('load', () =>
  setTimeout(() => idle(() => void import('./pages/Home.svelte').catch(() => undefined)), 500)
)
