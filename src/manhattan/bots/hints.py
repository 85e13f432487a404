"""Hints: a good move, and what it changes at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from manhattan.bots.budget import Budget
from manhattan.bots.greedy import choose_greedily
from manhattan.bots.search_bot import choose_as_champion
from manhattan.bots.value_bot import obvious_move
from manhattan.rules import Block, Build, Colour, Move, PublicState, Select, Setup
from manhattan.rules.board import CITIES
from manhattan.rules.legality import colour_of
from manhattan.rules.scoring import majorities, placement_gains, tallest_scorer, tallest_towers
from manhattan.rules.towers import Board, with_block
from manhattan.view import View

_BUDGET: Final = Budget(rollouts=1500)
"""Without a limit of time, so that the same view and seed give the same hint."""
Colours = tuple[Colour, ...]
HintReasonKind = Literal[
    "wins_tallest",
    "wins_majority",
    "ends_tallest",
    "ends_majority",
    "takes_tower",
    "starts_tower",
    "raises_tower",
    "strong_selection",
    "least_needed",
]


@dataclass(frozen=True, slots=True)
class HintReason:
    """A fact of the rules that speaks for a move."""

    kind: HintReasonKind
    colour: Colour | None = None
    """The colour that loses the tower, the majority or the points for the tallest tower."""
    city: str | None = None
    """The city of the majority."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A good move; ``evaluate`` estimates its long-term results."""

    move: Move
    reasons: tuple[HintReason, ...] = ()
    """What speaks for it, the more important first."""
    points: tuple[int, ...] = ()
    """For a placement: how many more points each player would score if the round ended after it."""


def hint(view: View, rng: Random, *, use_model: bool) -> Hint:
    """Suggest the champion's move, or the blocks of the strongest plan; without a model, which
    needs compiled code, the move that gains most now."""
    if not use_model:
        move = choose_greedily(view, rng)
    else:
        move = obvious_move(view) or choose_as_champion(view, rng, _BUDGET)
    if isinstance(move, Build):
        return explain_placement(view.public, move)
    kind: HintReasonKind = "strong_selection" if isinstance(move, Select) else "least_needed"
    return Hint(move, (HintReason(kind),))


def explain_placement(public: PublicState, move: Build) -> Hint:
    """Return a placement with what it changes at once."""
    board, setup = public.board, public.setup
    block = Block(colour_of(public, move), move.size)
    own = setup.players[public.mover].colours
    before = _scorers(board, setup)
    after = _scorers(with_block(board, move.site, block), setup)
    reasons = (
        *_gains(own, before, after),
        *_losses(own, before, after),
        _tower_reason(board[move.site].owner, block.colour),
    )
    return Hint(move, reasons, placement_gains(board, setup, move.site, block))


_Scorers = Mapping[str | None, Colour]
"""The colours that score if the round ends: majorities by city, and the tallest tower for None."""


def _scorers(board: Board, setup: Setup) -> _Scorers:
    tallest = tallest_scorer(board, tallest_towers(board), setup.rules.tallest_tie)
    return majorities(board) | ({} if tallest is None else {None: tallest})


def _gains(own: Colours, before: _Scorers, after: _Scorers) -> Iterator[HintReason]:
    """What one of the mover's colours scores, and none of them scored before."""
    for city in (None, *CITIES):
        if after.get(city) in own and before.get(city) not in own:
            kind: HintReasonKind = "wins_majority" if city else "wins_tallest"
            yield HintReason(kind, before.get(city), city)


def _losses(own: Colours, before: _Scorers, after: _Scorers) -> Iterator[HintReason]:
    """What another colour scores no longer, and nobody else does either."""
    for city in (None, *CITIES):
        loser = before.get(city)
        if loser is not None and loser not in own and city not in after:
            yield HintReason("ends_majority" if city else "ends_tallest", loser, city)


def _tower_reason(owner: Colour | None, colour: Colour) -> HintReason:
    if owner is None:
        return HintReason("starts_tower")
    return HintReason("raises_tower") if owner is colour else HintReason("takes_tower", owner)
