"""Compiling ahead what a bot needs to think."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.judgement import reading, rehearsal, thinking
from manhattan.judgement.rehearsal import PARTS, rehearse_if_need_be, rehearse_thinking
from manhattan.kernel.rehearsal import table_for
from manhattan.rules import Setup, set_up
from minds import some_mind

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


@pytest.mark.parametrize(("players", "colours"), [(3, 1), (2, 2)])
def test_a_move_is_thought_over_once_with_all_that_belongs_to_it(
    players: int, colours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something was built before, so the others are read as well."""
    monkeypatch.setattr(thinking, "mind_for", some_mind)
    monkeypatch.setattr(thinking, "MOST", 1)
    monkeypatch.setattr(reading, "SAMPLES", 1)
    done: list[str] = []

    def watch(name: str) -> None:
        usual = getattr(thinking, name)

        def watched(*given: Any) -> None:
            done.append(name)
            usual(*given)

        monkeypatch.setattr(thinking, name, watched)

    for name in ("weigh_placements", "read_styles_once", "try_moves"):
        watch(name)
    rehearse_thinking(table_for(players, colours))
    assert set(done) == {"weigh_placements", "read_styles_once", "try_moves"}


@pytest.mark.parametrize("compiled", [(), ("values",), PARTS])
def test_what_was_compiled_before_is_not_rehearsed_again(
    compiled: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsed: list[Setup] = []
    monkeypatch.setattr(rehearsal, "is_compiled", lambda setup, part, cache: part in compiled)
    monkeypatch.setattr(rehearsal, "rehearse_thinking", rehearsed.append)
    table = set_up(3)
    rehearse_if_need_be(table)
    assert rehearsed == ([] if compiled == PARTS else [table])
