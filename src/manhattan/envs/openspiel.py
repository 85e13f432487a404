"""The game for OpenSpiel: importing this module registers ``python_manhattan``.

Every card is an outcome of chance: those of the deal, those that are drawn, and that the played
cards are shuffled. What a player knows is everything that lay open and the cards that he drew,
in order; ``resample_from_infostate`` makes another game that he could not tell from this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyspiel

from manhattan.envs.deck import Deck, new_deck
from manhattan.envs.engine.chance import CHANCE, TERMINAL
from manhattan.envs.engine.layout import SHUFFLE
from manhattan.envs.knowing import Observer, move_text, seen_text
from manhattan.envs.utility import UTILITIES, WIN_SHARE, bounds, chosen, paid, win_shares
from manhattan.rules import ManhattanError
from manhattan.rules.editions import DEFAULT_EDITION, house_rules_in

NAME: Final = "python_manhattan"
_DEFAULTS: Final[Mapping[str, int | str]] = {
    "players": 4,
    "edition": DEFAULT_EDITION,
    "house_rules": "",
    "utility": "win_share",
}
_MOST_SHUFFLES: Final = 18
"""At least 29 cards lie in a pile that was shuffled, and fewer than 500 are drawn in a game."""

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


class ManhattanGame(pyspiel.Game):  # type: ignore[misc]
    """A table with so many players, by the rules of an edition."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        told = {**_DEFAULTS, **(params or {})}
        try:
            # OpenSpiel's names of games take "=" and "," for themselves.
            changes = house_rules_in(filter(None, told["house_rules"].split(";")), ":")
            self.deck = new_deck(told["players"], told["edition"], tuple(changes.items()))
            self.utility = chosen("utility", told["utility"], UTILITIES)
        except ManhattanError as error:
            raise pyspiel.SpielError(str(error)) from error
        seats = self.deck.seats
        least, most = bounds(seats.setup, self.utility)
        self._chance_nodes = 4 * len(seats.players) + 5 * seats.turns + _MOST_SHUFFLES
        info = pyspiel.GameInfo(
            num_distinct_actions=seats.numbering.size,
            max_chance_outcomes=SHUFFLE + 1,
            num_players=len(seats.players),
            min_utility=least,
            max_utility=most,
            max_game_length=seats.decisions,
        )
        super().__init__(GAME_TYPE, info, dict(told))

    def new_initial_state(self) -> ManhattanState:
        return ManhattanState(self)

    def max_chance_nodes_in_history(self) -> int:
        return self._chance_nodes

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        """Whoever looks at states for a player."""
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.deck.seats, kind, params)


class ManhattanState(pyspiel.State):  # type: ignore[misc]
    """A game at one moment. All of it is in ``deck``: so a clone copies one thing.

    What callers ask for most is answered here rather than by the base class, which would ask here
    in turn: that is twice as fast.
    """

    def __init__(self, game: ManhattanGame) -> None:
        super().__init__(game)
        # The game's own, which is copied before the first card is dealt: a clone begins as an
        # initial state that nobody ever plays.
        self.deck: Deck = game.deck

    def current_player(self) -> int:
        return self.deck.actor

    def is_terminal(self) -> bool:
        return self.deck.actor == TERMINAL

    def is_chance_node(self) -> bool:
        return self.deck.actor == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of whoever is to act, chance too; another player has none."""
        deck = self.deck
        if player is not None and player != deck.actor:
            return []  # at a chance node, too: there a game in Python would tell him the outcomes
        if deck.actor >= 0:
            return deck.actions().copy()
        actions: list[int] = super().legal_actions()
        return actions

    def _legal_actions(self, player: int) -> list[int]:
        return self.deck.actions() if player == self.deck.actor else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards that may be drawn, and how likely each kind is; or the shuffle."""
        if self.deck.actor != CHANCE:
            raise pyspiel.SpielError("It is not chance's turn.")
        return self.deck.outcomes()

    def _apply_action(self, action: int) -> None:
        deck = self.deck
        if deck.untouched:
            deck = self.deck = deck.copy()
        if not deck.apply(action):
            raise pyspiel.SpielError(self._refusal(action))

    def _refusal(self, action: int) -> str:
        if self.is_terminal():
            return f"Action {action} comes too late: the game is over."
        legal = self.legal_actions()
        what = "Outcome" if self.is_chance_node() else "Action"
        return (
            f"{what} {action} is impossible here: {len(legal)} others are possible, "
            f"the first of them {legal[0]}."
        )

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return "shuffle" if action == SHUFFLE else f"draw {action + 1}"
        return move_text(self.deck.seats, player, action)

    def returns(self) -> list[float]:
        """What the game was worth to each player: nothing before it is over."""
        deck, utility = self.deck, self.get_game().utility
        if deck.actor != TERMINAL:
            return [0.0] * len(deck.seats.players)
        if utility == WIN_SHARE:
            return win_shares(deck.winners(), len(deck.seats.players))
        return paid(utility, deck.scores)

    def resample_from_infostate(
        self, player: int, probability_sampler: Callable[[], float]
    ) -> ManhattanState:
        """Another game that this player can't tell from this one: what he can't see is drawn
        anew, along the whole game. The sampler gives numbers from 0 to 1."""
        if not 0 <= player < len(self.deck.seats.players):
            raise pyspiel.SpielError(f"There is no player {player}.")
        seed = int(probability_sampler() * 2**53)
        other: ManhattanState = self.get_game().new_initial_state()
        for action in self.deck.resampled(player, seed):
            other.apply_action(action)
        return other

    def __str__(self) -> str:
        """Everything: the open table, and all hands."""
        deck = self.deck
        hands = [seen_text(deck, player, table=False) for player in range(len(deck.seats.players))]
        acts = {CHANCE: "chance", TERMINAL: "nobody"}.get(deck.actor, f"player {deck.actor}")
        return "\n".join([f"to act: {acts}", seen_text(deck, 0, hand=False), *hands])


pyspiel.register_game(GAME_TYPE, ManhattanGame)
