// Generated from the server’s schema by `make types`. Do not edit.

/**
 * A colour of blocks. The edition says which four of them are in the box.
 */
export type Colour = 'black' | 'blue' | 'green' | 'orange' | 'purple' | 'red' | 'yellow'
export type Command =
  PlayMove | RequestUndo | AnswerUndo | Resign | Resume | SendChat | Rematch | ExplainMove | Ping
export type Message =
  | ViewMessage
  | UpdateMessage
  | ResumedMessage
  | PresenceMessage
  | DoneMessage
  | WhyMessage
  | ErrorMessage
  | BotPreparingMessage
  | SubscribedMessage
  | GameChangedMessage
/**
 * A side of the board, in clockwise order: each is the left neighbour of the one before.
 */
export type Side = 'east' | 'north' | 'south' | 'west'
export type GameEvent =
  SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent

/**
 * Play a move.
 */
export interface PlayMove {
  type: 'play'
  /**
   * The number of moves played so far.
   */
  ply: number
  move: string
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Undo your last move; the other people at the table have to agree.
 */
export interface RequestUndo {
  type: 'undo'
  /**
   * The number of moves played so far.
   */
  ply: number
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Agree to an undo, or refuse it.
 */
export interface AnswerUndo {
  type: 'answer_undo'
  accept: boolean
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Resign; a bot plays on.
 */
export interface Resign {
  type: 'resign'
  player?: number | null
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Take your seat back from the bot that played while you were away.
 */
export interface Resume {
  type: 'resume'
  player?: number | null
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Send a chat message.
 */
export interface SendChat {
  type: 'chat'
  text: string
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Play again with the same people, after the game. The first who asks opens a new table, where
 *     the others are offered their seats, and accept by asking, too. From then on the websocket
 *     belongs to the new table, whose view is the answer. Sent again at the old table, it leads to the
 *     same one.
 */
export interface Rematch {
  type: 'rematch'
  /**
   * Start the game as soon as every seat is taken.
   */
  start?: boolean
  /**
   * One for each seat that you take, in turn order.
   *
   * Items: SHA-256 of a nonce of 32 bytes, the client's part of the shuffles' seed. The client reveals it when the game starts.
   */
  nonce_hashes?: string[]
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Ask why a move is illegal; nothing changes.
 */
export interface ExplainMove {
  type: 'why'
  move: string
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Check that the connection is alive.
 */
export interface Ping {
  type: 'ping'
  /**
   * Idempotency key: sent again among the last 32 commands of the table, a command is executed once.
   */
  id: string
}
/**
 * Everything that the viewer may see. The next update has this message's number.
 */
export interface ViewMessage {
  type: 'view'
  number: number
  now: number
  table: TableInfo
  position: Position | null
  private: PrivateState | null
  /**
   * All events so far, as far as the viewer may know them.
   */
  game_events: (SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent)[]
  chat: ChatLine[]
  presence: PresenceMessage
  /**
   * The viewer's command that led to this table.
   */
  reply_to?: string
}
/**
 * A table, its options, and the people and bots at it.
 */
export interface TableInfo {
  id: string
  stage: 'closed' | 'lobby' | 'over' | 'playing'
  edition: string
  house_rules: {
    [k: string]: string
  }
  seats: SeatInfo[]
  /**
   * Whether the viewer decides about seats and the start.
   */
  host: boolean
  host_name: string
  /**
   * The seat of the first player.
   */
  first: 'random' | number
  rounds: number
  /**
   * Blocks of each colour that a player chooses a round.
   */
  blocks: number
  public: boolean
  hints_disabled: boolean
  bot_delay_ms: number
  /**
   * After this absence of the player to move, counted from the beginning of their turn, any player may let a bot play for them.
   */
  absence_limit_s: number
  clock: NoClock | RealTime | Correspondence
  /**
   * SHA-256 of the server's part of the seed, from the opening of the table. At a table of an older version: of the seed, from the deal on.
   */
  commitment: string | null
  /**
   * The game starts: the seats and their hashes are final, and the clients reveal their nonces until then. Null before and after it.
   */
  reveal_until: number | null
  /**
   * The server's part of the seed, published when the game is over; null if no nonce was revealed, because then it is the seed.
   */
  server_seed: string | null
  /**
   * Published when the game is over.
   */
  seed: string | null
  undo: UndoRequestInfo | null
  /**
   * The table that this one continues.
   */
  rematch_of: string | null
  /**
   * The table where the same people play again.
   */
  rematch: string | null
  /**
   * The seats that a rematch offers to the viewer.
   */
  offered_seats: number[]
  /**
   * Whether the host has removed the viewer.
   */
  removed: boolean
  /**
   * Why the table was closed.
   */
  close_reason: ('abandoned' | 'aborted' | 'closed') | null
}
/**
 * A place at the table.
 */
export interface SeatInfo {
  /**
   * The edge of the board.
   */
  side: string
  colours: string[]
  name: string
  /**
   * An offered seat can be taken by one person alone, in a rematch.
   */
  occupant: 'bot' | 'offered' | 'open' | 'person'
  /**
   * The bot's level.
   */
  level: string | null
  you: boolean
  /**
   * A bot plays for the absent person.
   */
  bot_controlled: boolean
  /**
   * What the person has left on the clock when they `resume`; null without a clock, and unless a bot plays for them.
   */
  time_after_return: number | null
  resigned: boolean
  /**
   * SHA-256 of the nonce that the seat's client reveals at the start.
   */
  nonce_hash: string | null
  /**
   * The client's part of the seed, from the deal on; null if it has none.
   */
  nonce: string | null
}
/**
 * Unlimited time.
 */
export interface NoClock {
  kind: 'none'
}
/**
 * A bank of seconds for the whole game, and an increment after each move.
 */
export interface RealTime {
  kind: 'real_time'
  /**
   * Seconds for the whole game.
   */
  bank: number
  /**
   * Seconds added after each move.
   */
  increment?: number
}
/**
 * Some days for each move.
 */
export interface Correspondence {
  kind: 'correspondence'
  /**
   * Days for each move.
   */
  days: number
}
/**
 * A player asks to undo a move.
 */
export interface UndoRequestInfo {
  player: number
  /**
   * The game would return to this ply.
   */
  ply: number
  you_decide: boolean
}
/**
 * The public state of the game.
 */
export interface Position {
  /**
   * The number of moves so far.
   */
  ply: number
  round: number
  phase: 'build' | 'over' | 'remove' | 'select'
  /**
   * The player to move.
   */
  mover: number
  start_player: number
  /**
   * By site.
   */
  towers: {
    [k: string]: TowerInfo
  }
  /**
   * By colour: not yet chosen.
   */
  supplies: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  /**
   * By colour: chosen for this round.
   */
  tableaus: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  /**
   * By colour: out of the game.
   */
  taken_out: {
    /**
     * @minItems 4
     * @maxItems 4
     */
    [k: string]: [number, number, number, number]
  }
  /**
   * The cards played or shown since the last shuffle.
   */
  played: number[]
  /**
   * The number of cards in the draw pile.
   */
  pile: number
  shuffles: number
  scores: number[]
  /**
   * What each player would score if the round ended now.
   */
  projected_scores: number[]
  /**
   * The score sheets of past rounds.
   */
  sheets: ScoreEvent[]
  result: GameResult | null
  clock?: ClockInfo
}
/**
 * A tower.
 */
export interface TowerInfo {
  /**
   * From bottom to top: `y1b3` is a blue 3 on a yellow 1.
   */
  blocks: string
  owner: string
  height: number
  /**
   * The floors of each colour.
   */
  floors: {
    [k: string]: number
  }
  /**
   * The smallest block that each colour can build here; null if none can.
   */
  needs: {
    [k: string]: number | null
  }
}
/**
 * A round was scored.
 */
export interface ScoreEvent {
  type: 'score'
  round: number
  colours: {
    [k: string]: ColourScore
  }
  /**
   * The total of each player after the round.
   */
  scores: number[]
}
/**
 * The points of one colour in one round.
 */
export interface ColourScore {
  tallest: number
  /**
   * The letters of the cities.
   */
  majorities: string[]
  towers: number
}
/**
 * The final scores, and the winners.
 */
export interface GameResult {
  scores: number[]
  winners: number[]
  decided_by: 'majorities' | 'points' | 'shared' | 'tallest'
}
/**
 * The clocks of all players.
 */
export interface ClockInfo {
  /**
   * The time left when `since` began.
   */
  left: number[]
  /**
   * The player whose clock runs.
   */
  running: number | null
  /**
   * The running clock shows `left` minus the time that passed since then.
   */
  since: number
}
/**
 * What only this viewer sees.
 */
export interface PrivateState {
  /**
   * The player whose hand this is; null for a spectator.
   */
  player: number | null
  hand: number[]
  /**
   * The legal moves; null if it's another's turn.
   */
  moves: (SelectMoves | BuildMoves | RemoveMoves) | null
  undo: UndoOption
}
/**
 * The player chooses this number of blocks of each colour from its supply.
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
/**
 * The player places a block.
 */
export interface BuildMoves {
  kind: 'build'
  placements: PlacementGroup[]
}
/**
 * Sites where blocks of one colour can be placed and would change the same.
 */
export interface PlacementGroup {
  sites: string[]
  /**
   * The smallest first. A move is a site, a plus sign and a block.
   */
  blocks: string[]
  /**
   * The colour that owns the tower now, if it isn't the block's.
   */
  takes_from: string | null
  /**
   * For each block, each player's additional points if the round ended then.
   */
  gains: number[][]
}
/**
 * The player removes a block from the game.
 */
export interface RemoveMoves {
  kind: 'remove'
  moves: string[]
}
/**
 * Whether the viewer can ask to undo their last move.
 */
export interface UndoOption {
  allowed: boolean
  /**
   * Why not.
   */
  reason: string | null
  /**
   * The reason's parameters.
   */
  params: {
    [k: string]: string | number
  }
}
/**
 * A player chose the blocks of a round.
 */
export interface SelectEvent {
  type: 'select'
  player: number
  move: string
}
/**
 * A player placed a block, and drew a card.
 */
export interface BuildEvent {
  type: 'build'
  player: number
  move: string
  card: number
  /**
   * Only for the player who drew the card.
   */
  drew?: number
}
/**
 * A player who could place nothing removed a block from the game.
 */
export interface RemoveEvent {
  type: 'remove'
  player: number
  move: string
}
/**
 * A player who could place nothing showed their hand and drew another.
 */
export interface RedrawEvent {
  type: 'redraw'
  player: number
  hand: number[]
  /**
   * Only for the player who drew the cards.
   */
  drew?: number[]
}
/**
 * The played cards became the draw pile.
 */
export interface ShuffleEvent {
  type: 'shuffle'
  /**
   * Only in the record of a finished game.
   */
  pile?: number[]
}
/**
 * A chat message.
 */
export interface ChatLine {
  /**
   * The number of its update.
   */
  number: number
  at: number
  name: string
  /**
   * The sender's seat; null for a spectator.
   */
  seat: number | null
  text: string
}
/**
 * The people who are connected.
 */
export interface PresenceMessage {
  type: 'presence'
  /**
   * By seat; a bot is always present.
   */
  present: boolean[]
  /**
   * By seat: when the person left, if they did so recently.
   */
  away_since: (number | null)[]
  spectators: number
}
/**
 * Something happened at the table.
 */
export interface UpdateMessage {
  type: 'update'
  number: number
  at: number
  event:
    | TableOpenedPayload
    | SeatTakenPayload
    | SeatVacatedPayload
    | OfferAcceptedPayload
    | OfferDeclinedPayload
    | BotSeatedPayload
    | TableClosedPayload
    | NoncesRequestedPayload
    | NoncesRevealedPayload
    | GameStartedPayload
    | MovePlayedPayload
    | UndoRequestedPayload
    | UndoAnsweredPayload
    | PlayerResignedPayload
    | TimeExpiredPayload
    | PlayerSubstitutedPayload
    | PlayerReturnedPayload
    | SeatTransferCreatedPayload
    | SeatTransferredPayload
    | ChatSentPayload
    | RematchOpenedPayload
  /**
   * What a move caused, as in a record.
   */
  game_events?: (SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent)[]
  patch?: PositionPatch
  table?: TableInfo
  private?: PrivateState
  /**
   * The viewer's command that caused the update.
   */
  reply_to?: string
}
/**
 * The table was opened.
 */
export interface TableOpenedPayload {
  type: 'table_opened'
}
/**
 * A person took a seat.
 */
export interface SeatTakenPayload {
  type: 'seat_taken'
  seat: number
  name: string
}
/**
 * Seats are open again, before the game.
 */
export interface SeatVacatedPayload {
  type: 'seat_vacated'
  /**
   * One, or those of all people on a screen.
   */
  seats: number[]
}
/**
 * A person took the seats that a rematch offered them.
 */
export interface OfferAcceptedPayload {
  type: 'offer_accepted'
  seats: number[]
}
/**
 * A person declined the seats that a rematch offered them; they are open for everyone.
 */
export interface OfferDeclinedPayload {
  type: 'offer_declined'
  seats: number[]
}
/**
 * A bot got a seat.
 */
export interface BotSeatedPayload {
  type: 'bot_seated'
  seat: number
  level: string
}
/**
 * The table was closed.
 */
export interface TableClosedPayload {
  type: 'table_closed'
  /**
   * `closed` by the host before the game, `aborted` by a player before every player had moved once, or `abandoned` by everyone for 30 days.
   */
  reason: 'abandoned' | 'aborted' | 'closed'
}
/**
 * The game starts: the clients reveal their nonces.
 */
export interface NoncesRequestedPayload {
  type: 'nonces_requested'
  /**
   * Then the cards are dealt without the missing nonces.
   */
  until: number
}
/**
 * A client revealed the nonces of its seats; they are published at the deal.
 */
export interface NoncesRevealedPayload {
  type: 'nonces_revealed'
  seats: number[]
}
/**
 * The cards were dealt.
 */
export interface GameStartedPayload {
  type: 'game_started'
}
/**
 * A player moved.
 */
export interface MovePlayedPayload {
  type: 'move_played'
  player: number
  move: string
}
/**
 * A player asked to undo moves. Where no player has to agree, they are undone.
 */
export interface UndoRequestedPayload {
  type: 'undo_requested'
  player: number
  /**
   * The game would return to this ply.
   */
  ply: number
}
/**
 * A player answered the request, or it expired.
 */
export interface UndoAnsweredPayload {
  type: 'undo_answered'
  accepted: boolean
}
/**
 * A player resigned; a bot plays on.
 */
export interface PlayerResignedPayload {
  type: 'player_resigned'
  player: number
}
/**
 * A player's time expired; a bot plays for them.
 */
export interface TimeExpiredPayload {
  type: 'time_expired'
  player: number
}
/**
 * Another player let a bot play for an absent player.
 */
export interface PlayerSubstitutedPayload {
  type: 'player_substituted'
  player: number
}
/**
 * A player took over from the bot.
 */
export interface PlayerReturnedPayload {
  type: 'player_returned'
  player: number
}
/**
 * A person prepared to move a seat to another device.
 */
export interface SeatTransferCreatedPayload {
  type: 'seat_transfer_created'
  seat: number
}
/**
 * The seat belongs to another device now.
 */
export interface SeatTransferredPayload {
  type: 'seat_transferred'
  seat: number
}
/**
 * A person sent a chat message.
 */
export interface ChatSentPayload {
  type: 'chat_sent'
  name: string
  /**
   * The sender's seat; null for a spectator.
   */
  seat: number | null
  text: string
}
/**
 * The same people play again at another table.
 */
export interface RematchOpenedPayload {
  type: 'rematch_opened'
  table: string
}
/**
 * The fields of a position that an event changed.
 */
export interface PositionPatch {
  ply?: number
  round?: number
  phase?: 'build' | 'over' | 'remove' | 'select'
  mover?: number
  start_player?: number
  /**
   * The changed towers by site; null where a tower disappeared.
   */
  towers?: {
    [k: string]: TowerInfo | null
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
  projected_scores?: number[]
  sheets?: ScoreEvent[]
  result?: GameResult | null
  clock?: ClockInfo
}
/**
 * A reconnected viewer has every update before this number; the others follow.
 */
export interface ResumedMessage {
  type: 'resumed'
  number: number
  now: number
  presence: PresenceMessage
}
/**
 * A command was carried out earlier, or had nothing to change.
 */
export interface DoneMessage {
  type: 'done'
  reply_to: string
  /**
   * The update that the command caused.
   */
  number: number | null
}
/**
 * Why a move is illegal; without a problem it is legal.
 */
export interface WhyMessage {
  type: 'why'
  reply_to: string
  problem: Problem | null
}
/**
 * Why something was rejected: a named reason, its parameters, and an English sentence.
 */
export interface Problem {
  reason: string
  params: {
    [k: string]: string | number
  }
  text: string
}
/**
 * Something was rejected, and changed nothing. Only after `storage_unavailable` it may have
 *     been done. A command that is sent again with its id is not executed twice (see the id).
 */
export interface ErrorMessage {
  type: 'error'
  reason: string
  params: {
    [k: string]: string | number
  }
  text: string
  reply_to: string | null
}
/**
 * The code of a bot is being compiled. Until it is ready, the bot plays like `medium`.
 */
export interface BotPreparingMessage {
  type: 'bot_preparing'
  player: number
}
/**
 * From now on `game_changed` comes for the person's games: the first message of the websocket
 *     for notifications.
 */
export interface SubscribedMessage {
  type: 'subscribed'
}
/**
 * One of the person's games has changed.
 */
export interface GameChangedMessage {
  type: 'game_changed'
  /**
   * Null if any may have changed: messages may be lost.
   */
  table: string | null
}
/**
 * The name that a person wants to be called.
 */
export interface AccountRequest {
  name: string
}
/**
 * A new passkey.
 */
export interface PasskeyRequest {
  /**
   * The browser's `PublicKeyCredential`, as JSON.
   */
  credential: {}
}
/**
 * The answer of a passkey to a challenge.
 */
export interface PasskeySignInRequest {
  /**
   * The browser's `PublicKeyCredential`, as JSON.
   */
  credential: {}
  /**
   * Sign in although this browser's person has seats at tables.
   */
  confirmed?: boolean
  /**
   * Give the seats of this browser's person to the one who signs in.
   */
  bring_games?: boolean
}
/**
 * A recovery code, with or without its hyphens.
 */
export interface RecoveryCodeRequest {
  code: string
  /**
   * Sign in although this browser's person has seats at tables.
   */
  confirmed?: boolean
  /**
   * Give the seats of this browser's person to the one who signs in.
   */
  bring_games?: boolean
}
/**
 * The keys of a browser's push subscription, base64url.
 */
export interface PushKeys {
  p256dh: string
  auth: string
}
/**
 * A browser, by the address of its push service for it.
 */
export interface PushEndpoint {
  endpoint: string
}
/**
 * A browser that wants notifications.
 */
export interface PushSubscriptionRequest {
  endpoint: string
  keys: PushKeys
  language: string
  /**
   * Your turn; a game's start or an offer; a game's end.
   */
  kinds: ('end' | 'start' | 'turn')[]
}
/**
 * What a person brings to their seats.
 */
export interface SeatRequest {
  /**
   * One for each seat that you take, in turn order.
   *
   * Items: SHA-256 of a nonce of 32 bytes, the client's part of the shuffles' seed. The client reveals it when the game starts.
   */
  nonce_hashes?: string[]
}
/**
 * The nonces of the sender's seats.
 */
export interface NoncesRequest {
  /**
   * In any order; their hashes say whose.
   */
  nonces: string[]
}
/**
 * The bot for a seat.
 */
export interface BotRequest {
  level: string
}
/**
 * The seat that moves to another device.
 */
export interface SeatTransferRequest {
  /**
   * Required where several people share the sender's screen.
   */
  seat?: number | null
}
/**
 * The secret of a seat transfer.
 */
export interface SeatClaimRequest {
  secret: string
  /**
   * Before the game.
   */
  nonce_hash?: string | null
}
/**
 * The learner's moves so far.
 */
export interface TutorialRequest {
  /**
   * Oldest first, as in a record.
   */
  moves: string[]
}
/**
 * Which public tables to list.
 */
export interface TableListQuery {
  /**
   * The stage of the tables.
   */
  stage?: 'lobby' | 'over' | 'playing'
  /**
   * The page of the list; the first is 0.
   */
  page?: number
}
/**
 * Which of the person's games to list.
 */
export interface MyGamesQuery {
  /**
   * The state of the games; `all` lists the states in this order.
   */
  state?: 'all' | 'finished' | 'lobby' | 'running' | 'your_turn'
  /**
   * List the games that were removed from the list instead.
   */
  removed?: boolean
  /**
   * Only games of this number of players.
   */
  players?: number | null
  /**
   * Only games among people, or those whose strongest bot has this level.
   */
  opponents?:
    'advanced' | 'anyone' | 'casual' | 'champion' | 'easy' | 'expert' | 'hard' | 'medium' | 'people'
  /**
   * The `next` of the page before, with the same query.
   */
  cursor?: string
}
/**
 * Which moment of a game to draw.
 */
export interface PreviewQuery {
  /**
   * The number of moves played; without it, or with more, the last moment.
   */
  at?: number | null
}
/**
 * Whether the game starts at once. The cards are dealt when the nonces are revealed.
 */
export interface StartQuery {
  /**
   * Start the game at once, if no seat is open.
   */
  start?: boolean
}
/**
 * The person who asks; without a name, no person is known.
 */
export interface Account {
  name: string | null
}
/**
 * A browser in which the person is signed in.
 */
export interface DeviceInfo {
  id: string
  /**
   * Browser and system; empty if unknown.
   */
  label: string
  created_at: number
  /**
   * The last use, to within an hour.
   */
  seen_at: number
  /**
   * Whether this request came from it.
   */
  current: boolean
}
/**
 * The person's devices, those in use first.
 */
export interface DeviceList {
  devices: DeviceInfo[]
}
/**
 * A passkey of the person.
 */
export interface PasskeyInfo {
  id: string
  /**
   * The browser in which it was created.
   */
  label: string
  created_at: number
  used_at: number | null
}
/**
 * The person's passkeys, the oldest first.
 */
export interface PasskeyList {
  passkeys: PasskeyInfo[]
}
/**
 * What a browser needs to create a passkey, or to sign in with one.
 */
export interface PasskeyOptions {
  /**
   * For `PublicKeyCredential.parse…OptionsFromJSON` of the browser.
   */
  options: {}
}
/**
 * How many recovery codes can still be used.
 */
export interface RecoveryCodeStatus {
  left: number
  created_at: number | null
}
/**
 * New recovery codes. They are never shown again.
 */
export interface NewRecoveryCodes {
  codes: string[]
}
/**
 * A device in an export.
 */
export interface ExportedDevice {
  label: string
  created_at: number
  seen_at: number
}
/**
 * A passkey in an export.
 */
export interface ExportedPasskey {
  label: string
  host: string
  created_at: number
  used_at: number | null
}
/**
 * A browser that gets notifications, in an export.
 */
export interface ExportedPushSubscription {
  /**
   * The address of the push service for it.
   */
  endpoint: string
  language: string
  kinds: string[]
}
/**
 * The person in an export.
 */
export interface ExportedAccount {
  name: string
  exported_at: number
  devices: ExportedDevice[]
  passkeys: ExportedPasskey[]
  recovery_codes_left: number
  push_subscriptions: ExportedPushSubscription[]
}
/**
 * An event of a table, as everyone there may know it.
 */
export interface ExportedEvent {
  number: number
  at: number
  /**
   * Whether the person caused it.
   */
  you: boolean
  event:
    | TableOpenedPayload
    | SeatTakenPayload
    | SeatVacatedPayload
    | OfferAcceptedPayload
    | OfferDeclinedPayload
    | BotSeatedPayload
    | TableClosedPayload
    | NoncesRequestedPayload
    | NoncesRevealedPayload
    | GameStartedPayload
    | MovePlayedPayload
    | UndoRequestedPayload
    | UndoAnsweredPayload
    | PlayerResignedPayload
    | TimeExpiredPayload
    | PlayerSubstitutedPayload
    | PlayerReturnedPayload
    | SeatTransferCreatedPayload
    | SeatTransferredPayload
    | ChatSentPayload
    | RematchOpenedPayload
}
/**
 * A table in an export, as the person may see it.
 */
export interface ExportedTable {
  table: TableInfo
  table_events: ExportedEvent[]
  game_events: (SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent)[]
}
/**
 * Everything that the server knows about the person.
 */
export interface AccountExport {
  account: ExportedAccount
  tables: ExportedTable[]
}
/**
 * An edition of the game.
 */
export interface EditionInfo {
  id: string
  title: string
  colours: string[]
  cities: string[]
  /**
   * The edition's choice of each house rule.
   */
  rules: {
    [k: string]: string
  }
}
/**
 * A bot.
 */
export interface LevelInfo {
  name: string
  title: string
  description: string
}
/**
 * Everything that can be played.
 */
export interface Catalog {
  editions: EditionInfo[]
  /**
   * The choices of each rule.
   */
  house_rules: {
    [k: string]: string[]
  }
  levels: LevelInfo[]
}
/**
 * A seat of a listed table.
 */
export interface ListedPlayer {
  name: string
  level: string | null
  open: boolean
}
/**
 * A public table.
 */
export interface ListedTable {
  id: string
  edition: string
  house_rules: {
    [k: string]: string
  }
  players: ListedPlayer[]
  host: string
  clock: NoClock | RealTime | Correspondence
  hints_disabled: boolean
  round: number
  opened_at: number
}
/**
 * Public tables, the latest first.
 */
export interface TableList {
  tables: ListedTable[]
  /**
   * The number of tables on all pages.
   */
  total: number
  /**
   * There is another page.
   */
  more: boolean
}
/**
 * A player of one of the person's games.
 */
export interface MyGamePlayer {
  name: string
  /**
   * The bot that has the seat.
   */
  level: string | null
  open: boolean
  colours: string[]
  you: boolean
  points: number
  /**
   * 1 for the winners, once the game is over; ties share one.
   */
  place: number | null
}
/**
 * A game in which the person has a seat. It holds what any spectator may know.
 */
export interface MyGame {
  /**
   * The table.
   */
  id: string
  state: 'finished' | 'lobby' | 'running' | 'your_turn'
  removed: boolean
  /**
   * When the game got into this state; of a finished game, its end.
   */
  since: number
  /**
   * When your clock expires, if it runs.
   */
  deadline: number | null
  edition: string
  round: number
  rounds: number
  /**
   * In turn order.
   */
  players: MyGamePlayer[]
  mover: number | null
  /**
   * The letter of the colour on top of each of the 54 sites, or a dot, in the order A1 to F9; empty before the game.
   */
  board: string
  /**
   * How far you were ahead of the best other player after each round; negative behind. Empty where you share your screen.
   */
  leads: number[]
}
/**
 * The number of the person's games by state, and of those removed from the list. With a list it
 *     counts the games that its query asks for, of all states.
 */
export interface GameCounts {
  your_turn: number
  running: number
  lobby: number
  finished: number
  removed: number
}
/**
 * A page of the person's games. Games that wait for the person come in the order of their
 *     deadlines, all others the latest first.
 */
export interface MyGameList {
  /**
   * The server's time, for the deadlines.
   */
  now: number
  games: MyGame[]
  /**
   * The cursor of the next page, if there is one.
   */
  next: string | null
  counts: GameCounts
}
/**
 * One of the person's games, and the number of all of them.
 */
export interface MyGameEntry {
  game: MyGame
  counts: GameCounts
}
/**
 * The person's finished games of one kind.
 */
export interface StatisticsGroup {
  games: number
  wins: number
}
/**
 * Games with a number of players.
 */
export interface PlayersStatistics {
  games: number
  wins: number
  players: number
}
/**
 * Games whose strongest bot has a level.
 */
export interface BotsStatistics {
  games: number
  wins: number
  /**
   * Null for games without bots.
   */
  level: string | null
}
/**
 * The person's finished games. Games where the person shared a screen don't count, and one that
 *     a bot ended for the person isn't won.
 */
export interface Statistics {
  games: number
  wins: number
  best_score: number | null
  /**
   * By number of players.
   */
  by_players: PlayersStatistics[]
  /**
   * By level of the strongest bot.
   */
  by_bots: BotsStatistics[]
}
/**
 * The table where the same people play again.
 */
export interface RematchTable {
  table: string
}
/**
 * The key by which push services know this server.
 */
export interface PushKey {
  /**
   * The `applicationServerKey` of a subscription.
   */
  key: string
}
/**
 * The address of your feed.
 */
export interface FeedAddress {
  /**
   * It opens the feed without a cookie: it is a secret.
   */
  path: string
}
/**
 * The notices that a browser gets.
 */
export interface PushStatus {
  kinds: string[]
}
/**
 * The secret with which another device claims the seat.
 */
export interface SeatTransferSecret {
  secret: string
}
/**
 * A record that follows the rules.
 */
export interface RecordCheck {
  moves: number
  over: boolean
}
/**
 * A fact of the rules that speaks for a move.
 */
export interface HintReasonInfo {
  kind:
    | 'ends_majority'
    | 'ends_tallest'
    | 'least_needed'
    | 'raises_tower'
    | 'starts_tower'
    | 'strong_selection'
    | 'takes_tower'
    | 'wins_majority'
    | 'wins_tallest'
  /**
   * The colour that loses the tower, the majority, or the points for the tallest tower.
   */
  colour: string | null
  /**
   * The city of the majority.
   */
  city: string | null
}
/**
 * A good move.
 */
export interface HintResponse {
  move: string
  /**
   * What speaks for it, the more important first.
   */
  reasons: HintReasonInfo[]
  /**
   * Each player's additional points if the round ended after a placement.
   */
  gains: number[]
}
/**
 * What to expect after a move.
 */
export interface RankedMove {
  move: string
  /**
   * Of each player.
   */
  win_probabilities: number[]
  /**
   * Final scores, of each player.
   */
  expected_scores: number[]
  /**
   * Lower bounds of the probabilities, 95 %.
   */
  low: number[]
  /**
   * Upper bounds of the probabilities, 95 %.
   */
  high: number[]
  rollouts: number
}
/**
 * A player's moves, the best first.
 */
export interface EvaluationResponse {
  player: number
  moves: RankedMove[]
}
/**
 * A player of a tutorial step; the learner is the first.
 */
export interface TutorialPlayer {
  name: string
  side: string
  colours: string[]
}
/**
 * A step of the tutorial after the learner's moves.
 */
export interface TutorialStep {
  number: number
  /**
   * The number of steps.
   */
  steps: number
  edition: string
  /**
   * In turn order, clockwise.
   */
  players: TutorialPlayer[]
  rounds: number
  /**
   * Blocks of each colour that a player chooses a round.
   */
  blocks: number
  position: Position
  private: PlayerState
  /**
   * What the learner's moves caused.
   */
  game_events: (SelectEvent | BuildEvent | RemoveEvent | RedrawEvent | ShuffleEvent | ScoreEvent)[]
  /**
   * `open` before the first move; then whether the task is solved.
   */
  outcome: 'missed' | 'open' | 'solved'
  /**
   * Why the last move is illegal; the position is the one before it.
   */
  problem: Problem | null
}
/**
 * What one player sees in addition to the public state.
 */
export interface PlayerState {
  /**
   * The player whose hand this is; null for a spectator.
   */
  player: number | null
  hand: number[]
  /**
   * The legal moves; null if it's another's turn.
   */
  moves: (SelectMoves | BuildMoves | RemoveMoves) | null
}
/**
 * The options of a table. Options that the rules can't set up raise ``SetupError``.
 */
export interface TableOptions {
  edition?: string
  house_rules?: {
    [k: string]: string
  }
  /**
   * In turn order, clockwise.
   */
  seats: SeatOptions[]
  /**
   * The start player: drawn at random, or a seat.
   */
  first?: 'random' | number
  /**
   * Listed for everyone; otherwise reached by its link.
   */
  public?: boolean
  clock?: NoClock | RealTime | Correspondence
  /**
   * After this absence of the player to move, in seconds, any player may let a bot play for them. By default two minutes, or a day where moves take days.
   */
  absence_s?: number | null
  /**
   * No hints for any player.
   */
  hints_disabled?: boolean
  /**
   * The least duration of a bot's move.
   */
  bot_delay_ms?: number
}
/**
 * The intended holder of a seat.
 */
export interface SeatOptions {
  /**
   * `me`: the person who opens the table. `here`: another person on the same screen. `open`: the first person who takes the seat. `bot`: a bot.
   */
  occupant: 'bot' | 'here' | 'me' | 'open'
  /**
   * For `here`; for `me` a different name.
   */
  name?: string | null
  /**
   * For `bot`.
   */
  level?: string | null
  /**
   * For all seats or for none.
   */
  side?: Side | null
  /**
   * For all seats or for none.
   */
  colours?: Colour[] | null
  /**
   * For `me` and `here`.
   */
  nonce_hash?: string | null
}
