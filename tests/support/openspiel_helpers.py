"""OpenSpiel games for the tests: loaded, and played at random."""

from __future__ import annotations

from random import Random
from typing import Any

import pyspiel

from manhattan.envs.openspiel import NAME


def load(players: int = 4, **options: Any) -> Any:
    return pyspiel.load_game(NAME, {"players": players, **options})


def random_outcome(state: Any, rng: Random) -> int:
    """A random chance outcome."""
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    outcome: int = rng.choices(outcomes, probabilities)[0]
    return outcome


def random_action(state: Any, rng: Random) -> int:
    """A random chance outcome or legal action."""
    if state.is_chance_node():
        return random_outcome(state, rng)
    action: int = rng.choice(state.legal_actions())
    return action


def state_after(game: Any, rng: Random, decisions: int) -> Any:
    """A state after this many random decisions; with -1, the end of the game."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(random_outcome(state, rng))
        elif decisions:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions -= 1
        else:
            break
    return state
