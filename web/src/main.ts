import { mount } from 'svelte'
import './ui/page.css'
import App from './App.svelte'
import { language } from './i18n/language.svelte'
import { place } from './route.svelte'
import { settings } from './settings.svelte'

settings.apply()
// Who comes by a link to a table needs this next: it is fetched beside the words, not after them.
if (place.now.page === 'table') void import('./pages/TablePage.svelte').catch(() => undefined)
void language.begin().then(() => mount(App, { target: document.getElementById('app')! }))
