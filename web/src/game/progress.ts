/** How far a round has come. */

import { t } from '$/i18n/language.svelte'
import type { TableTold } from '$/protocol/told'
import type { Position } from './live.svelte'

/** As a part of the whole, 0 to 1, and in words. */
export function progress(table: TableTold, position: Position): { part: number; words: string } {
  if (position.phase === 'over') return { part: 1, words: t('header.over') }
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  const whole = table.blocks * table.chairs.flatMap((chair) => chair.colours).length
  const left = sum(Object.values(position.tableaus).flat())
  const building = position.phase === 'build' || position.phase === 'remove'
  if (!building || !whole) return { part: 0, words: t('header.choosing') }
  const done = whole - left
  return {
    part: done / whole,
    words: t('header.building', {
      turn: Math.floor(done / table.chairs.length) + 1,
      turns: Math.ceil(whole / table.chairs.length)
    })
  }
}
