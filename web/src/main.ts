import { mount } from 'svelte'
import './ui/page.css'
import App from './App.svelte'
import { language } from './i18n/language.svelte'
import { settings } from './settings.svelte'

settings.apply()
void language.begin().then(() => mount(App, { target: document.getElementById('app')! }))
