"""The arena: matches between bots, and how strong each of them is, with confidence intervals."""

from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.runner import Outcome, play
from manhattan.arena.standings import Standing, standings

__all__ = ["ArenaError", "Match", "Outcome", "Seating", "Standing", "play", "standings"]
