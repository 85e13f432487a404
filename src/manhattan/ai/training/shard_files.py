"""Searched games on disk: an interrupted training does not play them again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manhattan.ai.model import ModelError, read_arrays
from manhattan.ai.training.policy_fitting import Decisions
from manhattan.ai.training.self_play import Results

SearchedGames = tuple[Decisions, Results]


@dataclass(frozen=True)
class ShardFiles:
    """A folder with one file for each finished shard of a stage."""

    folder: Path | None
    """Without a folder nothing is kept."""

    def load(self, begin: int) -> SearchedGames | None:
        """Return the shard whose first game has this number, if it is there and readable."""
        if self.folder is None or not (path := self._path(begin)).exists():
            return None
        try:
            arrays = read_arrays(path)
        except ModelError:  # half written when the training was interrupted
            return None
        decisions = Decisions(
            arrays["states"].view(np.recarray),
            arrays["actions"],
            arrays["rollouts"],
            arrays["values"],
        )
        boundaries = arrays["boundaries"].view(np.recarray)
        return decisions, Results(boundaries, arrays["scores"], arrays["winner_bits"])

    def save(self, begin: int, played: SearchedGames) -> None:
        """Write a shard."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        decisions, results = played
        with self._path(begin).open("wb") as file:
            np.savez_compressed(
                file,
                states=decisions.states,
                actions=decisions.actions,
                rollouts=decisions.rollouts,
                values=decisions.values,
                **results._asdict(),
            )

    def remove(self) -> None:
        """Remove the folder: the stage is done."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, begin: int) -> Path:
        assert self.folder is not None
        return self.folder / f"{begin}.npz"
