/** The drawing of a site from above: its height on the roof, and a bar of its floors. */

import './cell.css'
import { number } from '$/i18n/language.svelte'
import { round } from './camera'
import type { SiteView } from './board-types'
import { escapeXml } from './svg-markup'

const CELL_HEIGHT = 100
const EDGE = 8
const MAX_FLOOR_HEIGHT = 6.6
const BAR_HEIGHT = 80
const GROUND = 92

/** The SVG of a cell, `width` by 100. In a wide cell (on a phone) digits are larger, and notes are
 * shown elsewhere. */
export function cellMarkup(view: SiteView, width: number, wide: boolean): string {
  const height = view.height + (view.ghost?.floors ?? 0)
  const colour = view.ghost?.colour ?? view.owner
  const barred = view.mark === 'barred' && !view.ghost
  const fullCell = (attributes: string): string =>
    `<rect width="${width}" height="${CELL_HEIGHT}" rx="9" ${attributes}/>`
  const frame = (by: number, attributes: string): string =>
    `<rect x="${-by}" y="${-by}" width="${round(width + 2 * by)}" height="${CELL_HEIGHT + 2 * by}" rx="${9 + by}" fill="none" ${attributes}/>`
  const parts: string[] = []
  if (colour && height) {
    const bar = wide ? 20 : 16
    const barAt = round(width - bar - 11)
    parts.push(
      `<g class="${colour}">`,
      fullCell('class="front"'),
      fullCell(`fill="url(#cell-${colour})" opacity=".5"`),
      barred ? fullCell('class="veil"') + fullCell('fill="url(#barred)" opacity=".6"') : '',
      roof(view, height, barAt - EDGE - 10, { barred, wide }),
      '</g>',
      floors(view, height, barAt, bar)
    )
  }
  if (view.mark === 'open') {
    if (!height) {
      const middle = round(width / 2)
      parts.push(
        fullCell('class="candidate"'),
        `<path class="plus" d="M${middle} 34v32M${round(middle - 16)} 50h32"/>`
      )
    }
    parts.push(frame(2, 'class="halo"'))
    parts.push(frame(4, `class="ring" stroke-width="${view.ghost ? 6 : 3.5}"`))
  } else if (barred) {
    parts.push(frame(1.5, 'class="dashes"'))
  }
  if (view.isLast && view.height && view.highlighted === null)
    parts.push('<circle class="last" cx="14" cy="14" r="7"/>')
  return parts.join('')
}

function roof(
  view: SiteView,
  height: number,
  width: number,
  { barred, wide }: { barred: boolean; wide: boolean }
): string {
  const size = (wide ? 46 : 42) * (height > 9 ? 0.84 : 1)
  const middle = round(EDGE + width / 2)
  // A phone's cells are too small for the note, which the dock shows.
  const note = barred && !wide ? view.note : null
  const below = view.award
    ? awardMarkup(view.award, middle)
    : view.ghost
      ? riseMarkup(view.ghost.floors, middle)
      : note &&
        `<text class="below barred" x="${middle}" y="84" font-size="13.5">${escapeXml(note)}</text>`
  const foot = round((below ? 43 : 50) + size * 0.36)
  return [
    `<rect x="${EDGE}" y="${EDGE}" width="${round(width)}" height="84" rx="6" class="roof"${barred ? ' opacity=".9"' : ''}/>`,
    `<text class="height" x="${middle}" y="${foot}" font-size="${round(size)}">${height}</text>`,
    below ?? ''
  ].join('')
}

/** Points of the scoring: a plus sign in a pill, as at the name of a city. */
function awardMarkup(points: number, middle: number): string {
  const text = number(points, { signDisplay: 'always' })
  return `<g class="points"><rect x="${round(middle - 17)}" y="66" width="34" height="24" rx="12"/><text class="below" x="${middle}" y="84" font-size="18">${text}</text></g>`
}

/** Floors that a block would add: an arrow instead of a plus sign, which means points. */
function riseMarkup(floors: number, middle: number): string {
  const x = round(middle - 9)
  return `<g class="rise"><path d="M${x} 84v-12m-5 5l5 -5 5 5"/><text class="below" x="${round(middle + 6)}" y="84" font-size="17">${floors}</text></g>`
}

/** The bar: the tower from the side. */
function floors(view: SiteView, height: number, x: number, width: number): string {
  const floor = Math.min(MAX_FLOOR_HEIGHT, BAR_HEIGHT / height)
  const top = (up: number): number => GROUND - up * floor
  const parts = [
    `<rect class="bar" x="${x - 3}" y="${round(top(height) - 3)}" width="${width + 6}" height="${round(height * floor + 6)}" rx="4"/>`
  ]
  let up = 0
  for (const block of view.ghost ? [...view.tower, view.ghost] : view.tower) {
    up += block.floors
    const box = `x="${x}" y="${round(top(up) + 0.8)}" width="${width}" height="${round(block.floors * floor - 1.6)}" rx="1.5"`
    const lines = Array.from(
      { length: block.floors - 1 },
      (_, n) => `M${x} ${round(top(up - n - 1))}h${width}`
    )
    parts.push(
      `<g class="${block.colour}">`,
      block === view.ghost
        ? `<rect ${box} class="part ghost"/>`
        : `<rect ${box} class="part"/><rect ${box} fill="url(#chip-${block.colour})" opacity=".6"/>`,
      lines.length ? `<path class="floors" d="${lines.join('')}"/>` : '',
      '</g>'
    )
  }
  return parts.join('')
}
