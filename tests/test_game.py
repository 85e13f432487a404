"""A game with its history, and what it makes of what it is given."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from manhattan import Game, NotationError, Reason, SetupError, record, view
from manhattan.game import NoSuchPly
from manhattan.replay import replay
from manhattan.rules import Build, Card, Move, Remove, Site, parse_move, set_up
from manhattan.view import View


def test_shuffles_from_anywhere_fall_the_same_again() -> None:
    """A source that is no function of its arguments still makes one game, and a true record."""
    rng = Random(1)

    def any_order(_number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(rng.sample(cards, len(cards)))

    game = Game(set_up(4), any_order)
    for _ in range(60):
        game.play(rng.choice(game.legal_moves()))
    assert game.deck == game.deck
    assert replay(record.parse(record.to_line(record.to_json(game)))).state == game.state
    state, moves = game.state, game.moves
    game.undo(50)
    for move in moves[10:]:
        game.play(move)
    assert game.state == state


def test_copies_of_a_game_go_on_by_themselves() -> None:
    """They share what they have in common, and nobody notices."""
    rng = Random(2)
    grown: list[tuple[Game, list[Move]]] = [(Game.new(3, seed=bytes(32)), [])]
    for _ in range(150):
        game, moves = rng.choice(grown[-5:] + grown[:3])
        match rng.choice(("after", "at", "play", "undo")):
            case "after":
                move = rng.choice(game.legal_moves())
                grown.append((game.after(move), [*moves, move]))
            case "at":
                ply = rng.randint(0, len(moves))
                grown.append((game.at(ply), moves[:ply]))
            case "play":
                moves.append(rng.choice(game.legal_moves()))
                game.play(moves[-1])
            case "undo" if moves:
                moves.pop()
                game.undo()
    for game, moves in grown:
        alone = Game.from_seed(game.setup, bytes(32), moves)
        assert (game.ply, game.moves) == (len(moves), tuple(moves))
        assert (game.state, game.steps, game.events) == (alone.state, alone.steps, alone.events)
        assert game.last_events == alone.last_events
        assert game.last_move == (moves[-1] if moves else None)
        assert [game.state_at(ply) for ply in range(game.ply + 1)] == [
            alone.state_at(ply) for ply in range(alone.ply + 1)
        ]


def test_a_game_names_the_rules_that_it_changed() -> None:
    game = Game.new(2, house_rules={"tallest_tie": "one_owner"})
    assert "(hig-2017, tallest_tie=one_owner)" in repr(game)


def test_an_onlooker_may_not_move() -> None:
    seen = view(Game.new(["Ada", "Bob"]).state, None)
    refusal = seen.why_not(parse_move("[1234|1234]"))
    assert refusal is not None
    assert refusal.reason is Reason.NOT_PLAYING
    assert str(refusal) == "You are looking on; it is Ada's turn."


@pytest.mark.parametrize("player", [-1, 4, "1", 1.0, True])
def test_there_is_no_such_player(player: Any) -> None:
    game = Game.new(4)
    with pytest.raises(SetupError, match="There is no player"):
        view(game.state, player)
    if player is not True:  # equal to player 1 wherever it is only compared
        with pytest.raises(SetupError, match="There is no player"):
            game.play("[112344]", player)


@pytest.mark.parametrize("ply", [-1, 1])
def test_there_is_no_such_point_in_a_game(ply: int) -> None:
    with pytest.raises(NoSuchPly, match="0 to 0 moves"):
        Game.new(4).state_at(ply)


@pytest.mark.parametrize("seed", ["0" * 32, bytearray(32), 7])
def test_a_seed_is_bytes(seed: Any) -> None:
    with pytest.raises(SetupError, match="A seed is 32 bytes"):
        Game.new(4, seed=seed)


def test_names_are_texts() -> None:
    with pytest.raises(SetupError, match="a text, not 1"):
        Game.new([1, 2])  # type: ignore[list-item]


@pytest.mark.parametrize("size", [3.0, True, "3", 0, 5])
def test_a_block_has_a_whole_number_of_floors(size: Any) -> None:
    with pytest.raises(NotationError):
        Build(Site(3), size)
    with pytest.raises(NotationError):
        Remove(size)


def test_what_goes_wrong_in_making_records_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    def broken() -> Any:
        yield record.to_json(Game.new(4))
        raise ValueError("a bug elsewhere")

    with pytest.raises(ValueError, match="a bug elsewhere"):
        record.write(tmp_path / "games.jsonl", broken())
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_holds_a_seed_shows_it() -> None:
    """Logs are full of reprs."""
    game = Game.new(2, seed=bytes(range(32)))
    parsed = record.parse(record.to_line(record.to_json(game)))
    for thing in (game, parsed, replay(parsed), view(game.state, 0)):
        assert "1e1f" not in repr(thing)
        assert "\\x1e" not in repr(thing)
        assert isinstance(thing, View) or str(game.deck)[1:-1] not in repr(thing)
