"""Warm-up: compile the code of the bots before a player waits for it."""

from __future__ import annotations

from functools import cache

from manhattan.rules import Setup
from manhattan.warmup import CompileJob, start_compile_job


def start_warmup(players: int, colours: int) -> CompileJob:
    """Compile for tables with these numbers of players and of colours each, in a background
    process."""
    return start_compile_job("manhattan.ai.warmup", players, colours)


@cache
def warm_up(setup: Setup) -> None:
    """Compile or load the code that the bots of a table need, once in a process."""
    from manhattan.ai import warmup  # loading the compiler takes a second

    warmup.warm_up(setup)
