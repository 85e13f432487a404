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
  Statistics,
  Account,
  RecordCheck,
  Problem,
  TableInfo,
  TableOptions,
  ViewMessage
} from './types.gen'

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

async function request<Response>(method: string, path: string, body?: unknown): Promise<Response> {
  let response: globalThis.Response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
  } catch {
    throw new ApiError(SERVER_UNREACHABLE)
  }
  const payload: unknown = await response.json().catch(() => null)
  if (response.ok) return payload as Response
  const problem = payload as Problem | null
  throw new ApiError(problem?.reason ? problem : SERVER_UNREACHABLE)
}

export type TableOptionsInput = Partial<TableOptions> & Pick<TableOptions, 'seats'>

/** The games that a list shows. */
export type GameFilter = 'all' | MyGame['state']

export const api = {
  me: () => request<Account>('GET', '/me'),
  setName: (name: string) => request<Account>('PUT', '/me', { name }),
  catalog: () => request<Catalog>('GET', '/catalog'),
  tutorialStep: (number: number, moves: readonly string[] = []) =>
    request<TutorialStep>('POST', `/tutorial/${number}`, { moves }),
  view: (table: string) => request<ViewMessage>('GET', `/tables/${table}`),
  tables: (stage: 'lobby' | 'playing' | 'over') =>
    request<TableList>('GET', `/tables?stage=${stage}`),
  myGames: (state: GameFilter = 'all', cursor: string | null = null) =>
    request<MyGameList>('GET', `/me/games?state=${state}${cursor ? `&cursor=${cursor}` : ''}`),
  removedGames: (cursor: string | null = null) =>
    request<MyGameList>('GET', `/me/games?removed=true${cursor ? `&cursor=${cursor}` : ''}`),
  myGame: (table: string) => request<MyGameEntry>('GET', `/me/games/${table}`),
  removeGame: (table: string) => request<MyGameEntry>('DELETE', `/me/games/${table}`),
  restoreGame: (table: string) => request<MyGameEntry>('PUT', `/me/games/${table}`),
  statistics: () => request<Statistics>('GET', '/me/statistics'),
  openTable: (options: TableOptionsInput, start: boolean) =>
    request<TableInfo>('POST', `/tables?start=${start}`, options),
  takeSeat: (table: string, seat: number) =>
    request<TableInfo>('POST', `/tables/${table}/seats/${seat}`),
  leaveTable: (table: string) => request<TableInfo>('POST', `/tables/${table}/leave`),
  freeSeat: (table: string, seat: number) =>
    request<TableInfo>('DELETE', `/tables/${table}/seats/${seat}`),
  seatBot: (table: string, seat: number, level: string) =>
    request<TableInfo>('PUT', `/tables/${table}/seats/${seat}/bot`, { level }),
  startGame: (table: string) => request<TableInfo>('POST', `/tables/${table}/start`),
  rematch: (table: string, start: boolean) =>
    request<RematchTable>('POST', `/tables/${table}/rematch?start=${start}`),
  createSeatTransfer: (table: string, seat?: number) =>
    request<SeatTransferSecret>(
      'POST',
      `/tables/${table}/seat-transfers`,
      seat === undefined ? {} : { seat }
    ),
  claimSeatTransfer: (table: string, secret: string) =>
    request<TableInfo>('POST', `/tables/${table}/seat-transfers/claim`, { secret }),
  record: (table: string) => request<unknown>('GET', `/tables/${table}/record`),
  checkRecord: (record: unknown) => request<RecordCheck>('POST', '/records/check', record),
  hint: (table: string) => request<HintResponse>('POST', `/tables/${table}/hint`)
}
