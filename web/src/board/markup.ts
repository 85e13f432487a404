/** Drawings as text. A board has a thousand shapes that never change one by one: the browser reads
 * them from one text many times as fast as they could be made and watched singly. */

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
