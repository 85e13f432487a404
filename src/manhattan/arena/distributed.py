"""A match distributed over all cores, or over the machines of a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from manhattan.arena.match import Match
from manhattan.arena.runner import Outcome, play_deal
from manhattan.parallel import map_processes, map_ray


def play_deals(
    match: Match, deals: Iterable[int], workers: int | None = None
) -> Iterator[list[Outcome]]:
    """Play the games of some deals in several processes; yield them in the order of the deals."""
    return map_processes(partial(play_deal, match), deals, workers)


def play_deals_on_ray(match: Match, deals: Iterable[int], address: str) -> Iterator[list[Outcome]]:
    """Play the games of some deals on a Ray cluster; the address ``local`` starts one here."""
    return map_ray(partial(play_deal, match), deals, address)
