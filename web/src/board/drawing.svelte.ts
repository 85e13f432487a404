/** Is the screen a phone's? */
class Width {
  #narrow = matchMedia('(max-width: 900px)')
  narrow = $state(this.#narrow.matches)

  constructor() {
    this.#narrow.addEventListener('change', (event) => (this.narrow = event.matches))
  }
}

export const width = new Width()
