"""A position made from a view with its events keeps the order in which everything was built."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan import Game, view
from manhattan.kernel import Position
from manhattan.kernel.layout import SELECT
from manhattan.rules import Built, Event, Scored
from manhattan.view import View, view_of
from positions import play_out

FOUR = pytest.mark.xdist_group("4-1")
TWO = pytest.mark.xdist_group("2-2")


def at(players: int, plies: int) -> Any:
    return pytest.param(players, plies, marks=FOUR if players == 4 else TWO)


def after(players: int, plies: int) -> Game:
    return play_out(Game.new(players, seed=bytes(32)), until=plies)


def log_of(position: Position) -> list[int]:
    g = position.data[0]
    return [int(entry) for entry in g.log[: int(g.built)]]


def built(game: Game) -> list[int]:
    """What was built, in the order of play, as the kernel writes it down."""
    index = game.setup.colour_index
    return [
        event.site * 16 + index(event.block.colour) * 4 + event.block.size - 1
        for event in game.events
        if isinstance(event, Built)
    ]


@pytest.mark.parametrize(("players", "plies"), [at(4, 70), at(2, 50), at(4, 7), at(4, 0)])
def test_the_order_of_play_is_kept(players: int, plies: int) -> None:
    game = after(players, plies)
    for player in (game.table.mover, None):
        position = Position.of_view(view_of(game, player), seed=3)
        assert position.traced
        assert log_of(position) == built(game)


@FOUR
def test_it_is_known_what_stood_when_each_round_was_scored() -> None:
    game = after(4, 100)
    assert game.table.round == 4
    position = Position.of_view(view_of(game, 0))
    scored: list[int] = []
    count = 0
    for event in game.events:
        count += isinstance(event, Built)
        if isinstance(event, Scored):
            scored.append(count)
    assert position.data[0].scored_at[:3].tolist() == scored
    assert len(scored) == 3


@FOUR
def test_a_game_that_is_over_is_traced_to_its_end() -> None:
    game = after(4, -1)
    assert game.over
    position = Position.of_view(view_of(game, None))
    assert position.traced
    assert log_of(position) == built(game)
    assert position.state().table == game.table


@pytest.mark.parametrize(("players", "plies"), [at(4, 70), at(2, 30)])
def test_the_state_is_the_same_with_the_events_and_without(players: int, plies: int) -> None:
    game = after(players, plies)
    mover = game.table.mover
    traced = Position.of_view(view_of(game, mover), seed=9)
    plain = Position.of_view(view(game.state, mover), seed=9)
    assert not plain.traced
    assert traced.state() == plain.state()
    assert traced.state().table == game.table
    assert log_of(traced) != log_of(plain)
    assert sorted(log_of(traced)) == sorted(log_of(plain))


@FOUR
def test_what_is_played_from_there_is_written_down_as_well() -> None:
    """Up to the next scoring, whose sheet then follows from what stands."""
    game = after(4, 70)
    position = Position.of_view(view_of(game, game.table.mover))
    before = len(log_of(position))
    while position.data[0].round_number == game.table.round - 1:
        position.act(position.legal_actions()[0])
    assert position.data[0].phase == SELECT
    assert log_of(position)[:before] == built(game)
    assert int(position.data[0].scored_at[game.table.round - 1]) == len(log_of(position)) > before
    table = position.state().table
    assert table.sheets[: len(game.table.sheets)] == game.table.sheets
    assert table.scores == position.scores
    assert position.copy().traced


@FOUR
def test_before_anything_was_built_there_is_nothing_to_be_told() -> None:
    assert Position.of_view(view(after(4, 2).state, 0)).traced


def without(event: Event, events: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(other for other in events if other is not event)


def untraced(seen: View, events: tuple[Event, ...]) -> bool:
    """Not traced, and the same position as if nothing had been told."""
    told, plain = (Position.of_view(seen._replace(events=e)) for e in (events, ()))
    same = told.state() == plain.state() and (told.data[0].log == plain.data[0].log).all()
    return bool(not told.traced and same)


@FOUR
def test_events_that_do_not_fit_are_not_gone_by() -> None:
    game = after(4, 70)
    seen = view_of(game, game.table.mover)
    builds = [event for event in seen.events if isinstance(event, Built)]
    scored = next(event for event in seen.events if isinstance(event, Scored))
    other = builds[0]._replace(block=builds[0].block._replace(size=5 - builds[0].block.size))
    assert untraced(seen, without(builds[3], seen.events))
    assert untraced(seen, (*seen.events, builds[3]))
    assert untraced(seen, tuple(other if e is builds[0] else e for e in seen.events))
    # All blocks, but not when the round was over.
    assert untraced(seen, without(scored, seen.events))
    assert untraced(seen, (*seen.events, scored))
    assert untraced(seen, after(4, 69).events)
    assert Position.of_view(seen).traced


@FOUR
def test_towers_are_traced_block_by_block() -> None:
    """Of two blocks on one site the upper one is built later: told the other way round, it is
    another tower."""
    game = after(4, 100)
    seen = view_of(game, game.table.mover)
    builds = [event for event in seen.events if isinstance(event, Built)]
    by_site: dict[int, Built] = {}
    for event in builds:
        lower = by_site.setdefault(event.site, event)
        if lower.block != event.block:
            break
    swap: dict[int, Event] = {id(lower): event, id(event): lower}
    assert untraced(seen, tuple(swap.get(id(e), e) for e in seen.events))
