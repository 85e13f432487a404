/** Event delegation: one set of listeners on the drawing instead of one for each of its 54 sites. */

export interface SiteHandlers {
  onPick(site: number): void
  onKeydown(event: KeyboardEvent, site: number): void
  /** The Tab key or an arrow key has moved the focus here. */
  onFocus(site: number): void
  /** The pointer or the focus is on this site now. */
  onPoint(site: number | null): void
}

const siteOf = (event: Event): number | null => {
  const site = (event.target as Element).closest('[data-site]')?.getAttribute('data-site')
  return site ? Number(site) : null
}

/** An attachment (`{@attach}`) for the element that holds the sites. */
export function siteEvents(handlers: SiteHandlers): (container: Element) => () => void {
  const onSite = (handle: (site: number, event: Event) => void) => (event: Event) => {
    const site = siteOf(event)
    if (site !== null) handle(site, event)
  }
  // Pointing redraws a site. Between press and release that would remove the pressed node, and the
  // browser would not send a click: focus that comes from a press points when the click has come.
  let isPressed = false
  const isMouse = (event: Event): boolean => (event as PointerEvent).pointerType === 'mouse'
  const listeners: Record<string, (event: Event) => void> = {
    mousedown: () => (isPressed = true), // a tap sends it as well, before focus and click
    click: onSite((site, event) => {
      handlers.onPick(site)
      if (!isMouse(event)) handlers.onPoint(site)
    }),
    keydown: onSite((site, event) => handlers.onKeydown(event as KeyboardEvent, site)),
    focusin: onSite((site) => {
      handlers.onFocus(site)
      if (!isPressed) handlers.onPoint(site)
    }),
    // A site also loses the focus when the drawing is replaced. The check runs after that, when the
    // same site of the new drawing may have the focus.
    focusout: onSite(() =>
      queueMicrotask(() => {
        if (!document.activeElement?.closest('[data-site]')) handlers.onPoint(null)
      })
    ),
    pointerover: (event) => isMouse(event) && handlers.onPoint(siteOf(event)),
    pointerleave: (event) => isMouse(event) && handlers.onPoint(null)
  }
  const release = (): void => {
    isPressed = false
  }
  return (container) => {
    for (const [name, listener] of Object.entries(listeners))
      container.addEventListener(name, listener)
    window.addEventListener('mouseup', release) // wherever the pointer is by then
    return () => {
      window.removeEventListener('mouseup', release)
      for (const [name, listener] of Object.entries(listeners))
        container.removeEventListener(name, listener)
    }
  }
}
