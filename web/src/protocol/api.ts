/** What is asked over HTTP, before and after a game. */

import type {
  BoxTold,
  EvaluationTold,
  HintTold,
  LessonTold,
  LinkTold,
  ListTold,
  MineTold,
  Myself,
  RecordChecked,
  RefusalTold,
  TableNamed,
  TableTold,
  Terms,
  ViewMessage
} from './told'

/** What the server does not do, with its reason; or that it can't be reached. */
export class Refused extends Error {
  constructor(readonly told: RefusalTold) {
    super(told.text)
  }
}

export const AWAY: RefusalTold = { reason: 'server_away', figures: {}, text: '' }

async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  let answer: Response
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
  } catch {
    throw new Refused(AWAY)
  }
  const told: unknown = await answer.json().catch(() => null)
  if (answer.ok) return told as Answer
  const refusal = told as RefusalTold | null
  throw new Refused(refusal?.reason ? refusal : AWAY)
}

export type TermsWanted = Partial<Terms> & Pick<Terms, 'chairs'>

export const api = {
  me: () => ask<Myself>('GET', '/me'),
  callMe: (name: string) => ask<Myself>('PUT', '/me', { name }),
  box: () => ask<BoxTold>('GET', '/box'),
  lesson: (number: number, moves: readonly string[] = []) =>
    ask<LessonTold>('POST', `/lessons/${number}`, { moves }),
  look: (table: string) => ask<ViewMessage>('GET', `/tables/${table}`),
  tables: (stage: 'gathering' | 'playing' | 'over') =>
    ask<ListTold>('GET', `/tables?stage=${stage}`),
  mine: () => ask<MineTold>('GET', '/tables/mine'),
  open: (terms: TermsWanted, begin: boolean) =>
    ask<TableTold>('POST', `/tables?begin=${begin}`, terms),
  sit: (table: string, chair?: number) =>
    ask<TableTold>('POST', `/tables/${table}/sit`, chair === undefined ? {} : { chair }),
  leave: (table: string) => ask<TableTold>('POST', `/tables/${table}/leave`),
  fill: (table: string, chair: number, level: string | null) =>
    ask<TableTold>('POST', `/tables/${table}/fill`, { chair, level }),
  close: (table: string) => ask<TableTold>('POST', `/tables/${table}/close`),
  begin: (table: string) => ask<TableTold>('POST', `/tables/${table}/begin`),
  rematch: (table: string, begin: boolean) =>
    ask<TableNamed>('POST', `/tables/${table}/rematch?begin=${begin}`),
  link: (table: string, chair?: number) =>
    ask<LinkTold>('POST', `/tables/${table}/link`, chair === undefined ? {} : { chair }),
  claim: (table: string, secret: string) =>
    ask<TableTold>('POST', `/tables/${table}/claim`, { secret }),
  record: (table: string) => ask<unknown>('GET', `/tables/${table}/record`),
  checkRecord: (saved: unknown) => ask<RecordChecked>('POST', '/records/check', saved),
  hint: (table: string) => ask<HintTold>('POST', `/tables/${table}/hint`),
  evaluation: (table: string) => ask<EvaluationTold>('POST', `/tables/${table}/evaluation`)
}
