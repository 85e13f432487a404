"""A distributed learner: PPO of Ray RLlib, with several workers that play games.

    pip install 'ray[rllib]' torch '.[rl]'   # in a separate environment
    python examples/learn_rllib.py --workers 2 --iterations 5

RLlib needs an older Gymnasium than our pinned one; both work. RLlib's own example of action masking
rules illegal moves out; it takes a dictionary of the mask and the observation. With
``--address auto`` the workers are those of a running cluster.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import ray
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from manhattan.envs.engine.layout import HIGHS
from manhattan.envs.gymnasium import ManhattanEnv


class MaskedManhattan(gymnasium.Env[dict[str, Any], np.int64]):
    """The environment with mask and observation in one dictionary, for the masking module."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._env = ManhattanEnv(
            opponents="random", utility="score_minus_mean", rewards="scoring", on_illegal="raise"
        )
        size = len(self._env.action_masks())
        self.action_space = spaces.Discrete(size)
        self.observation_space = spaces.Dict(
            {
                "action_mask": spaces.Box(0, 1, (size,), np.float32),
                "observations": spaces.Box(0, 1, (len(HIGHS),), np.float32),
            }
        )

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        row, info = self._env.reset(seed=seed)
        return self._both(row, info), {}

    def step(self, action: np.int64) -> Any:
        row, reward, ended, truncated, info = self._env.step(np.int64(action))
        return self._both(row, info), reward / 10, ended, truncated, {}

    def _both(self, row: Any, info: dict[str, Any]) -> dict[str, Any]:
        mask = info["action_mask"].astype(np.float32)
        # After the end nothing is legal, but the module can't handle a mask of zeros.
        return {
            "action_mask": mask if mask.any() else mask + 1,
            "observations": row / HIGHS.astype(np.float32),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--address", help="address of a Ray cluster; the default is this machine")
    arguments = parser.parse_args()
    ray.init(address=arguments.address, include_dashboard=False)
    new_config: Any = PPOConfig  # it has no types
    config = (
        new_config()
        .environment(MaskedManhattan)
        .env_runners(num_env_runners=arguments.workers, rollout_fragment_length="auto")
        .training(train_batch_size_per_learner=1120, minibatch_size=280, num_epochs=4, gamma=1.0)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"head_fcnet_hiddens": [256, 256]},
            )
        )
    )
    algorithm: Any = config.build_algo()
    for number in range(arguments.iterations):
        result = algorithm.train()["env_runners"]
        print(
            f"iteration {number + 1}: {result['num_env_steps_sampled_lifetime']:,.0f} decisions, "
            f"return {result['episode_return_mean']:+.2f}"
        )
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
