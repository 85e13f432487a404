"""A learner that gets better: PPO with masks (sb3-contrib), over many games at once.

    pip install '.[learn]'
    python examples/learn_ppo.py --opponents greedy --steps 1000000

One player learns at a table of four; the others are the compiled policies. Its reward is what it
gained at each scoring, less the mean of the others'. Every so often it plays games that it does
not learn from, and how many of them it wins makes the curve.
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
from manhattan.envs.vector import ManhattanVectorEnv, Opponents


class Games(VecEnv):  # type: ignore[misc]
    """Our many games as stable-baselines3 wants them: bytes as numbers from 0 to 1, a game that
    ended is dealt anew in the same step, and what was seen of its end is in its ``info``."""

    def __init__(self, count: int, opponents: Opponents, seed: int) -> None:
        self.games = ManhattanVectorEnv(
            count,
            opponents=opponents,
            utility="score_minus_mean",
            rewards="scoring",
            autoreset_mode="SameStep",
        )
        self._masks = self.games.reset(seed=seed)[1]["action_mask"]
        size = self.games.table.numbering.size
        seen = spaces.Box(0, 1, (len(HIGHS),), np.float32)
        super().__init__(count, seen, spaces.Discrete(size))

    def reset(self) -> Any:
        rows, infos = self.games.reset()
        self._masks = infos["action_mask"]
        return rows / HIGHS.astype(np.float32)

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        rows, rewards, ended, _, infos = self.games.step(self._actions)
        self._masks = infos["action_mask"]
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(ended):
            last = infos["final_obs"][game] / HIGHS.astype(np.float32)
            told[game] = {"terminal_observation": last}
        return rows / HIGHS.astype(np.float32), rewards / 10, ended, told

    def env_method(self, name: str, *args: Any, indices: Any = None, **options: Any) -> Any:
        return [self._masks[game] for game in self._of(indices)] if name == "action_masks" else []

    def has_attr(self, name: str) -> bool:
        return name == "action_masks"

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        return [None for _ in self._of(indices)]

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(name)

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._of(indices)]

    def close(self) -> None:
        self.games.close()

    def _of(self, indices: Any) -> Iterable[int]:
        return range(self.num_envs) if indices is None else indices


def win_share(model: MaskablePPO, opponents: Opponents, games: int, seed: int) -> float:
    """How many of so many games the learner wins; shared wins count in parts."""
    table = ManhattanVectorEnv(games, opponents=opponents)
    rows, infos = table.reset(seed=seed)
    won = np.zeros(games)
    done = np.zeros(games, np.bool_)
    while not done.all():
        seen = rows / HIGHS.astype(np.float32)
        actions, _ = model.predict(seen, action_masks=infos["action_mask"], deterministic=False)
        # A game that is over waits for the others: any action deals it anew, and is not counted.
        rows, rewards, ended, _, infos = table.step(np.where(done, table.random_actions(), actions))
        won += np.where(done, 0, rewards)
        done |= ended
    return float(won.mean())


class Curve(BaseCallback):  # type: ignore[misc]
    """Lets the learner play games that it does not learn from."""

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
    """The curve as a picture."""
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
    parser.add_argument("--games", type=int, default=64, help="how many at once")
    parser.add_argument("--every", type=int, default=50_000, help="decisions between measurements")
    parser.add_argument("--measure", type=int, default=1000, help="games a measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to draw the curve (.png), with its figures")
    told = parser.parse_args()
    torch.set_num_threads(1)  # the network is small: a second thread would wait
    model = MaskablePPO(
        "MlpPolicy",
        Games(told.games, told.opponents, told.seed),
        n_steps=112,  # four games of 28 decisions
        batch_size=1792,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.005,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [256, 256]},
        seed=told.seed,
        device="cpu",
    )
    against: list[Opponents] = ["uniform", "greedy"]
    curve = Curve(against, told.every, told.measure)
    model.learn(told.steps, callback=curve)
    curve.measure()
    if told.out:
        draw(curve.points, against, told.out)
        told.out.with_suffix(".json").write_text(json.dumps(curve.points, indent=1) + "\n")


if __name__ == "__main__":
    main()
