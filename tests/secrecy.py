"""What may be told to whom: holds every message against the whole truth, and names what leaks.

This shares nothing with ``manhattan.view`` and ``manhattan.server.seen``, which decide what is
told. A field that is not known here is a leak until somebody has thought about it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from manhattan.record import event_json
from manhattan.rules import Built, Event, Redrew, Setup, State
from manhattan.rules.board import Site, card_for
from manhattan.rules.legality import moves_with
from manhattan.server.sitting import Sitting

Json = dict[str, Any]
Path = tuple[str | int, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPEN_TO_ALL = _words(
    """
    after answers at bank blocks chair chairs changes cities clock colours commitment decided_by
    description due edition editions events figures first floors format gains height host host_name
    house_rules id increment kind left level levels majorities move mover name needs next now number
    open opened_at own owner pace phase played_for player players ply position presence present
    public reason refusal resigned result round rounds rules running scores seat serious sheets
    shuffles side since site stage standing start_player supplies table tableaus tables taken_out
    takes_from talk tallest text title towers type undo version watching what who winners yes you
    you_decide your_turn
    """
)
"""Fields that are nobody's secret, whatever stands in them: the rules of the table, the board, the
talk. That they don't depend on hidden cards is tested by games that differ in nothing else."""

MAPS = _words("towers supplies tableaus taken_out floors needs colours house_rules figures rules")
"""Fields whose own fields are named by sites, colours and the like."""

ABOUT_CARDS = _words("card deck drew hand moves pile places played secret seed")
"""Fields that are looked into."""


class Onlooker(NamedTuple):
    """Who is told, and what is true."""

    person: str | None
    then: Sitting
    """How the table stood after what is told."""
    now: Sitting
    """How it stood when that was told."""

    @property
    def seats(self) -> list[int]:
        return self._seats(self.now)

    def _seats(self, sitting: Sitting) -> list[int]:
        chairs = enumerate(sitting.chairs)
        return [n for n, chair in chairs if self.person and chair.person == self.person]

    @property
    def eyes(self) -> int | None:
        """Whose hand he may see: his own; at a shared screen that of who has to move there."""
        seats, game = self.seats, self.now.game
        if len(seats) == 1:
            return seats[0]
        if game is None or game.over or self.now.chairs[game.table.mover].played_for:
            return None
        return game.table.mover if game.table.mover in seats else None

    @property
    def over(self) -> bool:
        """Has the game no secrets any more?"""
        return self.now.game is not None and self.now.game.over

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards that he may see."""
        eyes, game = self.eyes, self.now.game
        return () if eyes is None or game is None else game.state.hands[eyes]

    @property
    def to_move(self) -> State | None:
        """The whole truth, if it is his turn."""
        game = self.now.game
        if game is None or game.over or self.eyes != game.table.mover:
            return None
        return game.state

    def may_know_draws_of(self, player: int) -> bool:
        """One's own, and for one who shares no screen."""
        return [player] in (self._seats(self.then), self.seats)


def leaks_in(told: Any, onlooker: Onlooker) -> list[str]:
    """What is in a message that he must not be told, or that nobody can explain."""
    return [f"{_place(path)}: {what}" for path, what in _leaks(told, onlooker)]


def _leaks(told: Any, onlooker: Onlooker) -> Iterator[tuple[Path, str]]:
    for path, value in _fields(told):
        key = path[-1]
        if len(path) > 1 and path[-2] in MAPS and key not in ABOUT_CARDS:
            continue
        if key not in OPEN_TO_ALL | ABOUT_CARDS:
            yield path, "is a field that nobody has explained"
        elif key in ABOUT_CARDS and not _explained(told, path, value, onlooker):
            yield path, f"tells {value!r}"
        elif key == "own" and value is not None and value["player"] != onlooker.eyes:
            yield path, f"shows through the eyes of {value['player']}"
        elif key == "events":
            yield from _events(path, value, onlooker)


def _fields(told: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field of every object, wherever it is; but events are looked at as a whole."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield (*path, key), value
            if key != "events" and isinstance(value, dict | list):
                yield from _fields(value, (*path, key))
    elif told and isinstance(told[0], dict | list):
        for number, value in enumerate(told):
            yield from _fields(value, (*path, number))


def _explained(told: Any, path: Path, value: Any, onlooker: Onlooker) -> bool:
    """May he see these cards, or what can be done with them?"""
    match path:
        case ("own", "moves", "places", _, "moves"):
            return True  # looked at with all places
        case ("secret",):
            return True  # in the answer to who asked for it; searched for everywhere else
        case (*_, "seed") | ("deck",):
            return value is None or onlooker.over
        case ("position" | "changes", "pile" | "played" as key):
            assert onlooker.then.game is not None
            table = onlooker.then.game.table
            return bool(value == (table.pile_size if key == "pile" else list(table.played)))
        case ("own", "hand"):
            return bool(value == list(onlooker.hand))
        case ("own", "moves") if value is None:
            return True
    return onlooker.to_move is not None and _his_turn(told, path, value, onlooker.to_move)


def _his_turn(told: Any, path: Path, value: Any, state: State) -> bool:
    """Is this what he can do, or why he can't?"""
    match path:
        case ("own", "moves"):
            return True
        case ("own", "moves", "moves"):
            return bool(value == _legal(state))
        case ("own", "moves", "places"):
            return [move for place in value for move in place["moves"]] == _legal(state)
        case ("own", "moves", "places", int(number), "card"):
            site = told["own"]["moves"]["places"][number]["site"]
            return value in state.hand and value == card_for(state.table.seat, Site.parse(site))
        case (*_, "figures", "card"):
            # By site and seat alone; that he doesn't hold it he can see.
            site = (told.get("refusal") or told)["figures"]["site"]
            return bool(value == card_for(state.table.seat, Site.parse(site)))
    return False


def _legal(state: State) -> list[str]:
    return [str(move) for move in moves_with(state.table, state.hand)]


def _events(path: Path, told: list[Json], onlooker: Onlooker) -> Iterator[tuple[Path, str]]:
    """The last events of the game, or all of them, without what he must not know."""
    game = onlooker.then.game
    true = [e for event in game.events if (e := _open(event, game.setup))] if game else []
    for number, (event, (plain, drew)) in enumerate(
        zip(reversed(told), reversed(true), strict=False)
    ):
        place = (*path, len(told) - 1 - number)
        his_own = drew is not None and onlooker.may_know_draws_of(plain["player"])
        known = event == plain or (his_own and event == plain | {"drew": drew})
        if not known and not onlooker.over:
            yield place, f"tells {event}"
    if len(told) > len(true):
        yield path, "tells more than has happened"


def _open(event: Event, setup: Setup) -> tuple[Json, Any] | None:
    """What everybody may know of an event, and what was drawn in it."""
    told = event_json(event, setup)
    if told is None:
        return None
    drew = told.pop("drew", None) if isinstance(event, Built | Redrew) else None
    told.pop("pile", None)
    return told, drew


def _place(path: Path) -> str:
    return ".".join(map(str, path))


def spellings(secret: bytes) -> list[bytes]:
    """Some bytes, however they might be written."""
    plain = [secret, secret.hex().encode(), secret.hex().upper().encode(), repr(secret).encode()]
    plain += [str(int.from_bytes(secret, order)).encode() for order in ("big", "little")]
    plain += [str(list(secret)).encode(), str(list(secret)).replace(" ", "").encode()]
    for turn in range(3):  # wherever it stands in something longer
        kept = base64.b64encode(bytes(turn) + secret)[4:-4]
        plain += [kept, kept.replace(b"+", b"-").replace(b"/", b"_")]
    return plain


def digest_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
