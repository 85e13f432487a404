/** A site from above: its height on the roof, and a bar with its floors from bottom to top. */

import './cell.css'
import { number } from '$/i18n/language.svelte'
import { round } from './camera'
import type { SiteLook } from './looks'
import { escaped } from './markup'

const TALL = 100
const EDGE = 8
const HIGHEST_FLOOR = 6.6
const BAR_HEIGHT = 80
const GROUND = 92

/** As text, `width` by 100. In a wide cell (on a phone) figures are larger, and words stand
 * elsewhere. */
export function cellMarkup(look: SiteLook, width: number, wide: boolean): string {
  const height = look.height + (look.ghost?.floors ?? 0)
  const colour = look.ghost?.colour ?? look.owner
  const barred = look.mark === 'barred' && !look.ghost
  const whole = (more: string): string => `<rect width="${width}" height="${TALL}" rx="9" ${more}/>`
  const around = (by: number, more: string): string =>
    `<rect x="${-by}" y="${-by}" width="${round(width + 2 * by)}" height="${TALL + 2 * by}" rx="${9 + by}" fill="none" ${more}/>`
  const parts: string[] = []
  if (colour && height) {
    const bar = wide ? 20 : 16
    const barAt = round(width - bar - 11)
    parts.push(
      `<g class="${colour}">`,
      whole('class="front"'),
      whole(`fill="url(#cell-${colour})" opacity=".5"`),
      barred ? whole('class="veil"') + whole('fill="url(#barred)" opacity=".6"') : '',
      roof(look, height, barAt - EDGE - 10, { barred, wide }),
      '</g>',
      floors(look, height, barAt, bar)
    )
  }
  if (look.mark === 'open') {
    if (!height) {
      const middle = round(width / 2)
      parts.push(
        whole('class="candidate"'),
        `<path class="plus" d="M${middle} 34v32M${round(middle - 16)} 50h32"/>`
      )
    }
    parts.push(around(2, 'class="halo"'))
    parts.push(around(4, `class="ring" stroke-width="${look.ghost ? 6 : 3.5}"`))
  } else if (barred) {
    parts.push(around(1.5, 'class="dashes"'))
  }
  if (look.last && look.height && look.lit === null)
    parts.push('<circle class="last" cx="14" cy="14" r="7"/>')
  return parts.join('')
}

function roof(
  look: SiteLook,
  height: number,
  width: number,
  { barred, wide }: { barred: boolean; wide: boolean }
): string {
  const size = (wide ? 46 : 42) * (height > 9 ? 0.84 : 1)
  // A phone's cells are too small for words: they stand below.
  const below = look.award
    ? number(look.award, { signDisplay: 'always' })
    : look.ghost
      ? `+${look.ghost.floors}`
      : barred && !wide
        ? look.note
        : null
  const middle = round(EDGE + width / 2)
  const foot = round((below ? 43 : 50) + size * 0.36)
  return [
    `<rect x="${EDGE}" y="${EDGE}" width="${round(width)}" height="84" rx="6" class="roof"${barred ? ' opacity=".9"' : ''}/>`,
    `<text class="height" x="${middle}" y="${foot}" font-size="${round(size)}">${height}</text>`,
    below
      ? `<text class="below${barred ? ' barred' : ''}" x="${middle}" y="84" font-size="${barred ? 13.5 : 17}">${escaped(below)}</text>`
      : ''
  ].join('')
}

/** The tower from the side. */
function floors(look: SiteLook, height: number, at: number, wide: number): string {
  const floor = Math.min(HIGHEST_FLOOR, BAR_HEIGHT / height)
  const top = (up: number): number => GROUND - up * floor
  const parts = [
    `<rect class="bar" x="${at - 3}" y="${round(top(height) - 3)}" width="${wide + 6}" height="${round(height * floor + 6)}" rx="4"/>`
  ]
  let up = 0
  for (const block of look.ghost ? [...look.tower, look.ghost] : look.tower) {
    up += block.floors
    const box = `x="${at}" y="${round(top(up) + 0.8)}" width="${wide}" height="${round(block.floors * floor - 1.6)}" rx="1.5"`
    const lines = Array.from(
      { length: block.floors - 1 },
      (_, n) => `M${at} ${round(top(up - n - 1))}h${wide}`
    )
    parts.push(
      `<g class="${block.colour}">`,
      block === look.ghost
        ? `<rect ${box} class="part ghost"/>`
        : `<rect ${box} class="part"/><rect ${box} fill="url(#chip-${block.colour})" opacity=".6"/>`,
      lines.length ? `<path class="floors" d="${lines.join('')}"/>` : '',
      '</g>'
    )
  }
  return parts.join('')
}
