"""``manhattan train``: learn to play, from nothing but the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from manhattan.cli.files import check_place
from manhattan.cli.options import EditionId, HouseRules, Players, house_rules
from manhattan.cli.terminal import broken_off, console
from manhattan.rules import DEFAULT_EDITION, Setup, SetupError, set_up
from manhattan.spread import over_ray, over_threads

if TYPE_CHECKING:
    from manhattan.judgement.mind import Mind


_GO_ON = "the same command goes on from there"
_TIES = ("tallest_tie", "final_tie")


def train(
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    house_rule: HouseRules = None,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Same seed, same result.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write what was learned here.")
    ] = None,
    scale: Annotated[
        float, typer.Option("--scale", help="So many times as many games as usual.")
    ] = 1.0,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Threads; one for each core.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option("--ray", help="Spread over a Ray cluster: its address, or local.")
    ] = None,
) -> None:
    """Learn to play at one kind of table, and write a file that the bots play by.

    Minutes on two cores. If it is broken off, the same command goes on after the last stage."""
    from manhattan.judgement.mind import Kind  # what compiles takes a second to load

    if not 0 < scale < 1000:
        raise SetupError(f"--scale is a number like 0.1 or 2, not {scale}.")
    setup = set_up(players, edition=edition, house_rules=house_rules(house_rule))
    kind = Kind.of(setup)
    path = out or Path(f"{kind}.npz")
    check_place(path)
    spread = partial(over_ray, address=ray) if ray else partial(over_threads, workers=workers)
    kept = path.with_suffix(".training")
    try:
        mind = _learned(setup, scale, seed, kept, spread)
    except KeyboardInterrupt:
        if not kept.exists():
            broken_off(console(stderr=True), "in the first stage: nothing is kept yet")
        broken_off(console(stderr=True), f"after a stage that is kept in {kept}: {_GO_ON}")
    with path.open("wb") as file:
        mind.save(file)
    kept.unlink(missing_ok=True)
    for name, share in mind.about["figures"].items():
        console().print(f"{name}: {100 * share:.1f} % (fair: {100 / kind.players:.0f} %)")
    console().print(f"Learned for {kind}: {path}", soft_wrap=True)
    how = f"For bots to play by it, name it {kind}.npz and its folder in MANHATTAN_MINDS."
    if path.name == f"{kind}.npz":
        how = f"Bots play by it with: MANHATTAN_MINDS={path.absolute().parent}"
    console().print(how, soft_wrap=True)


def _learned(
    setup: Setup, scale: float, seed: int, kept: Path, spread: Callable[..., Iterator[Any]]
) -> Mind:
    """Learn, with a bar for every stage."""
    from manhattan.judgement.games import table_of
    from manhattan.judgement.mind import Kind
    from manhattan.judgement.training import Recipe, Training

    kind = Kind.of(setup)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
    )
    with progress:
        bars: dict[str, TaskID] = {}

        def told(stage: str, done: int, of: int) -> None:
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=of)
            progress.update(bars[stage], completed=done)

        training = Training(kind, Recipe().scaled(scale), seed, kept, told, spread)
        usual = table_of(kind).rules
        if any(getattr(setup.rules, row) != getattr(usual, row) for row in _TIES):
            # Ties are rare, and one file serves all editions with tables of a kind.
            progress.print(f"It is learned with the usual rules for ties, for all {kind}.")
        if training.stage:
            progress.print(f"Going on with {kept} after stage {training.stage}.")
        return training.run()
