/** Is a key meant for something else than the game: what somebody writes, a dialog that lies over
 * it (even one that has lost the focus), or the browser? */
export function meantForOthers(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target as HTMLElement).closest('input, select, textarea') !== null ||
    document.querySelector('dialog[open]') !== null
  )
}
