"""The journal of a match: interrupted, damaged, and of other matches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from manhattan.arena import ArenaError, Match
from manhattan.arena import journal as journal_module
from manhattan.arena.distributed import play_deals
from manhattan.arena.journal import Journal
from manhattan.arena.runner import play_deal

RANDOM = Match(("random",) * 4, games=8, seed=3)


def test_an_interrupted_match_continues_from_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    journal = Journal(path, RANDOM)
    assert journal.read() == []
    deals = list(play_deals(RANDOM, range(2), workers=1))
    for deal in deals:
        journal.add(deal)
    complete = path.read_text("utf-8")
    path.write_text(complete + '[{"seating": {"deal": 2, "ro', "utf-8")  # incomplete
    assert Journal(path, replace(RANDOM, games=100)).read() == deals
    assert path.read_text("utf-8") == complete
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_empty_file_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.touch()
    assert Journal(path, RANDOM).read() == []
    Journal(path, RANDOM).add(play_deal(RANDOM, 0))
    assert len(Journal(path, RANDOM).read()) == 1


def test_the_journal_of_other_versions_of_the_bots_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.jsonl"
    Journal(path, RANDOM).read()
    monkeypatch.setattr(journal_module, "code_digest", lambda match: "another")
    with pytest.raises(ArenaError, match="games of other versions of these bots"):
        Journal(path, RANDOM).read()


def test_a_damaged_journal_is_rejected_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    Journal(path, RANDOM).read()
    for damage in ("nonsense\n", "[1]\n", '[{"seating": 3}]\n', "{}\n[[]]\n"):
        text = path.read_text("utf-8").splitlines(keepends=True)[0] + damage
        path.write_text(text, "utf-8")
        with pytest.raises(ArenaError, match="is damaged"):
            Journal(path, RANDOM).read()
        assert path.read_text("utf-8") == text
    for unusable in (tmp_path, tmp_path / "no" / "where.jsonl"):
        with pytest.raises(ArenaError, match="can't be used"):
            Journal(unusable, RANDOM).read()


@pytest.mark.parametrize("text", ["{}\n", '{"manhattan": "arena", "seed": 9}\n', "nonsense"])
def test_the_journal_of_another_match_is_rejected_and_unchanged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(ArenaError, match="not the journal of this match"):
        Journal(path, RANDOM).read()
    assert path.read_text("utf-8") == text
