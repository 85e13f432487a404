"""The leak checker: compares every message with the whole truth, and names what leaks.

It shares nothing with ``manhattan.view`` and ``manhattan.server.protocol.serialize``, which decide
what is sent. A field that it doesn't know is a leak, until it is added to a list here.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from manhattan.record import event_json
from manhattan.rules import Built, Event, Redrew, Setup, State
from manhattan.rules.board import Site, card_for
from manhattan.rules.legality import legal_moves_for_hand
from manhattan.server.domain.state import TableState
from support.placements import placement_gains

Json = dict[str, Any]
Path = tuple[str | int, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPEN_TO_ALL = _words(
    """
    absence_limit_s absence_s accepted account allowed at away_since bank best_score blocks board
    bot_controlled bot_delay_ms by_bots by_players chat cities city clock close_reason colour
    colours commitment counts created_at current deadline decided_by description devices due edition
    editions event events exported_at finished first floors format gains game game_events games
    height hints_disabled host host_name house_rules id increment kind label leads left level levels
    lobby majorities more move mover name needs next nonce_hash now number occupant offered_seats
    open opened_at owner params passkeys patch phase place player players ply points position
    presence present private problem projected_scores public push_subscriptions reason reasons
    recovery_codes_left rematch rematch_of removed reply_to resigned result reveal_until round
    rounds rules running scores seat seats seen_at sheets shuffles side since site sites spectators
    stage start_player state supplies table table_events tableaus tables taken_out takes_from
    tallest text time_after_return title total towers type undo until version winners wins you
    you_decide your_turn
    """
)
"""Public fields, whatever their values: the options of the table, the board, the chat. Games that
differ only in hidden cards test that they don't depend on them."""

MAPS = _words("towers supplies tableaus taken_out floors needs colours house_rules params rules")
"""Fields whose keys are sites, colours and the like."""

ABOUT_CARDS = _words(
    "card deck drew hand moves nonce nonces pile placements played secret seed server_seed"
)
"""Fields that are checked against the truth."""


EVENTS = _words("events game_events")
"""The events of a game, in a record and in a message."""


class Observer(NamedTuple):
    """The receiver of a message, and the truth."""

    person: str | None
    then: TableState
    """The state after the event of the message."""
    now: TableState
    """The state when the message was sent."""

    @property
    def seats(self) -> list[int]:
        return self._seats(self.now)

    def _seats(self, state: TableState) -> list[int]:
        seats = enumerate(state.seats)
        return [n for n, seat in seats if self.person and seat.person == self.person]

    @property
    def viewpoint(self) -> int | None:
        """The player whose hand they may see: their own, or the mover's on a shared screen."""
        seats, game = self.seats, self.now.game
        if len(seats) == 1:
            return seats[0]
        if game is None or game.is_over or self.now.seats[game.public.mover].bot_controlled:
            return None
        return game.public.mover if game.public.mover in seats else None

    @property
    def is_over(self) -> bool:
        """Whether the game is over and has no secrets any more."""
        return self.now.game is not None and self.now.game.is_over

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards that they may see."""
        player, game = self.viewpoint, self.now.game
        return () if player is None or game is None else game.state.hands[player]

    @property
    def state_to_move_in(self) -> State | None:
        """The whole state, if it is their turn."""
        game = self.now.game
        if game is None or game.is_over or self.viewpoint != game.public.mover:
            return None
        return game.state

    def may_see_draws_of(self, player: int) -> bool:
        """Return whether they may see a player's draws: their own, on an unshared screen."""
        return [player] in (self._seats(self.then), self.seats)


def leaks_in(message: Any, spectator: Observer) -> list[str]:
    """Return what a message must not contain, and fields that are unknown."""
    return [f"{_place(path)}: {what}" for path, what in _leaks(message, spectator)]


def _leaks(message: Any, spectator: Observer) -> Iterator[tuple[Path, str]]:
    for path, value in _fields(message):
        key = path[-1]
        if len(path) > 1 and path[-2] in MAPS and key not in ABOUT_CARDS:
            continue
        if key not in OPEN_TO_ALL | ABOUT_CARDS:
            yield path, "is an unknown field"
        elif key in ABOUT_CARDS and not _is_explained(message, path, value, spectator):
            yield path, f"reveals {value!r}"
        elif key == "private" and value is not None and value["player"] != spectator.viewpoint:
            yield path, f"shows the viewpoint of {value['player']}"
        elif key in EVENTS:
            yield from _events(path, value, spectator)


def _fields(message: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Return each field of each object; events are checked as a whole."""
    if isinstance(message, dict):
        for key, value in message.items():
            yield (*path, key), value
            if key not in EVENTS and isinstance(value, dict | list):
                yield from _fields(value, (*path, key))
    elif message and isinstance(message[0], dict | list):
        for number, value in enumerate(message):
            yield from _fields(value, (*path, number))


def _is_explained(message: Any, path: Path, value: Any, spectator: Observer) -> bool:
    """Return whether the observer may see these cards, or what can be done with them."""
    match path:
        case ("secret",):
            return True  # the reply to its own request; it is searched for elsewhere
        case (*_, "seed" | "server_seed") | ("deck",):
            return value is None or spectator.is_over
        case (*_, "nonce" | "nonces"):
            # Public from the deal on, which the answer to the last revelation tells.
            is_dealt = spectator.now.game is not None or message.get("stage") == "playing"
            return is_dealt or value is None
        case ("position" | "patch", "pile" | "played" as key):
            assert spectator.then.game is not None
            public = spectator.then.game.public
            return bool(value == (public.pile_size if key == "pile" else list(public.played)))
        case ("private", "hand"):
            return bool(value == list(spectator.hand))
        case ("private", "moves") if value is None:
            return True
    state = spectator.state_to_move_in
    return state is not None and _is_movers_option(message, path, value, state)


def _is_movers_option(message: Any, path: Path, value: Any, state: State) -> bool:
    """Return whether this is what the mover can do, or why not."""
    match path:
        case ("private", "moves"):
            return True
        case ("private", "moves", "moves"):
            return bool(value == _legal(state))
        case ("private", "moves", "placements"):
            return sorted(placement_gains(value)) == sorted(_legal(state))
        case (*_, "params", "card"):
            # It follows from site and side; that it isn't in their hand they can see.
            site = (message.get("problem") or message)["params"]["site"]
            return bool(value == card_for(state.public.side, Site.parse(site)))
    return False


def _legal(state: State) -> list[str]:
    return [str(move) for move in legal_moves_for_hand(state.public, state.hand)]


def _events(path: Path, message: list[Json], spectator: Observer) -> Iterator[tuple[Path, str]]:
    """The last events of the game, or all of them, without what the observer must not know."""
    game = spectator.then.game
    true = [e for event in game.events if (e := _open(event, game.setup))] if game else []
    for number, (event, (plain, drew)) in enumerate(
        zip(reversed(message), reversed(true), strict=False)
    ):
        place = (*path, len(message) - 1 - number)
        may_see_draw = drew is not None and spectator.may_see_draws_of(plain["player"])
        known = event == plain or (may_see_draw and event == plain | {"drew": drew})
        if not known and not spectator.is_over:
            yield place, f"reveals {event}"
    if len(message) > len(true):
        yield path, "has more events than happened"


def _open(event: Event, setup: Setup) -> tuple[Json, Any] | None:
    """What clients may know of an event, and what was drawn in it."""
    message = event_json(event, setup)
    if message is None:
        return None
    drew = message.pop("drew", None) if isinstance(event, Built | Redrew) else None
    message.pop("pile", None)
    return message, drew


def _place(path: Path) -> str:
    return ".".join(map(str, path))


def spellings(secret: bytes) -> list[bytes]:
    """Return the ways in which some bytes might be written."""
    plain = [secret, secret.hex().encode(), secret.hex().upper().encode(), repr(secret).encode()]
    plain += [str(int.from_bytes(secret, order)).encode() for order in ("big", "little")]
    plain += [str(list(secret)).encode(), str(list(secret)).replace(" ", "").encode()]
    for turn in range(3):  # at any offset in a longer text
        kept = base64.b64encode(bytes(turn) + secret)[4:-4]
        plain += [kept, kept.replace(b"+", b"-").replace(b"/", b"_")]
    return plain


def digest_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
