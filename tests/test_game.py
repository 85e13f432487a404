"""A game with its history, and its checks of arguments."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from manhattan import Game, NotationError, Reason, SetupError, record
from manhattan.game import NoSuchPly
from manhattan.replay import replay
from manhattan.rules import Build, Card, Move, Remove, Site, parse_move, set_up
from manhattan.view import View, view


def test_random_shuffles_are_repeated_after_an_undo() -> None:
    """A source that is not a function of its arguments still makes a consistent record."""
    rng = Random(1)

    def random_order(_number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(rng.sample(cards, len(cards)))

    game = Game(set_up(4), random_order)
    for _ in range(60):
        game.play(rng.choice(game.legal_moves()))
    assert game.deck == game.deck
    assert replay(record.parse(record.to_line(record.to_json(game)))).state == game.state
    state, moves = game.state, game.moves
    game.undo(50)
    for move in moves[10:]:
        game.play(move)
    assert game.state == state


def test_copies_of_a_game_are_independent() -> None:
    rng = Random(2)
    games: list[tuple[Game, list[Move]]] = [(Game.new(3, seed=bytes(32)), [])]
    for _ in range(150):
        game, moves = rng.choice(games[-5:] + games[:3])
        match rng.choice(("after", "at", "play", "undo")):
            case "after":
                move = rng.choice(game.legal_moves())
                games.append((game.after(move), [*moves, move]))
            case "at":
                ply = rng.randint(0, len(moves))
                games.append((game.at(ply), moves[:ply]))
            case "play":
                moves.append(rng.choice(game.legal_moves()))
                game.play(moves[-1])
            case "undo" if moves:
                moves.pop()
                game.undo()
    for game, moves in games:
        expected = Game.from_seed(game.setup, bytes(32), moves)
        assert (game.ply, game.moves) == (len(moves), tuple(moves))
        assert (game.state, game.steps, game.events) == (
            expected.state,
            expected.steps,
            expected.events,
        )
        assert game.last_events == expected.last_events
        assert game.last_move == (moves[-1] if moves else None)
        assert [game.state_at(ply) for ply in range(game.ply + 1)] == [
            expected.state_at(ply) for ply in range(expected.ply + 1)
        ]


def test_the_repr_of_a_game_names_its_house_rules() -> None:
    game = Game.new(2, house_rules={"tallest_tie": "one_owner"})
    assert "(hig-2017, tallest_tie=one_owner)" in repr(game)


def test_a_spectator_can_not_move() -> None:
    spectator = view(Game.new(["Ada", "Bob"]).state, None)
    refusal = spectator.why_not(parse_move("[1234|1234]"))
    assert refusal is not None
    assert refusal.reason is Reason.NOT_PLAYING
    assert str(refusal) == "You are watching; it is Ada's turn."


@pytest.mark.parametrize("player", [-1, 4, "1", 1.0, True])
def test_an_unknown_player_is_rejected(player: Any) -> None:
    game = Game.new(4)
    with pytest.raises(SetupError, match="There is no player"):
        view(game.state, player)
    if player is not True:  # which equals player 1
        with pytest.raises(SetupError, match="There is no player"):
            game.play("[112344]", player)


@pytest.mark.parametrize("ply", [-1, 1])
def test_an_unknown_ply_is_rejected(ply: int) -> None:
    with pytest.raises(NoSuchPly, match="only 0 to 0"):
        Game.new(4).state_at(ply)


@pytest.mark.parametrize("seed", ["0" * 32, bytearray(32), 7])
def test_a_seed_that_is_not_bytes_is_rejected(seed: Any) -> None:
    with pytest.raises(SetupError, match="A seed is 32 bytes"):
        Game.new(4, seed=seed)


def test_a_name_that_is_not_text_is_rejected() -> None:
    with pytest.raises(SetupError, match="a text, not 1"):
        Game.new([1, 2])  # type: ignore[list-item]


@pytest.mark.parametrize("size", [3.0, True, "3", 0, 5])
def test_a_size_that_is_not_1_to_4_is_rejected(size: Any) -> None:
    with pytest.raises(NotationError):
        Build(Site(3), size)
    with pytest.raises(NotationError):
        Remove(size)


def test_an_error_while_making_records_is_not_reported_as_a_file_error(tmp_path: Path) -> None:
    def broken() -> Any:
        yield record.to_json(Game.new(4))
        raise ValueError("a bug elsewhere")

    with pytest.raises(ValueError, match="a bug elsewhere"):
        record.write(tmp_path / "games.jsonl", broken())
    assert list(tmp_path.iterdir()) == []


def test_no_repr_shows_the_seed() -> None:
    """Reprs end up in logs."""
    game = Game.new(2, seed=bytes(range(32)))
    parsed = record.parse(record.to_line(record.to_json(game)))
    for item in (game, parsed, replay(parsed), view(game.state, 0)):
        assert "1e1f" not in repr(item)
        assert "\\x1e" not in repr(item)
        assert isinstance(item, View) or str(game.deck)[1:-1] not in repr(item)


def test_the_last_move_of_a_player_is_found() -> None:
    game = Game.new(3, first=1, seed=bytes(32))
    assert game.last_ply_of((0, 1, 2)) is None
    movers: list[int] = []
    for _ in range(12):
        movers.append(game.public.mover)
        game.play(game.legal_moves()[0])
        for players in ((0,), (1,), (2,), (0, 2), ()):
            own = [ply for ply, mover in enumerate(movers) if mover in players]
            assert game.last_ply_of(players) == (own[-1] if own else None)
