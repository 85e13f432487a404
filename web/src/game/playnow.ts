/** A game at once: against three bots, without a question. */

import { t } from '$/i18n/language.svelte'
import { api } from '$/protocol/api'
import { place } from '$/route.svelte'
import { myself } from './myself.svelte'

export async function playNow(): Promise<void> {
  await myself.be(t('guest'))
  const bots = [1, 2, 3].map(() => ({ who: 'bot' as const, level: 'medium' }))
  const table = await api.open({ chairs: [{ who: 'me' }, ...bots] }, true)
  place.go(`/table/${table.id}`)
}
