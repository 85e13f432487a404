"""Bots against each other: how strong is each of them, and how sure can we be?"""

from manhattan.arena.match import ArenaError, Match, Seating
from manhattan.arena.playing import Outcome, play
from manhattan.arena.standings import Standing, standings

__all__ = ["ArenaError", "Match", "Outcome", "Seating", "Standing", "play", "standings"]
