"""The observer of an OpenSpiel game: observations and information states as tensors and text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyspiel

from manhattan.envs.common.table_spec import TableSpec
from manhattan.envs.engine.history import (
    ACTION_STRIDE,
    CARD_KINDS,
    DREW,
    HAND_STRIDE,
    REVEALED,
    SHUFFLED,
)
from manhattan.envs.engine.layout import FIELDS, SIZE
from manhattan.envs.openspiel_engine import OpenSpielEngine
from manhattan.kernel.layout import PHASES
from manhattan.rules import SITES

_HANDS: Final = CARD_KINDS**4
"""The number of hands that an event can reveal, as digits."""
_SITE_NAMES: Final = tuple(map(str, SITES))
_DIGITS: Final = tuple(map(str, range(256)))
_HAND_FIELD: Final = next(field for field in FIELDS if field.name == "hand")


class Request(NamedTuple):
    """The information that an observer is asked for."""

    perfect_recall: bool
    public: bool
    own_cards: bool
    all_cards: bool


def visible_events(
    engine: OpenSpielEngine, player: int, *, own_draws: bool = True
) -> npt.NDArray[np.int64]:
    """Return the events that a player has seen."""
    events = engine.history
    is_draw = (events >= DREW) & (events < SHUFFLED)
    visible: npt.NDArray[np.int64] = events[~is_draw | (own_draws & ((events >> 4) % 4 == player))]
    return visible


def history_length(spec: TableSpec) -> int:
    """Return the greatest number of events that one player can see, without shuffles, which follow
    from the rest: the decisions, a revealed hand before each turn, and own draws."""
    own_turns = spec.turns // len(spec.players)
    return spec.decisions + spec.turns + 4 + 5 * own_turns


def history_tensor(
    engine: OpenSpielEngine, player: int, *, own_draws: bool
) -> npt.NDArray[np.float32]:
    """Return a player's history, one number per event and then zeros: 1 + the action; after those
    numbers the revealed hands; after those the player's own draws."""
    events = visible_events(engine, player, own_draws=own_draws)
    events = events[events != SHUFFLED]
    actions = engine.spec.action_space.size
    numbers = np.where(
        events >= REVEALED,
        1 + actions + events % HAND_STRIDE,
        np.where(events >= DREW, 1 + actions + _HANDS + events % 16, 1 + events % ACTION_STRIDE),
    )
    tensor = np.zeros(history_length(engine.spec), np.float32)
    tensor[: len(numbers)] = numbers
    return tensor


@lru_cache(1 << 16)
def event_text(spec: TableSpec, event: int) -> str:
    """Return a short text: the move; ``drew 5``; ``revealed 1359``; ``shuffled``."""
    if event >= REVEALED:
        hand = event % HAND_STRIDE
        cards = "".join(str(hand // CARD_KINDS**place % CARD_KINDS + 1) for place in (3, 2, 1, 0))
        return f"p{(event - REVEALED) // HAND_STRIDE} revealed {cards}"
    if event == SHUFFLED:
        return "shuffled"
    if event >= DREW:
        return f"drew {event % 16 + 1}"
    player, action = divmod(event, ACTION_STRIDE)
    return f"p{player} {move_text(spec, player, action)}"


@lru_cache(1 << 16)
def move_text(spec: TableSpec, player: int, action: int) -> str:
    """Return the notation of a player's move."""
    return str(spec.action_space.decode(action, spec.setup.players[player].colours))


def history_text(engine: OpenSpielEngine, player: int, *, own_draws: bool = True) -> str:
    """Return all that a player has seen since the deal."""
    events = visible_events(engine, player, own_draws=own_draws).tolist()
    spec = engine.spec
    return ", ".join([event_text(spec, event) for event in events])


def observation_text(
    engine: OpenSpielEngine, player: int, *, public: bool = True, hand: bool = True
) -> str:
    """Return a player's observation as text. Players and colours are relative to the player."""
    row = engine.observe(player)
    parts = {
        field.name: row[field.offset : field.end].reshape(field.shape).tolist()
        for field in FIELDS
        if public or field.name == "hand"
    }
    lines = []
    if public:
        phase = PHASES[parts["phase"].index(1)]
        mover = f"player +{parts['to_move'].index(1)} " if 1 in parts["to_move"] else ""
        lines += [
            f"round {parts['round'][0]} of {parts['rounds'][0]}: {mover}{phase}",
            f"turns left {parts['turns_left'][0]}",
            f"start player +{parts['start_player'].index(1)}",
            f"points {_join(parts['points'])}",
            f"pile {parts['pile'][0]}, shuffles {parts['shuffles'][0]}",
        ]
        lines += [
            f"{name.replace('_', ' ')} " + " ".join(_join(stock) for stock in parts[name])
            for name in ("supply", "tableau", "taken_out")
        ]
        towers = zip(_SITE_NAMES, parts["floors"], parts["owner"], strict=True)
        lines.append(
            "towers " + " ".join([f"{s}:{_join(f)}@{o.index(1)}" for s, f, o in towers if 1 in o])
        )
    if hand:
        lines.append(f"hand {_join(parts['hand'])}")
    if hand and public:
        lines.append(f"unseen {_join(parts['unseen'])}")
    return "\n".join(lines)


def _join(numbers: list[int]) -> str:
    return ",".join([_DIGITS[number] for number in numbers])


class Observer:
    """Writes a player's information about a state into ``tensor``; ``dict`` has its parts by name.

    The observation comes first, in the fields and the order of the documented table; with perfect
    recall, the player's number and history follow.
    """

    def __init__(self, spec: TableSpec, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"Observers have no parameters, but got {params}.")
        self._request = Request(
            kind.perfect_recall,
            kind.public_info,
            kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER,
            kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS,
        )
        self._fields = [field for field in FIELDS if self._is_requested(field.name)]
        self._has_all_fields = len(self._fields) == len(FIELDS)
        shapes = {field.name: field.shape for field in self._fields}
        if self._request.all_cards:
            shapes["hands"] = (4, 9)
        if self._request.perfect_recall:
            shapes["player"] = (4,)
            shapes["history"] = (history_length(spec),)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        begin = 0
        for name, shape in shapes.items():
            end = begin + int(np.prod(shape))
            self.dict[name] = self.tensor[begin:end].reshape(shape)
            begin = end

    def _is_requested(self, name: str) -> bool:
        request = self._request
        if name == "hand":
            return request.own_cards
        if name == "unseen":
            return request.own_cards and request.public
        return request.public

    def set_from(self, state: Any, player: int) -> None:
        """Write a player's information about a state."""
        engine: OpenSpielEngine = state.engine
        player = max(player, 0)  # OpenSpiel asks for shapes with its default player, -3
        row = engine.observe(player)
        if self._has_all_fields:
            self.tensor[:SIZE] = row
        else:
            for field in self._fields:
                part = row[field.offset : field.end]
                self.dict[field.name][...] = part.reshape(field.shape)
        if self._request.all_cards:
            self.dict["hands"][...] = _all_hands(engine, player)
        if self._request.perfect_recall:
            self.dict["player"][:] = 0
            self.dict["player"][player] = 1
            own_draws = self._request.own_cards
            self.dict["history"][:] = history_tensor(engine, player, own_draws=own_draws)

    def string_from(self, state: Any, player: int) -> str:
        """Return a player's information about a state as text."""
        request, engine = self._request, state.engine
        if request.perfect_recall:
            return f"p{player}: {history_text(engine, player, own_draws=request.own_cards)}"
        return observation_text(engine, player, public=request.public, hand=request.own_cards)


def _all_hands(engine: OpenSpielEngine, player: int) -> npt.NDArray[np.float32]:
    """Return every hand, by the positions that its cards name for the player who holds it."""
    hands = np.zeros((4, 9), np.float32)
    count = len(engine.spec.players)
    for place in range(count):
        row = engine.observe((player + place) % count)
        hands[place] = row[_HAND_FIELD.offset : _HAND_FIELD.end]
    return hands
