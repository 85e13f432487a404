"""The outlook uses the vector units: compiled, it must tell what the plain reckoning tells."""

from __future__ import annotations

import pytest

from manhattan.judgement.mind import Kind, mind_for
from manhattan.judgement.outlook import WIN
from manhattan.judgement.speed import moments
from manhattan.rules import set_up
from minds import ask, learned_from

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


def test_compiled_and_plain_outlook_agree() -> None:
    """Wherever a game stands: it is asked between rounds only, but answers at any time."""
    kind = Kind.of(set_up(4))
    net, told = mind_for(kind).outlook, set()
    for position in moments(kind):
        for player in range(4):
            answers = ask(position, player, net)
            assert answers == pytest.approx(learned_from(position, player, net), rel=1e-3, abs=1e-3)
            told.add(float(answers[WIN]))
    assert len(told) > 20
