"""A random game in PettingZoo, with the board at the end.

pip install '.[rl]'
python examples/random_pettingzoo.py
"""

from __future__ import annotations

from manhattan.envs import manhattan_v1


def main() -> None:
    env = manhattan_v1.env(utility="score", rewards="scoring", render_mode="ansi")
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            print(f"{agent} got {reward:g} points in the last round")
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(observation["action_mask"]))
    print(env.render())


if __name__ == "__main__":
    main()
