/** The messages of the account page, which only that page loads. */

import type en from '$/i18n/account/en.json'
import { language, type MessageBundle, type Values } from '$/i18n/language.svelte'

export type AccountKey = keyof typeof en

let messages = $state.raw<MessageBundle<AccountKey> | null>(null)

/** Load the messages; no component of this folder can be drawn before. */
export async function loadMessages(): Promise<void> {
  messages = await language.loadBundle<AccountKey>('account')
}

export const a = (key: AccountKey, values?: Values): string => messages!.t(key, values)
