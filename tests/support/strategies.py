"""Hypothesis strategies for tables, seeds and random generators."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from manhattan.rules import EDITIONS, HOUSE_RULES, Setup, set_up


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    """A table of any edition and number of players, often with a house rule."""
    players = draw(st.sampled_from([4, 3, 2]))
    changes = {}
    if draw(st.booleans()):
        row = draw(st.sampled_from(sorted(HOUSE_RULES)))
        changes[row] = draw(st.sampled_from(HOUSE_RULES[row]))
    return set_up(
        players,
        edition=draw(st.sampled_from(sorted(EDITIONS))),
        house_rules=changes,
        first=draw(st.integers(0, players - 1)),
    )


seeds = st.binary(min_size=32, max_size=32)
rngs = st.integers(0, 2**32 - 1).map(Random)
"""Random generators with a drawn seed. Those of Hypothesis record every number, which is too many
for a game."""
