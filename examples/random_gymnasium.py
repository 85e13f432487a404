"""Random moves in Gymnasium: one agent against bots, and a batch of a thousand games.

pip install '.[rl]'
python examples/random_gymnasium.py
"""

from __future__ import annotations

import gymnasium

import manhattan.envs.gymnasium  # noqa: F401 - registers the environment


def main() -> None:
    env = gymnasium.make("manhattan/Manhattan-v1", opponents="medium")
    _, info = env.reset(seed=42)
    ended = False
    while not ended:
        action = env.action_space.sample(info["action_mask"])
        _, reward, ended, _, info = env.step(action)
    print(f"against bots: reward {reward:g}, points {info['scores']}, seat {info['seat']}")

    envs = gymnasium.make_vec(
        "manhattan/Manhattan-v1", num_envs=1000, vectorization_mode="vector_entry_point"
    )
    _, infos = envs.reset(seed=42)
    games = 0
    for _ in range(226):
        actions = envs.action_space.sample(infos["action_mask"])
        _, _, terminations, _, infos = envs.step(actions)
        games += int(terminations.sum())
    print(f"a batch of a thousand: {games} games were played")


if __name__ == "__main__":
    main()
