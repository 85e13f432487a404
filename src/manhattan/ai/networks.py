"""The networks of expert iteration for one kind of table, and their file.

The policy network plays like a strong player; the value network knows how games between strong
players end. The file is a NumPy archive of half-precision arrays with a JSON header, beside the
model's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from manhattan.ai import policy_network, value_network
from manhattan.ai.model import MODELS_VARIABLE, Kind, ModelError, parse_header, read_arrays
from manhattan.ai.policy_network import PolicyNetwork
from manhattan.ai.value_network import ValueNetwork

FORMAT: Final = "manhattan-networks"
VERSION: Final = 2

_HEADER_KEYS = ("format", "version", "kind")
_POLICY, _RIVAL_POLICY, _VALUE = "policy_", "rival_policy_", "value_"


@dataclass(frozen=True)
class Networks:
    """What expert iteration found for one kind of table."""

    kind: Kind
    policy: PolicyNetwork
    rival_policy: PolicyNetwork
    """The policy network of the first cycle, which imitates Expert-1: some rivals play like it."""
    value: ValueNetwork
    """Its log-odds of all players together make a softmax."""
    metadata: Mapping[str, Any]
    """The seed, configuration and results of the training."""

    def save(self, file: BinaryIO) -> None:
        """Write the networks with half precision, which is finer than what training can tell."""
        header = {"format": FORMAT, "version": VERSION, "kind": str(self.kind), **self.metadata}
        arrays: dict[str, Any] = {
            prefix + name: array.astype(np.float16)
            for prefix, network in (
                (_POLICY, self.policy),
                (_RIVAL_POLICY, self.rival_policy),
                (_VALUE, self.value),
            )
            for name, array in network._asdict().items()
        }
        np.savez_compressed(file, metadata=np.array(json.dumps(header)), **arrays)


def file_name(kind: Kind) -> str:
    return f"{kind}-networks.npz"


def read_networks(kind: Kind, file: Path) -> Networks:
    """Read the networks for a kind of table, and check that they fit this version of the
    program."""
    arrays = read_arrays(file)
    header = parse_header(arrays.pop("metadata", None))
    if (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise ModelError(
            f"{file} has no networks of version {VERSION}. Train them again: manhattan train."
        )
    if header.get("kind") != str(kind):
        raise ModelError(f"{file} is for {header.get('kind')}, not for {kind}.")
    if {name: array.shape for name, array in arrays.items()} != _expected_shapes(kind) or any(
        array.dtype.kind != "f" for array in arrays.values()
    ):
        raise ModelError(f"{file} has other layers. Train it again: manhattan train.")
    metadata = {key: value for key, value in header.items() if key not in _HEADER_KEYS}
    return Networks(
        kind,
        PolicyNetwork(**_with_prefix(arrays, _POLICY)),
        PolicyNetwork(**_with_prefix(arrays, _RIVAL_POLICY)),
        ValueNetwork(**_with_prefix(arrays, _VALUE)),
        metadata,
    )


def _expected_shapes(kind: Kind) -> dict[str, tuple[int, ...]]:
    rounds = kind.schedule.rounds
    policy = {
        prefix + name: shape
        for prefix in (_POLICY, _RIVAL_POLICY)
        for name, shape in policy_network.SHAPES.items()
    }
    value = {_VALUE + name: (rounds, *shape) for name, shape in value_network.SHAPES.items()}
    return policy | value


def _with_prefix(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array.astype(np.float32)
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


@cache
def load_networks(kind: Kind) -> Networks:
    """Load the networks for a kind of table: from the folder that ``MANHATTAN_MODELS`` names if it
    has them, else those that come with the package."""
    name = file_name(kind)
    folder = os.environ.get(MODELS_VARIABLE)
    if folder is not None and Path(folder, name).is_file():
        return read_networks(kind, Path(folder, name))
    packaged = files("manhattan.ai") / "models" / name
    if not packaged.is_file():
        raise ModelError(f"There are no networks for {kind}. Train them: manhattan train.")
    with as_file(packaged) as path:
        return read_networks(kind, path)
