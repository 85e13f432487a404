/** Taking a move back: why one can't, as far as the page can know it. The server decides. */

import { t } from '$/i18n/language.svelte'
import type { Live } from './live.svelte'

/** Why the last move of who looks on can't be taken back now; null if it can be asked for. */
export function undoBarred(live: Live): string | null {
  const { chairs, undo } = live.table!
  const mine = chairs.flatMap((chair, player) => (chair.you ? [player] : []))
  const last = live.lines.findLastIndex((line) => 'player' in line && mine.includes(line.player))
  const line = live.lines[last]
  if (!line || !('player' in line)) return t('reason.nothing_to_take_back')
  const own = chairs[line.player]!
  if (own.resigned) return t('reason.resigned')
  if (own.played_for) return t('reason.played_for')
  if (undo)
    return chairs[undo.player]!.you
      ? t('undo.waiting')
      : t('reason.undo_pending', { name: chairs[undo.player]!.name })
  const alone = mine.length === 1 && chairs.every((chair) => chair.you || chair.who !== 'person')
  return !alone && seenSince(live, last, mine) ? t('reason.card_seen') : null
}

/** Has somebody seen a card since? Who builds sees the one that he draws; but who shares a screen
 * only when it is his turn again. Whoever draws a new hand has shown his old one. */
function seenSince(live: Live, since: number, mine: readonly number[]): boolean {
  const mover = live.position!.mover
  return live.lines.slice(since).some((line) => {
    if (line.kind === 'redrew') return true
    if (line.kind !== 'built' || live.table!.chairs[line.player]!.who !== 'person') return false
    return mine.length === 1 || !mine.includes(line.player) || line.player === mover
  })
}
