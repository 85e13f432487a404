"""One game of a match: every bot sees its own view, and its time is taken."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache

from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.own import player, what_failed
from manhattan.bots import OWN_PACE, THINKERS, Bot, Level
from manhattan.game import Game
from manhattan.rules import IllegalMove, NotationError, set_up
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
    bots = [_unhurried(player(name)) for name in names]
    rngs = [match.random(seating.deal, seating.rotation, seat) for seat in range(match.players)]
    moves, seconds = [0] * match.players, [0.0] * match.players
    while not game.over:
        seat = game.table.mover
        seen = view_of(game, seat)
        begin = time.perf_counter()
        name = names[seat]
        where = f"deal {seating.deal}, rotation {seating.rotation}, ply {game.ply}"
        try:
            move = bots[seat](seen, rngs[seat], OWN_PACE)
        except Exception as error:
            raise ArenaError(f"{name} failed in {where}: {what_failed(name, error)}") from error
        seconds[seat] += time.perf_counter() - begin
        try:
            game.play(move)
        except NotationError as error:
            raise ArenaError(f"{name} returned no move in {where}: {error}") from error
        except IllegalMove as error:
            raise ArenaError(f"{name} made an illegal move in {where}: {error}") from error
        moves[seat] += 1
    result = game.table.result
    assert result is not None
    return Outcome(seating, game.table.scores, result.winners, tuple(moves), tuple(seconds))


def _unhurried(one: Bot) -> Bot:
    """A level has so many trials here however long they take: games that depended on the clock
    would not be the same on another machine."""
    if isinstance(one, Level):
        return replace(one, budget=replace(one.budget, seconds=None))
    return one


@cache
def _load(players: int, edition: str, house_rules: frozenset[tuple[str, str]]) -> None:
    """Whoever thinks does so once before the clock runs: loading the compiled code is no move."""
    from manhattan.judgement.rehearsal import rehearse_thinking  # takes a second to load

    rehearse_thinking(set_up(players, edition=edition, house_rules=dict(house_rules)))


def load(match: Match) -> None:
    """Compile or load what the bots of a match need to think."""
    if THINKERS.intersection(match.bots):
        _load(match.players, match.edition, frozenset(match.house_rules.items()))


def play_deal(match: Match, deal: int) -> list[Outcome]:
    """All games of a deal."""
    load(match)
    return [play(match, seating) for seating in match.seatings(deal)]
