"""What hypothesis draws: tables to play at."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from manhattan.rules import EDITIONS, ROWS, Setup, set_up


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    """A table of any edition with any number of players, often with a house rule."""
    players = draw(st.sampled_from([4, 3, 2]))
    changes = {}
    if draw(st.booleans()):
        row = draw(st.sampled_from(sorted(ROWS)))
        changes[row] = draw(st.sampled_from(ROWS[row]))
    return set_up(
        players,
        edition=draw(st.sampled_from(sorted(EDITIONS))),
        house_rules=changes,
        first=draw(st.integers(0, players - 1)),
    )


seeds = st.binary(min_size=32, max_size=32)
dice = st.integers(0, 2**32 - 1).map(Random)
"""A generator from a drawn seed: hypothesis' own keeps every number drawn, too many for a game."""
