"""What the bench of the bots measures: trials within a search, beside the same playing alone."""

from __future__ import annotations

import pytest

from manhattan.judgement import speed
from manhattan.judgement.mind import Kind
from manhattan.judgement.speed import EVERY, measure_trials, moments
from manhattan.kernel import Position
from manhattan.kernel.layout import BUILD, REMOVE
from manhattan.rules import set_up
from minds import ending, some_mind

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

THREE = Kind.of(set_up(3))


@pytest.fixture(autouse=True)
def nothing_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "mind_for", some_mind)


def test_positions_are_taken_from_the_whole_game() -> None:
    found = list(moments(THREE))
    turns = THREE.schedule.rounds * THREE.schedule.blocks * THREE.players
    assert len(found) == -(-turns // EVERY)
    assert {int(position.data[0].round_number) for position in found} == set(range(6))
    assert len({int(position.data[0].blocks_left) for position in found}) > 6
    assert {int(position.data[0].phase) for position in found} <= {BUILD, REMOVE}
    assert all(position.traced for position in found)


def test_trials_are_compared_with_playing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "moments", lambda _: [Position.of_state(ending())])
    trials, rollouts, ratio = measure_trials(THREE, 4)
    assert (trials.name, rollouts.name, ratio.name) == ("trials", "rollouts", "trials_ratio")
    assert {figure.players for figure in (trials, rollouts, ratio)} == {3}
    assert ratio.value == trials.value / rollouts.value
    assert trials.value > 0
