"""A position made from a view with events knows the order in which the blocks were built."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan import Game
from manhattan.kernel import Position
from manhattan.kernel.layout import SELECT
from manhattan.rules import Built, Event, Scored
from manhattan.view import View, view, view_of
from support.positions import play_out

FOUR = pytest.mark.xdist_group("4-1")
TWO = pytest.mark.xdist_group("2-2")


def params(players: int, plies: int) -> Any:
    return pytest.param(players, plies, marks=FOUR if players == 4 else TWO)


def game_after(players: int, plies: int) -> Game:
    return play_out(Game.new(players, seed=bytes(32)), until=plies)


def build_log(position: Position) -> list[int]:
    g = position.data[0]
    return [int(entry) for entry in g.log[: int(g.built)]]


def expected_log(game: Game) -> list[int]:
    """The builds in the order of play, as the kernel logs them."""
    index = game.setup.colour_index
    return [
        event.site * 16 + index(event.block.colour) * 4 + event.block.size - 1
        for event in game.events
        if isinstance(event, Built)
    ]


@pytest.mark.parametrize(
    ("players", "plies"), [params(4, 70), params(2, 50), params(4, 7), params(4, 0)]
)
def test_the_build_order_is_kept(players: int, plies: int) -> None:
    game = game_after(players, plies)
    for player in (game.public.mover, None):
        position = Position.from_view(view_of(game, player), seed=3)
        assert position.has_build_order
        assert build_log(position) == expected_log(game)


@FOUR
def test_the_log_length_at_each_scoring_is_kept() -> None:
    game = game_after(4, 100)
    assert game.public.round == 4
    position = Position.from_view(view_of(game, 0))
    scored: list[int] = []
    count = 0
    for event in game.events:
        count += isinstance(event, Built)
        if isinstance(event, Scored):
            scored.append(count)
    assert position.data[0].scored_at[:3].tolist() == scored
    assert len(scored) == 3


@FOUR
def test_a_finished_game_has_its_whole_build_order() -> None:
    game = game_after(4, -1)
    assert game.is_over
    position = Position.from_view(view_of(game, None))
    assert position.has_build_order
    assert build_log(position) == expected_log(game)
    assert position.state().public == game.public


@pytest.mark.parametrize(("players", "plies"), [params(4, 70), params(2, 30)])
def test_the_state_is_the_same_with_and_without_events(players: int, plies: int) -> None:
    game = game_after(players, plies)
    mover = game.public.mover
    ordered = Position.from_view(view_of(game, mover), seed=9)
    plain = Position.from_view(view(game.state, mover), seed=9)
    assert not plain.has_build_order
    assert ordered.state() == plain.state()
    assert ordered.state().public == game.public
    assert build_log(ordered) != build_log(plain)
    assert sorted(build_log(ordered)) == sorted(build_log(plain))


@FOUR
def test_later_builds_are_appended_to_the_log() -> None:
    """Up to the next scoring, whose sheet then follows from the log."""
    game = game_after(4, 70)
    position = Position.from_view(view_of(game, game.public.mover))
    before = len(build_log(position))
    while position.data[0].round_number == game.public.round - 1:
        position.apply(position.legal_actions()[0])
    assert position.data[0].phase == SELECT
    assert build_log(position)[:before] == expected_log(game)
    assert (
        int(position.data[0].scored_at[game.public.round - 1]) == len(build_log(position)) > before
    )
    public = position.state().public
    assert public.sheets[: len(game.public.sheets)] == game.public.sheets
    assert public.scores == position.scores
    assert position.copy().has_build_order


@FOUR
def test_an_empty_board_needs_no_events() -> None:
    assert Position.from_view(view(game_after(4, 2).state, 0)).has_build_order


def without(event: Event, events: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(other for other in events if other is not event)


def is_ignored(own_view: View, events: tuple[Event, ...]) -> bool:
    """Whether the position is the same as without these events."""
    given, plain = (Position.from_view(own_view._replace(events=e)) for e in (events, ()))
    is_same = given.state() == plain.state() and (given.data[0].log == plain.data[0].log).all()
    return bool(not given.has_build_order and is_same)


@FOUR
def test_events_that_do_not_fit_the_board_are_ignored() -> None:
    game = game_after(4, 70)
    own_view = view_of(game, game.public.mover)
    builds = [event for event in own_view.events if isinstance(event, Built)]
    scored = next(event for event in own_view.events if isinstance(event, Scored))
    other = builds[0]._replace(block=builds[0].block._replace(size=5 - builds[0].block.size))
    assert is_ignored(own_view, without(builds[3], own_view.events))
    assert is_ignored(own_view, (*own_view.events, builds[3]))
    assert is_ignored(own_view, tuple(other if e is builds[0] else e for e in own_view.events))
    # All blocks, but not the ends of the rounds.
    assert is_ignored(own_view, without(scored, own_view.events))
    assert is_ignored(own_view, (*own_view.events, scored))
    assert is_ignored(own_view, game_after(4, 69).events)
    assert Position.from_view(own_view).has_build_order


@FOUR
def test_the_order_within_a_tower_matters() -> None:
    """The upper one of two blocks on a site was built later: the other order is another tower."""
    game = game_after(4, 100)
    own_view = view_of(game, game.public.mover)
    builds = [event for event in own_view.events if isinstance(event, Built)]
    by_site: dict[int, Built] = {}
    for event in builds:
        lower = by_site.setdefault(event.site, event)
        if lower.block != event.block:
            break
    swap: dict[int, Event] = {id(lower): event, id(event): lower}
    assert is_ignored(own_view, tuple(swap.get(id(e), e) for e in own_view.events))
