"""An observation is what a player may see, and nothing else: compared with the rules by field."""

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
from support.env_helpers import DEFAULT_TABLES, TABLES, core_at, fields, table
from support.positions import crowded

DOCS = Path(__file__).parents[2] / "docs/reference/environments.md"


def test_the_documented_table_matches_the_code() -> None:
    line = r"^\| (\d+) \| `(\w+)` \| ([\d × ]+) \| (\d+) \| (.+) \|$"
    documented = re.findall(line, DOCS.read_text("utf-8"), re.MULTILINE)
    ours = [
        (str(f.offset), f.name, " × ".join(map(str, f.shape)), str(f.high), f.meaning)
        for f in FIELDS
    ]
    assert documented == ours
    assert f"{SIZE} bytes" in DOCS.read_text("utf-8")


def fields_by_rules(state: State, viewer: int) -> dict[str, object]:
    """The same fields, made from a player's view."""
    own = view(state, viewer)
    setup, public = own.public.setup, own.public
    n, per_player, count = len(setup.players), setup.schedule.colours, len(setup.colours)
    colours = [setup.colours[(viewer * per_player + k) % count] for k in range(count)]
    players = [(viewer + k) % n for k in range(n)]
    sides = [CLOCKWISE.index(setup.players[player].side) for player in players]

    def padded(values: list[int]) -> list[int]:
        return values + [0] * (4 - len(values))

    def stocks(all_stocks: tuple[tuple[int, ...], ...]) -> list[list[int]]:
        ordered = [list(all_stocks[setup.colour_index(colour)]) for colour in colours]
        return ordered + [[0] * 4] * (4 - len(ordered))

    cards = [card_for(setup.players[viewer].side, site) for site in SITES[:9]]
    return {
        "floors": [padded([tower.floors.get(c, 0) for c in colours]) for tower in public.board],
        "owner": [padded([int(tower.owner is c) for c in colours]) for tower in public.board],
        "supply": stocks(public.supplies),
        "tableau": stocks(public.tableaus),
        "taken_out": stocks(public.taken_out),
        "hand": [own.hand.count(card) for card in cards],
        "unseen": [own.unseen.count(card) for card in cards],
        "points": padded([public.scores[player] for player in players]),
        "to_move": padded([int(p == public.mover and not public.result) for p in players]),
        "start_player": padded([int(player == public.start_player) for player in players]),
        "side": padded([(side - sides[0]) % 4 for side in sides]),
        "phase": [int(public.phase is phase) for phase in PHASES],
        "round": [public.round],
        "rounds": [setup.schedule.rounds],
        "turns_left": [
            sum(map(sum, public.tableaus)) if public.phase in (Phase.BUILD, Phase.REMOVE) else 0
        ],
        "pile": [public.pile_size],
        "shuffles": [public.shuffles],
        "players": [n],
        "colours": [per_player],
        "blocks": [setup.schedule.blocks],
        "tallest_tie": [TALLEST_TIES.index(setup.rules.tallest_tie)],
        "final_tie": [FINAL_TIES.index(setup.rules.final_tie)],
    }


def assert_observations(state: State) -> None:
    position = Position.from_state(state)
    core = core_at(position)
    for viewer in range(len(state.public.setup.players)):
        row, mask = core.observe(viewer)
        assert fields(row) == fields_by_rules(state, viewer)
        is_mover = viewer == state.public.mover and not position.is_over
        assert mask.tolist() == (position.mask() if is_mover else 0 * mask).tolist()


@pytest.mark.parametrize(("players", "edition"), TABLES)
def test_an_observation_is_what_the_rules_show(players: int, edition: str) -> None:
    rng = Random(players)
    game = Game(table(players, edition), SeedShuffler(bytes(range(32))))
    while moves := game.legal_moves():
        if game.ply % 9 == 0:
            assert_observations(game.state)
            row, _ = core_at(Position.from_state(game.state)).observe(0)
            assert (row <= HIGHS).all()
        game.play(rng.choice(moves))
    assert_observations(game.state)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_an_observation_of_a_crowded_board_is_what_the_rules_show(
    players: int, edition: str
) -> None:
    """Boards where players reveal hands and remove blocks."""
    for seed in range(5):
        assert_observations(crowded(table(players, edition), Random(seed), low=True))


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_hidden_cards_do_not_change_an_observation(players: int, edition: str) -> None:
    """Another deal of the cards that a player can't see leaves their observation the same."""
    rng = Random(7)
    game = Game(table(players, edition), SeedShuffler(bytes(32)))
    changed = 0
    while moves := game.legal_moves():
        if game.ply % 3:
            game.play(rng.choice(moves))
            continue
        viewer = rng.randrange(players)
        true = Position.from_state(game.state, seed=game.ply)
        other = true.copy()
        other.determinize(viewer)
        changed += other.state().hands != true.state().hands
        true_row, true_mask = core_at(true).observe(viewer)
        other_row, other_mask = core_at(other).observe(viewer)
        assert true_row.tolist() == other_row.tolist()
        assert true_mask.tolist() == other_mask.tolist()
        game.play(rng.choice(moves))
    assert changed > 20
