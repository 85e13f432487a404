"""What was learned, the file that keeps it, and the plans for choosing blocks."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.judgement import mind as minds_of_the_package
from manhattan.judgement.games import table_of
from manhattan.judgement.mind import Kind, MindError, mind_for, read_mind
from manhattan.judgement.plans import PLANS, affordable, parse_plan
from manhattan.judgement.selfplay import CHANCE, GREED
from manhattan.judgement.training import Recipe
from manhattan.kernel.layout import MULTISETS
from manhattan.rules import Stock, set_up
from manhattan.rules.blocks import FULL_STOCK
from manhattan.rules.editions import EDITIONS, ROWS, Schedule
from minds import some_mind

ROOT = Path(__file__).parents[2]
THREE = Kind.of(set_up(3))

TABLES = [
    set_up(players, house_rules={row: value})
    for players, row in [(4, "four_players"), (3, "three_players"), (2, "two_players")]
    for value in ROWS[row]
]
KINDS = list(dict.fromkeys(map(Kind.of, TABLES)))


# --- kinds of tables --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "name", "contexts"),
    [
        (set_up(4), "4-players-6x4", 4 * 8),
        (set_up(3), "3-players-4x6", 6 * 6),
        (set_up(2), "2-players-4x6-2-colours", 6 * 10),
        (set_up(2, edition="foxgames-2018"), "2-players-4x4-2-colours", 4 * 10),
        (set_up(2, house_rules={"two_players": "6x4-one-colour"}), "2-players-6x4", 4 * 8),
    ],
)
def test_a_kind_of_table_has_a_name_and_its_moments(setup: Any, name: str, contexts: int) -> None:
    """In every round: before choosing, and with every number of blocks left from all to none."""
    assert str(Kind.of(setup)) == name
    assert Kind.of(setup).contexts == contexts


def test_tables_that_differ_in_other_things_are_of_one_kind() -> None:
    ada, bob = set_up(["Ada", "Bob"], first=1), set_up(2, edition="999-games")
    assert Kind.of(ada) == Kind.of(bob) != Kind.of(set_up(2, edition="foxgames-2018"))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_there_is_a_table_of_every_kind(kind: Kind) -> None:
    assert Kind.of(table_of(kind)) == kind
    assert len({str(other) for other in KINDS}) == len(KINDS)


# --- plans ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_there_are_plans_for_every_kind_and_all_can_be_carried_out(kind: Kind) -> None:
    for plan in PLANS[kind.schedule]:
        assert len(plan) == kind.schedule.rounds
        assert {sum(choice) for choice in plan} == {kind.schedule.blocks}
        asked = np.sum(plan, axis=0)
        assert (asked <= FULL_STOCK).all()
    assert kind.plans.shape == (len(PLANS[kind.schedule]), kind.schedule.rounds)
    numbered = [[MULTISETS[kind.schedule.blocks][n] for n in plan] for plan in kind.plans.tolist()]
    assert numbered == [list(plan) for plan in PLANS[kind.schedule]]


def test_there_are_plans_for_every_edition() -> None:
    for edition in EDITIONS:
        for players in (2, 3, 4):
            assert PLANS[set_up(players, edition=edition).schedule]
    assert set(PLANS) == {kind.schedule for kind in KINDS}


def test_a_plan_is_written_round_by_round() -> None:
    assert parse_plan("0033/6000") == ((0, 0, 3, 3), (6, 0, 0, 0))


@pytest.mark.parametrize(
    ("wanted", "supply", "chosen"),
    [
        ((0, 0, 3, 3), (11, 6, 4, 3), (0, 0, 3, 3)),
        ((0, 0, 3, 3), (11, 6, 4, 1), (0, 1, 4, 1)),  # a 3 and a 2 for the two 4s
        ((6, 0, 0, 0), (2, 1, 1, 2), (2, 1, 1, 2)),
        ((6, 0, 0, 0), (3, 3, 0, 2), (3, 1, 0, 2)),
        ((1, 0, 1, 2), (4, 0, 0, 0), (4, 0, 0, 0)),
    ],
)
def test_what_the_supply_lacks_is_made_up_from_the_largest(
    wanted: Stock, supply: Stock, chosen: Stock
) -> None:
    assert affordable(wanted, supply) == chosen


# --- a mind -----------------------------------------------------------------------------------


def test_others_may_play_in_any_way_that_was_learned_and_seldom_without_sense() -> None:
    mind = some_mind(THREE, ways=3)
    assert mind.best == 2
    assert mind.pool.tolist() == [CHANCE, GREED, 0, 1, 2]
    assert mind.prior.sum() == pytest.approx(1)
    assert mind.prior[0] < min(mind.prior[1:])
    assert len(set(mind.prior[1:])) == 1


@pytest.mark.parametrize("name", ["mind.npz", "mind"])
def test_what_was_written_is_read_again_with_half_the_precision(name: str, tmp_path: Path) -> None:
    mind, path = some_mind(THREE, ways=2), tmp_path / name
    mind.save(path)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    again = read_mind(THREE, path)
    assert (again.kind, again.best, again.about) == (THREE, 1, mind.about)
    pairs = [(mind.values, again.values), *zip(mind.outlook, again.outlook, strict=True)]
    for before, after in pairs:
        assert after.dtype == np.float32
        assert (after == before.astype(np.float16)).all()
        assert np.abs(after - before).max() < 3e-3
        assert (after != before).any()


def test_a_mind_can_be_written_into_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "mind.npz"
    with path.open("wb") as file:
        some_mind(THREE).save(file)
    assert read_mind(THREE, path).best == 0


# --- files that are something else ------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mind") / "mind.npz"
    some_mind(THREE).save(path)
    return path


def changed(written: Path, path: Path, changes: dict[str, Any]) -> Path:
    """The file with other arrays in it; None takes one away."""
    with np.load(written) as kept:
        arrays = {**kept, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def told(**changes: Any) -> Any:
    about = {"format": "manhattan-mind", "version": 2, "kind": "3-players-4x6", **changes}
    return np.array(json.dumps(about))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"about": told(version=1)}, "not of version 2. Make it anew: manhattan train"),
        ({"about": told(format="something")}, "not of version 2"),
        ({"about": np.array("[]")}, "not of version 2"),
        ({"about": np.array("{")}, "not of version 2"),
        ({"about": None}, "not of version 2"),
        ({"about": told(kind="4-players-6x4")}, "for 4-players-6x4, not for 3-players-4x6"),
        ({"about": np.array('{"format": "manhattan-mind", "version": 2}')}, "for None, not for"),
        ({"about": told()}, "does not tell which way is the best. Make it anew"),
        ({"about": told(best=1)}, "which way is the best"),
        ({"about": told(best=-1)}, "which way is the best"),
        ({"about": told(best="0")}, "which way is the best"),
        ({"values": None}, "other features"),
        ({"values": np.zeros((1, 36, 7), np.float16)}, "other features"),
        ({"values": np.array(1.5)}, "other features"),
        ({"outlook_site": None}, "other features"),
        ({"outlook_site": np.array(["a"])}, "other features"),
        ({"outlook_city": np.zeros((6, 2, 2))}, "other features"),
        ({"outlook_more": np.zeros(1)}, "other features"),
    ],
)
def test_a_file_with_something_else_in_it_is_refused(
    written: Path, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = changed(written, tmp_path / "other.npz", changes)
    with pytest.raises(MindError, match=f"other.npz .*{words}"):
        read_mind(THREE, path)


def test_values_are_numbers_and_there_are_some(written: Path, tmp_path: Path) -> None:
    values = read_mind(THREE, written).values
    for wrong in (values[:0], np.full(values.shape, "a"), values.astype(int)):
        path = changed(written, tmp_path / "other.npz", {"values": wrong})
        with pytest.raises(MindError, match="other features"):
            read_mind(THREE, path)


def test_nothing_in_a_file_is_run(written: Path, tmp_path: Path) -> None:
    """Python can keep things in such files that do something when they are read."""
    wrong = np.array([print], dtype=object)
    path = changed(written, tmp_path / "other.npz", {"values": wrong})
    with pytest.raises(MindError, match="can't be read"):
        read_mind(THREE, path)


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", b"PK\x03\x04 and no more", b"\x80\x04]\x94.", b"\x93NUMPY\x01\x00"],
)
def test_what_is_no_such_file_at_all_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mind.npz"
    path.write_bytes(content)
    with pytest.raises(MindError, match=r"mind.npz can't be read as what `manhattan train` writes"):
        read_mind(THREE, path)


def test_a_single_array_is_refused_and_so_is_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(3))
    for name in ("one.npy", "nowhere.npz", "."):
        with pytest.raises(MindError, match="can't be read"):
            read_mind(THREE, tmp_path / name)


def test_a_damaged_file_is_refused_wherever_it_is_damaged(written: Path, tmp_path: Path) -> None:
    whole, rng = written.read_bytes(), Random(1)
    path, read = tmp_path / "mind.npz", 0
    for _ in range(60):
        damaged = bytearray(whole[: rng.randrange(len(whole))] if rng.random() < 0.3 else whole)
        for _ in range(rng.randint(1, 4)):
            # Mostly in the heads of the arrays and in the list at the end.
            ends = rng.choice([(0, 200), (len(damaged) - 900, len(damaged)), (0, len(damaged))])
            damaged[rng.randrange(max(0, ends[0]), max(1, ends[1])) % len(damaged)] ^= 0xFF
        path.write_bytes(damaged)
        with suppress(MindError):  # it may have been where nothing is kept
            read_mind(THREE, path)
            read += 1
    assert read < 10


# --- what comes with the package --------------------------------------------------------------


def test_for_a_table_that_nothing_was_learned_for_that_is_told() -> None:
    never = Kind(3, Schedule(4, 5, 1))
    with pytest.raises(MindError, match=r"Nothing was learned for 3-players-4x5.*manhattan train"):
        mind_for(never)


def test_what_comes_with_the_package_is_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "minds").mkdir()
    some_mind(THREE).save(tmp_path / "minds" / "3-players-4x6.npz")
    monkeypatch.setattr(minds_of_the_package, "files", lambda package: tmp_path)
    mind_for.cache_clear()
    try:
        assert mind_for(THREE) is mind_for(THREE)
        assert mind_for(THREE).about == {"seed": 0}
    finally:
        mind_for.cache_clear()


def test_files_of_ones_own_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    some_mind(THREE, seed=5).save(tmp_path / "3-players-4x6.npz")
    monkeypatch.setenv("MANHATTAN_MINDS", str(tmp_path))
    mind_for.cache_clear()
    try:
        assert mind_for(THREE).about == {"seed": 5}
        assert "recipe" in mind_for(Kind.of(set_up(4))).about  # there is none for four players
    finally:
        mind_for.cache_clear()


@pytest.mark.parametrize(
    "path",
    sorted((Path(minds_of_the_package.__file__).parent / "minds").glob("*.npz")),
    ids=lambda path: path.stem,
)
def test_every_mind_of_the_package_is_for_a_kind_of_table(path: Path) -> None:
    kinds = {str(kind): kind for kind in KINDS}
    mind = mind_for(kinds[path.stem])
    assert len(mind.values) > 1
    assert {"seed", "recipe", "figures"} <= mind.about.keys()
    assert all(np.isfinite(array).all() for array in (mind.values, *mind.outlook))
    assert mind.about["figures"]["first against greedy"] > 1.3 / mind.kind.players
    assert mind.about["figures"]["best against first"] > 1 / mind.kind.players


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_minds_of_the_package_are_those_that_make_would_make(kind: Kind) -> None:
    made = re.findall(rf"manhattan train .*/{kind}\.npz", (ROOT / "Makefile").read_text("utf-8"))
    assert len(made) == 1
    scale = re.search(r"--scale ([0-9.]+)", made[0])
    about = mind_for(kind).about
    assert about["seed"] == 1
    assert about["recipe"] == asdict(Recipe().scaled(float(scale[1]) if scale else 1.0))
