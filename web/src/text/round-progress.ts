/** How far a round has come. */

import { t } from '$/i18n/language.svelte'
import type { Position, TableInfo } from '$/protocol/types.gen'

/** The finished part of the round, 0 to 1, and its phase in words. */
export function roundProgress(
  table: TableInfo,
  position: Position
): { part: number; text: string } {
  if (position.phase === 'over') return { part: 1, text: t('header.over') }
  const total = table.blocks * table.seats.flatMap((seat) => seat.colours).length
  const left = Object.values(position.tableaus)
    .flat()
    .reduce((sum, count) => sum + count, 0)
  const isBuilding = position.phase === 'build' || position.phase === 'remove'
  if (!isBuilding || !total) return { part: 0, text: t('header.choosing') }
  const built = total - left
  return {
    part: built / total,
    text: t('header.building', {
      turn: Math.floor(built / table.seats.length) + 1,
      turns: Math.ceil(total / table.seats.length)
    })
  }
}
