"""The soak test of ``soak.py``: two hundred games of each kind by default, ``--soak 1000000`` when
there is time. The comparison is tested as well: it must find any wrong number in a trace."""

from __future__ import annotations

from random import Random

import pytest

from support import soak
from support.game_trace import MOVER, TOWER_HEAD, GameTrace
from support.lockstep_tables import KINDS, Kind, group, setup_of
from support.soak import LISTING_EVERY

DEFAULT_GAMES = 25 * 200
TAMPERED_TRACES = 330

GROUPS: dict[str, list[Kind]] = {}
for _kind in KINDS.values():
    GROUPS.setdefault(group(setup_of(_kind)), []).append(_kind)
by_group = pytest.mark.parametrize(
    "kinds",
    [pytest.param(kinds, marks=pytest.mark.xdist_group(name)) for name, kinds in GROUPS.items()],
    ids=GROUPS,
)


@by_group
def test_the_soak(kinds: list[Kind], request: pytest.FixtureRequest) -> None:
    games = (request.config.getoption("--soak") or DEFAULT_GAMES) * len(kinds) // len(KINDS)
    tally = soak.soak_all(kinds, seed=1, games=games)
    assert tally.disagreement is None, str(tally.disagreement)
    assert tally.total("games") == games
    assert tally.total("redraws") > tally.total("removals") > 0
    assert str(tally).endswith("disagreements: 0")


@by_group
def test_the_soak_finds_any_wrong_number(kinds: list[Kind]) -> None:
    """Every column of a trace is compared, from the mover to the last played card."""
    rng = Random(1)
    kind = next(kind for kind in kinds if kind.crowded)
    for n in range(TAMPERED_TRACES):
        trace = soak.trace_of(kind, 1, n % 10 * LISTING_EVERY)
        assert soak.difference(kind, trace, 1) is None
        tamper(trace, n, rng)
        assert soak.difference(kind, trace, 1) is not None, f"{kind.name} {n}"


def tamper(trace: GameTrace, n: int, rng: Random) -> None:
    """Change one number: of a line, of a tower, or of a legal action."""
    lines, actions, towers, _ = trace.arrays()
    if n % 3 == 0:  # column by column; the kernel starts from the first line
        line, column = rng.randrange(1, len(lines)), MOVER + n // 3 % (lines.shape[1] - MOVER)
        lines[line, column] += 1 if lines[line, column] < 9 else -1  # there is no card 10
    elif n % 3 == 1:  # not the smallest block: 5 and 6 floors are equivalent, there are none
        column = rng.randrange(1, TOWER_HEAD + len(trace.end.public.setup.colours))
        towers[rng.randrange(len(towers)), column] += 1
    else:
        trace.actions[rng.randrange(len(actions))] ^= 1


def test_games_are_split_evenly() -> None:
    kinds = list(KINDS.values())[:3]
    chunks = soak.chunks_of(kinds, 1000)
    assert [sum(len(r) for kind, r in chunks if kind is k) for k in kinds] == [334, 333, 333]
    assert len({(kind.name, number) for kind, r in chunks for number in r}) == 1000


def test_a_game_can_be_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    kind = KINDS["hig-2017,4"]
    assert soak.show(kind, 1, 3) is None
    assert "game 3 of seed 1: no disagreement" in capsys.readouterr().err
