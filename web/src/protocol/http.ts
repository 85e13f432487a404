/** HTTP client: one typed method per endpoint of the server's API. */

import type {
  Catalog,
  HintResponse,
  TutorialStep,
  RematchTable,
  SeatTransferSecret,
  TableList,
  MyGame,
  MyGameEntry,
  MyGameList,
  PushKey,
  PushStatus,
  PushSubscriptionRequest,
  Statistics,
  Account,
  RecordCheck,
  Problem,
  TableInfo,
  TableOptions,
  ViewMessage
} from './types.gen'

import { connectivity } from './connectivity.svelte'

/** A request failed: the server rejected it with a named reason, or could not be reached. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.text)
  }
}

export const SERVER_UNREACHABLE: Problem = {
  reason: 'server_unreachable',
  params: {},
  text: ''
}

export async function request<Response>(
  method: string,
  path: string,
  body?: unknown
): Promise<Response> {
  let response: globalThis.Response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        // A refusal comes with the status 200 and says so in another header: browsers report every
        // other status to the console, as if the page had failed.
        prefer: 'problem-status=200',
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
  } catch {
    connectivity.reachable = false
    throw new ApiError(SERVER_UNREACHABLE)
  }
  connectivity.reachable = true
  const payload: unknown = await response.json().catch(() => null)
  if (response.ok && !response.headers.has('preference-applied')) return payload as Response
  const problem = payload as Problem | null
  throw new ApiError(problem?.reason ? problem : SERVER_UNREACHABLE)
}

export type TableOptionsInput = Partial<TableOptions> & Pick<TableOptions, 'seats'>

/** A step of the tutorial. The service worker keeps the steps and their outcomes, so that it works
 * without the server, too. */
async function tutorialStep(number: number, moves: readonly string[] = []): Promise<TutorialStep> {
  const path = `/tutorial/${number}`
  if (!moves.length) return request<TutorialStep>('GET', path)
  try {
    return await request<TutorialStep>('POST', path, { moves })
  } catch (error) {
    if (!isUnreachable(error) || moves.length > 1) throw error
    const outcomes = await request<Record<string, TutorialStep>>('GET', `${path}/outcomes`)
    const outcome = outcomes[moves[0]!]
    if (!outcome) throw error // an illegal move: the server would say why
    return outcome
  }
}

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.reason === SERVER_UNREACHABLE.reason

/** The states of the games that a list shows. */
export type GameFilter = 'all' | MyGame['state']

/** Further conditions of a list; null for all games. */
export interface PlayersFilter {
  players: number | null
  /** "people", or the level of the strongest bot. */
  opponents: string | null
}

type QueryValues = Record<string, string | number | boolean | null>

/** The query of a page of a list. */
function gamesQuery(
  values: QueryValues,
  { players, opponents }: PlayersFilter,
  cursor: string | null
): string {
  const given = Object.entries({ ...values, players, opponents, cursor }).flatMap(([key, value]) =>
    value === null ? [] : [[key, String(value)]]
  )
  return String(new URLSearchParams(given))
}

const ALL_PLAYERS: PlayersFilter = { players: null, opponents: null }

export const api = {
  me: () => request<Account>('GET', '/me'),
  setName: (name: string) => request<Account>('PUT', '/me', { name }),
  pushKey: () => request<PushKey>('GET', '/push'),
  subscribePush: (subscription: PushSubscriptionRequest) =>
    request<PushStatus>('PUT', '/me/push-subscription', subscription),
  unsubscribePush: (endpoint: string) =>
    request<PushStatus>('DELETE', '/me/push-subscription', { endpoint }),
  catalog: () => request<Catalog>('GET', '/catalog'),
  tutorialStep,
  view: (table: string) => request<ViewMessage>('GET', `/tables/${table}`),
  tables: (stage: 'lobby' | 'playing' | 'over', page = 0) =>
    request<TableList>('GET', `/tables?stage=${stage}&page=${page}`),
  myGames: (
    state: GameFilter | 'removed' = 'all',
    filter: PlayersFilter = ALL_PLAYERS,
    cursor: string | null = null
  ) => {
    const query: QueryValues = state === 'removed' ? { removed: true } : { state }
    return request<MyGameList>('GET', `/me/games?${gamesQuery(query, filter, cursor)}`)
  },
  myGame: (table: string) => request<MyGameEntry>('GET', `/me/games/${table}`),
  removeGame: (table: string) => request<MyGameEntry>('DELETE', `/me/games/${table}`),
  restoreGame: (table: string) => request<MyGameEntry>('PUT', `/me/games/${table}`),
  statistics: () => request<Statistics>('GET', '/me/statistics'),
  openTable: (options: TableOptionsInput, start: boolean) =>
    request<TableInfo>('POST', `/tables?start=${start}`, options),
  takeSeat: (table: string, seat: number, nonceHashes: string[]) =>
    request<TableInfo>('POST', `/tables/${table}/seats/${seat}`, { nonce_hashes: nonceHashes }),
  revealNonces: (table: string, nonces: string[]) =>
    request<TableInfo>('POST', `/tables/${table}/nonces`, { nonces }),
  leaveTable: (table: string) => request<TableInfo>('POST', `/tables/${table}/leave`),
  freeSeat: (table: string, seat: number) =>
    request<TableInfo>('DELETE', `/tables/${table}/seats/${seat}`),
  declineOffer: (table: string) => request<TableInfo>('POST', `/tables/${table}/decline`),
  substitutePlayer: (table: string, seat: number) =>
    request<TableInfo>('POST', `/tables/${table}/seats/${seat}/substitute`),
  seatBot: (table: string, seat: number, level: string) =>
    request<TableInfo>('PUT', `/tables/${table}/seats/${seat}/bot`, { level }),
  startGame: (table: string) => request<TableInfo>('POST', `/tables/${table}/start`),
  abortGame: (table: string) => request<TableInfo>('POST', `/tables/${table}/abort`),
  rematch: (table: string, nonceHashes: string[]) =>
    request<RematchTable>('POST', `/tables/${table}/rematch?start=true`, {
      nonce_hashes: nonceHashes
    }),
  createSeatTransfer: (table: string, seat?: number) =>
    request<SeatTransferSecret>(
      'POST',
      `/tables/${table}/seat-transfers`,
      seat === undefined ? {} : { seat }
    ),
  claimSeatTransfer: (table: string, secret: string, nonceHash: string) =>
    request<TableInfo>('POST', `/tables/${table}/seat-transfers/claim`, {
      secret,
      nonce_hash: nonceHash
    }),
  record: (table: string) => request<unknown>('GET', `/tables/${table}/record`),
  checkRecord: (record: unknown) => request<RecordCheck>('POST', '/records/check', record),
  hint: (table: string) => request<HintResponse>('POST', `/tables/${table}/hint`)
}
