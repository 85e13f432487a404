"""A game under random hands: whatever is played, tried, taken back or saved, what RULES 11 says
of every position stays true."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from strategies import dice, seeds, setups

from manhattan import Game, IllegalMove, record, view
from manhattan.record import parse, to_json, to_line
from manhattan.replay import replay, walk
from manhattan.rules import (
    DECK,
    SITES,
    Build,
    Move,
    NotationError,
    Phase,
    Remove,
    Scored,
    Select,
    Setup,
    State,
    parse_move,
)
from manhattan.rules.blocks import FULL_STOCK, SIZES, Stock, add, stock_of
from manhattan.view import all_seen_by


class WholeGames(RuleBasedStateMachine):
    game: Game

    @initialize(setup=setups(), seed=seeds)
    def sit_down(self, setup: Setup, seed: bytes) -> None:
        self.game = Game.from_seed(setup, seed)

    @rule(plies=st.integers(1, 40), choice=dice)
    def play_on(self, plies: int, choice: Random) -> None:
        for _ in range(plies):
            moves = self.game.legal_moves()
            if not moves:
                assert self.game.over
                return
            before = self.game.state
            move = choice.choice(moves)
            events = self.game.play(move)
            assert parse_move(str(move)) == move
            check_scoring(before, self.game.state, [e for e in events if isinstance(e, Scored)])
            check_position(self.game.state)

    @rule(
        site=st.sampled_from(SITES),
        size=st.sampled_from(SIZES),
        sizes=st.lists(st.sampled_from(SIZES), min_size=1, max_size=8),
        player=st.integers(0, 3),
    )
    def try_anything(self, site: int, size: int, sizes: list[int], player: int) -> None:
        """What ``why_not`` refuses is not among the legal moves and changes nothing; what it
        allows is."""
        legal = set(self.game.legal_moves())
        colours = (None, *self.game.setup.colours)
        tries: list[Move] = [Select((tuple(sorted(sizes)),)), *(Remove(size, c) for c in colours)]
        tries += [Build(SITES[site], size, colour) for colour in colours]
        for move in tries:
            assert (self.game.why_not(move) is None) == (move in legal)
            if move not in legal:
                before = self.game.state
                with pytest.raises(IllegalMove) as refused:
                    self.game.play(move)
                assert str(refused.value.refusal) == str(self.game.why_not(move))
                assert self.game.state is before
        if legal and player < len(self.game.setup.players) and player != self.game.table.mover:
            assert self.game.why_not(next(iter(legal)), player) is not None

    @rule(plies=st.integers(1, 30))
    def take_back_and_replay(self, plies: int) -> None:
        plies = min(plies, self.game.ply)
        state, moves = self.game.state, self.game.moves
        earlier = self.game.state_at(self.game.ply - plies)
        self.game.undo(plies)
        assert self.game.state == earlier
        for move in moves[len(moves) - plies :]:
            self.game.play(move)
        assert self.game.state == state

    @rule()
    def save_and_load(self) -> None:
        line = to_line(to_json(self.game))
        loaded = replay(parse(line))
        assert loaded.state == self.game.state
        assert loaded.events == self.game.events
        assert to_line(to_json(loaded)) == line

    @rule()
    def show_to_others(self) -> None:
        shown = to_json(self.game, whole=False)
        walked = walk(parse(to_line(shown)))
        tables = [walked.start, *(step.table for step in walked.steps)]
        assert tables[-1] == self.game.table
        if not self.game.over:
            assert not {"drew", "pile"} & {key for event in shown["events"] for key in event}
            assert shown["seed"] is shown["deck"] is None

    @rule(choice=dice)
    def reshuffle_what_is_hidden(self, choice: Random) -> None:
        """No view changes when only cards change that its player can't see."""
        state = self.game.state
        for player in (None, *range(len(state.hands))):
            other = with_other_hidden_cards(state, player, choice)
            assert view(other, player) == view(state, player)
            assert view(other, player).legal_moves() == view(state, player).legal_moves()
            seen = view(state, player)
            if player is None:
                assert seen.hand == ()
            for move in self.game.legal_moves():
                assert (seen.why_not(move) is None) == (move in seen.legal_moves())
            hidden = [card for p, hand in enumerate(state.hands) if p != player for card in hand]
            assert seen.unseen == tuple(sorted((*hidden, *state.pile)))

    @rule()
    def look_at_the_events(self) -> None:
        """Nobody is told what another drew, nor the order of a pile."""
        for player in (None, *range(len(self.game.state.hands))):
            for true, seen in zip(
                self.game.events, all_seen_by(player, self.game.events), strict=True
            ):
                told = record.event_json(seen, self.game.setup) or {}
                assert "pile" not in told
                if "player" in told and told["player"] == player:
                    assert told == record.event_json(true, self.game.setup)
                else:
                    assert "drew" not in told

    @invariant()
    def is_sound(self) -> None:
        check_position(self.game.state)


WholeGames.TestCase.settings = settings(settings.default, max_examples=100, stateful_step_count=25)
test_whole_games = WholeGames.TestCase


def with_other_hidden_cards(state: State, player: int | None, choice: Random) -> State:
    """The same position as one player sees it, with everything else dealt anew."""
    others = [p for p in range(len(state.hands)) if p != player]
    cards = [card for p in others for card in state.hands[p]] + list(state.pile)
    choice.shuffle(cards)
    hands = list(state.hands)
    for p in others:
        hands[p] = tuple(sorted(cards.pop() for _ in hands[p]))
    return State(state.table, tuple(hands), tuple(cards))


def check_position(state: State) -> None:
    table = state.table
    setup = table.setup
    held = [card for hand in state.hands for card in hand]
    assert Counter([*held, *state.pile, *table.played]) == Counter(DECK)
    assert all(len(hand) == 4 for hand in state.hands)
    assert table.pile_size == len(state.pile)
    for slot, colour in enumerate(setup.colours):
        built = stock_of(b.size for t in table.board for b in t.blocks if b.colour is colour)
        stocks: list[Stock] = [
            table.supplies[slot],
            table.tableaus[slot],
            table.taken_out[slot],
            built,
        ]
        total: Stock = (0, 0, 0, 0)
        for stock in stocks:
            assert min(stock) >= 0
            total = add(total, stock)
        assert total == FULL_STOCK
    for tower in table.board:
        if tower.owner is not None:
            assert tower.floors[tower.owner] == max(tower.floors.values())
            assert tower.height == sum(tower.floors.values())
    if table.phase is not Phase.OVER:
        assert state.table.result is None
        assert setup.players[table.mover] == table.player
    else:
        assert table.result is not None
        assert len(table.sheets) == setup.schedule.rounds


def check_scoring(before: State, after: State, scored: list[Scored]) -> None:
    """RULES 11: what a scoring gives out adds up."""
    if not scored:
        assert after.table.sheets == before.table.sheets
        return
    (event,) = scored
    sheet = event.sheet
    towers = sum(bool(tower.blocks) for tower in after.table.board)
    assert sum(score.towers for score in sheet.colours) == towers
    cities = [city for score in sheet.colours for city in score.majorities]
    assert len(cities) == len(set(cities)) <= 6
    assert sum(score.tallest for score in sheet.colours) in (0, 3)
    given = sum(score.points for score in sheet.colours)
    assert sum(sheet.scores) - sum(before.table.scores) == given
    assert not any(map(any, after.table.tableaus))


def test_a_move_that_is_no_move_is_refused_as_text() -> None:
    game = Game.new(4, seed=bytes(32))
    with pytest.raises(NotationError):
        game.play("C5 + 3")
    assert game.ply == 0


def test_the_record_is_plain_json() -> None:
    game = Game.new(3, seed=bytes(32))
    assert json.loads(to_line(to_json(game)))["players"][2]["seat"] == "north"
