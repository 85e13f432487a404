"""The preview of a table: what a shared link shows before it is opened.

A preview holds public information only, so nothing made from it can reveal a hidden card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from manhattan.rules import Colour, PublicState
from manhattan.rules.editions import edition
from manhattan.rules.towers import EMPTY_BOARD, Board
from manhattan.server.domain.state import TableState

_MAX_NAME: Final = 24
"""Characters of a name: a preview is short."""


@dataclass(frozen=True, slots=True)
class PreviewPlayer:
    """A seat of the table."""

    name: str
    """Empty for an open seat."""
    colours: tuple[Colour, ...]
    points: int | None
    """None before the game."""
    wins: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """A table at one moment, as anyone may see it."""

    players: tuple[PreviewPlayer, ...]
    cities: tuple[str, ...]
    board: Board
    stage: str
    """The stage of the table in English, without a full stop: "Round 2 of 4"."""
    rules: str
    ply: int | None
    """The number of moves played; None before the game."""
    is_final: bool
    """The table can't change any more."""

    @property
    def title(self) -> str:
        """The title of the link."""
        names = [player.name for player in self.players if player.name]
        return f"Manhattan: {', '.join(names)}" if names else "Manhattan"

    @property
    def description(self) -> str:
        """The stage, the points and the rules in one line."""
        ranking = sorted(
            (player for player in self.players if player.points is not None),
            key=lambda player: -(player.points or 0),
        )
        points = ", ".join(f"{player.name} {player.points}" for player in ranking)
        sentences = [f"{self.stage}: {points}" if points else self.stage, self.rules]
        return "".join(f"{sentence}. " for sentence in sentences).rstrip()


def preview_of(state: TableState, at: int | None = None) -> Preview:
    """Return the preview of a table, or of its game after ``at`` moves. A moment after the last
    move is the last one: moves may have been undone since the link was shared."""
    game = state.game
    book = edition(state.options.edition)
    ply = None if game is None else game.ply if at is None else min(at, game.ply)
    public = None if game is None or ply is None else game.state_at(ply).public
    result = public.result if public is not None else None
    players = tuple(
        PreviewPlayer(
            name="" if seat.is_open else _shortened(seat.name),
            colours=seat.colours,
            points=None if public is None else public.scores[number],
            wins=result is not None and number in result.winners,
        )
        for number, seat in enumerate(state.seats)
    )
    is_earlier = game is not None and ply is not None and ply < game.ply
    return Preview(
        players=players,
        cities=book.cities,
        board=EMPTY_BOARD if public is None else public.board,
        stage=_stage(state, public, ply if is_earlier else None),
        rules=f"{book.title} with house rules" if state.options.house_rules else book.title,
        ply=ply,
        is_final=state.stage in ("over", "closed"),
    )


def _stage(state: TableState, public: PublicState | None, earlier: int | None) -> str:
    """Describe the stage; ``earlier`` is the number of moves if others have followed."""
    if public is None:
        free = sum(seat.is_open for seat in state.seats)
        if state.stage == "closed":
            return "This table was closed"
        return f"{free} open {'seat' if free == 1 else 'seats'}" if free else "Ready to start"
    if public.result is not None:
        return "Final scores"
    if state.stage == "closed" and earlier is None:
        return "Ended without a result"
    stage = f"Round {public.round} of {public.setup.schedule.rounds}"
    if earlier is None:
        return stage
    if earlier == 0:
        return f"{stage}, before the first move"
    return f"{stage}, after {earlier} {'move' if earlier == 1 else 'moves'}"


def _shortened(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1].rstrip()}…"
