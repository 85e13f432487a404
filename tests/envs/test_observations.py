"""What is seen is what a player may see, and nothing else: field by field, by the rules."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from manhattan.envs.engine.layout import FIELDS, HIGHS, SIZE
from manhattan.game import Game
from manhattan.kernel import Position
from manhattan.kernel.layout import FINAL_TIES, PHASES, TALLEST_TIES
from manhattan.rules import SITES, Phase, SeedShuffler, State
from manhattan.rules.board import CLOCKWISE, card_for
from manhattan.view import view
from positions import crowded
from watching import ONE_OF_EACH, TABLES, fields, play_of, table

DOCS = Path(__file__).parents[2] / "docs/research.md"


def test_the_documented_table_is_the_code() -> None:
    line = r"^\| (\d+) \| `(\w+)` \| ([\d × ]+) \| (\d+) \| (.+) \|$"
    told = re.findall(line, DOCS.read_text("utf-8"), re.MULTILINE)
    ours = [
        (str(f.offset), f.name, " × ".join(map(str, f.shape)), str(f.most), f.meaning)
        for f in FIELDS
    ]
    assert told == ours
    assert f"{SIZE} bytes" in DOCS.read_text("utf-8")


def seen_by_the_rules(state: State, viewer: int) -> dict[str, object]:
    """The same fields, made of a player's view."""
    seen = view(state, viewer)
    setup, shown = seen.table.setup, seen.table
    n, each, count = len(setup.players), setup.schedule.colours, len(setup.colours)
    colours = [setup.colours[(viewer * each + k) % count] for k in range(count)]
    people = [(viewer + k) % n for k in range(n)]
    seats = [CLOCKWISE.index(setup.players[player].seat) for player in people]
    seat = setup.players[viewer].seat

    def padded(values: list[int]) -> list[int]:
        return values + [0] * (4 - len(values))

    def stocks(all_stocks: tuple[tuple[int, ...], ...]) -> list[list[int]]:
        mine = [list(all_stocks[setup.colour_index(colour)]) for colour in colours]
        return mine + [[0] * 4] * (4 - len(mine))

    pointing = [card_for(seat, site) for site in SITES[:9]]
    return {
        "floors": [padded([tower.floors.get(c, 0) for c in colours]) for tower in shown.board],
        "owner": [padded([int(tower.owner is c) for c in colours]) for tower in shown.board],
        "supply": stocks(shown.supplies),
        "tableau": stocks(shown.tableaus),
        "taken_out": stocks(shown.taken_out),
        "hand": [seen.hand.count(card) for card in pointing],
        "unseen": [seen.unseen.count(card) for card in pointing],
        "points": padded([shown.scores[player] for player in people]),
        "to_move": padded([int(p == shown.mover and not shown.result) for p in people]),
        "start_player": padded([int(player == shown.start_player) for player in people]),
        "side": padded([(side - seats[0]) % 4 for side in seats]),
        "phase": [int(shown.phase is phase) for phase in PHASES],
        "round": [shown.round],
        "rounds": [setup.schedule.rounds],
        "turns_left": [
            sum(map(sum, shown.tableaus)) if shown.phase in (Phase.BUILD, Phase.REMOVE) else 0
        ],
        "pile": [shown.pile_size],
        "shuffles": [shown.shuffles],
        "players": [n],
        "colours": [each],
        "blocks": [setup.schedule.blocks],
        "tallest_tie": [TALLEST_TIES.index(setup.rules.tallest_tie)],
        "final_tie": [FINAL_TIES.index(setup.rules.final_tie)],
    }


def assert_seen(state: State) -> None:
    position = Position.of_state(state)
    play = play_of(position)
    for viewer in range(len(state.table.setup.players)):
        row, mask = play.look(viewer)
        assert fields(row) == seen_by_the_rules(state, viewer)
        mine = viewer == state.table.mover and not position.over
        assert mask.tolist() == (position.mask() if mine else 0 * mask).tolist()


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_a_row_is_what_the_rules_show(players: int, edition: str) -> None:
    dice = Random(players)
    game = Game(table(players, edition), SeedShuffler(bytes(range(32))))
    while moves := game.legal_moves():
        if game.ply % 9 == 0:
            assert_seen(game.state)
            row, _ = play_of(Position.of_state(game.state)).look(0)
            assert (row <= HIGHS).all()
        game.play(dice.choice(moves))
    assert_seen(game.state)


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_a_row_of_a_crowded_board_is_what_the_rules_show(players: int, edition: str) -> None:
    """Where hands must be shown and blocks taken out."""
    for seed in range(5):
        assert_seen(crowded(table(players, edition), Random(seed), low=True))


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_nobody_sees_hidden_cards(players: int, edition: str) -> None:
    """Deal what a player can't see anew, again and again: he sees the same."""
    dice = Random(7)
    game = Game(table(players, edition), SeedShuffler(bytes(32)))
    changed = 0
    while moves := game.legal_moves():
        if game.ply % 3:
            game.play(dice.choice(moves))
            continue
        viewer = dice.randrange(players)
        true = Position.of_state(game.state, seed=game.ply)
        other = true.copy()
        other.deal_unseen(viewer)
        changed += other.state().hands != true.state().hands
        mine, others = play_of(true).look(viewer), play_of(other).look(viewer)
        assert mine[0].tolist() == others[0].tolist()
        assert mine[1].tolist() == others[1].tolist()
        game.play(dice.choice(moves))
    assert changed > 20
