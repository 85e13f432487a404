"""The decider's second half: apply an event to the state of a table.

No other function changes a table. Moves are played by the rules, so an event that contradicts the
state raises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from msgspec.structs import replace

from manhattan.bots.names import BOT_NAMES, free_bot_name
from manhattan.game import Game
from manhattan.rules import Build, Built, JointSeed, Redrew, draw_start_player
from manhattan.server.domain.clocks import (
    Clocks,
    Milliseconds,
    grant_time,
    initial_clocks,
    switch_clock,
    undo_moves,
)
from manhattan.server.domain.events import (
    BotSeated,
    ChatSent,
    GameStarted,
    MovePlayed,
    NoncesRequested,
    NoncesRevealed,
    OfferAccepted,
    OfferDeclined,
    PlayerResigned,
    PlayerReturned,
    PlayerSubstituted,
    RematchOpened,
    SeatTaken,
    SeatTransferCreated,
    SeatTransferred,
    SeatVacated,
    TableClosed,
    TableEvent,
    TableOpened,
    TimeExpired,
    UndoAnswered,
    UndoRequested,
)
from manhattan.server.domain.evolve_deal import pending_deal, seed_of
from manhattan.server.domain.state import (
    CHAT_HISTORY,
    MAX_PROCESSED_COMMANDS,
    ChatMessage,
    Seat,
    Seats,
    SeatTransfer,
    TableState,
    UndoRequest,
)

Changes = dict[str, Any]
"""New values for fields of ``TableState``."""


def initial_state(table: str, event: TableOpened) -> TableState:
    """Return the state of a table after its first event."""
    options = event.options
    assert event.by is not None  # a person opens a table
    setup = options.setup([f"Player {n}" for n in range(1, len(options.seats) + 1)])
    reserved = {reservation.seat: reservation for reservation in event.reserved}
    offered = {offer.seat: offer for offer in event.offered}
    bots = 0
    bot_names = iter(event.bot_names)
    seats: list[Seat] = []
    for number, (seat_options, player) in enumerate(zip(options.seats, setup.players, strict=True)):
        seat = Seat(player.side, player.colours)
        if seat_options.occupant in ("me", "here"):
            seat = replace(
                seat,
                name=seat_options.name or event.name,
                person=event.by,
                nonce_hash=seat_options.nonce_hash,
            )
        elif (reservation := reserved.get(number)) is not None:
            seat = replace(seat, name=reservation.name, person=reservation.person)
        elif (offer := offered.get(number)) is not None:
            seat = replace(seat, name=offer.name, offered_to=offer.person)
        elif seat_options.level is not None:
            bots += 1
            name = next(bot_names, None) or _numbered_name(seat_options.level, bots)
            seat = replace(seat, name=name, level=seat_options.level)
        seats.append(seat)
    return TableState(
        id=table,
        number=1,
        options=options,
        host=event.by,
        host_name=event.name,
        opened_at=event.at,
        changed_at=event.at,
        stage="lobby",
        seats=Seats(seats),
        schedule=setup.schedule,
        clocks=initial_clocks(options.clock, len(seats)),
        server_seed=event.server_seed,
        rematch_of=event.rematch_of,
    )


def _numbered_name(level: str, number: int) -> str:
    """Return a bot's name at a table whose events name no bots."""
    return f"{level.title()} {number}"


def replay_events(
    table: str, events: Iterable[TableEvent], state: TableState | None = None
) -> TableState | None:
    """Rebuild a table's state from its events, or from a state and the events after it."""
    for event in events:
        if isinstance(event, TableOpened):
            state = initial_state(table, event)
        else:
            assert state is not None  # the first event opens the table
            state = evolve(state, event)
    return state


def evolve(state: TableState, event: TableEvent) -> TableState:
    """Return the state after one more event.

    Parts that the event leaves alone are the same objects in both states, and parts that it changes
    are not: updates and summaries compare them by identity.
    """
    match event:
        case MovePlayed():
            changes = _play_move(state, event)
        case ChatSent():
            changes = _add_chat(state, event)
        case _:
            changes = _change_table(state, event)
            changes["event_count"] = state.event_count + 1
            if event.by is not None:
                count = state.event_count_of(event.by) + 1
                changes["event_counts"] = {**state.event_counts, event.by: count}
    if event.by is not None and event.command is not None:
        changes["processed_commands"] = _remember_command(state, event.by, event.command)
    return replace(state, number=state.number + 1, **changes)


def _remember_command(state: TableState, person: str, command: str) -> dict[tuple[str, str], int]:
    processed = {**state.processed_commands, (person, command): state.number}
    if len(processed) > MAX_PROCESSED_COMMANDS:
        del processed[next(iter(processed))]  # the oldest
    return processed


def _change_table(state: TableState, event: TableEvent) -> Changes:
    match event:
        case UndoRequested() | UndoAnswered():
            return _undo(state, event)
        case GameStarted():
            return _start_game(state, event)
        case NoncesRequested() | NoncesRevealed():
            return {"changed_at": event.at, "pending_deal": pending_deal(state, event)}
        case PlayerResigned() | TimeExpired() | PlayerSubstituted() | PlayerReturned():
            return _change_control(state, event)
        case TableOpened() | MovePlayed() | ChatSent():
            raise AssertionError("a table is opened once; moves and chat change no seats")
        case TableClosed():
            return _close(state, event)
        case RematchOpened():
            return {"changed_at": event.at, "rematch": event.table}
    return {"changed_at": event.at, **_change_seats(state, event)}


def _close(state: TableState, event: TableClosed) -> Changes:
    """Close the table; a game that has started stays as it is."""
    return {
        "changed_at": event.at,
        "stage": "closed",
        "close_reason": event.reason,
        "clocks": switch_clock(state.clocks, None, event.at),
        "undo": None,
    }


# The game.


def _play_move(state: TableState, event: MovePlayed) -> Changes:
    assert state.game is not None
    game = state.game.after(event.move, event.player)
    return {
        **_continue(state, state.seats, game, event.at, moved=True),
        "last_revealed_ply": _last_revealed_ply(state, game),
    }


def _start_game(state: TableState, event: GameStarted) -> Changes:
    seed = seed_of(state, event)
    first = state.options.first
    if first == "random":
        drawn_from = seed.seed if isinstance(seed, JointSeed) else seed
        first = draw_start_player(drawn_from, len(state.seats))
    setup = state.options.setup([seat.name for seat in state.seats], first)
    game = Game.from_seed(setup, seed)
    return {**_continue(state, state.seats, game, event.at), "pending_deal": None}


def _undo(state: TableState, event: UndoRequested | UndoAnswered) -> Changes:
    """Open or answer a request; the game goes back when all have agreed."""
    game = state.game
    assert game is not None
    if isinstance(event, UndoRequested):
        assert event.by is not None
        undo = UndoRequest(event.by, event.player, event.ply, event.at)
    else:
        assert state.undo is not None
        if not event.accepted or event.by is None:
            return _continue(state, state.seats, game, event.at)
        undo = replace(state.undo, agreed=state.undo.agreed | {event.by})
    if state.undo_approvers(undo.person) - undo.agreed:
        return {"undo": undo, "changed_at": event.at}
    movers = Counter(map(game.mover_at, range(undo.ply, game.ply)))
    on_the_clock = {n: m for n, m in movers.items() if state.seats[n].bot_level is None}
    left = state.clocks.left_at(event.at)
    clocks = undo_moves(replace(state.clocks, left=left, since=event.at), on_the_clock)
    state = replace(state, clocks=clocks)
    return _continue(state, state.seats, game.at(undo.ply), event.at)


def _change_control(
    state: TableState, event: PlayerResigned | TimeExpired | PlayerSubstituted | PlayerReturned
) -> Changes:
    """Let a bot take over a seat, or give it back to its holder."""
    game = state.game
    assert game is not None
    match event:
        case PlayerResigned():
            seats = _with_seat(state, event.player, bot_controlled=True, resigned=True)
        case TimeExpired() | PlayerSubstituted():
            seats = _with_seat(state, event.player, bot_controlled=True)
        case PlayerReturned():
            seats = _with_seat(state, event.player, bot_controlled=False)
            state = replace(state, clocks=grant_time(state.clocks, event.player))
    return {"seats": seats, **_continue(state, seats, game, event.at)}


def _continue(
    state: TableState, seats: Seats, game: Game, now: Milliseconds, *, moved: bool = False
) -> Changes:
    """Let the game continue, without an undo request."""
    return {
        "game": game,
        "clocks": _run_clock(state, seats, game, now, moved=moved),
        "stage": "over" if game.is_over else "playing",
        "undo": None,
        "changed_at": now,
    }


def _run_clock(
    state: TableState, seats: Seats, game: Game, now: Milliseconds, *, moved: bool
) -> Clocks:
    """Run the clock of the person to move."""
    mover = game.public.mover
    person_moves = not game.is_over and seats[mover].bot_level is None
    return switch_clock(state.clocks, mover if person_moves else None, now, moved=moved)


def _last_revealed_ply(state: TableState, game: Game) -> int:
    """Return the last move whose new card a person has seen. A player sees their new card at once;
    people who share a screen see theirs on their next turn. A player who couldn't place anything
    has shown their hand to all."""
    revealed, last, unshared = state.last_revealed_ply, game.ply - 1, state.seats.unshared
    for event in game.last_events:
        if isinstance(event, Redrew) or (isinstance(event, Built) and event.player in unshared):
            revealed = last
    mover = game.public.mover
    if mover not in unshared and state.seats[mover].person is not None:
        revealed = max(revealed, _newest_draw(game, mover))
    return revealed


def _newest_draw(game: Game, player: int) -> int:
    """Return the player's last move if they drew a card after it, otherwise -1."""
    last = game.last_ply_of((player,))
    return last if last is not None and isinstance(game.moves[last], Build) else -1


# Seats and chat.


def _add_chat(state: TableState, event: ChatSent) -> Changes:
    seat = next(iter(state.seats_of(event.by)), None)
    message = ChatMessage(state.number, event.at, event.name, seat, event.text)
    return {
        "chat": (*state.chat[-CHAT_HISTORY + 1 :], message),
        "chat_count": state.chat_count + 1,
        "spectator_messages": state.spectator_messages + (seat is None),
    }


def _change_seats(
    state: TableState,
    event: SeatTaken
    | SeatVacated
    | OfferAccepted
    | OfferDeclined
    | BotSeated
    | SeatTransferCreated
    | SeatTransferred,
) -> Changes:
    match event:
        case SeatTaken():
            seats = _with_seat(
                state,
                event.seat,
                name=event.name,
                person=event.by,
                nonce_hash=event.nonce_hash,
            )
            return {"seats": _rename_bots(seats, event.name)}
        case SeatVacated():
            return _vacate_seats(state, event)
        case OfferAccepted():
            return {"seats": _accept_offer(state, event)}
        case OfferDeclined():
            return {"seats": _with_seats(state, event.seats, name="", offered_to=None)}
        case BotSeated():
            bots = sum(seat.level is not None for seat in state.seats)
            name = event.name or _numbered_name(event.level, bots + 1)
            seats = _with_seat(
                state,
                event.seat,
                name=name,
                level=event.level,
                person=None,
                offered_to=None,
                nonce_hash=None,
            )
            return {"seats": seats}
        case SeatTransferCreated():
            transfer = SeatTransfer(event.seat, event.digest, event.at)
            remaining = (t for t in state.transfers if t.seat != event.seat)
            return {"transfers": (*remaining, transfer)}
        case SeatTransferred():
            transfers = tuple(t for t in state.transfers if t.digest != event.digest)
            seats = _transfer_seat(state, event)
            return {
                "seats": seats,
                "transfers": transfers,
                "last_revealed_ply": _revealed_by_transfer(state, seats),
                **_pass_on_host(state, seats),
            }


def _accept_offer(state: TableState, event: OfferAccepted) -> Seats:
    hashes = dict(zip(event.seats, event.nonce_hashes, strict=False))
    return Seats(
        replace(seat, person=event.by, offered_to=None, nonce_hash=hashes.get(n))
        if n in event.seats
        else seat
        for n, seat in enumerate(state.seats)
    )


def _transfer_seat(state: TableState, event: SeatTransferred) -> Seats:
    """Give a seat to another device. Before the game it brings its own hash; later the old device
    reveals the nonce."""
    if state.are_seats_final:
        return _with_seat(state, event.seat, person=event.by)
    return _with_seat(state, event.seat, person=event.by, nonce_hash=event.nonce_hash)


def _vacate_seats(state: TableState, event: SeatVacated) -> Changes:
    seats = _with_seats(
        state, event.seats, name="", person=None, level=None, offered_to=None, nonce_hash=None
    )
    # Their transfers end as well: the seat, and its cards, will be another person's.
    transfers = tuple(t for t in state.transfers if t.seat not in event.seats)
    removed = state.removed if event.removed is None else state.removed | {event.removed}
    return {
        "seats": seats,
        "transfers": transfers,
        "removed": removed,
        **_pass_on_host(state, seats),
    }


def _revealed_by_transfer(state: TableState, seats: Seats) -> int:
    """Return the last move whose new card a person has seen, after seats have changed hands: a
    person who no longer shares a screen sees what was drawn while the hand was hidden."""
    revealed, game = state.last_revealed_ply, state.game
    if game is not None:
        for player in seats.unshared - state.seats.unshared:
            revealed = max(revealed, _newest_draw(game, player))
    return revealed


def _with_seat(state: TableState, number: int, **changes: Any) -> Seats:
    """Return the seats, one of them changed."""
    return _with_seats(state, (number,), **changes)


def _with_seats(state: TableState, numbers: Collection[int], **changes: Any) -> Seats:
    """Return the seats, some of them changed alike."""
    return Seats(
        replace(seat, **changes) if n in numbers else seat for n, seat in enumerate(state.seats)
    )


def _rename_bots(seats: Seats, person_name: str) -> Seats:
    """Give another name to a bot whose name a person at the table has as well."""
    names = [seat.name for seat in seats]
    return Seats(
        replace(seat, name=free_bot_name(seat.level, names))
        if seat.level is not None
        and seat.name in BOT_NAMES[seat.level]  # not in events of older tables
        and seat.name.casefold() == person_name.casefold()
        else seat
        for seat in seats
    )


def _pass_on_host(state: TableState, seats: Seats) -> Changes:
    """Make another person the host if the host has left."""
    people = [seat for seat in seats if seat.person is not None]
    if not people or any(seat.person == state.host for seat in people):
        return {}
    return {"host": people[0].person, "host_name": people[0].name}
