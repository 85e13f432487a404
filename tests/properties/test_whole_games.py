"""Stateful property tests: RULES 11 holds for every position of a game that is played, undone,
saved and loaded at random."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from manhattan import Game, IllegalMove, record
from manhattan.record import parse, to_json, to_line
from manhattan.replay import replay, trace_record
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
from manhattan.view import redact_events, view
from support.strategies import rngs, seeds, setups


class WholeGames(RuleBasedStateMachine):
    game: Game

    @initialize(setup=setups(), seed=seeds)
    def set_up_game(self, setup: Setup, seed: bytes) -> None:
        self.game = Game.from_seed(setup, seed)

    @rule(plies=st.integers(1, 40), choice=rngs)
    def play_on(self, plies: int, choice: Random) -> None:
        for _ in range(plies):
            moves = self.game.legal_moves()
            if not moves:
                assert self.game.is_over
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
    def try_any_move(self, site: int, size: int, sizes: list[int], player: int) -> None:
        """``why_not`` agrees with the list of legal moves, and an illegal move changes nothing."""
        legal = set(self.game.legal_moves())
        colours = (None, *self.game.setup.colours)
        moves: list[Move] = [Select((tuple(sorted(sizes)),)), *(Remove(size, c) for c in colours)]
        moves += [Build(SITES[site], size, colour) for colour in colours]
        for move in moves:
            assert (self.game.why_not(move) is None) == (move in legal)
            if move not in legal:
                before = self.game.state
                with pytest.raises(IllegalMove) as caught:
                    self.game.play(move)
                assert str(caught.value.refusal) == str(self.game.why_not(move))
                assert self.game.state is before
        if legal and player < len(self.game.setup.players) and player != self.game.public.mover:
            assert self.game.why_not(next(iter(legal)), player) is not None

    @rule(plies=st.integers(1, 30))
    def undo_and_replay(self, plies: int) -> None:
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
    def export_redacted(self) -> None:
        data = to_json(self.game, redacted=True)
        trace = trace_record(parse(to_line(data)))
        states = [trace.start, *(step.public for step in trace.steps)]
        assert states[-1] == self.game.public
        if not self.game.is_over:
            assert not {"drew", "pile"} & {key for event in data["events"] for key in event}
            assert data["seed"] is data["deck"] is None

    @rule(choice=rngs)
    def change_hidden_cards(self, choice: Random) -> None:
        """A view does not depend on cards that its player can't see."""
        state = self.game.state
        for player in (None, *range(len(state.hands))):
            other = with_other_hidden_cards(state, player, choice)
            assert view(other, player) == view(state, player)
            assert view(other, player).legal_moves() == view(state, player).legal_moves()
            own_view = view(state, player)
            if player is None:
                assert own_view.hand == ()
            for move in self.game.legal_moves():
                assert (own_view.why_not(move) is None) == (move in own_view.legal_moves())
            hidden = [card for p, hand in enumerate(state.hands) if p != player for card in hand]
            assert own_view.unseen == tuple(sorted((*hidden, *state.pile)))

    @rule()
    def redact_all_events(self) -> None:
        """Redacted events contain no cards drawn by others, and no order of a pile."""
        for player in (None, *range(len(self.game.state.hands))):
            for event, redacted in zip(
                self.game.events, redact_events(player, self.game.events), strict=True
            ):
                data = record.event_json(redacted, self.game.setup) or {}
                assert "pile" not in data
                if "player" in data and data["player"] == player:
                    assert data == record.event_json(event, self.game.setup)
                else:
                    assert "drew" not in data

    @invariant()
    def position_is_valid(self) -> None:
        check_position(self.game.state)


WholeGames.TestCase.settings = settings(settings.default, max_examples=100, stateful_step_count=25)
test_whole_games = WholeGames.TestCase


def with_other_hidden_cards(state: State, player: int | None, choice: Random) -> State:
    """The same position for one player, with all cards that they can't see dealt again."""
    others = [p for p in range(len(state.hands)) if p != player]
    cards = [card for p in others for card in state.hands[p]] + list(state.pile)
    choice.shuffle(cards)
    hands = list(state.hands)
    for p in others:
        hands[p] = tuple(sorted(cards.pop() for _ in hands[p]))
    return State(state.public, tuple(hands), tuple(cards))


def check_position(state: State) -> None:
    public = state.public
    setup = public.setup
    held = [card for hand in state.hands for card in hand]
    assert Counter([*held, *state.pile, *public.played]) == Counter(DECK)
    assert all(len(hand) == 4 for hand in state.hands)
    assert public.pile_size == len(state.pile)
    for slot, colour in enumerate(setup.colours):
        built = stock_of(b.size for t in public.board for b in t.blocks if b.colour is colour)
        stocks: list[Stock] = [
            public.supplies[slot],
            public.tableaus[slot],
            public.taken_out[slot],
            built,
        ]
        total: Stock = (0, 0, 0, 0)
        for stock in stocks:
            assert min(stock) >= 0
            total = add(total, stock)
        assert total == FULL_STOCK
    for tower in public.board:
        if tower.owner is not None:
            assert tower.floors[tower.owner] == max(tower.floors.values())
            assert tower.height == sum(tower.floors.values())
    if public.phase is not Phase.OVER:
        assert state.public.result is None
        assert setup.players[public.mover] == public.player
    else:
        assert public.result is not None
        assert len(public.sheets) == setup.schedule.rounds


def check_scoring(before: State, after: State, scored: list[Scored]) -> None:
    """RULES 11: the points of a scoring add up."""
    if not scored:
        assert after.public.sheets == before.public.sheets
        return
    (event,) = scored
    sheet = event.sheet
    towers = sum(bool(tower.blocks) for tower in after.public.board)
    assert sum(score.towers for score in sheet.colours) == towers
    cities = [city for score in sheet.colours for city in score.majorities]
    assert len(cities) == len(set(cities)) <= 6
    assert sum(score.tallest_points for score in sheet.colours) in (0, 3)
    points = sum(score.points for score in sheet.colours)
    assert sum(sheet.scores) - sum(before.public.scores) == points
    assert not any(map(any, after.public.tableaus))


def test_a_text_that_is_not_a_move_is_rejected() -> None:
    game = Game.new(4, seed=bytes(32))
    with pytest.raises(NotationError):
        game.play("C5 + 3")
    assert game.ply == 0


def test_the_record_is_plain_json() -> None:
    game = Game.new(3, seed=bytes(32))
    assert json.loads(to_line(to_json(game)))["players"][2]["side"] == "north"
