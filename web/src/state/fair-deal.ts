/** This device's part in a fair deal: its nonces, and what it saw, kept in the browser.
 *
 * The server commits to its part of the seed when a table opens, and the device to its nonce when it
 * takes a seat. The device reveals the nonce only while the commitment is the one that it saw first,
 * and compares the record of the finished game with what it saw (docs/explanation/fairness.md). */

import { bytesToHex } from '@noble/hashes/utils.js'
import {
  drawStartPlayer,
  hashHex,
  verifyShuffles,
  type ShuffleRecord
} from '$/model/verify-shuffle'
import { api, ApiError, isUnreachable, type TableOptionsInput } from '$/protocol/http'
import type { TableInfo } from '$/protocol/types.gen'

/** `joint`: everything fits, and this device's nonce is part of the seed. `missing`: the cards were
 * dealt without it. `yes`: this device had none, but everything fits. `no`: something doesn't. */
export type Verdict = 'joint' | 'missing' | 'yes' | 'no'

/** What the device saw of a table's deal. */
interface SeenDeal {
  /** As it was seen first. */
  commitment: string | null
  isFirstRandom: boolean
  /** The hashes of all seats when the game started. */
  hashes: (string | null)[]
  /** The hashes of the nonces that the device drew for its seats. */
  own: string[]
  /** Has the server accepted the device's nonces? */
  hasRevealed: boolean
}

interface Memory {
  /** Nonces by their hashes, the newest last. */
  nonces: [hash: string, nonce: string][]
  /** Deals by table, the newest last. */
  deals: [table: string, deal: SeenDeal][]
}

const STORAGE_KEY = 'manhattan-deals'
const MAX_ENTRIES = 200
const NONCE_BYTES = 32
const ATTEMPTS = 5
const RETRY_MS = 500

/** Without storage the device remembers until the page is closed. */
let memory: Memory = { nonces: [], deals: [] }
/** Tables to which nonces are on their way. */
const revealing = new Set<string>()

/** Read what is stored: another tab may have changed it. */
function load(): Memory {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as Memory | null
    if (Array.isArray(stored?.nonces) && Array.isArray(stored.deals)) memory = stored
  } catch {
    // Storage is blocked, or its content is broken.
  }
  return memory
}

function save({ nonces, deals }: Memory): void {
  memory = { nonces: nonces.slice(-MAX_ENTRIES), deals: deals.slice(-MAX_ENTRIES) }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(memory))
  } catch {
    // The memory of this page has to do.
  }
}

function saveDeal(table: string, deal: SeenDeal): void {
  const { nonces, deals } = load()
  save({ nonces, deals: [...deals.filter(([id]) => id !== table), [table, deal]] })
}

const dealOf = (table: string): SeenDeal | undefined =>
  load().deals.find(([id]) => id === table)?.[1]

/** Draw nonces, and return their hashes. */
export function drawNonces(count: number): string[] {
  const drawn = Array.from({ length: count }, (): [string, string] => {
    const nonce = bytesToHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
    return [hashHex(nonce), nonce]
  })
  const { nonces, deals } = load()
  save({ nonces: [...nonces, ...drawn], deals })
  return drawn.map(([hash]) => hash)
}

/** Note what a table shows of its deal, and return the nonces that are due. */
export function noteDeal(table: TableInfo): string[] {
  const seen = dealOf(table.id)
  const deal: SeenDeal = seen ?? {
    commitment: table.commitment,
    isFirstRandom: false,
    hashes: [],
    own: [],
    hasRevealed: false
  }
  if (deal.commitment !== table.commitment) return [] // the check reports it
  const nonces = new Map(load().nonces)
  const own = table.seats.flatMap(({ you, nonce_hash: hash }) =>
    you && hash && (nonces.has(hash) || deal.own.includes(hash)) ? [hash] : []
  )
  const isDue = table.reveal_until !== null
  const hashes =
    isDue && !deal.hashes.length ? table.seats.map((seat) => seat.nonce_hash) : deal.hashes
  const isFirstRandom = table.stage === 'lobby' ? table.first === 'random' : deal.isFirstRandom
  const next = { ...deal, isFirstRandom, hashes, own }
  if (JSON.stringify(next) !== JSON.stringify(seen)) saveDeal(table.id, next)
  return isDue && !deal.hasRevealed ? own.flatMap((hash) => nonces.get(hash) ?? []) : []
}

/** Note what a table shows of its deal, and reveal this device's nonces when they are due. If that
 * fails, the cards are dealt without them. */
export async function takePart(table: TableInfo): Promise<TableInfo> {
  const nonces = noteDeal(table)
  if (!nonces.length || revealing.has(table.id)) return table
  revealing.add(table.id)
  try {
    return await reveal(table, nonces)
  } finally {
    revealing.delete(table.id)
  }
}

async function reveal(table: TableInfo, nonces: string[]): Promise<TableInfo> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const dealt = await api.revealNonces(table.id, nonces)
      noteRevelation(table.id)
      return dealt
    } catch (error) {
      if (error instanceof ApiError && error.problem.reason === 'already_revealed')
        noteRevelation(table.id)
      if (!isUnreachable(error)) return table
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
  return table
}

function noteRevelation(table: string): void {
  const deal = dealOf(table)
  if (deal) saveDeal(table, { ...deal, hasRevealed: true })
}

/** Open a table, with nonces for the seats of this device. */
export async function openTable(options: TableOptionsInput, start: boolean): Promise<TableInfo> {
  const seats = options.seats.map((seat) =>
    seat.occupant === 'me' || seat.occupant === 'here'
      ? { ...seat, nonce_hash: drawNonces(1)[0]! }
      : seat
  )
  return takePart(await api.openTable({ ...options, seats }, start))
}

/** Take a seat, with a nonce. */
export async function takeSeat(table: string, seat: number): Promise<TableInfo> {
  return takePart(await api.takeSeat(table, seat, drawNonces(1)))
}

/** Take over a seat from another device, with a nonce. */
export async function claimSeat(table: string, secret: string): Promise<TableInfo> {
  return takePart(await api.claimSeatTransfer(table, secret, drawNonces(1)[0]!))
}

/** Play again, or accept a rematch, with nonces; returns the new table. The game starts when
 * everybody has accepted. */
export async function openRematch(table: string, seats: number): Promise<string> {
  return (await api.rematch(table, drawNonces(seats))).table
}

/** Check the record of a finished game, and compare it with what this device saw. */
export function checkDeal(table: string, record: ShuffleRecord): Verdict {
  if (!verifyShuffles(record)) return 'no'
  const deal = dealOf(table)
  if (!deal) return 'yes'
  if (deal.commitment !== null && deal.commitment !== record.commitment) return 'no'
  const drawn = drawStartPlayer(record.seed!, record.players.length)
  if (deal.isFirstRandom && drawn !== record.first) return 'no'
  const found = (record.nonces ?? []).map((nonce) => (nonce === null ? null : hashHex(nonce)))
  const isOther = found.some((hash, n) => hash !== null && hash !== deal.hashes[n])
  if (deal.hashes.length && isOther) return 'no'
  if (!deal.own.length) return 'yes'
  if (deal.own.every((hash) => found.includes(hash))) return 'joint'
  return deal.hasRevealed ? 'no' : 'missing'
}
