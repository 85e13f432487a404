"""The OpenSpiel game: importing this module registers ``python_manhattan``.

Chance is explicit: every card of the deal, every drawn card and every shuffle is a chance outcome.
A player's information state is the sequence of all public events and own draws;
``resample_from_infostate`` returns another game with the same information state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyspiel

from manhattan.envs.common.rewards import (
    UTILITIES,
    WIN_SHARE,
    option_value,
    utility_bounds,
    utility_of_points,
    win_shares,
)
from manhattan.envs.engine.chance import CHANCE, TERMINAL
from manhattan.envs.engine.history import SHUFFLE
from manhattan.envs.openspiel_engine import OpenSpielEngine, template_engine
from manhattan.envs.openspiel_observer import Observer, move_text, observation_text
from manhattan.rules import ManhattanError
from manhattan.rules.editions import DEFAULT_EDITION, parse_house_rules

NAME: Final = "python_manhattan"
_DEFAULTS: Final[Mapping[str, int | str]] = {
    "players": 4,
    "edition": DEFAULT_EDITION,
    "house_rules": "",
    "utility": "win_share",
}
_MAX_SHUFFLES: Final = 18
"""A reshuffled pile has at least 29 cards, and a game has fewer than 500 draws."""

GAME_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Manhattan (Andreas Seyfarth, 1994)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=dict(_DEFAULTS),
)


class ManhattanGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A table with its players and rules."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        options = {**_DEFAULTS, **(params or {})}
        try:
            # OpenSpiel's names of games use "=" and "," themselves.
            house_rules = parse_house_rules(filter(None, options["house_rules"].split(";")), ":")
            self.template = template_engine(
                options["players"], options["edition"], tuple(house_rules.items())
            )
            self.utility = option_value("utility", options["utility"], UTILITIES)
        except ManhattanError as error:
            raise pyspiel.SpielError(str(error)) from error
        spec = self.template.spec
        min_utility, max_utility = utility_bounds(spec.setup, self.utility)
        self._max_chance_nodes = 4 * len(spec.players) + 5 * spec.turns + _MAX_SHUFFLES
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.action_space.size,
            max_chance_outcomes=SHUFFLE + 1,
            num_players=len(spec.players),
            min_utility=min_utility,
            max_utility=max_utility,
            max_game_length=spec.decisions,
        )
        super().__init__(GAME_TYPE, info, dict(options))

    def new_initial_state(self) -> ManhattanState:
        return ManhattanState(self)

    def max_chance_nodes_in_history(self) -> int:
        return self._max_chance_nodes

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        """Return an observer of the game's states."""
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.template.spec, kind, params)


class ManhattanState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of a game. All of it is in ``engine``.

    The most frequent questions are answered here and not by the base class, whose C++ code would
    call back into Python: that is twice as fast.
    """

    def __init__(self, game: ManhattanGame) -> None:
        super().__init__(game)
        # The game's template, which is copied before the first card is dealt: OpenSpiel makes an
        # initial state for every clone, and never plays it.
        self.engine: OpenSpielEngine = game.template

    def current_player(self) -> int:
        return self.engine.actor

    def is_terminal(self) -> bool:
        return self.engine.actor == TERMINAL

    def is_chance_node(self) -> bool:
        return self.engine.actor == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of the player (or chance) who is to act; others have none."""
        engine = self.engine
        if player is not None and player != engine.actor:
            return []  # also at chance nodes, where the base class would return the outcomes
        if engine.actor >= 0:
            return engine.legal_actions().copy()
        actions: list[int] = super().legal_actions()
        return actions

    def _legal_actions(self, player: int) -> list[int]:
        return self.engine.legal_actions() if player == self.engine.actor else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that can be drawn with their probabilities, or the shuffle."""
        if self.engine.actor != CHANCE:
            raise pyspiel.SpielError("This is not a chance node.")
        return self.engine.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        engine = self.engine
        if engine.is_template:
            engine = self.engine = engine.copy()
        if not engine.apply(action):
            raise pyspiel.SpielError(self._rejection(action))

    def _rejection(self, action: int) -> str:
        if self.is_terminal():
            return f"Action {action} is illegal: the game is over."
        legal = self.legal_actions()
        what = "Outcome" if self.is_chance_node() else "Action"
        return (
            f"{what} {action} is impossible here: {len(legal)} others are possible, "
            f"the first of them {legal[0]}."
        )

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return "shuffle" if action == SHUFFLE else f"draw {action + 1}"
        return move_text(self.engine.spec, player, action)

    def returns(self) -> list[float]:
        """Return each player's utility; 0 before the end."""
        engine, utility = self.engine, self.get_game().utility
        players = len(engine.spec.players)
        if engine.actor != TERMINAL:
            return [0.0] * players
        if utility == WIN_SHARE:
            return win_shares(engine.winners(), players)
        return utility_of_points(utility, engine.scores)

    def resample_from_infostate(
        self, player: int, probability_sampler: Callable[[], float]
    ) -> ManhattanState:
        """Return another game with the same information state of a player: the hidden cards are
        sampled along the whole game. The sampler returns numbers from 0 to 1."""
        if not 0 <= player < len(self.engine.spec.players):
            raise pyspiel.SpielError(f"There is no player {player}.")
        seed = int(probability_sampler() * 2**53)
        other: ManhattanState = self.get_game().new_initial_state()
        for action in self.engine.resample(player, seed):
            other.apply_action(action)
        return other

    def __str__(self) -> str:
        """Return the whole state as text: the public part, and all hands."""
        engine = self.engine
        players = range(len(engine.spec.players))
        hands = [observation_text(engine, player, public=False) for player in players]
        actor = {CHANCE: "chance", TERMINAL: "none"}.get(engine.actor, f"player {engine.actor}")
        return "\n".join([f"to act: {actor}", observation_text(engine, 0, hand=False), *hands])


pyspiel.register_game(GAME_TYPE, ManhattanGame)
