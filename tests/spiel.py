"""OpenSpiel games for the tests: loaded, and played at random."""

from __future__ import annotations

from random import Random
from typing import Any

import pyspiel

from manhattan.envs.openspiel import NAME


def load(players: int = 4, **options: Any) -> Any:
    return pyspiel.load_game(NAME, {"players": players, **options})


def drawn(state: Any, dice: Random) -> int:
    """Any outcome of chance."""
    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
    outcome: int = dice.choices(outcomes, odds)[0]
    return outcome


def anything(state: Any, dice: Random) -> int:
    """Any card or move that is possible."""
    return drawn(state, dice) if state.is_chance_node() else dice.choice(state.legal_actions())


def played(game: Any, dice: Random, decisions: int) -> Any:
    """A game after so many decisions, or over."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(drawn(state, dice))
        elif decisions:
            state.apply_action(dice.choice(state.legal_actions()))
            decisions -= 1
        else:
            break
    return state
