/** SVG as text. A board has a thousand shapes that never change one by one: the browser parses them
 * from one string many times faster than a framework creates and tracks single elements. */

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
