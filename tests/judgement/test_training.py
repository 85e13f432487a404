"""Training: all follows from the seed, however it is spread and however often broken off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manhattan.judgement import training
from manhattan.judgement.features import FEATURES
from manhattan.judgement.games import Meeting, Part, play_for_outlook
from manhattan.judgement.mind import Kind, Mind, MindError, read_mind
from manhattan.judgement.training import Recipe, Training, _samples
from manhattan.rules import set_up
from manhattan.spread import over_threads
from minds import SHORT, short_games

pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.xdist_group("training"),  # it is gone through once
]

SMALL = Recipe(
    generations=2,
    games=2,
    outlook_games=2,
    epochs=2,
    courses=1,
    lessons=1,
    trials=2,
    checks=1,
)
VALUES_ALONE = replace(SMALL, games=1, courses=0)
SEED = 6
"""By chance only one of three thinks in the lesson then, so that it is soon over."""


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with short_games():
        yield


@dataclass
class Whole:
    """A training from the beginning to the end, what was told, and what was kept meanwhile."""

    folder: Path
    told: list[tuple[str, int, int]] = field(default_factory=list)
    kept: dict[int, bytes] = field(default_factory=dict)

    def run(self) -> Mind:
        path = self.folder / "whole.training"
        one = partial(over_threads, workers=1)
        whole = Training(SHORT, SMALL, SEED, path, self._tell, one)

        def keep(usual: Callable[[], None]) -> None:
            usual()
            self.kept[whole.stage] = path.read_bytes()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(whole, "_keep", partial(keep, whole._keep))
            return whole.run()

    def _tell(self, stage: str, done: int, of: int) -> None:
        self.told.append((stage, done, of))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return Whole(tmp_path_factory.mktemp("training"))


@pytest.fixture(scope="module")
def learned(whole: Whole) -> Mind:
    return whole.run()


def test_all_stages_are_gone_through(learned: Mind) -> None:
    assert [stage for stage, _ in SMALL.stages] == [
        "values",
        "values",
        "matches",
        "outlook",
        "lessons",
        "matches",
    ]
    assert learned.kind == SHORT
    assert learned.values.shape == (3, SHORT.contexts, FEATURES)
    assert learned.values.any(axis=2).all()  # something was learned for every moment
    first, second, third = learned.values
    assert np.abs(second - first).max() > 0.01
    changes = [np.abs(third - before).max() for before in (first, second)]
    assert 0 < min(changes) < 0.01  # a lesson takes nothing back of the one it improves on
    for array in learned.outlook:
        assert not array[0].any()  # there is no outlook before the first round
        assert array[1].any()
    assert learned.about["seed"] == SEED
    assert learned.about["recipe"] == asdict(SMALL)
    assert list(learned.about["figures"]) == [
        "first against greedy",
        "best against greedy",
        "best against first",
        "best against all",
    ]
    assert all(0 <= share <= 1 for share in learned.about["figures"].values())


def test_the_usual_recipe_has_matches_before_every_course_and_at_the_end() -> None:
    assert Recipe(generations=2).stages == [
        ("values", 0),
        ("values", 1),
        ("matches", 0),
        ("outlook", 0),
        ("lessons", 0),
        ("matches", 1),
        ("outlook", 1),
        ("lessons", 1),
        ("matches", 2),
    ]


@dataclass
class Champion:
    """Looks on the matches: whoever has this number always wins, and nobody else."""

    number: int

    def play(self, meeting: Meeting) -> Any:
        return np.full(meeting.games, float(meeting.one == self.number))


@pytest.mark.no_cover  # the whole training is measured once: it takes twice as long then
@pytest.mark.parametrize("champion", [0, 1])
def test_lessons_improve_on_who_wins_the_matches(
    monkeypatch: pytest.MonkeyPatch, champion: int
) -> None:
    monkeypatch.setattr(training, "play_meeting", Champion(champion).play)
    mind = Training(SHORT, SMALL, SEED, spread=map).run()
    assert mind.best == champion
    changes = [float(np.abs(mind.values[2] - mind.values[way]).max()) for way in (0, 1)]
    assert changes[champion] < 0.01 < changes[1 - champion]
    assert mind.about["figures"]["best against all"] == 1


def test_every_stage_is_told_from_its_beginning_to_its_end(whole: Whole, learned: Mind) -> None:
    stages = list(dict.fromkeys(stage for stage, _, _ in whole.told))
    assert stages == [
        "Values, generation 1 of 2",
        "Values, generation 2 of 2",
        "Matches 1 of 2",
        "Games for the outlook, course 1 of 1",
        "The outlook after round 1 of 1",
        "Lessons, course 1 of 1",
        "Matches 2 of 2",
    ]
    games = {"Lessons, course 1 of 1": 1, "Matches 1 of 2": 2 * 3, "Matches 2 of 2": 3 * 4}
    for stage in stages:
        heard = [(done, of) for name, done, of in whole.told if name == stage]
        of = heard[0][1]
        assert of == games.get(stage, 2)
        assert heard == [(done, of) for done in range(of + 1)]


def assert_the_same(one: Mind, other: Mind) -> None:
    assert (one.values == other.values).all()
    for a, b in zip(one.outlook, other.outlook, strict=True):
        assert (a == b).all()
    assert one.about == other.about


class BrokenOff(Exception):
    """Somebody needs the machine for something else."""


def backwards(work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """The last part first, two at a time; the results in order all the same."""
    yield from reversed(list(over_threads(work, list(tasks)[::-1], workers=2)))


@pytest.mark.no_cover
def test_broken_off_after_every_stage_and_played_in_another_order_it_comes_to_the_same(
    learned: Mind, whole: Whole, tmp_path: Path
) -> None:
    path, begun = tmp_path / "broken.training", []

    def go_on(ends_at: int) -> Mind:
        def tell(stage: str, done: int, of: int) -> None:
            if done == 0 and going.stage == ends_at:
                raise BrokenOff

        going = Training(SHORT, SMALL, SEED, path, tell, backwards)
        begun.append(going.stage)
        return going.run()

    for stage in range(1, 6):
        with pytest.raises(BrokenOff):
            go_on(stage)
        assert path.read_bytes() == whole.kept[stage]
    assert_the_same(go_on(-1), learned)
    assert begun == [0, 1, 2, 3, 4, 5]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_broken_off_within_a_stage_it_begins_that_stage_anew(
    learned: Mind, whole: Whole, tmp_path: Path
) -> None:
    path = tmp_path / "broken.training"
    path.write_bytes(whole.kept[3])

    def tell(stage: str, done: int, of: int) -> None:
        if stage.startswith("The outlook") and done == 1:
            raise BrokenOff

    with pytest.raises(BrokenOff):
        Training(SHORT, SMALL, SEED, path, tell).run()
    assert path.read_bytes() == whole.kept[3]


def test_another_seed_learns_something_else_and_needs_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "play_meeting", Champion(0).play)

    def learn(seed: int) -> Mind:
        return Training(SHORT, VALUES_ALONE, seed, spread=map).run()

    one, again, other = learn(1), learn(1), learn(2)
    assert_the_same(one, again)
    assert (one.values != other.values).any()


@pytest.mark.parametrize(
    ("kind", "recipe", "seed"),
    [
        (SHORT, SMALL, SEED + 1),
        (SHORT, replace(SMALL, games=3), SEED),
        (Kind.of(set_up(3)), SMALL, SEED),
    ],
)
def test_another_training_is_not_gone_on_with(
    learned: Mind, whole: Whole, tmp_path: Path, kind: Kind, recipe: Recipe, seed: int
) -> None:
    path = tmp_path / "kept.training"
    path.write_bytes(whole.kept[2])
    with pytest.raises(MindError, match=r"kept.training is another training: .*\"seed\": 6.* Go"):
        Training(kind, recipe, seed, path)
    assert Training(SHORT, SMALL, SEED, path).stage == 2
    assert path.read_bytes() == whole.kept[2]


def test_with_other_features_it_is_another_training(
    learned: Mind, whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.training"
    path.write_bytes(whole.kept[1])
    monkeypatch.setattr(training, "FEATURES", FEATURES + 1)
    with pytest.raises(MindError, match="another training"):
        Training(SHORT, SMALL, SEED, path)


@pytest.mark.parametrize("damage", ["nothing in it", "half", "one byte", "another file"])
def test_a_damaged_file_is_not_gone_on_with(
    learned: Mind, whole: Whole, tmp_path: Path, damage: str
) -> None:
    path, content = tmp_path / "kept.training", whole.kept[1]
    if damage == "another file":
        with path.open("wb") as file:
            learned.save(file)
    else:
        half = len(content) // 2
        path.write_bytes(
            {
                "nothing in it": b"",
                "half": content[:half],
                "one byte": content[:half] + bytes([content[half] ^ 255]) + content[half + 1 :],
            }[damage]
        )
    before = path.read_bytes()
    with pytest.raises(MindError, match=r"kept.training (can't be read|is no training)"):
        Training(SHORT, SMALL, SEED, path)
    assert path.read_bytes() == before


def test_what_was_learned_can_be_written_and_read(learned: Mind, tmp_path: Path) -> None:
    learned.save(tmp_path / "mind.npz")
    again = read_mind(SHORT, tmp_path / "mind.npz")
    assert again.about == learned.about
    assert np.abs(again.values - learned.values).max() < 0.05


def test_what_came_of_a_position_is_told_for_each_player() -> None:
    """Share of the win; and, in tens of points, how the lead grew and what was still made."""
    mind = Training(SHORT, VALUES_ALONE, 1).values
    part = Part(SHORT, mind, 1, 0, 2)
    played = play_for_outlook(part, -1)
    batch, samples = _samples(SHORT, [played], 1)
    assert samples == 2 * 3
    (sites, standing, table), came = batch(np.arange(samples))
    assert (len(sites), len(standing), len(table)) == (6, 6, 6)
    for n in range(samples):
        game, player = divmod(n, 3)
        more = played.scores[game] - played.boards[game, 0].scores[:3]
        others = [more[other] for other in range(3) if other != player]
        expected = [
            played.shares[game, player],
            (more[player] - np.mean(others)) / 10,
            more[player] / 10,
        ]
        assert came[n] == pytest.approx(expected)
    again, some = batch(np.array([4]))
    assert (some[0] == came[4]).all()
    assert (again[2][0] == table[4]).all()
