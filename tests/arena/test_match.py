"""Matches: fair seats, equal numbers of starts, and reproducible deals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from manhattan.arena import ArenaError, Match
from manhattan.bots import NoSuchBot


def test_every_deal_is_played_from_every_seat() -> None:
    match = Match(("greedy", "random", "random", "random"), games=16)
    for deal in range(match.deals):
        games = list(match.seatings(deal))
        assert [game.rotation for game in games] == [0, 1, 2, 3]
        assert sorted(game.seats.index(0) for game in games) == [0, 1, 2, 3]
        assert {game.first for game in games} == {deal % 4}


def test_seats_start_equally_often_and_neighbours_change() -> None:
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
    assert match.shuffle_seed(0) == match.shuffle_seed(0) != match.shuffle_seed(1)
    assert match.shuffle_seed(0) != replace(match, seed=1).shuffle_seed(0)


@pytest.mark.parametrize(
    ("bots", "games", "players", "message"),
    [
        (("random",) * 3, 4, 4, "4 players need 4 bots"),
        (("random",) * 4, 0, 4, "at least one game"),
    ],
)
def test_an_impossible_match_is_an_error(
    bots: tuple[str, ...], games: int, players: int, message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        Match(bots, games, players)


def test_an_unknown_bot_is_an_error() -> None:
    with pytest.raises(NoSuchBot, match="'deepblue'"):
        Match(("deepblue",) * 4, 4)
