"""A random game in OpenSpiel.

pip install '.[rl]'
python examples/random_openspiel.py
"""

from __future__ import annotations

import random

import pyspiel

import manhattan.envs.openspiel  # noqa: F401 - registers the game


def main() -> None:
    game = pyspiel.load_game("python_manhattan(players=3,edition=foxgames-2018,utility=score)")
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            cards, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(cards, odds)[0])
        else:
            player = state.current_player()
            action = random.choice(state.legal_actions())
            print(f"player {player}: {state.action_to_string(player, action)}")
            state.apply_action(action)
    print("points:", state.returns())


if __name__ == "__main__":
    main()
