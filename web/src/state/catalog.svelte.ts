/** Catalog of what can be played: editions, house rules and bot levels, fetched once. */

import { CITY_LETTERS } from '$/model/notation'
import { api } from '$/protocol/http'
import { cityName } from '$/text/narration'
import type { Catalog as CatalogData, EditionInfo } from '$/protocol/types.gen'

class Catalog {
  data = $state.raw<CatalogData | null>(null)
  #request: Promise<void> | null = null

  /** Fetch the catalog; after a failure the next call tries again. */
  async load(): Promise<void> {
    this.#request ??= api.catalog().then(
      (data) => void (this.data = data),
      (error: unknown) => {
        this.#request = null
        throw error
      }
    )
    await this.#request
  }

  edition(id: string | undefined): EditionInfo | undefined {
    return this.data?.editions.find((edition) => edition.id === id)
  }

  /** The names of the cities, in the page's language. */
  cities(id: string | undefined): readonly string[] {
    return this.edition(id)?.cities.map(cityName) ?? [...CITY_LETTERS]
  }
}

export const catalog = new Catalog()
