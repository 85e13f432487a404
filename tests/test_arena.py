"""The arena: fair seats, the same games again, and figures that say how sure they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from subprocess import PIPE
from typing import Any

import pytest

from commandline import manhattan
from manhattan.arena import ArenaError, Match, Outcome, Seating, play, spreading, standings
from manhattan.arena.playing import play_deal
from manhattan.arena.spreading import Journal, play_all, play_all_with_ray
from manhattan.arena.standings import interval
from manhattan.bots import BOTS, OWN_PACE, Bot, Budget, Level, NoSuchBot
from manhattan.rules import Move, parse_move
from manhattan.view import View

RANDOM = Match(("random",) * 4, games=8, seed=3)


def timeless(outcomes: list[Outcome]) -> list[Outcome]:
    return [replace(outcome, seconds=()) for outcome in outcomes]


# --- who sits where ---------------------------------------------------------------------------


def test_every_deal_is_played_from_every_seat() -> None:
    match = Match(("greedy", "random", "random", "random"), games=16)
    for deal in range(match.deals):
        games = list(match.seatings(deal))
        assert [game.rotation for game in games] == [0, 1, 2, 3]
        assert sorted(game.seats.index(0) for game in games) == [0, 1, 2, 3]
        assert {game.first for game in games} == {deal % 4}


def test_everybody_starts_as_often_and_neighbours_change() -> None:
    match = Match(("greedy",) * 4, games=160)
    deals = [next(match.seatings(deal)) for deal in range(match.deals)]
    assert sorted(game.first for game in deals) == sorted([0, 1, 2, 3] * 10)
    assert len({game.seats for game in deals}) > 10


def test_more_bots_than_seats_take_turns() -> None:
    match = Match(("random",) * 5, games=20, players=2)
    tables = [frozenset(next(match.seatings(deal)).seats) for deal in range(30)]
    for cycle in range(3):
        assert len(set(tables[10 * cycle : 10 * cycle + 10])) == 10
    assert len({tuple(tables[:10]), tuple(tables[10:20]), tuple(tables[20:])}) == 3


def test_games_are_rounded_up_to_whole_deals() -> None:
    assert [Match(("random",) * 3, games, players=3).deals for games in (1, 3, 4)] == [1, 1, 2]


def test_games_of_a_deal_have_the_same_cards() -> None:
    match = Match(("random",) * 4, games=8)
    assert match.cards(0) == match.cards(0) != match.cards(1)
    assert match.cards(0) != replace(match, seed=1).cards(0)


@pytest.mark.parametrize(
    ("bots", "games", "players", "words"),
    [
        (("random",) * 3, 4, 4, "4 players need 4 bots"),
        (("random",) * 4, 0, 4, "at least one game"),
    ],
)
def test_matches_that_cannot_be_played(
    bots: tuple[str, ...], games: int, players: int, words: str
) -> None:
    with pytest.raises(ArenaError, match=words):
        Match(bots, games, players)


def test_an_unknown_bot_is_told() -> None:
    with pytest.raises(NoSuchBot, match="'deepblue'"):
        Match(("deepblue",) * 4, 4)


# --- playing ----------------------------------------------------------------------------------


def test_the_same_seed_plays_the_same_games() -> None:
    once, again = play_deal(RANDOM, 1), play_deal(RANDOM, 1)
    assert timeless(once) == timeless(again) != timeless(play_deal(replace(RANDOM, seed=4), 1))


def test_any_number_of_processes_plays_the_same_games() -> None:
    alone = [timeless(deal) for deal in play_all(RANDOM, range(RANDOM.deals), workers=1)]
    two = [timeless(deal) for deal in play_all(RANDOM, range(RANDOM.deals), workers=2)]
    assert alone == two


def test_a_ray_cluster_plays_the_same_games() -> None:
    alone = [timeless(deal) for deal in play_all(RANDOM, range(RANDOM.deals), workers=1)]
    spread = [timeless(d) for d in play_all_with_ray(RANDOM, range(RANDOM.deals), "local")]
    assert alone == spread


@pytest.mark.parametrize(
    ("missing", "asked"), [("ray", ["--ray", "local"]), ("matplotlib.figure", ["--plot", "a.png"])]
)
def test_what_is_not_installed_is_named(
    missing: str, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    done = manhattan("arena", "--bots", "random,random", "--games", "2", "--workers", "1", *asked)
    assert done.code != 0
    assert "pip install '.[" in done.sentence


def test_an_outcome_is_of_a_whole_game() -> None:
    outcome = play(RANDOM, next(RANDOM.seatings(0)))
    assert outcome.moves == (28,) * 4
    assert min(outcome.seconds) > 0
    assert sum(outcome.share(seat) for seat in range(4)) == pytest.approx(1)


def stumble(view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move:
    raise RuntimeError("no idea")


def cheat(view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move:
    return parse_move("A1+4")


def forget(view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Any:
    pass  # and return nothing


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (stumble, r"failed in {}: RuntimeError: no idea"),
        (cheat, r"made an illegal move in {}: A1\+4: Blocks for round 1 are chosen first"),
        (forget, r"returned no move in {}: None is not a move\. Play one of the legal moves\."),
    ],
)
def test_a_bot_that_fails_is_named(wrong: Bot, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.bots.BOTS", {**BOTS, "stumbler": wrong})
    match = Match(("random", "random", "stumbler"), 3, players=3)
    where = r"deal 0, rotation 0, ply \d"
    with pytest.raises(ArenaError, match=f"stumbler {words.format(where)}"):
        play_deal(match, 0)


def test_a_level_has_its_trials_however_long_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine the same games are played as on a fast one."""
    spent: set[tuple[int | None, float | None]] = set()

    def spend(view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move:
        spent.add((budget.trials, budget.seconds))
        return rng.choice(view.legal_moves())

    level = Level("Slow", "Takes its time.", spend, Budget(trials=7, seconds=0.001))
    monkeypatch.setattr("manhattan.bots.BOTS", {**BOTS, "slow": level})
    play_deal(Match(("slow", "random"), 2, players=2), 0)
    assert spent == {(7, None)}


# --- the journal ------------------------------------------------------------------------------


def test_a_match_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    journal = Journal(path, RANDOM)
    assert journal.read() == []
    deals = list(play_all(RANDOM, range(2), workers=1))
    for deal in deals:
        journal.add(deal)
    whole = path.read_text("utf-8")
    path.write_text(whole + '[{"seating": {"deal": 2, "ro', "utf-8")  # torn
    assert Journal(path, replace(RANDOM, games=100)).read() == deals
    assert path.read_text("utf-8") == whole
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.touch()
    assert Journal(path, RANDOM).read() == []
    Journal(path, RANDOM).add(play_deal(RANDOM, 0))
    assert len(Journal(path, RANDOM).read()) == 1


def test_games_of_other_versions_of_the_bots_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.jsonl"
    Journal(path, RANDOM).read()
    monkeypatch.setattr(spreading, "code", lambda match: "another")
    with pytest.raises(ArenaError, match="begun by other versions of these bots"):
        Journal(path, RANDOM).read()


def test_a_damaged_journal_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    Journal(path, RANDOM).read()
    for damage in ("nonsense\n", "[1]\n", '[{"seating": 3}]\n', "{}\n[[]]\n"):
        text = path.read_text("utf-8").splitlines(keepends=True)[0] + damage
        path.write_text(text, "utf-8")
        with pytest.raises(ArenaError, match="is damaged"):
            Journal(path, RANDOM).read()
        assert path.read_text("utf-8") == text
    for nowhere in (tmp_path, tmp_path / "no" / "where.jsonl"):
        with pytest.raises(ArenaError, match="can't be used"):
            Journal(nowhere, RANDOM).read()


@pytest.mark.parametrize("text", ["{}\n", '{"manhattan": "arena", "seed": 9}\n', "nonsense"])
def test_another_match_s_journal_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(ArenaError, match="not the journal of this match"):
        Journal(path, RANDOM).read()
    assert path.read_text("utf-8") == text


# --- figures ----------------------------------------------------------------------------------


def outcome(deal: int, seats: tuple[int, ...], winners: tuple[int, ...]) -> Outcome:
    """A made-up game: winners have 50 points, the others 40; everybody thinks a millisecond."""
    scores = tuple(50 if seat in winners else 40 for seat in range(len(seats)))
    count = len(seats)
    return Outcome(Seating(deal, 0, seats, 0), scores, winners, (10,) * count, (0.01,) * count)


def test_a_shared_win_counts_in_parts_and_copies_by_their_mean() -> None:
    match = Match(("greedy", "random", "random"), 2, players=3)
    games = [outcome(0, (0, 1, 2), (0,)), outcome(1, (1, 2, 0), (0, 2))]
    best, other = standings(match, games)
    assert (best.name, best.win_share) == ("greedy", 0.75)
    assert (other.name, other.win_share) == ("random", 0.125)
    assert (best.mean_score, other.mean_score) == (50, 42.5)
    assert best.ms_per_move == pytest.approx(1)
    assert best.rating > 25 > other.rating


def test_a_bot_that_has_not_played_yet_has_no_figures() -> None:
    match = Match(("greedy", "random", "greedy-any-blocks"), 2, players=2)
    *_, last = standings(match, [outcome(0, (0, 1), (0,))])
    assert (last.games, last.low, last.high) == (0, 0, 1)


def test_deals_count_not_games() -> None:
    """Four games of one deal say no more than the deal does."""
    match = Match(("greedy", "random"), 8, players=2)
    rng = Random(1)
    wins = [rng.random() < 0.7 for _ in range(100)]
    single = [outcome(deal, (0, 1), (0,) if won else (1,)) for deal, won in enumerate(wins)]
    fourfold = [game for game in single for _ in range(4)]
    assert standings(match, single)[0].low == pytest.approx(standings(match, fourfold)[0].low)


def test_nobody_is_taken_for_invincible() -> None:
    low, high = interval([1.0] * 50)
    assert 0.9 < low < 0.95
    assert high == 1
    assert interval([0.0] * 50) == pytest.approx((1 - high, 1 - low))
    assert interval([0.5]) == pytest.approx((0.05, 0.95), abs=0.01)


def test_a_share_lies_in_its_own_interval() -> None:
    """Also when it is reckoned with rounding errors."""
    for deals in range(1, 600):
        for share in (0.0, 0.25, 1 / 3, 1.0):
            low, high = interval([share] * deals)
            assert 0 <= low <= share <= high <= 1


def test_a_rating_does_not_depend_on_the_order_of_the_games() -> None:
    match = Match(("greedy", "random"), 80, players=2)
    rng = Random(4)
    games = [outcome(n, (0, 1), (0,) if rng.random() < 0.7 else (1,)) for n in range(80)]
    ratings = []
    for _ in range(4):
        rng.shuffle(games)
        ratings.append(standings(match, games)[0].rating)
    assert len(set(ratings)) == 1


def test_intervals_hold_what_they_promise() -> None:
    """Of many matches between equals about 95 in 100 have a quarter within the interval."""
    rng = Random(2)
    held = 0
    for _ in range(1000):
        deals = [sum(rng.random() < 0.25 for _ in range(4)) / 4 for _ in range(40)]
        low, high = interval(deals)
        held += low <= 0.25 <= high
    assert 925 <= held <= 975


# --- the command ------------------------------------------------------------------------------


def test_the_command_tells_and_writes(tmp_path: Path) -> None:
    out, picture, journal = tmp_path / "a.json", tmp_path / "a.png", tmp_path / "a.jsonl"
    command = ["arena", "--bots", "greedy,random,random,random", "--seed", "5"]
    files = ["--json", str(out), "--plot", str(picture), "--journal", str(journal)]
    first = manhattan(*command, "--games", "4", "--workers", "1", *files)
    assert first.code == 0, first.err
    assert "greedy" in first.out
    assert "25 % would be a fair share" in first.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(journal.read_text("utf-8").splitlines()) == 2
    again = manhattan(*command, "--games", "8", "--workers", "1", *files)
    assert again.code == 0, again.err
    fewer = manhattan(*command, "--games", "4", "--workers", "1", "--journal", str(journal))
    assert fewer.code == 0, fewer.err
    assert len(journal.read_text("utf-8").splitlines()) == 3  # nothing was thrown away
    told = json.loads(out.read_text("utf-8"))
    assert told["games"] == 8
    fields = {"name", "win_share", "low", "high", "mean_score", "rating", "ms_per_move"}
    assert [bot["name"] for bot in told["bots"]] == ["greedy", "random"]
    assert all(fields <= bot.keys() for bot in told["bots"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bots", "greedy,deepblue"], "There is no bot 'deepblue'"),
        (["--bots", "greedy", "--players", "3"], "3 players need 3 bots"),
        (["--bots", "random,random", "--house-rule", "nonsense=1"], "nonsense"),
        (["--bots", "random,random", "--players", "0"], "2 to 4 players"),
        (["--bots", "random,random", "--json", "no/where.json"], "There is no folder no"),
        (["--bots", "random,random", "--plot", "no/where.png"], "There is no folder no"),
        (["--bots", "random,random", "--json", "."], "is a folder"),
    ],
)
def test_bad_requests_are_told(arguments: list[str], words: str) -> None:
    done = manhattan("arena", *arguments, "--games", "2")
    assert done.code != 0
    assert words in done.sentence
    assert "Traceback" not in done.err


def test_broken_off_it_tells_what_was_played_and_how_to_go_on(tmp_path: Path) -> None:
    journal = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "manhattan", "arena", "--bots", "easy,easy", "--workers", "1"]
    command += ["--games", "100000", "--journal", str(journal)]
    # Not measured: an interrupt that comes while coverage takes its lock leaves it taken for ever.
    env = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=env) as going:
        try:
            while not journal.exists() or len(journal.read_text("utf-8").splitlines()) < 3:
                assert going.poll() is None
                time.sleep(0.05)
            going.send_signal(signal.SIGINT)
            out, err = going.communicate(timeout=60)
        finally:
            going.kill()
    assert going.returncode == 130
    assert "easy" in out
    assert "The same command goes on from here." in " ".join(err.split())
    assert "Traceback" not in err
