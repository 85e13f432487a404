"""Random moves in Gymnasium: one agent against bots, and a thousand games at once.

pip install 'manhattan-game[rl]'
python examples/random_gymnasium.py
"""

from __future__ import annotations

import gymnasium

import manhattan.envs.gymnasium  # noqa: F401 - registers the environment


def main() -> None:
    env = gymnasium.make("manhattan/Manhattan-v1", opponents="medium")
    env.reset(seed=42)
    ended = False
    while not ended:
        _, reward, ended, _, info = env.step(env.action_space.sample())
    print(f"against bots: reward {reward:g}, points {info['scores']}, seat {info['seat']}")

    envs = gymnasium.make_vec(
        "manhattan/Manhattan-v1", num_envs=1000, vectorization_mode="vector_entry_point"
    )
    envs.reset(seed=42)
    games = 0
    for _ in range(226):
        _, _, terminations, _, _ = envs.step(envs.action_space.sample())
        games += int(terminations.sum())
    print(f"a thousand at once: {games} games were played")


if __name__ == "__main__":
    main()
