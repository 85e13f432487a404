"""What a player of an OpenSpiel game knows: as tensors, field by field, and as text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyspiel

from manhattan.envs.deck import Deck
from manhattan.envs.engine.layout import (
    A_HAND,
    CARD_KINDS,
    DECIDED,
    DREW,
    FIELDS,
    SHOWED,
    SHUFFLED,
    SIZE,
)
from manhattan.envs.seats import Seats
from manhattan.kernel.layout import PHASES
from manhattan.rules import SITES

PRIVATE: Final = frozenset({"hand", "unseen"})
_SHOWN: Final = CARD_KINDS**4
_SITES: Final = tuple(map(str, SITES))


class Knowledge(NamedTuple):
    """Which part of it is asked for."""

    everything_since_the_deal: bool
    of_the_table: bool
    of_own_cards: bool
    of_all_cards: bool


def events_known(deck: Deck, player: int, *, own_draws: bool = True) -> npt.NDArray[np.int64]:
    """What happened, as far as a player was told."""
    told = deck.told
    drew = (told >= DREW) & (told < SHUFFLED)
    known: npt.NDArray[np.int64] = told[~drew | (own_draws & ((told >> 4) % 4 == player))]
    return known


def history_length(seats: Seats) -> int:
    """The most that one player can be told in a game, shuffles left out (they follow from the
    rest): the decisions, before each turn a hand that was shown, and his own cards."""
    own_turns = seats.turns // len(seats.players)
    return seats.decisions + seats.turns + 4 + 5 * own_turns


def history(deck: Deck, player: int, *, own_draws: bool) -> npt.NDArray[np.float32]:
    """What a player was told, as a number each and then zeros: 1 + a move's number; after those
    the hands that were shown; after those the cards he drew."""
    events = events_known(deck, player, own_draws=own_draws)
    events = events[events != SHUFFLED]
    moves = deck.seats.numbering.size
    numbers = np.where(
        events >= SHOWED,
        1 + moves + events % A_HAND,
        np.where(events >= DREW, 1 + moves + _SHOWN + events % 16, 1 + events % DECIDED),
    )
    filled = np.zeros(history_length(deck.seats), np.float32)
    filled[: len(numbers)] = numbers
    return filled


@lru_cache(1 << 16)
def event_text(seats: Seats, event: int) -> str:
    """An event in a few characters: the move; ``drew 5``; ``showed 1359``; ``shuffled``."""
    if event >= SHOWED:
        shown = event % A_HAND
        cards = "".join(str(shown // CARD_KINDS**place % CARD_KINDS + 1) for place in (3, 2, 1, 0))
        return f"p{(event - SHOWED) // A_HAND} showed {cards}"
    if event == SHUFFLED:
        return "shuffled"
    if event >= DREW:
        return f"drew {event % 16 + 1}"
    player, action = divmod(event, DECIDED)
    return f"p{player} {move_text(seats, player, action)}"


@lru_cache(1 << 16)
def move_text(seats: Seats, player: int, action: int) -> str:
    """A player's move as the rules write it."""
    return str(seats.numbering.move(action, seats.setup.players[player].colours))


def known_text(deck: Deck, player: int, *, own_draws: bool = True) -> str:
    """Everything that a player was told since the deal."""
    events = events_known(deck, player, own_draws=own_draws).tolist()
    seats = deck.seats
    return ", ".join([event_text(seats, event) for event in events])


def seen_text(deck: Deck, player: int, *, table: bool = True, hand: bool = True) -> str:
    """What lies before a player's eyes now: players and colours are told as he counts them."""
    row = deck.seen_by(player)
    parts = {
        field.name: row[field.offset : field.end].reshape(field.shape).tolist()
        for field in FIELDS
        if table or field.name == "hand"
    }
    lines = []
    if table:
        phase = PHASES[parts["phase"].index(1)]
        mover = f"player +{parts['to_move'].index(1)} " if 1 in parts["to_move"] else ""
        lines += [
            f"round {parts['round'][0]} of {parts['rounds'][0]}: {mover}{phase}",
            f"turns left {parts['turns_left'][0]}",
            f"start player +{parts['start_player'].index(1)}",
            f"points {_list(parts['points'])}",
            f"pile {parts['pile'][0]}, shuffles {parts['shuffles'][0]}",
        ]
        lines += [
            f"{name.replace('_', ' ')} " + " ".join(_list(stock) for stock in parts[name])
            for name in ("supply", "tableau", "taken_out")
        ]
        towers = zip(_SITES, parts["floors"], parts["owner"], strict=True)
        lines.append(
            "towers " + " ".join([f"{s}:{_list(f)}@{o.index(1)}" for s, f, o in towers if 1 in o])
        )
    if hand:
        lines.append(f"hand {_list(parts['hand'])}")
    if hand and table:
        lines.append(f"unseen {_list(parts['unseen'])}")
    return "\n".join(lines)


_DIGITS: Final = tuple(map(str, range(256)))


def _list(numbers: list[int]) -> str:
    return ",".join([_DIGITS[number] for number in numbers])


class Observer:
    """Writes what a player knows of a state into ``tensor``; ``dict`` has its parts by name.

    What is seen now comes first, in the fields of the observation table and in their order; then,
    if everything since the deal is asked for, which player it is and his history.
    """

    def __init__(self, seats: Seats, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"There are no parameters of observations; there were {params}.")
        self._asked = Knowledge(
            kind.perfect_recall,
            kind.public_info,
            kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER,
            kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS,
        )
        self._fields = [field for field in FIELDS if self._is_asked(field.name)]
        self._whole = len(self._fields) == len(FIELDS)
        shapes = {field.name: field.shape for field in self._fields}
        if self._asked.of_all_cards:
            shapes["hands"] = (4, 9)
        if self._asked.everything_since_the_deal:
            shapes["player"] = (4,)
            shapes["history"] = (history_length(seats),)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        begin = 0
        for name, shape in shapes.items():
            end = begin + int(np.prod(shape))
            self.dict[name] = self.tensor[begin:end].reshape(shape)
            begin = end

    def _is_asked(self, name: str) -> bool:
        asked = self._asked
        if name == "hand":
            return asked.of_own_cards
        if name == "unseen":
            return asked.of_own_cards and asked.of_the_table
        return asked.of_the_table

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player knows of a state."""
        deck: Deck = state.deck
        # Shapes are asked for with the default player: they are anybody's.
        player = max(player, 0)
        row = deck.seen_by(player)
        if self._whole:
            self.tensor[:SIZE] = row[:SIZE]
        else:
            for field in self._fields:
                part = row[field.offset : field.end]
                self.dict[field.name][...] = part.reshape(field.shape)
        if self._asked.of_all_cards:
            self.dict["hands"][...] = _all_hands(deck, player)
        if self._asked.everything_since_the_deal:
            self.dict["player"][:] = 0
            self.dict["player"][player] = 1
            own = self._asked.of_own_cards
            self.dict["history"][:] = history(deck, player, own_draws=own)

    def string_from(self, state: Any, player: int) -> str:
        """The same in words."""
        asked, deck = self._asked, state.deck
        if asked.everything_since_the_deal:
            told = known_text(deck, player, own_draws=asked.of_own_cards)
            return f"p{player}: {told}"
        return seen_text(deck, player, table=asked.of_the_table, hand=asked.of_own_cards)


def _all_hands(deck: Deck, player: int) -> npt.NDArray[np.float32]:
    """Every hand, by where its cards point for whoever holds it."""
    hands = np.zeros((4, 9), np.float32)
    (field,) = (field for field in FIELDS if field.name == "hand")
    count = len(deck.seats.players)
    for place in range(count):
        row = deck.seen_by((player + place) % count)
        hands[place] = row[field.offset : field.end]
    return hands
