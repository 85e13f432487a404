/** The sections of the rules, in order. */
export const SECTIONS = [
  'aim',
  'box',
  'setup',
  'cards',
  'round',
  'towers',
  'scoring',
  'players',
  'stuck',
  'end',
  'silent',
  'compare'
] as const
export type SectionName = (typeof SECTIONS)[number]
