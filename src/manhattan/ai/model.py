"""Trained models: the value functions and the value network for one kind of table, and their file.

A model file is a NumPy archive of half-precision arrays with a JSON header.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.playout_policy import Policies
from manhattan.ai.selection_plans import PLANS
from manhattan.ai.value_network import SHAPES, ValueNetwork
from manhattan.kernel.layout import SELECTIONS
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import ManhattanError, Setup
from manhattan.rules.editions import Schedule

FORMAT: Final = "manhattan-model"
VERSION: Final = 3
MODELS_VARIABLE: Final = "MANHATTAN_MODELS"
"""The environment variable that names a folder of models to use instead of the package's own."""

_HEADER_KEYS = ("format", "version", "kind", "best_policy")
_NETWORK_PREFIX = "network_"
_RANDOM_PRIOR = 0.02
"""The prior probability that a rival plays at random: few people do."""


class ModelError(ManhattanError, ValueError):
    """A model file that can't be used, or a kind of table that has no model."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table: what two tables must share to use the same model."""

    players: int
    schedule: Schedule

    @classmethod
    def of(cls, setup: Setup) -> Kind:
        return cls(len(setup.players), setup.schedule)

    def __str__(self) -> str:
        schedule = self.schedule
        suffix = "" if schedule.colours == 1 else f"-{schedule.colours}-colours"
        return f"{self.players}-players-{schedule.blocks}x{schedule.rounds}{suffix}"

    @property
    def weight_sets(self) -> int:
        """The number of sets of weights: in each round one for each number of blocks left on
        a player's tableaus, and one for the time before the blocks are selected."""
        return self.schedule.rounds * (self.schedule.blocks * self.schedule.colours + 2)

    @property
    def plans(self) -> npt.NDArray[np.int64]:
        """``[plan, round]``: selection plans, by the kernel's numbers of selections."""
        selections = SELECTIONS[self.schedule.blocks]
        plans = PLANS[self.schedule]
        return np.array([[selections.index(stock) for stock in plan] for plan in plans], np.int64)


@dataclass(frozen=True)
class Model:
    """What training found for one kind of table."""

    kind: Kind
    value_weights: npt.NDArray[np.float32]
    """``[policy, weight set, feature]``: one value function for each trained policy. The first was
    trained on greedy play alone, each later one on play against those before it."""
    best_policy: int
    """The policy that does best against all others."""
    network: ValueNetwork
    metadata: dict[str, Any]
    """The seed, configuration and results of the training."""

    @property
    def policies(self) -> Policies:
        return Policies(self.value_weights)

    @property
    def policy_pool(self) -> npt.NDArray[np.int64]:
        """The policies that a rival may follow."""
        return np.array([UNIFORM_POLICY, GREEDY_POLICY, *range(len(self.value_weights))], np.int64)

    @property
    def policy_prior(self) -> npt.NDArray[np.float64]:
        """The probability of each policy of the pool before a rival has made a placement."""
        count = len(self.value_weights) + 1
        return np.array([_RANDOM_PRIOR, *[(1 - _RANDOM_PRIOR) / count] * count])

    def save(self, file: Path | BinaryIO) -> None:
        """Write the model with half precision, which is finer than what training can tell."""
        if isinstance(file, Path):
            with file.open("wb") as opened:  # NumPy would add a suffix to a path
                self.save(opened)
            return
        header = {
            "format": FORMAT,
            "version": VERSION,
            "kind": str(self.kind),
            "best_policy": self.best_policy,
        }
        arrays: dict[str, Any] = {"value_weights": self.value_weights.astype(np.float16)}
        for name, array in self.network._asdict().items():
            arrays[_NETWORK_PREFIX + name] = array.astype(np.float16)
        np.savez_compressed(file, metadata=np.array(json.dumps(header | self.metadata)), **arrays)


def read_arrays(file: Path) -> dict[str, Any]:
    """Read all arrays of a NumPy archive."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception as error:  # a damaged file can fail in any part of NumPy
        raise ModelError(f"{file} can't be read as a file of `manhattan train`: {error}") from None


def read_model(kind: Kind, file: Path) -> Model:
    """Read a model for a kind of table, and check that it fits this version of the program."""
    arrays = read_arrays(file)
    header = parse_header(arrays.pop("metadata", None))
    if (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise ModelError(
            f"{file} is not a model of version {VERSION}. Train it again: manhattan train."
        )
    if header.get("kind") != str(kind):
        raise ModelError(f"{file} is a model for {header.get('kind')}, not for {kind}.")
    if not _has_expected_shapes(kind, arrays):
        raise ModelError(f"{file} has other features. Train it again: manhattan train.")
    parameters = {name: array.astype(np.float32) for name, array in arrays.items()}
    value_weights = parameters.pop("value_weights")
    network = {name.removeprefix(_NETWORK_PREFIX): array for name, array in parameters.items()}
    best_policy = header.get("best_policy")
    if not isinstance(best_policy, int) or not 0 <= best_policy < len(value_weights):
        raise ModelError(f"{file} names no best policy. Train it again: manhattan train.")
    metadata = {key: value for key, value in header.items() if key not in _HEADER_KEYS}
    return Model(kind, value_weights, best_policy, ValueNetwork(**network), metadata)


def _has_expected_shapes(kind: Kind, arrays: dict[str, Any]) -> bool:
    expected = {
        _NETWORK_PREFIX + name: (kind.schedule.rounds, *shape) for name, shape in SHAPES.items()
    }
    if any(array.dtype.kind != "f" for array in arrays.values()):
        return False
    shapes = {name: array.shape for name, array in arrays.items()}
    weights = shapes.pop("value_weights", ())
    has_weights = weights[1:] == (kind.weight_sets, FEATURE_COUNT) and weights[0] > 0
    return has_weights and shapes == expected


def parse_header(text: Any) -> dict[str, Any]:
    """Parse the JSON header of a file; return an empty one if there is none."""
    try:
        header = json.loads(str(text))
    except ValueError:
        return {}
    return header if isinstance(header, dict) else {}


@cache
def load_model(kind: Kind) -> Model:
    """Load the model for a kind of table: from the folder that ``MANHATTAN_MODELS`` names if it
    has one, else the one that comes with the package."""
    name = f"{kind}.npz"
    folder = os.environ.get(MODELS_VARIABLE)
    if folder is not None and Path(folder, name).is_file():
        return read_model(kind, Path(folder, name))
    packaged = files("manhattan.ai") / "models" / name
    if not packaged.is_file():
        raise ModelError(f"There is no model for {kind}. Train one: manhattan train.")
    with as_file(packaged) as path:
        return read_model(kind, path)
