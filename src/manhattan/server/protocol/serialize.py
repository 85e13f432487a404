"""Serialization of tables: domain objects become the payloads of messages.

Hands and drawn cards pass through ``manhattan.view``. This module decides only whose viewpoint is
taken where people share a screen, and that the seed is sent when the game is over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Final, Literal

import msgspec
from msgspec import UNSET

from manhattan.projected_scores import PlacementOptions, ProjectedScores, SiteProjections
from manhattan.rules import (
    Built,
    Colour,
    Ended,
    Event,
    Phase,
    PublicState,
    Redrew,
    Refusal,
    Removed,
    Result,
    Scored,
    Selected,
    Setup,
    Shuffled,
    Stock,
    Tower,
    commitment,
)
from manhattan.rules.blocks import LARGEST
from manhattan.rules.board import SITES
from manhattan.rules.moves import Sizes
from manhattan.rules.scoring import Sheet
from manhattan.server.domain.clocks import Clocks, Milliseconds, NoClock, time_after_return
from manhattan.server.domain.decide import undo_rejection
from manhattan.server.domain.decide_lobby import offered_seats
from manhattan.server.domain.errors import ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.domain.state import Seat, TableState, UndoRequest
from manhattan.server.protocol.messages import (
    BuildEvent,
    BuildMoves,
    ChatLine,
    ClockInfo,
    ColourScore,
    GameEvent,
    GameResult,
    LegalMoves,
    Omittable,
    PlacementGroup,
    PlayerState,
    Position,
    PresenceMessage,
    PrivateState,
    Problem,
    RedrawEvent,
    RemoveEvent,
    RemoveMoves,
    ScoreEvent,
    SeatInfo,
    SelectEvent,
    SelectMoves,
    ShuffleEvent,
    TableInfo,
    TowerInfo,
    UndoOption,
    UndoRequestInfo,
    ViewMessage,
)
from manhattan.view import View, redact_event, view

SITE_NAMES: Final = tuple(map(str, SITES))

encode: Final = msgspec.json.Encoder().encode
"""Write a message, a response or any other payload as JSON."""


def view_message(
    state: TableState,
    person: PersonId | None,
    presence: PresenceMessage,
    now: Milliseconds,
    reply_to: str | None = None,
) -> ViewMessage:
    """Return everything that a viewer may see of a table."""
    game = state.game
    return ViewMessage(
        number=state.number,
        now=now,
        table=table_info(state, person),
        position=position(game.public, game.ply, clock_info(state.clocks)) if game else None,
        private=private_state(state, person, lambda: ProjectedScores(game.public))
        if game
        else None,
        game_events=game_events(game.events, game.setup, log_viewpoint(state, person))
        if game
        else [],
        chat=[
            ChatLine(number=line.number, at=line.at, name=line.name, seat=line.seat, text=line.text)
            for line in state.chat
        ],
        presence=presence,
        reply_to=reply_to or UNSET,
    )


def problem_of(refusal: Refusal) -> Problem:
    """Describe why the rules refuse a move."""
    return Problem(reason=refusal.reason.value, params=dict(refusal.params), text=str(refusal))


# The table.


def table_info(state: TableState, person: PersonId | None) -> TableInfo:
    """Describe a table as one person sees it."""
    options, game = state.options, state.game
    revealed = game if state.stage == "over" else None
    joint = revealed.joint if revealed else None
    return TableInfo(
        id=state.id,
        stage=state.stage,
        edition=options.edition,
        house_rules=options.house_rules,
        seats=[_seat_info(state, number, person) for number in range(len(state.seats))],
        host=person == state.host,
        host_name=state.host_name,
        first=game.setup.first if game else options.first,
        rounds=state.schedule.rounds,
        blocks=state.schedule.blocks,
        public=options.public,
        hints_disabled=options.hints_disabled,
        bot_delay_ms=options.bot_delay_ms,
        absence_limit_s=options.absence_limit_s,
        clock=options.clock,
        commitment=_commitment(state),
        reveal_until=state.pending_deal.until if state.pending_deal else None,
        server_seed=joint.server_seed.hex() if joint else None,
        seed=revealed.seed.hex() if revealed and revealed.seed else None,
        undo=_undo_request_info(state, state.undo, person) if state.undo else None,
        rematch_of=state.rematch_of,
        rematch=state.rematch,
        offered_seats=list(offered_seats(state, person)),
        removed=person in state.removed,
        close_reason=state.close_reason,
    )


def _commitment(state: TableState) -> str | None:
    """Return the server's commitment: to its part of the seed, or, if an older version opened the
    table, to the seed."""
    if state.server_seed is not None:
        return commitment(bytes.fromhex(state.server_seed))
    return state.game.commitment if state.game else None


def _seat_info(state: TableState, number: int, person: PersonId | None) -> SeatInfo:
    seat, joint = state.seats[number], state.game.joint if state.game else None
    nonce = joint.nonces[number] if joint else None
    can_return = seat.bot_controlled and not seat.resigned
    has_clock = not isinstance(state.options.clock, NoClock)
    return SeatInfo(
        side=seat.side.value,
        colours=[colour.value for colour in seat.colours],
        name=seat.name,
        occupant=_occupant(seat),
        level=seat.level,
        you=seat.person is not None and seat.person == person,
        bot_controlled=seat.bot_controlled,
        time_after_return=time_after_return(state.clocks, number)
        if can_return and has_clock
        else None,
        resigned=seat.resigned,
        nonce_hash=seat.nonce_hash,
        nonce=nonce.hex() if nonce else None,
    )


def _occupant(seat: Seat) -> Literal["person", "bot", "open", "offered"]:
    if seat.is_open:
        return "open" if seat.offered_to is None else "offered"
    return "bot" if seat.person is None else "person"


def _undo_request_info(
    state: TableState, undo: UndoRequest, person: PersonId | None
) -> UndoRequestInfo:
    undecided = state.undo_approvers(undo.person) - undo.agreed
    return UndoRequestInfo(player=undo.player, ply=undo.ply, you_decide=person in undecided)


def log_viewpoint(state: TableState, person: PersonId | None) -> int | None:
    """Return the player whose drawn cards a person may read in the log.

    Where people share a screen it is nobody: what the log says of one player's draw is still there
    when it is the other's turn.
    """
    seats = state.seats_of(person)
    return seats[0] if len(seats) == 1 else None


# The position.


def position(public: PublicState, ply: int, clock: Omittable[ClockInfo] = UNSET) -> Position:
    """Describe the public state of a game."""
    setup = public.setup
    return Position(
        ply=ply,
        round=public.round,
        phase=public.phase.value,
        mover=public.mover,
        start_player=public.start_player,
        towers={
            SITE_NAMES[site]: tower_info(tower, setup.colours)
            for site, tower in enumerate(public.board)
            if tower.blocks
        },
        supplies=stocks(setup, public.supplies),
        tableaus=stocks(setup, public.tableaus),
        taken_out=stocks(setup, public.taken_out),
        played=list(public.played),
        pile=public.pile_size,
        shuffles=public.shuffles,
        scores=list(public.scores),
        projected_scores=list(ProjectedScores(public).points),
        sheets=score_sheets(public),
        result=game_result(public.result),
        clock=clock,
    )


def tower_info(tower: Tower, colours: tuple[Colour, ...]) -> TowerInfo:
    assert tower.owner is not None
    min_size = tower.min_size
    return TowerInfo(
        blocks=str(tower),
        owner=tower.owner,
        height=tower.height,
        floors=tower.floors,
        needs={c: size if (size := min_size[c]) <= LARGEST else None for c in colours},
    )


def clock_info(clocks: Clocks) -> ClockInfo:
    return ClockInfo(left=list(clocks.left), running=clocks.running, since=clocks.since)


def stocks(setup: Setup, stocks: tuple[Stock, ...]) -> dict[str, Stock]:
    return dict(zip(_colour_names(setup.colours), stocks, strict=True))


@cache
def _colour_names(colours: tuple[Colour, ...]) -> tuple[str, ...]:
    return tuple(colour.value for colour in colours)


def game_result(result: Result | None) -> GameResult | None:
    if result is None:
        return None
    return GameResult(
        scores=list(result.scores), winners=list(result.winners), decided_by=result.decided_by
    )


# The game's events.


def game_events(events: tuple[Event, ...], setup: Setup, viewpoint: int | None) -> list[GameEvent]:
    """Describe events as a player may know them, in the form of a record."""
    return [
        payload
        for event in events
        if (payload := _game_event(redact_event(viewpoint, event), setup)) is not None
    ]


def score_sheets(public: PublicState) -> list[ScoreEvent]:
    return [_score_event(sheet, public.setup) for sheet in public.sheets]


def _game_event(event: Event, setup: Setup) -> GameEvent | None:
    """Return the payload of an event; the game's end has none, since the position says it."""
    match event:
        case Built(player, move):
            drew = UNSET if event.drew is None else event.drew
            return BuildEvent(player=player, move=str(move), card=event.card, drew=drew)
        case Selected(player, move):
            return SelectEvent(player=player, move=str(move))
        case Removed(player, move):
            return RemoveEvent(player=player, move=str(move))
        case Redrew(player, hand, cards):
            drawn = UNSET if cards is None else list(cards)
            return RedrawEvent(player=player, hand=list(hand), drew=drawn)
        case Shuffled():
            return ShuffleEvent(pile=list(event.pile) if event.pile else UNSET)
        case Scored(sheet):
            return _score_event(sheet, setup)
        case Ended():
            return None


def _score_event(sheet: Sheet, setup: Setup) -> ScoreEvent:
    return ScoreEvent(
        round=sheet.round,
        colours={
            colour.value: ColourScore(
                tallest=score.tallest_points, majorities=list(score.majorities), towers=score.towers
            )
            for colour, score in zip(setup.colours, sheet.colours, strict=True)
        },
        scores=list(sheet.scores),
    )


# What one viewer alone sees.


def private_state(
    state: TableState, person: PersonId | None, scores: Callable[[], ProjectedScores]
) -> PrivateState:
    """Return a person's hand, legal moves, and whether they can undo."""
    assert state.game is not None
    seen = view(state.game.state, state.viewpoint(person))
    return PrivateState(
        player=seen.player,
        hand=list(seen.hand),
        moves=_legal_moves(seen, scores),
        undo=_undo_option(state, person),
    )


def player_state(seen: View) -> PlayerState:
    """Return a player's hand and legal moves."""
    moves = _legal_moves(seen, lambda: ProjectedScores(seen.public))
    return PlayerState(player=seen.player, hand=list(seen.hand), moves=moves)


_CAN_UNDO: Final = UndoOption(allowed=True, reason=None, params={})
_ANONYMOUS_UNDO: Final = UndoOption(allowed=False, reason=ErrorCode.NOT_AT_THE_TABLE, params={})


def _undo_option(state: TableState, person: PersonId | None) -> UndoOption:
    if person is None:
        return _ANONYMOUS_UNDO
    rejection = undo_rejection(state, person)
    if rejection is None:
        return _CAN_UNDO
    return UndoOption(allowed=False, reason=rejection.reason, params=rejection.params)


def _legal_moves(seen: View, scores: Callable[[], ProjectedScores]) -> LegalMoves | None:
    public = seen.public
    if not seen.is_to_move:
        return None
    if public.phase is Phase.SELECT:
        colours = public.setup.colours_by_player[public.mover]
        return SelectMoves(
            blocks=public.setup.schedule.blocks,
            supplies={own.colour.value: public.supplies[own.slot] for own in colours},
        )
    if public.phase is Phase.REMOVE:
        return RemoveMoves(moves=list(map(str, seen.legal_moves())))
    options = scores().placement_options(seen.hand)
    return BuildMoves(placements=[group for own in options for group in _placement_groups(own)])


def _placement_groups(options: PlacementOptions) -> list[PlacementGroup]:
    groups: defaultdict[SiteProjections | None, list[str]] = defaultdict(list)
    for site, projections in zip(options.sites, options.projections, strict=True):
        groups[projections].append(SITE_NAMES[site])
    blocks = _block_texts(options.own.notation, options.sizes)
    return [
        PlacementGroup(
            sites, blocks[-len(projections.gains) :], projections.takes_from, projections.gains
        )
        for projections, sites in groups.items()
        if projections is not None
    ]


@cache
def _block_texts(notation: Colour | None, sizes: Sizes) -> tuple[str, ...]:
    letter = "" if notation is None else notation.letter
    return tuple(f"{size}{letter}" for size in sizes)
