/** Quick play: start a game against three bots without asking anything. */

import { t } from '$/i18n/language.svelte'
import { openTable } from './fair-deal'
import { router } from './router.svelte'
import { session } from './session.svelte'

export async function startQuickPlay(): Promise<void> {
  await session.ensureIdentity(t('guest'))
  const bots = [1, 2, 3].map(() => ({ occupant: 'bot' as const, level: 'medium' }))
  const table = await openTable({ seats: [{ occupant: 'me' }, ...bots] }, true)
  router.navigate(`/table/${table.id}`)
}
