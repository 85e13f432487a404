"""The runner of games: each bot gets its own player's view, and its time is measured."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from manhattan.arena.loader import describe_error, load_bot
from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.bots import COMPILED_BOTS, Bot, Budget, Level, warm_up
from manhattan.game import Game
from manhattan.rules import IllegalMove, NotationError
from manhattan.view import view_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one game."""

    seating: Seating
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    """The seats that won."""
    moves: tuple[int, ...]
    """The number of moves of each seat."""
    seconds: tuple[float, ...]
    """The time that each seat's bot took."""

    def win_share(self, seat: int) -> float:
        """Return 1 for a win, an equal part for a shared win, else 0."""
        return 1 / len(self.winners) if seat in self.winners else 0.0


def play(match: Match, seating: Seating) -> Outcome:
    """Play a game to its end."""
    game = Game.from_seed(match.setup(seating.first), match.shuffle_seed(seating.deal))
    names = [match.bots[number] for number in seating.seats]
    bots = [_with_budget_of(match, load_bot(name)) for name in names]
    budget = Budget(seconds=match.seconds)
    rngs = [match.rng(seating.deal, seating.rotation, seat) for seat in range(match.players)]
    moves, seconds = [0] * match.players, [0.0] * match.players
    while not game.is_over:
        seat = game.public.mover
        view = view_of(game, seat)
        name = names[seat]
        where = f"deal {seating.deal}, rotation {seating.rotation}, ply {game.ply}"
        begin = time.perf_counter()
        try:
            move = bots[seat](view, rngs[seat], budget)
        except Exception as error:
            raise ArenaError(f"{name} failed in {where}: {describe_error(name, error)}") from error
        seconds[seat] += time.perf_counter() - begin
        try:
            game.play(move)
        except NotationError as error:
            raise ArenaError(f"{name} returned no move in {where}: {error}") from error
        except IllegalMove as error:
            raise ArenaError(f"{name} made an illegal move in {where}: {error}") from error
        moves[seat] += 1
    result = game.public.result
    assert result is not None
    return Outcome(seating, game.public.scores, result.winners, tuple(moves), tuple(seconds))


def _with_budget_of(match: Match, bot: Bot) -> Bot:
    """Let a level use all its rollouts, or the match's time instead: with a time limit, a match
    would not be the same on another machine."""
    if not isinstance(bot, Level):
        return bot
    rollouts = bot.budget.rollouts if match.seconds is None else None
    return replace(bot, budget=replace(bot.budget, rollouts=rollouts, seconds=None))


def warm_up_bots(match: Match) -> None:
    """Compile or load the code of a match's bots, so that its time counts for no move."""
    if COMPILED_BOTS.intersection(match.bots):
        warm_up(match.setup(0))


def play_deal(match: Match, deal: int) -> list[Outcome]:
    """Play all games of a deal."""
    warm_up_bots(match)
    return [play(match, seating) for seating in match.seatings(deal)]
