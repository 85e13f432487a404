"""``manhattan train``: train a model for the bots, from self-play alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer
from rich.progress import TaskID

from manhattan.cli.ui.options import (
    EditionId,
    HouseRules,
    Players,
    Ray,
    Workers,
)
from manhattan.cli.ui.output_files import check_writable
from manhattan.cli.ui.progress import progress_bar
from manhattan.cli.ui.terminal import console, exit_interrupted
from manhattan.parallel import map_processes, map_ray, map_threads
from manhattan.rules import DEFAULT_EDITION, Setup, SetupError, set_up
from manhattan.rules.editions import parse_house_rules

if TYPE_CHECKING:
    from manhattan.ai.model import Kind, Model
    from manhattan.ai.networks import Networks
    from manhattan.ai.training.expert_iteration import ExpertIteration
    from manhattan.ai.training.trainer import Trainer

_TIE_RULES: Final = ("tallest_tie", "final_tie")


def train(
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    house_rule: HouseRules = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", "-s", min=0, help="Random seed: the same seed gives the same result."
        ),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the model to this file.",
            show_default="KIND.npz, such as 4-players-6x4.npz",
        ),
    ] = None,
    scale: Annotated[
        float, typer.Option("--scale", help="Multiply the number of training games by this.")
    ] = 1.0,
    networks: Annotated[
        bool,
        typer.Option(
            "--networks", help="Train the networks of expert iteration, which start from a model."
        ),
    ] = False,
    search_games: Annotated[
        int | None,
        typer.Option(
            "--search-games",
            min=1,
            help="With --networks: the number of games whose moves are searched.",
            show_default=False,
        ),
    ] = None,
    self_play_games: Annotated[
        int | None,
        typer.Option(
            "--self-play-games",
            min=1,
            help="With --networks: the number of games of the policy network.",
            show_default=False,
        ),
    ] = None,
    cycles: Annotated[
        int | None,
        typer.Option(
            "--cycles",
            min=1,
            help="With --networks: how often searched games and new networks follow each other.",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start",
            help="With --networks: go on from the networks in this file.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
) -> None:
    """Train a model for the bots, for one kind of table.

    It takes minutes on two cores. A checkpoint is kept beside the file (.training), and so are
    searched games: after an interruption, the same command continues from there. Bots find models
    in the folder MANHATTAN_MODELS."""
    from manhattan.ai.model import Kind  # loading the compiler takes a second
    from manhattan.ai.networks import file_name

    amounts = {
        name: games
        for name, games in (
            ("search_games", search_games),
            ("self_play_games", self_play_games),
            ("cycles", cycles),
        )
        if games is not None
    }
    if (amounts or start is not None) and not networks:
        raise SetupError("--search-games, --self-play-games, --cycles and --start need --networks.")
    if not 0 < scale < 1000:
        raise SetupError(f"--scale must be a number such as 0.1 or 2, not {scale}.")
    setup = set_up(players, edition=edition, house_rules=parse_house_rules(house_rule or []))
    kind = Kind.of(setup)
    default = file_name(kind) if networks else f"{kind}.npz"
    path = out or Path(default)
    check_writable(path)
    # Searched games spend much of their time in Python, which threads would share.
    map_locally = map_processes if networks else map_threads
    parallel_map = partial(map_ray, address=ray) if ray else partial(map_locally, workers=workers)
    checkpoint = path.with_suffix(".training")
    try:
        create_trainer = _trainer_class(kind, scale, networks, amounts, start)
        trained = _run_training(setup, create_trainer, seed, checkpoint, parallel_map)
    except KeyboardInterrupt:
        _report_interrupt(checkpoint)
    with path.open("wb") as file:
        trained.save(file)
    checkpoint.unlink(missing_ok=True)
    _report_result(trained, path, default)


def _trainer_class(
    kind: Kind, scale: float, networks: bool, amounts: dict[str, int], start: Path | None
) -> Callable[..., Trainer | ExpertIteration]:
    """Return the trainer of a model, or of networks, with the amounts of the training."""
    from manhattan.ai.model import load_model
    from manhattan.ai.networks import read_networks
    from manhattan.ai.training.expert_iteration import ExpertIteration, IterationConfig
    from manhattan.ai.training.trainer import TrainConfig, Trainer

    if not networks:
        return partial(Trainer, kind, TrainConfig().scaled(scale))
    config = replace(IterationConfig().scaled(scale), **amounts)
    first = None if start is None else read_networks(kind, start)
    return partial(ExpertIteration, load_model(kind), config, start=first)


def _run_training(
    setup: Setup,
    create_trainer: Callable[..., Trainer | ExpertIteration],
    seed: int,
    checkpoint: Path,
    parallel_map: Callable[..., Iterator[Any]],
) -> Model | Networks:
    """Train, with a progress bar for every stage."""
    from manhattan.ai.training.training_data import setup_for_kind

    with progress_bar(console(stderr=True)) as progress:
        bars: dict[str, TaskID] = {}

        def on_progress(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=total)
            progress.update(bars[stage], completed=done)

        trainer = create_trainer(
            seed=seed, checkpoint=checkpoint, on_progress=on_progress, map_tasks=parallel_map
        )
        kind = trainer.kind
        trained_rules = setup_for_kind(kind).rules
        if any(getattr(setup.rules, rule) != getattr(trained_rules, rule) for rule in _TIE_RULES):
            # Ties are rare, and one model serves all editions with tables of this kind.
            progress.print(f"Training uses the default tie rules, for all tables of {kind}.")
        if trainer.stage:
            progress.print(f"Continuing from {checkpoint} after stage {trainer.stage}.")
        return trainer.run()


def _report_interrupt(checkpoint: Path) -> NoReturn:
    screen = console(stderr=True)
    if not checkpoint.exists():
        exit_interrupted(screen, "in the first stage; nothing is saved yet")
    exit_interrupted(
        screen, f"after a stage saved in {checkpoint}. Run the same command to continue"
    )


def _report_result(trained: Model | Networks, path: Path, default: str) -> None:
    kind, screen = trained.kind, console()
    for name, share in trained.metadata.get("results", {}).items():
        screen.print(f"{name}: {100 * share:.1f} % (fair: {100 / kind.players:.0f} %)")
    for name, loss in trained.metadata.get("losses", {}).items():
        screen.print(f"{name}: log-loss {loss:.3f}")
    what = "the networks" if "losses" in trained.metadata else "a model"
    screen.print(f"Trained {what} for {kind}: {path}", soft_wrap=True)
    if path.name == default:
        usage = f"To play with it, set MANHATTAN_MODELS={path.absolute().parent}"
    else:
        usage = f"To play with it, name it {default} and set MANHATTAN_MODELS to its folder."
    screen.print(usage, soft_wrap=True)
