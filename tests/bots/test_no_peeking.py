"""A bot knows what its player may know: other cards in other hands change nothing."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from every_table import EVERY_TABLE, group, new_game
from manhattan.bots import BOTS, THINKERS, Budget, evaluate
from manhattan.game import Game
from manhattan.rules import Built, Event, Redrew, Shuffled, State
from manhattan.view import View, view, view_of

pytestmark = pytest.mark.compiled
FOUR = pytest.mark.xdist_group("4-1")

LITTLE = Budget(trials=8)


def dealt_anew(state: State, player: int, rng: Random) -> State:
    """The same as this player sees it: what others hold, and the pile, changed places."""
    others = [n for n in range(len(state.hands)) if n != player]
    cards = [card for n in others for card in state.hands[n]] + list(state.pile)
    rng.shuffle(cards)
    hands = list(state.hands)
    for n in others:
        hands[n], cards = tuple(sorted(cards[:4])), cards[4:]
    return state._replace(hands=tuple(hands), pile=tuple(cards))


def told_anew(events: Iterable[Event], player: int, rng: Random) -> list[Event]:
    """The same as this player heard it: others drew other cards, and piles lay otherwise."""
    return [_told_anew(event, player, rng) for event in events]


def _told_anew(event: Event, player: int, rng: Random) -> Event:
    match event:
        case Shuffled(pile=tuple() as pile):
            return event._replace(pile=tuple(rng.sample(pile, len(pile))))
        case Built() if event.player != player:
            return event._replace(drew=rng.randint(1, 9))
        case Redrew(drew=tuple() as drew) if event.player != player:
            return event._replace(drew=tuple(rng.choices(range(1, 10), k=len(drew))))
    return event


def played(game: Game) -> Game:
    """A whole game, played greedily enough to be one."""
    rng = Random(5)
    while not game.over:
        game.play(BOTS["easy"](view_of(game, game.table.mover), rng))
    return game


@pytest.fixture(scope="module")
def game() -> Game:
    return played(Game.new(4, seed=bytes([5] * 32)))


def pairs(game: Game, every: int) -> Iterable[tuple[int, View, View]]:
    """At some moves of the game: what the mover sees, and what he would see of other cards."""
    rng = Random(9)
    for ply in range(0, game.ply, every):
        then = game.at(ply)
        mover = then.table.mover
        other = dealt_anew(then.state, mover, rng)
        # Near the end of a pile there may be nothing to exchange; but then elsewhere.
        assert len(then.state.pile) < 4 or other != then.state
        events = told_anew(then.events, mover, rng)
        yield ply, view_of(then, mover), view(other, mover, events)


@FOUR
@pytest.mark.parametrize("name", BOTS)
def test_other_cards_elsewhere_change_no_choice(name: str, game: Game) -> None:
    for ply, seen, too in pairs(game, 3):
        choice = BOTS[name](seen, Random(ply), LITTLE)
        assert BOTS[name](too, Random(ply), LITTLE) == choice


@pytest.mark.parametrize(("players", "edition", "house_rules"), EVERY_TABLE)
def test_nor_at_any_other_table(
    players: int, edition: str, house_rules: dict[str, str], request: pytest.FixtureRequest
) -> None:
    """Who thinks sits at tables of four in the ordinary run, and at all if more is asked for."""
    everybody = request.config.getoption("--bot-moves") > 1
    everybody = everybody or group(players, house_rules) == "4-1"
    names = [name for name in BOTS if everybody or name not in THINKERS]
    for ply, seen, too in pairs(played(new_game(players, edition, house_rules, 5)), 19):
        for name in names:
            choice = BOTS[name](seen, Random(ply), LITTLE)
            assert BOTS[name](too, Random(ply), LITTLE) == choice, name


@FOUR
def test_nor_an_evaluation(game: Game) -> None:
    for ply, seen, too in pairs(game, 29):
        assert evaluate(seen, Random(ply), LITTLE) == evaluate(too, Random(ply), LITTLE)


@FOUR
def test_two_bots_in_one_process_take_no_notice_of_each_other(game: Game) -> None:
    """Each thinks as it would alone, whatever the other has thought before."""
    seen = [view_of(game.at(ply), game.at(ply).table.mover) for ply in (30, 60, 90)]
    alone = [BOTS["search"](one, Random(1), LITTLE) for one in seen]
    for one, choice in zip(reversed(seen), reversed(alone), strict=True):
        BOTS["hard"](seen[0], Random(2), LITTLE)
        BOTS["expert"](seen[1], Random(3), LITTLE)
        assert BOTS["search"](one, Random(1), LITTLE) == choice
