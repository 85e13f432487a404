"""The compiled value network, which uses vector instructions, agrees with plain NumPy."""

from __future__ import annotations

import pytest

from manhattan.ai.model import Kind, load_model
from manhattan.ai.value_network import WIN
from manhattan.bench.rollouts import sample_positions
from manhattan.rules import set_up
from support.random_models import predict, training_outputs

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


def test_compiled_and_plain_outputs_agree() -> None:
    """In positions of a whole game: a search uses only round boundaries, but any will do here."""
    kind = Kind.of(set_up(4))
    net, log_odds = load_model(kind).network, set()
    for position in sample_positions(kind):
        for player in range(4):
            outputs = predict(position, player, net)
            expected = training_outputs(position, player, net)
            assert outputs == pytest.approx(expected, rel=1e-3, abs=1e-3)
            log_odds.add(float(outputs[WIN]))
    assert len(log_odds) > 20
