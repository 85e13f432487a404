"""The engine behind an OpenSpiel state: a game in which the caller draws the cards."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.envs.common.rewards import EnvError
from manhattan.envs.common.table_spec import TableSpec, table_spec
from manhattan.envs.engine import chance
from manhattan.envs.engine.history import CARD_KINDS, CHANCE_STATE, SHUFFLE
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.resampling import resample
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.layout import GAME, copy_records
from manhattan.kernel.position import Position

Observation = npt.NDArray[np.uint8]
HouseRules = tuple[tuple[str, str], ...]

_MAX_TRIES: Final = 100_000
"""Usually, one of the first few succeeds."""
_MAX_ACTIONS: Final = 2048
"""More than the legal actions of any state, and than the actions and outcomes of any game."""
_KINDS: Final = tuple(range(CARD_KINDS))


class OpenSpielEngine:
    """A game, its pending draws and its history. A copy copies two records."""

    __slots__ = ("_actions", "actor", "chance", "game", "is_template", "spec")

    def __init__(self, spec: TableSpec, game: Any, chance_state: Any, actor: int) -> None:
        self.spec = spec
        self.game = game
        """An array of one record of dtype GAME."""
        self.chance = chance_state
        """An array of one record of dtype CHANCE_STATE."""
        self.actor = actor
        """The next to act: a player, chance, or none at the end (as OpenSpiel numbers them)."""
        self.is_template = False
        """Whether many states share this engine, and must copy it before they change it."""
        self._actions: list[int] | None = None

    def copy(self) -> OpenSpielEngine:
        copied = OpenSpielEngine(
            self.spec, copy_records(self.game), copy_records(self.chance), self.actor
        )
        copied._actions = self._actions
        return copied

    def __deepcopy__(self, memo: object) -> OpenSpielEngine:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., OpenSpielEngine], tuple[Any, ...]]:
        setup = self.spec.setup
        table = (len(setup.players), setup.edition, setup.house_rules)
        return _unpickle, (*table, self.game.tobytes(), self.chance.tobytes(), self.actor)

    def apply(self, action: int) -> bool:
        """Apply an action or a chance outcome; return whether it is legal. An illegal one changes
        nothing."""
        actor = chance.apply_to_table(
            self.game, self.chance, self.spec.players, self.spec.colours, action
        )
        if actor == chance.ILLEGAL:
            return False
        self.actor = actor
        self._actions = None
        return True

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the player who is to decide, ascending. Don't change the
        list: it is cached."""
        if self._actions is None:
            size = self.spec.action_space.size
            mask, actions = np.empty(size, np.uint8), np.empty(size, np.int64)
            count = chance.list_legal_actions(self.game, self.spec.colours, mask, actions)
            self._actions = actions[:count].tolist()
        return self._actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes with their probabilities: a card of each kind, or the
        shuffle."""
        counts = chance.count_pile(self.game)
        if not counts:
            return [(SHUFFLE, 1.0)]
        cards = counts >> 36
        return [(kind, count / cards) for kind in _KINDS if (count := counts >> 4 * kind & 15)]

    def observe(self, player: int) -> Observation:
        """Return a player's observation."""
        row = np.empty(SIZE, np.uint8)
        chance.observe_table(self.game, self.spec.players, self.spec.colours, player, row)
        return row

    def winners(self) -> int:
        """Return the winners, one bit each."""
        return chance.winners_of_table(self.game, self.spec.players, self.spec.colours)

    @property
    def scores(self) -> list[int]:
        scores: list[int] = self.game["scores"][0].tolist()
        return scores[: len(self.spec.players)]

    @property
    def history(self) -> npt.NDArray[np.int64]:
        """All events so far, with the hidden cards."""
        count = self.chance["event_count"][0]
        return np.asarray(self.chance["events"][0][:count], np.int64)

    def resample(self, player: int, seed: int) -> list[int]:
        """Return the actions and outcomes of another game that a player can't distinguish from
        this one."""
        actions = np.empty(_MAX_ACTIONS, np.int64)
        count = resample(
            self.game,
            self.chance,
            copy_records(self.game),
            copy_records(self.chance),
            self.spec.players,
            self.spec.colours,
            player,
            np.uint64(seed),
            actions,
            _MAX_TRIES,
        )
        if count < 0:
            raise EnvError(f"No try of {_MAX_TRIES} found another game that fits the information.")
        found: list[int] = actions[:count].tolist()
        return found


@lru_cache(64)
def template_engine(players: int, edition: str, house_rules: HouseRules = ()) -> OpenSpielEngine:
    """Return the engine of a table before the deal, which all its states share and copy."""
    spec = table_spec(players, edition, dict(house_rules))
    game, chance_state = Position.new(spec.setup).data, np.zeros(1, CHANCE_STATE)
    with announce_compilation(spec.setup, "explicit chance", compiled.cache):
        actor = chance.start_table(game, chance_state, spec.setup.first)
        engine = OpenSpielEngine(spec, game, chance_state, actor)
        engine.is_template = True
        _warm_up(engine.copy())
    return engine


def _warm_up(engine: OpenSpielEngine) -> None:
    """Call every compiled function once."""
    while engine.actor == chance.CHANCE:
        engine.apply(engine.chance_outcomes()[0][0])
    engine.apply(engine.legal_actions()[0])
    engine.observe(0)
    engine.winners()
    engine.resample(0, 0)


def _unpickle(
    players: int,
    edition: str,
    house_rules: HouseRules,
    game: bytes,
    chance_state: bytes,
    actor: int,
) -> OpenSpielEngine:
    if len(game) != GAME.itemsize or len(chance_state) != CHANCE_STATE.itemsize:
        raise EnvError("This is not a game of this version.")
    return OpenSpielEngine(
        template_engine(players, edition, house_rules).spec,
        np.frombuffer(bytearray(game), GAME),
        np.frombuffer(bytearray(chance_state), CHANCE_STATE),
        actor,
    )
