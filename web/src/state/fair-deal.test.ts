import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import saved from '$/model/fixtures/joint-deal.json'
import { hashHex, type ShuffleRecord } from '$/model/verify-shuffle'
import type { SeatInfo, TableInfo } from '$/protocol/types.gen'
import * as fairDeal from './fair-deal'

const record = saved as unknown as ShuffleRecord & { nonces: string[]; server_seed: string }
const [MINE, THEIRS] = record.nonces
const seat = (you: boolean, hash: string | null): SeatInfo =>
  ({ you, nonce_hash: hash }) as unknown as SeatInfo

let number = 0
/** A table at which the record was played, before its start. */
function lobby(): TableInfo {
  return {
    id: `t${number++}`,
    stage: 'lobby',
    commitment: record.commitment,
    first: 'random',
    reveal_until: null,
    seats: [seat(true, hashHex(MINE!)), seat(false, hashHex(THEIRS!)), seat(false, null)]
  } as unknown as TableInfo
}
const starting = (table: TableInfo): TableInfo => ({ ...table, reveal_until: 1 })

let stored: Record<string, string>
let answers: (() => Response)[]
let requests: string[]

beforeEach(() => {
  stored = {}
  answers = []
  requests = []
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => (stored[key] = value)
  })
  // The device draws the nonce of the record. There is no SubtleCrypto on plain http.
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(1) })
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    requests.push(`${path} ${body}`)
    return Promise.resolve((answers.shift() ?? (() => Response.json({})))())
  })
})
afterEach(() => vi.unstubAllGlobals())

const error = (reason: string) => () =>
  Response.json({ reason, params: {}, text: '' }, { status: 409 })

/** Take part in a deal up to its end. */
async function takePart(table = lobby()): Promise<string> {
  expect(fairDeal.drawNonces(1)).toEqual([hashHex(MINE!)])
  await fairDeal.takePart(table)
  await fairDeal.takePart(starting(table))
  return table.id
}

describe('taking part', () => {
  it('reveals the nonce when the game starts, and not before', async () => {
    const table = lobby()
    fairDeal.drawNonces(1)
    await fairDeal.takePart(table)
    expect(requests).toEqual([])
    await fairDeal.takePart(starting(table))
    expect(requests).toEqual([`/api/tables/${table.id}/nonces {"nonces":["${MINE}"]}`])
    await fairDeal.takePart(starting(table))
    expect(requests).toHaveLength(1)
  })

  it('reveals after a reload, from what is stored', async () => {
    const table = lobby()
    fairDeal.drawNonces(1)
    await fairDeal.takePart(table)
    vi.resetModules()
    const reloaded = await import('./fair-deal')
    await reloaded.takePart(starting(table))
    expect(requests).toHaveLength(1)
  })

  it('reveals nothing to a server that has changed its commitment', async () => {
    const table = lobby()
    fairDeal.drawNonces(1)
    await fairDeal.takePart(table)
    await fairDeal.takePart({ ...starting(table), commitment: '0'.repeat(64) })
    expect(requests).toEqual([])
  })

  it('works without storage, as long as the page is open', async () => {
    vi.stubGlobal('localStorage', undefined)
    await takePart()
    expect(requests).toHaveLength(1)
  })

  it('draws a nonce for every seat of the device', async () => {
    const bytes = [1, 2, 3]
    vi.stubGlobal('crypto', {
      getRandomValues: (array: Uint8Array) => array.fill(bytes.shift()!)
    })
    answers.push(() => Response.json({ ...lobby(), seats: [] }))
    const seats = [
      { occupant: 'me' as const },
      { occupant: 'here' as const, name: 'Bea' },
      { occupant: 'bot' as const, level: 'easy' }
    ]
    await fairDeal.openTable({ seats }, true)
    const [me, here, bot] = (
      JSON.parse(requests[0]!.replace(/^\S+ /, '')) as { seats: { nonce_hash?: string }[] }
    ).seats
    expect(me!.nonce_hash).toBe(hashHex(MINE!))
    expect(here!.nonce_hash).toBe(hashHex(THEIRS!))
    expect(bot!.nonce_hash).toBeUndefined()
  })
})

describe('the check of a finished game', () => {
  it('finds a fair deal', async () => {
    expect(fairDeal.checkDeal(await takePart(), record)).toBe('joint')
  })

  it('knows that the part of this device is missing', async () => {
    answers.push(error('already_started'))
    const id = await takePart()
    expect(fairDeal.checkDeal(id, record)).toBe('joint') // another tab of it was in time
    const table = lobby()
    table.seats = [seat(true, hashHex('09'.repeat(32))), ...table.seats.slice(1)]
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(9) })
    fairDeal.drawNonces(1)
    await fairDeal.takePart(table)
    expect(fairDeal.checkDeal(table.id, record)).toBe('missing')
  })

  it('notices that a nonce which the server accepted was dropped', async () => {
    const table = lobby()
    table.seats = [seat(true, hashHex('09'.repeat(32))), ...table.seats.slice(1)]
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(9) })
    fairDeal.drawNonces(1)
    await fairDeal.takePart(starting(table))
    expect(fairDeal.checkDeal(table.id, { ...record })).toBe('no')
  })

  it('only checks the record if this device had no seat', () => {
    expect(fairDeal.checkDeal('elsewhere', record)).toBe('yes')
  })

  const cheats: Record<string, Partial<ShuffleRecord>> = {
    'another commitment': { commitment: '0'.repeat(64) },
    'another part of the server': { server_seed: '0'.repeat(64) },
    'another seed': { seed: '0'.repeat(64) },
    'a nonce that is left out': { nonces: [MINE!, null, null] },
    'another order': { nonces: [THEIRS!, MINE!, null] },
    'too few nonces': { nonces: [MINE!, THEIRS!] },
    'no nonces': { nonces: [null, null, null] },
    'one party alone': { nonces: undefined, server_seed: undefined },
    'another start player': { first: (record.first + 1) % 3 }
  }
  for (const [cheat, change] of Object.entries(cheats))
    it(`rejects ${cheat}`, async () => {
      expect(fairDeal.checkDeal(await takePart(), { ...record, ...change })).toBe('no')
    })

  it('rejects a record that fits itself, but not what was seen', async () => {
    for (const change of [
      { commitment: '0'.repeat(64) },
      { seats: [seat(true, hashHex(MINE!)), seat(false, '0'.repeat(64)), seat(false, null)] },
      { seats: [seat(true, hashHex(MINE!)), seat(false, null), seat(false, null)] }
    ])
      expect(fairDeal.checkDeal(await takePart({ ...lobby(), ...change }), record)).toBe('no')
  })
})
