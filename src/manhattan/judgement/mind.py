"""A mind: all that was learned for one kind of table, and the file that keeps it."""

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

from manhattan.judgement.features import FEATURES
from manhattan.judgement.outlook import SHAPES, Outlook
from manhattan.judgement.plans import PLANS
from manhattan.judgement.selfplay import CHANCE, GREED
from manhattan.kernel.layout import MULTISETS
from manhattan.rules import ManhattanError, Setup
from manhattan.rules.editions import Schedule

FORMAT: Final = "manhattan-mind"
VERSION: Final = 2

_PRIOR_OF_CHANCE = 0.02
"""Few play without any sense."""


class MindError(ManhattanError, ValueError):
    """A file of what was learned that can't be used, or a table that nothing was learned for."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What tables must share for what was learned at one to be of use at the other."""

    players: int
    schedule: Schedule

    @classmethod
    def of(cls, setup: Setup) -> Kind:
        return cls(len(setup.players), setup.schedule)

    def __str__(self) -> str:
        plan = self.schedule
        each = "" if plan.colours == 1 else f"-{plan.colours}-colours"
        return f"{self.players}-players-{plan.blocks}x{plan.rounds}{each}"

    @property
    def contexts(self) -> int:
        """The moments of a game that have values of their own: for each round how many blocks a
        player has left on his tableaus, and the moment before he chooses them."""
        return self.schedule.rounds * (self.schedule.blocks * self.schedule.colours + 2)

    @property
    def plans(self) -> npt.NDArray[np.int64]:
        """``[plan, round]``: plans by the numbers that the kernel gives to choices of blocks."""
        choices = MULTISETS[self.schedule.blocks]
        plans = PLANS[self.schedule]
        return np.array([[choices.index(wanted) for wanted in plan] for plan in plans], np.int64)


@dataclass(frozen=True)
class Mind:
    """What was learned for one kind of table."""

    kind: Kind
    values: npt.NDArray[np.float32]
    """``[way, context, feature]``: ways of playing by value. The first learned from greedy play
    alone, each later one from those before it."""
    best: int
    """The number of the way that does best against all others."""
    outlook: Outlook
    about: dict[str, Any]
    """Where it comes from."""

    @property
    def pool(self) -> npt.NDArray[np.int64]:
        """Ways of playing that others may have."""
        return np.array([CHANCE, GREED, *range(len(self.values))], np.int64)

    @property
    def prior(self) -> npt.NDArray[np.float64]:
        """How likely each of them is before anything was seen."""
        others = len(self.values) + 1
        return np.array([_PRIOR_OF_CHANCE, *[(1 - _PRIOR_OF_CHANCE) / others] * others])

    def save(self, file: Path | BinaryIO) -> None:
        """Half the precision is enough: nothing is learned as exactly as that."""
        if isinstance(file, Path):
            with file.open("wb") as opened:  # under that very name: NumPy would add to it
                self.save(opened)
            return
        told = {"format": FORMAT, "version": VERSION, "kind": str(self.kind), "best": self.best}
        arrays = {f"outlook_{name}": array for name, array in self.outlook._asdict().items()}
        halves: dict[str, Any] = {name: array.astype(np.float16) for name, array in arrays.items()}
        np.savez_compressed(
            file,
            about=np.array(json.dumps(told | self.about)),
            values=self.values.astype(np.float16),
            **halves,
        )


def read_arrays(file: Path) -> dict[str, Any]:
    """The arrays that a file keeps."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}
    except Exception as error:  # a damaged file fails wherever it happens to be damaged
        raise MindError(f"{file} can't be read as what `manhattan train` writes: {error}") from None


def read_mind(kind: Kind, file: Path) -> Mind:
    """What a file keeps."""
    arrays = read_arrays(file)
    about = _told(arrays.pop("about", None))
    if (about.get("format"), about.get("version")) != (FORMAT, VERSION):
        raise MindError(f"{file} is not of version {VERSION}. Make it anew: manhattan train.")
    if about.get("kind") != str(kind):
        raise MindError(f"{file} was learned for {about.get('kind')}, not for {kind}.")
    shapes = {f"outlook_{name}": (kind.schedule.rounds, *shape) for name, shape in SHAPES.items()}
    found = {name: array.shape for name, array in arrays.items() if array.dtype.kind == "f"}
    ways = found.pop("values", ())
    if ways[1:] != (kind.contexts, FEATURES) or ways[0] == 0 or found != shapes:
        raise MindError(f"{file} was learned with other features. Make it anew: manhattan train.")
    full = {name: array.astype(np.float32) for name, array in arrays.items()}
    values = full.pop("values")
    outlook = {name.removeprefix("outlook_"): array for name, array in full.items()}
    told = {k: v for k, v in about.items() if k not in ("format", "version", "kind", "best")}
    best = about.get("best")
    if not isinstance(best, int) or not 0 <= best < len(values):
        raise MindError(
            f"{file} does not tell which way is the best. Make it anew: manhattan train."
        )
    return Mind(kind, values, best, Outlook(**outlook), told)


def _told(about: Any) -> dict[str, Any]:
    """Where something comes from, as a file tells; nothing if it tells nothing."""
    try:
        told = json.loads(str(about))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


@cache
def mind_for(kind: Kind) -> Mind:
    """What comes with this package for such tables; or what lies in the folder that
    ``MANHATTAN_MINDS`` names, if it has something for them."""
    name = f"{kind}.npz"
    own = Path(os.environ.get("MANHATTAN_MINDS", ""), name)
    if "MANHATTAN_MINDS" in os.environ and own.is_file():
        return read_mind(kind, own)
    kept = files("manhattan.judgement") / "minds" / name
    if not kept.is_file():
        raise MindError(f"Nothing was learned for {kind}. Do it with: manhattan train.")
    with as_file(kept) as path:
        return read_mind(kind, path)
