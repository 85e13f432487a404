"""The kernel from the outside: numbering, positions, playouts, batches, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import positions
from chances import chi_square
from manhattan import Game, view
from manhattan.bots.greedy import worths
from manhattan.cli.bench import kernel
from manhattan.kernel import GAME, Batch, KernelError, Numbering, Position, playouts, speed
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.playouts import parts_of
from manhattan.kernel.speed import yardstick
from manhattan.rules import Build, Colour, NotationError, Phase, parse_move, set_up

FOUR = pytest.mark.xdist_group("4-1")
TWO = pytest.mark.xdist_group("2-2")


def so_many(compiled: int, uncompiled: int) -> int:
    """Uncompiled, a game takes some thousand times as long: then fewer have to do."""
    return compiled if COMPILED else uncompiled


def middle(players: int = 4, plies: int = 60) -> Game:
    """A game in the middle, by fixed choices."""
    game = Game.new(players, seed=bytes(32))
    for ply in range(plies):
        moves = game.legal_moves()
        game.play(moves[ply * 7919 % len(moves)])
    return game


# --- the numbering ----------------------------------------------------------------------------


@pytest.mark.parametrize(("numbering", "size"), [((1, 6), 304), ((1, 4), 255), ((2, 4), 1665)])
def test_every_number_is_a_move_and_back(numbering: tuple[int, int], size: int) -> None:
    own = (Colour.ORANGE, Colour.BLUE)[: numbering[0]]
    numbers = Numbering(*numbering)
    assert numbers.size == size
    moves = [numbers.move(number, own) for number in range(size)]
    assert [numbers.number(move, own) for move in moves] == list(range(size))
    assert len(set(map(str, moves))) == size


@pytest.mark.parametrize(
    ("text", "number"),
    [("A1+1", 0), ("A1+4", 3), ("F9+4", 215), ("-1", 216), ("[111111]", 220), ("[444444]", 303)],
)
def test_the_documented_numbers(text: str, number: int) -> None:
    assert Numbering(1, 6).number(parse_move(text), (Colour.ORANGE,)) == number


@pytest.mark.parametrize("number", [-1, 304])
def test_there_are_no_other_numbers(number: int) -> None:
    with pytest.raises(NotationError, match="0 to 303"):
        Numbering(1, 6).move(number, (Colour.ORANGE,))


# --- positions --------------------------------------------------------------------------------


@FOUR
def test_a_sampled_position_is_as_its_player_sees_it() -> None:
    """Whatever is dealt behind his back, his view stays, and all 45 cards are there."""
    game = middle()
    seen = view(game.state, game.table.mover)
    hands = set()
    for seed in range(30):
        position = Position.of_view(seen, seed)
        state = position.state()
        assert view(state, seen.player) == seen
        cards = Counter([c for hand in state.hands for c in hand])
        assert cards + Counter(state.pile) + Counter(state.table.played) == Counter(
            dict.fromkeys(range(1, 10), 5)
        )
        hands.add(state.hands)
    assert len(hands) > 20


@FOUR
def test_an_onlooker_s_position_deals_every_hand() -> None:
    game = middle()
    seen = view(game.state, None)
    dealt = {Position.of_view(seen, seed).state().hands[game.table.mover] for seed in range(20)}
    assert len(dealt) > 5


@FOUR
def test_a_copy_is_a_position_of_its_own() -> None:
    position = Position.of_state(middle().state)
    before, copied = position.state(), position.copy()
    copied.act(copied.legal_actions()[0])
    assert position.state() == before != copied.state()


@FOUR
@pytest.mark.parametrize("action", [-1, 304, 10**6, 219, 303, True, 1.5, "1"])
def test_an_illegal_action_changes_nothing(action: Any) -> None:
    position = Position.of_state(middle().state)
    before = position.state()
    with pytest.raises(KernelError):
        position.act(action)
    assert position.state() == before


@pytest.mark.parametrize(
    "data", [np.zeros(1), np.zeros(2, GAME), np.zeros((1, 1), GAME), None, b""]
)
def test_a_position_is_one_record(data: Any) -> None:
    with pytest.raises(KernelError, match="one record"):
        Position(set_up(4), data)


# --- playouts ---------------------------------------------------------------------------------


@FOUR
@pytest.mark.parametrize("policy", ["uniform", "greedy"])
def test_playouts_depend_on_the_seed_alone(policy: Any) -> None:
    position = Position.of_state(middle().state)
    games = so_many(600, 3)
    one = playouts(position, games, 7, policy, threads=1)
    three = playouts(position, games, 7, policy, threads=3)
    some = playouts(position, games // 3, 7, policy, threads=2)
    for name in ("scores", "winners", "first"):
        assert (getattr(one, name) == getattr(three, name)).all()
        assert (getattr(one, name)[: games // 3] == getattr(some, name)).all()
    assert (playouts(position, games, 8, policy).scores != one.scores).any()


@pytest.mark.parametrize("games", [1, 2, 5, 31, 32, 33, 1000, 50_000])
@pytest.mark.parametrize("threads", [2, 3, 64])
@pytest.mark.parametrize("abreast", [1, 32])
def test_the_parts_of_the_work_are_all_of_it(games: int, threads: int, abreast: int) -> None:
    parts = list(parts_of(games, threads, abreast))
    ends = [end for _, end in parts]
    assert [begin for begin, _ in parts] == [0, *ends[:-1]]
    assert ends[-1] == games
    assert all(end % abreast == 0 for end in ends[:-1])
    assert all(begin < end for begin, end in parts)
    if threads * abreast < games // 100:  # nobody waits long for the last part
        assert parts[-1][1] - parts[-1][0] <= games // 30


@FOUR
def test_playouts_tell_what_came_of_each_first_move() -> None:
    game = middle(plies=so_many(60, 108))  # uncompiled, one that is soon over
    position = Position.of_state(game.state)
    games = so_many(2000, 200)
    result = playouts(position, games, 1)
    by_move = result.by_first_move()
    assert set(by_move) == set(position.legal_actions())
    assert sum(count for count, _ in by_move.values()) == games
    assert np.allclose(result.win_shares.sum(axis=1), 1)
    assert position.state() == game.state


@pytest.mark.compiled
@pytest.mark.parametrize("edition", ["hig-2017", "999-games"])
@pytest.mark.parametrize("players", [pytest.param(4, marks=FOUR), pytest.param(2, marks=TWO)])
def test_greedy_players_make_the_best_placements_and_no_others(players: int, edition: str) -> None:
    """Best as the readable bot reckons it on the rules' own board; all ties come up."""
    game = Game.new(players, edition=edition, seed=bytes(32))
    compared = 0
    for ply in range(70):
        moves = game.legal_moves()
        builds = [move for move in moves if isinstance(move, Build)]
        if builds and ply % 3 == 0:
            position = Position.of_state(game.state)
            found = worths(game.table, game.state.hand)
            most = max(worth for _, worth in found)
            best = {position.action(build) for build, worth in found if worth == most}
            made = playouts(position, 40 * len(best), ply, "greedy", threads=1).first
            assert set(made.tolist()) == best
            compared += 1
        game.play(moves[ply * 7919 % len(moves)])
    assert compared > 15


@FOUR
def test_whoever_is_stuck_takes_out_a_block_of_any_size_alike() -> None:
    blocks = {colour.value: [1, 1, 1, 3, 4] for colour in set_up(4).colours}
    stuck = positions.position("A5:b3", tableaus=blocks, phase=Phase.REMOVE, round=4)
    first = playouts(Position.of_state(stuck), so_many(3_000, 45), 5).first
    assert set(first.tolist()) == {216, 218, 219}
    assert abs(chi_square(np.unique_counts(first).counts)) < 5


@FOUR
def test_bad_playouts_are_refused() -> None:
    position = Position.of_state(middle().state)
    wrong: list[dict[str, Any]] = [
        {"games": 0},
        {"games": -5},
        {"games": 1, "threads": 0},
        {"games": 1, "policy": "best"},
    ]
    for bad in wrong:
        with pytest.raises(KernelError):
            playouts(position, **bad)


# --- chance -----------------------------------------------------------------------------------


@FOUR
@pytest.mark.compiled
def test_no_move_is_favoured() -> None:
    position = Position.of_state(middle().state)
    first = playouts(position, 200_000, 3).first
    assert abs(chi_square([(first == a).sum() for a in position.legal_actions()])) < 5


@FOUR
@pytest.mark.compiled
def test_no_card_seat_or_choice_of_blocks_is_favoured() -> None:
    batch = Batch(set_up(4), 20_000, seed=5)
    copies = np.array([[g.copies[p] for p in range(4)] for g in batch.games], np.uint64)
    for player in range(4):
        names = batch.games[0].names[player]
        held = [((copies[:, player] >> np.uint64(4 * n)) & np.uint64(15)).sum() for n in names]
        assert abs(chi_square(held)) < 5
    assert set(Counter(batch.movers.tolist()).values()) == {5_000}
    chosen = Counter(batch.random_actions().tolist())
    legal = np.flatnonzero(batch.masks()[0]).tolist()
    assert set(chosen) == set(legal)
    assert abs(chi_square([chosen[action] for action in legal])) < 5


# --- batches ----------------------------------------------------------------------------------


@TWO
def test_a_batch_plays_game_after_game() -> None:
    games = so_many(16, 2)
    batch = Batch(set_up(2), games, seed=1)
    points = np.zeros((games, 2), int)
    ends = 0
    for _ in range(so_many(400, 140)):
        masks = batch.masks()
        actions = batch.random_actions()
        assert masks[np.arange(games), actions].all()
        batch.step(actions)
        points += batch.gained
        for i in np.flatnonzero(batch.ended):
            ends += 1
            best = batch.results[i].max()
            for player in range(2):
                if int(batch.ended[i]) >> player & 1:
                    assert batch.results[i, player] == best
    assert ends >= games * so_many(3, 1)


@TWO
def test_one_illegal_action_stops_the_whole_step() -> None:
    batch = Batch(set_up(2), 8, seed=1)
    actions = batch.random_actions()
    actions[5] = 0
    before = batch.games.copy()
    with pytest.raises(KernelError, match="Action 0 is illegal in game 5"):
        batch.step(actions)
    assert (batch.games == before).all()
    for wrong in (actions[:7], actions.astype(float), actions.reshape(2, 4)):
        with pytest.raises(KernelError, match="8 whole numbers"):
            batch.step(wrong)


@pytest.mark.parametrize("count", [0, -3])
def test_a_batch_has_games(count: int) -> None:
    with pytest.raises(KernelError, match="at least one game"):
        Batch(set_up(4), count)


def test_a_game_in_a_batch_is_small() -> None:
    assert GAME.itemsize < 2000


# --- the bench --------------------------------------------------------------------------------


@FOUR
@pytest.mark.compiled
def test_the_bench_measures_and_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not how fast: only that it works, with a yardstick that claims a game a second."""
    monkeypatch.setattr(speed, "RUNS", 1)
    program = tmp_path / "yardstick"
    program.write_text("#!/bin/sh\necho games_per_s=1.0 for $1 players\n", "utf-8")
    program.chmod(0o755)
    out = tmp_path / "figures.json"
    kernel(players=[4], games=so_many(100, 1), json_file=out, yardstick=program)
    figures = json.loads(out.read_text("utf-8"))
    assert figures["random_single"]["4"] == figures["random_single_ratio"]["4"] > 1
    assert figures["greedy_single"]["4"] > 1
    assert "random_single_ratio" in capsys.readouterr().out


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\necho nothing\n", "#!/bin/sh\nexit 3\n", "no program"]
)
def test_a_yardstick_that_measures_nothing_is_told(script: str, tmp_path: Path) -> None:
    program = tmp_path / "yardstick"
    program.write_text(script, "utf-8")
    program.chmod(0o755)
    with pytest.raises(KernelError, match="yardstick"):
        yardstick(program, 4, 100)
