"""The decider's first half: turn a command into an event, or reject it.

Pure functions of the table's state. Every condition is checked here, the legality of moves
included, so that ``evolve`` accepts each event that ``decide`` returns.
"""

from __future__ import annotations

from typing import Final

from manhattan.rules import parse_move
from manhattan.rules.errors import printable
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import (
    Actor,
    AnswerUndo,
    ApplyTimeout,
    ClientCommand,
    CloseByOperator,
    GameCommand,
    PlayBotMove,
    PlayMove,
    RequestUndo,
    Resign,
    Resume,
    SendChat,
    TableCommand,
)
from manhattan.server.domain.conditions import (
    check_in_control,
    check_legal,
    check_person_limit,
    check_ply,
    check_table_limit,
    own_player,
    own_seats,
    started_game,
)
from manhattan.server.domain.decide_deal import deal_without_missing_nonces
from manhattan.server.domain.decide_lobby import decide_lobby_command
from manhattan.server.domain.errors import (
    AlreadyProcessed,
    CommandRejected,
    CommandSuperseded,
    ErrorCode,
)
from manhattan.server.domain.events import (
    ChatSent,
    GameStarted,
    MovePlayed,
    PersonId,
    PlayerResigned,
    PlayerReturned,
    TableClosed,
    TableEvent,
    TimeExpired,
    UndoAnswered,
    UndoRequested,
)
from manhattan.server.domain.state import UNDO_TIMEOUT, TableState

MAX_CHAT_LENGTH: Final = 500
"""Characters of a chat message."""
MAX_CHAT_MESSAGES: Final = 2000
"""Chat messages of one table."""
MAX_SPECTATOR_MESSAGES: Final = MAX_CHAT_MESSAGES // 2
"""Chat messages of spectators at one table: the rest is for the players."""


def decide(
    state: TableState, command: TableCommand, actor: Actor | None, now: Milliseconds
) -> TableEvent:
    """Return the event that a command becomes.

    Raises ``CommandRejected``, ``IllegalMove`` or ``NotationError`` if the command can't be
    executed, ``AlreadyProcessed`` if it was executed before, and ``CommandSuperseded`` if a command
    of the server itself has become pointless.
    """
    match command:
        case PlayBotMove():
            return _play_bot_move(state, command, now)
        case ApplyTimeout():
            return _apply_timeout(state, now)
        case CloseByOperator():
            return _close_by_operator(state, now)
    if actor is None:
        raise CommandRejected(ErrorCode.NO_IDENTITY)
    if isinstance(command, ClientCommand):
        number = state.processed_commands.get((actor.person, command.id))
        if number is not None:
            raise AlreadyProcessed(number)
        return _decide_game_command(state, command, actor, now)
    return decide_lobby_command(state, command, actor, now)


def _close_by_operator(state: TableState, now: Milliseconds) -> TableEvent:
    if state.stage in ("closed", "over"):
        raise CommandRejected(ErrorCode.OVER if state.stage == "over" else ErrorCode.CLOSED)
    return TableClosed(at=now)


def _decide_game_command(
    state: TableState, command: GameCommand, actor: Actor, now: Milliseconds
) -> TableEvent:
    match command:
        case PlayMove():
            return _play_move(state, command, actor.person, now)
        case SendChat():
            return _send_chat(state, command, actor, now)
        case RequestUndo():
            return _request_undo(state, command, actor.person, now)
        case AnswerUndo():
            return _answer_undo(state, command, actor.person, now)
        case Resign():
            return _resign(state, command, actor.person, now)
        case Resume():
            return _resume(state, command, actor.person, now)


# The game.


def _play_move(
    state: TableState, command: PlayMove, person: PersonId, now: Milliseconds
) -> MovePlayed:
    """Play a move that was meant for a certain point of the game."""
    own = own_seats(state, person)
    game = started_game(state)
    check_ply(game, command.ply)
    mover = game.public.mover
    player = mover if mover in own else own[0]
    check_in_control(state.seats[player])
    check_legal(game, parse_move(command.move), player)
    # A move has one text form: the text that was parsed is the text of the move.
    return MovePlayed(at=now, by=person, command=command.id, player=player, move=command.move)


def _play_bot_move(state: TableState, command: PlayBotMove, now: Milliseconds) -> MovePlayed:
    game = state.game
    if game is None or game.state is not command.state or state.bot_to_move is None:
        raise CommandSuperseded
    player = game.public.mover
    check_legal(game, command.move, player)
    return MovePlayed(at=now, player=player, move=str(command.move))


def _apply_timeout(
    state: TableState, now: Milliseconds
) -> GameStarted | TimeExpired | UndoAnswered | TableClosed:
    if state.pending_deal is not None and now >= state.pending_deal.until:
        return deal_without_missing_nonces(state.pending_deal, now)
    if state.undo is not None and now >= state.undo.at + UNDO_TIMEOUT:
        return UndoAnswered(at=now, accepted=False)
    clocks = state.clocks
    if state.stage == "playing" and clocks.due is not None and now >= clocks.due:
        assert clocks.running is not None
        return TimeExpired(at=now, player=clocks.running)
    if state.due == state.abandoned_at and now >= state.abandoned_at:
        return TableClosed(at=now, reason="abandoned")
    raise CommandSuperseded


def _request_undo(
    state: TableState, command: RequestUndo, person: PersonId, now: Milliseconds
) -> UndoRequested:
    own_seats(state, person)
    check_ply(started_game(state), command.ply)
    target = _find_undo(state, person)
    if isinstance(target, CommandRejected):
        raise target
    player, ply = target
    return UndoRequested(at=now, by=person, command=command.id, player=player, ply=ply)


def undo_rejection(state: TableState, person: PersonId) -> CommandRejected | None:
    """Return why a person can't undo now, or None if they can."""
    try:
        target = _find_undo(state, person)
    except CommandRejected as rejection:
        return rejection.with_traceback(None)
    return target if isinstance(target, CommandRejected) else None


def _find_undo(state: TableState, person: PersonId) -> tuple[int, int] | CommandRejected:
    """Find the player and the ply of a person's last move. Other people have to agree to an undo,
    and must not have seen a card since then; a person who plays alone against bots is free.

    Frequent rejections are returned: every update says whether its viewer can undo, and raising
    would cost 2 % of a move.
    """
    own = own_seats(state, person)
    game = started_game(state)
    if state.undo is not None:
        return CommandRejected(ErrorCode.UNDO_PENDING, name=state.seats[state.undo.player].name)
    ply = game.last_ply_of(own)
    if ply is None:
        return CommandRejected(ErrorCode.NOTHING_TO_UNDO)
    player = game.mover_at(ply)
    check_in_control(state.seats[player])
    is_alone = len(own) == 1 and len(state.seats.by_person) == 1
    if not is_alone and state.card_revealed_since(ply):
        return CommandRejected(ErrorCode.CARD_SEEN)
    check_table_limit(state, person)
    return player, ply


def _answer_undo(
    state: TableState, command: AnswerUndo, person: PersonId, now: Milliseconds
) -> UndoAnswered:
    """Answer another person's request, or withdraw a request."""
    own_seats(state, person)
    undo = state.undo
    if undo is None:
        raise CommandRejected(ErrorCode.NO_UNDO_REQUEST)
    missing = state.undo_approvers(undo.person) - undo.agreed
    withdraws = person == undo.person and not command.accept
    if person not in missing and not withdraws:
        raise CommandRejected(ErrorCode.NO_UNDO_REQUEST)
    return UndoAnswered(at=now, by=person, command=command.id, accepted=command.accept)


def _resign(
    state: TableState, command: Resign, person: PersonId, now: Milliseconds
) -> PlayerResigned:
    started_game(state)
    player = own_player(state, person, command.player)
    if state.seats[player].resigned:
        raise CommandRejected(ErrorCode.RESIGNED)
    return PlayerResigned(at=now, by=person, command=command.id, player=player)


def _resume(
    state: TableState, command: Resume, person: PersonId, now: Milliseconds
) -> PlayerReturned:
    started_game(state)
    player = own_player(state, person, command.player)
    if state.seats[player].resigned:
        raise CommandRejected(ErrorCode.RESIGNED)
    if not state.seats[player].bot_controlled:
        raise CommandRejected(ErrorCode.NOT_BOT_CONTROLLED)
    check_person_limit(state, person)
    return PlayerReturned(at=now, by=person, command=command.id, player=player)


def _send_chat(state: TableState, command: SendChat, actor: Actor, now: Milliseconds) -> ChatSent:
    """Send a chat message; spectators may, within their limit."""
    own = state.seats_of(actor.person)
    text = printable(" ".join(command.text.split()))
    if not text:
        raise CommandRejected(ErrorCode.BAD_REQUEST, what="The chat message is empty.")
    if len(text) > MAX_CHAT_LENGTH:
        raise CommandRejected(ErrorCode.TOO_LARGE, limit=MAX_CHAT_LENGTH, unit="characters")
    limit = MAX_CHAT_MESSAGES if own else MAX_SPECTATOR_MESSAGES
    if state.chat_count >= MAX_CHAT_MESSAGES or (not own and state.spectator_messages >= limit):
        raise CommandRejected(ErrorCode.TABLE_LIMIT_REACHED, limit=limit, what="chat messages")
    name = state.seats[own[0]].name if own else actor.name
    return ChatSent(at=now, by=actor.person, command=command.id, name=name, text=text)
