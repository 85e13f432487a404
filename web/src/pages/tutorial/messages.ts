/** The messages of the tutorial. */

import type { MessageBundle } from '$/i18n/language.svelte'
import type en from '$/i18n/tutorial/en.json'

export type TutorialKey = keyof typeof en
export type TutorialMessages = MessageBundle<TutorialKey>
