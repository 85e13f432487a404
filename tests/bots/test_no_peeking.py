"""Bots use only what their player may know: other hidden cards change no choice."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from manhattan.ai import search
from manhattan.bots import BOTS, COMPILED_BOTS, Budget, evaluate
from manhattan.bots.search_bot import choose_as_champion
from manhattan.game import Game
from manhattan.rules import Built, Event, Redrew, Shuffled, State
from manhattan.view import View, view, view_of
from support.random_models import random_networks
from support.table_matrix import EVERY_TABLE, compile_group, new_game

pytestmark = pytest.mark.compiled
FOUR = pytest.mark.xdist_group("4-1")

SMALL = Budget(rollouts=8)


def redeal_hidden(state: State, player: int, rng: Random) -> State:
    """Shuffle the rivals' hands and the pile, which the player does not see."""
    others = [n for n in range(len(state.hands)) if n != player]
    cards = [card for n in others for card in state.hands[n]] + list(state.pile)
    rng.shuffle(cards)
    hands = list(state.hands)
    for n in others:
        hands[n], cards = tuple(sorted(cards[:4])), cards[4:]
    return state._replace(hands=tuple(hands), pile=tuple(cards))


def change_hidden(event: Event, player: int, rng: Random) -> Event:
    """Change what the player does not see: cards drawn by rivals, and the order of the pile."""
    match event:
        case Shuffled(pile=tuple() as pile):
            return event._replace(pile=tuple(rng.sample(pile, len(pile))))
        case Built() if event.player != player:
            return event._replace(drew=rng.randint(1, 9))
        case Redrew(drew=tuple() as drew) if event.player != player:
            return event._replace(drew=tuple(rng.choices(range(1, 10), k=len(drew))))
    return event


def play_to_the_end(game: Game) -> Game:
    rng = Random(5)
    while not game.is_over:
        game.play(BOTS["easy"](view_of(game, game.public.mover), rng))
    return game


@pytest.fixture(scope="module")
def game() -> Game:
    return play_to_the_end(Game.new(4, seed=bytes([5] * 32)))


def view_pairs(game: Game, every: int) -> Iterable[tuple[int, View, View]]:
    """Yield, for some plies, the mover's view and the same view with other hidden cards."""
    rng = Random(9)
    for ply in range(0, game.ply, every):
        then = game.at(ply)
        mover = then.public.mover
        other = redeal_hidden(then.state, mover, rng)
        # Near the end of a pile there may be too few cards to change.
        assert len(then.state.pile) < 4 or other != then.state
        events = [change_hidden(event, mover, rng) for event in then.events]
        yield ply, view_of(then, mover), view(other, mover, events)


@FOUR
@pytest.mark.parametrize("name", BOTS)
def test_hidden_cards_change_no_choice(name: str, game: Game) -> None:
    for ply, original, changed in view_pairs(game, 3):
        choice = BOTS[name](original, Random(ply), SMALL)
        assert BOTS[name](changed, Random(ply), SMALL) == choice


@pytest.mark.parametrize(("players", "edition", "house_rules"), EVERY_TABLE)
def test_hidden_cards_change_no_choice_at_any_table(
    players: int, edition: str, house_rules: dict[str, str], request: pytest.FixtureRequest
) -> None:
    """By default, bots that need compiled code play only with four players."""
    all_bots = request.config.getoption("--bot-moves") > 1
    all_bots = all_bots or compile_group(players, house_rules) == "4-1"
    names = [name for name in BOTS if all_bots or name not in COMPILED_BOTS]
    for ply, original, changed in view_pairs(
        play_to_the_end(new_game(players, edition, house_rules, 5)), 19
    ):
        for name in names:
            choice = BOTS[name](original, Random(ply), SMALL)
            assert BOTS[name](changed, Random(ply), SMALL) == choice, name


@FOUR
def test_hidden_cards_change_no_evaluation(game: Game) -> None:
    for ply, original, changed in view_pairs(game, 29):
        assert evaluate(original, Random(ply), SMALL) == evaluate(changed, Random(ply), SMALL)


@FOUR
def test_bots_in_one_process_are_independent(game: Game) -> None:
    """A bot's choice does not depend on what other bots have searched before."""
    views = [view_of(game.at(ply), game.at(ply).public.mover) for ply in (30, 60, 90)]
    choices = [BOTS["search"](player_view, Random(1), SMALL) for player_view in views]
    for player_view, choice in zip(reversed(views), reversed(choices), strict=True):
        BOTS["hard"](views[0], Random(2), SMALL)
        BOTS["expert"](views[1], Random(3), SMALL)
        assert BOTS["search"](player_view, Random(1), SMALL) == choice


@FOUR
def test_the_champion_chooses_the_same_with_other_hidden_cards(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With untrained networks: what they see is the same."""
    monkeypatch.setattr(search, "load_networks", random_networks)
    for ply, mine, other in view_pairs(game, every=11):
        choices = [choose_as_champion(each, Random(ply), SMALL) for each in (mine, other)]
        assert choices[0] == choices[1], ply
