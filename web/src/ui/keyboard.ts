/** Is a key press not meant for the game, but for a text field, an open dialog (even one without the
 * focus), or the browser? */
export function isMeantForOthers(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target as HTMLElement).closest('input, select, textarea') !== null ||
    document.querySelector('dialog[open]') !== null
  )
}
