"""The soak of ``soak.py``: two hundred games of each kind in the ordinary run, ``--soak 1000000``
when there is time. Its own eyes are tested too: whatever is wrong in a diary must be found."""

from __future__ import annotations

from random import Random

import pytest

import soak as soaking
from diary import MOVER, TOWER_HEAD, Diary
from soak import LISTING_EVERY
from tables import KINDS, Kind, group, table_of

ORDINARY = 25 * 200
TAMPERED = 330

GROUPS: dict[str, list[Kind]] = {}
for _kind in KINDS.values():
    GROUPS.setdefault(group(table_of(_kind)), []).append(_kind)
by_group = pytest.mark.parametrize(
    "kinds",
    [pytest.param(kinds, marks=pytest.mark.xdist_group(name)) for name, kinds in GROUPS.items()],
    ids=GROUPS,
)


@by_group
def test_a_soak(kinds: list[Kind], request: pytest.FixtureRequest) -> None:
    games = (request.config.getoption("--soak") or ORDINARY) * len(kinds) // len(KINDS)
    tally = soaking.soak_all(kinds, seed=1, games=games)
    assert tally.disagreement is None, str(tally.disagreement)
    assert tally.total("games") == games
    assert tally.total("redraws") > tally.total("removals") > 0
    assert str(tally).endswith("disagreements: 0")


@by_group
def test_the_soak_finds_any_number_that_is_wrong(kinds: list[Kind]) -> None:
    """Every column of the diary is looked at, from whose turn it is to the last played card."""
    rng = Random(1)
    kind = next(kind for kind in kinds if kind.crowded)
    for n in range(TAMPERED):
        diary = soaking.diary_of(kind, 1, n % 10 * LISTING_EVERY)
        assert soaking.difference(kind, diary, 1) is None
        tamper(diary, n, rng)
        assert soaking.difference(kind, diary, 1) is not None, f"{kind.name} {n}"


def tamper(diary: Diary, n: int, rng: Random) -> None:
    """Change one number: of a line, of a tower, or of a legal move."""
    lines, numbers, towers, _ = diary.pages()
    if n % 3 == 0:  # column by column; the first line is what the kernel starts from
        line, column = rng.randrange(1, len(lines)), MOVER + n // 3 % (lines.shape[1] - MOVER)
        lines[line, column] += 1 if lines[line, column] < 9 else -1  # there is no card 10
    elif n % 3 == 1:  # not the smallest block: 5 and 6 floors are alike, nobody has any
        column = rng.randrange(1, TOWER_HEAD + len(diary.end.table.setup.colours))
        towers[rng.randrange(len(towers)), column] += 1
    else:
        diary.numbers[rng.randrange(len(numbers))] ^= 1


def test_games_are_shared_out_evenly() -> None:
    kinds = list(KINDS.values())[:3]
    chunks = soaking.chunks_of(kinds, 1000)
    assert [sum(len(r) for kind, r in chunks if kind is k) for k in kinds] == [334, 333, 333]
    assert len({(kind.name, number) for kind, r in chunks for number in r}) == 1000


def test_a_game_can_be_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    kind = KINDS["hig-2017,4"]
    assert soaking.show(kind, 1, 3) is None
    assert "game 3 of seed 1: no disagreement" in capsys.readouterr().err
