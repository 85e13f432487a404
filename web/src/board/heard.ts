/** What happens at the sites of a drawing, heard in one place: 54 sites need no ears of their own. */

export interface Hearing {
  picked(site: number): void
  pressed(event: KeyboardEvent, site: number): void
  /** The Tab key or the arrows have led here. */
  focused(site: number): void
  /** Where the pointer or the focus is. */
  pointed(site: number | null): void
}

const at = (event: Event): number | null => {
  const site = (event.target as Element).closest('[data-site]')?.getAttribute('data-site')
  return site ? Number(site) : null
}

/** For `{@attach}` at whatever holds the sites. */
export function heard(by: Hearing): (holder: Element) => () => void {
  const where = (then: (site: number, event: Event) => void) => (event: Event) => {
    const site = at(event)
    if (site !== null) then(site, event)
  }
  const mouse = (event: Event): boolean => (event as PointerEvent).pointerType === 'mouse'
  const ears: Record<string, (event: Event) => void> = {
    click: where((site) => by.picked(site)),
    keydown: where((site, event) => by.pressed(event as KeyboardEvent, site)),
    focusin: where((site) => {
      by.focused(site)
      by.pointed(site)
    }),
    // A site may lose the focus because it is taken away, in the midst of drawing: that is over then,
    // and the same site of another drawing may have it.
    focusout: where(() =>
      queueMicrotask(() => {
        if (!document.activeElement?.closest('[data-site]')) by.pointed(null)
      })
    ),
    pointerover: (event) => mouse(event) && by.pointed(at(event)),
    pointerleave: (event) => mouse(event) && by.pointed(null)
  }
  return (holder) => {
    for (const [name, ear] of Object.entries(ears)) holder.addEventListener(name, ear)
    return () => {
      for (const [name, ear] of Object.entries(ears)) holder.removeEventListener(name, ear)
    }
  }
}
