// Made from the server’s schema by `make types`. Not to be edited.

export type Commands =
  | PlayCommand
  | UndoCommand
  | AnswerCommand
  | ResignCommand
  | BackCommand
  | SayCommand
  | AgainCommand
  | WhyCommand
  | PingCommand
export type Messages =
  | ViewMessage
  | NewsMessage
  | ResumedMessage
  | PresenceTold
  | DoneMessage
  | WhyMessage
  | RefusedMessage
  | WarmingMessage
export type EventTold = SelectTold | BuildTold | RemoveTold | RedrawTold | ShuffleTold | ScoreTold
/**
 * A side of the board, in clockwise order: each is the left neighbour of the one before.
 */
export type Seat = 'south' | 'west' | 'north' | 'east'
/**
 * A colour of blocks. Which four a box holds is a matter of the edition.
 */
export type Colour = 'orange' | 'blue' | 'yellow' | 'purple' | 'black' | 'red' | 'green'

/**
 * Make a move.
 */
export interface PlayCommand {
  type: 'play'
  /**
   * How many moves have been made.
   */
  ply: number
  move: string
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Take back one's last move; other people at the table have to agree.
 */
export interface UndoCommand {
  type: 'undo'
  /**
   * How many moves have been made.
   */
  ply: number
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Agree to taking a move back, or not.
 */
export interface AnswerCommand {
  type: 'answer'
  yes: boolean
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Give up; a bot plays on.
 */
export interface ResignCommand {
  type: 'resign'
  player?: number | null
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Be back, after a bot has played for one who was away.
 */
export interface BackCommand {
  type: 'back'
  player?: number | null
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Say something to all.
 */
export interface SayCommand {
  type: 'say'
  text: string
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Play again with the same people, after the game: the websocket shows the new table from then
 *     on, whose view comes first.
 */
export interface AgainCommand {
  type: 'again'
  /**
   * Deal at once, if you are the first to ask.
   */
  begin?: boolean
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Ask why a move can't be made; nothing happens.
 */
export interface WhyCommand {
  type: 'why'
  move: string
  /**
   * Repeated, it is not done again.
   */
  id: string
}
/**
 * Ask whether the server is there.
 */
export interface PingCommand {
  type: 'ping'
  /**
   * Repeated, it is not done again.
   */
  id: string
}
export interface BuildMoves {
  kind: 'build'
  places: PlaceTold[]
}
/**
 * A site on which one may build with one colour, and what that would change.
 */
export interface PlaceTold {
  site: string
  card: number
  moves: string[]
  takes_from: string | null
  gains: number[][]
}
/**
 * Somebody built, and drew a card.
 */
export interface BuildTold {
  player: number
  move: string
  type: 'build'
  card: number
  drew?: number
}
/**
 * A place at the table.
 */
export interface ChairTold {
  side: string
  colours: string[]
  name: string
  who: 'person' | 'bot' | 'open'
  level: string | null
  you: boolean
  played_for: boolean
  resigned: boolean
}
/**
 * Everybody's clock.
 */
export interface ClockTold {
  left: number[]
  running: number | null
  since: number
}
export interface ColourScoreTold {
  tallest: number
  majorities: string[]
  towers: number
}
/**
 * Some days for every move.
 */
export interface Correspondence {
  kind: 'correspondence'
  /**
   * Days for each move.
   */
  days: number
}
/**
 * A command was carried out before, or had nothing to change.
 */
export interface DoneMessage {
  type: 'done'
  answers: string
  number: number | null
}
/**
 * Something that was said.
 */
export interface LineTold {
  number: number
  at: number
  name: string
  chair: number | null
  text: string
}
/**
 * Something happened.
 */
export interface NewsMessage {
  type: 'news'
  number: number
  at: number
  what: {
    [k: string]: unknown
  }
  events?: (SelectTold | BuildTold | RemoveTold | RedrawTold | ShuffleTold | ScoreTold)[]
  changes?: PositionTold
  table?: TableTold
  own?: OwnTold | null
  answers?: string
}
/**
 * Somebody chose his blocks.
 */
export interface SelectTold {
  player: number
  move: string
  type: 'select'
}
/**
 * Somebody could place nothing, and took a block out of the game.
 */
export interface RemoveTold {
  player: number
  move: string
  type: 'remove'
}
/**
 * Somebody could place nothing, showed his hand and drew another.
 */
export interface RedrawTold {
  type: 'redraw'
  player: number
  hand: number[]
  drew?: number[]
}
/**
 * The played cards became the draw pile.
 */
export interface ShuffleTold {
  type: 'shuffle'
  pile?: number[]
}
/**
 * A round was scored.
 */
export interface ScoreTold {
  type: 'score'
  round: number
  colours: {
    [k: string]: ColourScoreTold
  }
  scores: number[]
}
/**
 * What lies open on the table. A view has all of it, news what has changed.
 */
export interface PositionTold {
  ply?: number
  round?: number
  phase?: 'select' | 'build' | 'remove' | 'over'
  mover?: number
  start_player?: number
  towers?: {
    [k: string]: TowerTold | null
  }
  supplies?: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  tableaus?: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  taken_out?: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  played?: number[]
  pile?: number
  shuffles?: number
  scores?: number[]
  standing?: number[]
  sheets?: ScoreTold[]
  result?: ResultTold | null
  clock?: ClockTold
}
/**
 * A tower.
 */
export interface TowerTold {
  blocks: string
  owner: string
  height: number
  floors: {
    [k: string]: number
  }
  needs: {
    [k: string]: number | null
  }
}
export interface ResultTold {
  scores: number[]
  winners: number[]
  decided_by: 'points' | 'tallest' | 'majorities' | 'shared'
}
/**
 * A table and who sits at it.
 */
export interface TableTold {
  id: string
  stage: 'gathering' | 'playing' | 'over' | 'closed'
  edition: string
  house_rules: {
    [k: string]: string
  }
  chairs: ChairTold[]
  host: boolean
  host_name: string
  first: 'lot' | number
  rounds: number
  blocks: number
  public: boolean
  serious: boolean
  pace: number
  clock: NoClock | RealTime | Correspondence
  commitment: string | null
  seed: string | null
  undo: UndoTold | null
  after: string | null
  next: string | null
}
/**
 * Everybody takes the time he likes.
 */
export interface NoClock {
  kind: 'none'
}
/**
 * A bank of seconds for the whole game, and some more after every move.
 */
export interface RealTime {
  kind: 'real_time'
  /**
   * Seconds for the whole game.
   */
  bank: number
  /**
   * Seconds more for each move.
   */
  increment?: number
}
/**
 * Somebody wants to take a move back.
 */
export interface UndoTold {
  player: number
  ply: number
  you_decide: boolean
}
/**
 * What this viewer alone may know.
 */
export interface OwnTold {
  player: number | null
  hand: number[]
  moves: SelectMoves | BuildMoves | RemoveMoves | null
}
/**
 * Any so many blocks of each colour from its supply.
 */
export interface SelectMoves {
  kind: 'select'
  blocks: number
  supplies: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
}
export interface RemoveMoves {
  kind: 'remove'
  moves: string[]
}
/**
 * Who is there.
 */
export interface PresenceTold {
  type: 'presence'
  present: boolean[]
  watching: number
}
/**
 * A named reason, the figures of its sentence, and the sentence in English.
 */
export interface RefusalTold {
  reason: string
  figures: {
    [k: string]: string | number
  }
  text: string
}
/**
 * Something was not done, and changed nothing; only with `storage_away` it may have been done.
 * The same command, sent again, is not done twice.
 */
export interface RefusedMessage {
  reason: string
  figures: {
    [k: string]: string | number
  }
  text: string
  type: 'refused'
  answers: string | null
}
/**
 * A viewer who was away has all news up to here; the rest follows.
 */
export interface ResumedMessage {
  type: 'resumed'
  number: number
  now: number
  presence: PresenceTold
}
/**
 * Everything that a viewer may see. The news that follow have this number and up.
 */
export interface ViewMessage {
  type: 'view'
  number: number
  now: number
  table: TableTold
  position: PositionTold | null
  own: OwnTold | null
  events: (SelectTold | BuildTold | RemoveTold | RedrawTold | ShuffleTold | ScoreTold)[]
  talk: LineTold[]
  presence: PresenceTold
  answers?: string
}
/**
 * A bot's first move takes long, because it has to be compiled.
 */
export interface WarmingMessage {
  type: 'warming'
  player: number
}
/**
 * Why a move can't be made; without a reason it can.
 */
export interface WhyMessage {
  type: 'why'
  answers: string
  refusal: RefusalTold | null
}
/**
 * Who one is.
 */
export interface Myself {
  name: string | null
}
export interface EditionTold {
  id: string
  title: string
  colours: string[]
  cities: string[]
  rules: {
    [k: string]: string
  }
}
export interface LevelTold {
  name: string
  title: string
  description: string
}
/**
 * What can be played.
 */
export interface BoxTold {
  editions: EditionTold[]
  house_rules: {
    [k: string]: string[]
  }
  levels: LevelTold[]
}
export interface ListedPlayer {
  name: string
  level: string | null
  open: boolean
}
/**
 * A table in a list.
 */
export interface Listed {
  id: string
  edition: string
  house_rules: {
    [k: string]: string
  }
  players: ListedPlayer[]
  host: string
  clock: NoClock | RealTime | Correspondence
  serious: boolean
  round: number
  opened_at: number
}
export interface ListTold {
  tables: Listed[]
}
/**
 * A table at which one sits.
 */
export interface Mine {
  table: TableTold
  round: number
  your_turn: boolean
  due: number | null
}
export interface MineTold {
  tables: Mine[]
}
export interface TableNamed {
  table: string
}
export interface LinkTold {
  secret: string
}
/**
 * A saved game that is true to the rules.
 */
export interface RecordChecked {
  moves: number
  over: boolean
}
/**
 * A good move.
 */
export interface HintTold {
  move: string
  takes_from: string | null
  gains: number[]
}
/**
 * What is to be expected after a move.
 */
export interface RankedTold {
  move: string
  chances: number[]
  scores: number[]
  low: number[]
  high: number[]
  trials: number
}
export interface EvaluationTold {
  player: number
  moves: RankedTold[]
}
export interface LessonPlayer {
  name: string
  side: string
  colours: string[]
}
/**
 * A lesson of the tutorial, as it stands after the learner's moves.
 */
export interface LessonTold {
  number: number
  lessons: number
  edition: string
  players: LessonPlayer[]
  rounds: number
  blocks: number
  position: PositionTold
  own: OwnTold
  events: (SelectTold | BuildTold | RemoveTold | RedrawTold | ShuffleTold | ScoreTold)[]
  outcome: 'open' | 'solved' | 'missed'
}
/**
 * Who is meant to sit in a chair.
 */
export interface ChairTerms {
  /**
   * `me`: who opens the table. `here`: somebody else at the same screen. `open`: whoever comes. `bot`: a bot.
   */
  who: 'me' | 'here' | 'open' | 'bot'
  /**
   * For `here`; for `me` instead of his own.
   */
  name?: string | null
  /**
   * For `bot`.
   */
  level?: string | null
  /**
   * For all chairs or for none.
   */
  side?: Seat | null
  /**
   * For all chairs or for none.
   */
  colours?: Colour[] | null
}
/**
 * How a table is to be.
 */
export interface Terms {
  edition?: string
  house_rules?: {
    [k: string]: string
  }
  /**
   * In turn order, clockwise.
   */
  chairs: ChairTerms[]
  /**
   * Who starts: by lot, or the chair that was agreed on.
   */
  first?: 'lot' | number
  /**
   * Listed for all; otherwise by link alone.
   */
  public?: boolean
  clock?: NoClock | RealTime | Correspondence
  /**
   * No hints for anybody.
   */
  serious?: boolean
  /**
   * Milliseconds a bot's move takes at least.
   */
  pace?: number
}
