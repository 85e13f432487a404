"""The rollout benchmark: its positions and its figures."""

from __future__ import annotations

import pytest

from manhattan.ai.model import Kind
from manhattan.bench import rollouts as benchmark
from manhattan.bench.rollouts import SAMPLE_EVERY, measure_rollouts, sample_positions
from manhattan.kernel.layout import BUILD, REMOVE
from manhattan.rules import set_up

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]

FOUR = Kind.of(set_up(4))


def test_positions_come_from_the_whole_game() -> None:
    positions = list(sample_positions(FOUR))
    turns = FOUR.schedule.rounds * FOUR.schedule.blocks * FOUR.players
    assert len(positions) == -(-turns // SAMPLE_EVERY)
    assert {int(position.data[0].round_number) for position in positions} == set(range(4))
    assert len({int(position.data[0].blocks_left) for position in positions}) > 6
    assert {int(position.data[0].phase) for position in positions} <= {BUILD, REMOVE}
    assert all(position.has_build_order for position in positions)


def test_rollouts_are_compared_with_bare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    position = next(sample_positions(FOUR))
    monkeypatch.setattr(benchmark, "sample_positions", lambda _: [position])
    in_search, bare, ratio = measure_rollouts(FOUR, 4)
    names = ["search_rollouts", "bare_rollouts", "rollout_ratio"]
    assert [figure.name for figure in (in_search, bare, ratio)] == names
    assert {figure.players for figure in (in_search, bare, ratio)} == {4}
    assert ratio.value == in_search.value / bare.value
    assert in_search.value > 0
