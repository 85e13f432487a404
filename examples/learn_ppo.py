"""A learner: PPO with action masks (sb3-contrib), over many games at once.

    pip install '.[learn]'
    python examples/learn_ppo.py --opponents greedy --steps 1000000

One player learns at a table of four; compiled policies play the others. The reward is the points
of each scoring minus the mean of the others' points. At intervals the learner plays games that it
does not learn from; the share that it wins makes the curve.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from manhattan.envs.engine.layout import HIGHS
from manhattan.envs.vector_env import ManhattanVectorEnv, Opponents


class Games(VecEnv):  # type: ignore[misc]
    """The vector environment with the interface of stable-baselines3: observations from 0 to 1,
    resets in the same step, and the last observation of a game in its ``info``."""

    def __init__(self, count: int, opponents: Opponents, seed: int) -> None:
        self.games = ManhattanVectorEnv(
            count,
            opponents=opponents,
            utility="score_minus_mean",
            rewards="scoring",
            autoreset_mode="SameStep",
        )
        self._masks = self.games.reset(seed=seed)[1]["action_mask"]
        size = self.games.table_spec.action_space.size
        observations = spaces.Box(0, 1, (len(HIGHS),), np.float32)
        super().__init__(count, observations, spaces.Discrete(size))

    def reset(self) -> Any:
        rows, infos = self.games.reset()
        self._masks = infos["action_mask"]
        return rows / HIGHS.astype(np.float32)

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        rows, rewards, ended, _, infos = self.games.step(self._actions)
        self._masks = infos["action_mask"]
        game_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(ended):
            last = infos["final_obs"][game] / HIGHS.astype(np.float32)
            game_infos[game] = {"terminal_observation": last}
        return rows / HIGHS.astype(np.float32), rewards / 10, ended, game_infos

    def env_method(self, name: str, *args: Any, indices: Any = None, **options: Any) -> Any:
        return (
            [self._masks[game] for game in self._games(indices)] if name == "action_masks" else []
        )

    def has_attr(self, name: str) -> bool:
        return name == "action_masks"

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        return [None for _ in self._games(indices)]

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(name)

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._games(indices)]

    def close(self) -> None:
        self.games.close()

    def _games(self, indices: Any) -> Iterable[int]:
        return range(self.num_envs) if indices is None else indices


def win_share(model: MaskablePPO, opponents: Opponents, games: int, seed: int) -> float:
    """Return the share of games that the learner wins; several winners share a win."""
    envs = ManhattanVectorEnv(games, opponents=opponents)
    rows, infos = envs.reset(seed=seed)
    won = np.zeros(games)
    done = np.zeros(games, np.bool_)
    while not done.all():
        inputs = rows / HIGHS.astype(np.float32)
        actions, _ = model.predict(inputs, action_masks=infos["action_mask"], deterministic=False)
        # A game that is over waits for the others: any action resets it, and isn't counted.
        rows, rewards, ended, _, infos = envs.step(np.where(done, envs.random_actions(), actions))
        won += np.where(done, 0, rewards)
        done |= ended
    return float(won.mean())


class Curve(BaseCallback):  # type: ignore[misc]
    """Measures the learner in games that it does not learn from."""

    def __init__(self, against: Sequence[Opponents], every: int, games: int) -> None:
        super().__init__()
        self._against, self._every, self._games = against, every, games
        self.points: list[dict[str, float]] = []
        self._begin = time.monotonic()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if not self.points or self.num_timesteps - self.points[-1]["steps"] >= self._every:
            self.measure()

    def measure(self) -> None:
        point = {"steps": self.num_timesteps, "seconds": time.monotonic() - self._begin}
        for opponents in self._against:
            point[opponents] = win_share(self.model, opponents, self._games, seed=1)
        self.points.append(point)
        shares = ", ".join(f"{100 * point[name]:.1f} % against {name}" for name in self._against)
        print(f"{self.num_timesteps:>9,} decisions, {point['seconds']:.0f} s: wins {shares}")


def draw(points: Sequence[dict[str, float]], against: Sequence[str], out: Path) -> None:
    """Draw the curve."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for name in against:
        axes.plot([p["steps"] for p in points], [100 * p[name] for p in points], label=name)
    axes.axhline(25, color="grey", linestyle=":", label="a fair share")
    axes.set(xlabel="decisions that it learned from", ylabel="games won, %", ylim=(0, 100))
    axes.legend(title="against three")
    figure.tight_layout()
    figure.savefig(out, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--opponents", default="greedy", choices=["uniform", "greedy"])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--games", type=int, default=64, help="games in the batch")
    parser.add_argument("--every", type=int, default=50_000, help="decisions between measurements")
    parser.add_argument("--measure", type=int, default=1000, help="games per measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, help="file for the curve (.png); its figures go beside it"
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the network is small: a second thread would wait
    model = MaskablePPO(
        "MlpPolicy",
        Games(arguments.games, arguments.opponents, arguments.seed),
        n_steps=112,  # four games of 28 decisions
        batch_size=1792,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.005,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [256, 256]},
        seed=arguments.seed,
        device="cpu",
    )
    against: list[Opponents] = ["uniform", "greedy"]
    curve = Curve(against, arguments.every, arguments.measure)
    model.learn(arguments.steps, callback=curve)
    curve.measure()
    if arguments.out:
        draw(curve.points, against, arguments.out)
        arguments.out.with_suffix(".json").write_text(json.dumps(curve.points, indent=1) + "\n")


if __name__ == "__main__":
    main()
