"""One game of a match: every bot sees its own view, and its time is taken."""

from __future__ import annotations

import time
from dataclasses import dataclass

from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.bots import OWN_PACE, bot
from manhattan.game import Game
from manhattan.view import view_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one game."""

    seating: Seating
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    """The seats that won."""
    moves: tuple[int, ...]
    """How many each seat made."""
    seconds: tuple[float, ...]
    """How long each seat thought."""

    def share(self, seat: int) -> float:
        """What a seat won: a shared win counts in parts."""
        return 1 / len(self.winners) if seat in self.winners else 0.0


def play(match: Match, seating: Seating) -> Outcome:
    """Play a game to its end."""
    game = Game.from_seed(match.setup(seating.first), match.cards(seating.deal))
    names = [match.bots[number] for number in seating.seats]
    bots = [bot(name) for name in names]
    rngs = [match.random(seating.deal, seating.rotation, seat) for seat in range(match.players)]
    moves, seconds = [0] * match.players, [0.0] * match.players
    while not game.over:
        seat = game.table.mover
        seen = view_of(game, seat)
        begin = time.perf_counter()
        try:
            move = bots[seat](seen, rngs[seat], OWN_PACE)
        except Exception as error:
            where = f"deal {seating.deal}, rotation {seating.rotation}, ply {game.ply}"
            raise ArenaError(f"{names[seat]} failed in {where}: {error!r}") from error
        seconds[seat] += time.perf_counter() - begin
        moves[seat] += 1
        game.play(move)
    result = game.table.result
    assert result is not None
    return Outcome(seating, game.table.scores, result.winners, tuple(moves), tuple(seconds))


def play_deal(match: Match, deal: int) -> list[Outcome]:
    """All games of a deal."""
    return [play(match, seating) for seating in match.seatings(deal)]
