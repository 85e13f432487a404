"""RECORD: a program that knows only the rules can replay a record without this project.

That program is ``support.independent_replayer``. The project only makes the records.
"""

from __future__ import annotations

import json
from itertools import islice

import pytest

from manhattan.cli.commands.simulate import random_game
from manhattan.record import to_line
from manhattan.rules import set_up, shuffle
from support.independent_replayer import below, replay_independently, shuffled, stream
from support.record_fixtures import NAMES, TABLES, event_types, find, finished, record_json, stuck


def test_the_published_test_vector() -> None:
    """The values of RECORD for a seed of 32 zero bytes."""
    every = [card for card in range(1, 10) for _ in range(5)]
    dealt = "698375195431627488725314683124737655929486921"
    assert "".join(map(str, shuffled(bytes(32), 0, every))) == dealt
    assert shuffled(bytes(32), 1, every)[:10] == [1, 4, 1, 5, 9, 5, 2, 4, 7, 9]
    assert below(4, stream(bytes(32), 2**32 - 1)) == 2


@pytest.mark.parametrize(
    ("k", "at"), [(11668878, 5), (17669052, 18), (31770296, 20), (42298171, 4)]
)
def test_a_number_past_the_last_whole_multiple_is_skipped(k: int, at: int) -> None:
    """This is very rare; a search found these four shuffles of the zero seed."""
    every = [card for card in range(1, 10) for _ in range(5)]
    n = len(every) - at
    assert list(islice(stream(bytes(32), k), at + 1))[-1] >= n * (2**32 // n)
    assert list(shuffle(bytes(32), k, every)) == shuffled(bytes(32), k, every)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_an_independent_program_replays_every_record(
    edition: str, players: int, number: int
) -> None:
    """It checks seed, commitment, deck, piles, hands, takeovers, scores and result."""
    record = json.loads(to_line(record_json(finished(edition, players, number))))
    replayer = replay_independently(record)
    assert replayer.rounds == ROUNDS.get((edition, players), 4 if players == 4 else 6)
    assert replayer.shuffles == SHUFFLES.get((edition, players), 3 if players == 4 else 2)


ROUNDS = {("foxgames-2018", 2): 4}
SHUFFLES = {("foxgames-2018", 2): 1}


@pytest.mark.parametrize(
    ("players", "rules", "rounds"),
    [
        (2, {"two_players": "6x4-one-colour"}, 4),
        (3, {"three_players": "6x4", "tallest_tie": "one_owner"}, 4),
        (2, {"two_players": "4x4", "final_tie": "board_tallest"}, 4),
        (4, {"final_tie": "shared"}, 4),
    ],
)
def test_an_independent_program_replays_house_rules(
    players: int, rules: dict[str, str], rounds: int
) -> None:
    game = random_game(set_up(NAMES[:players], house_rules=rules), bytes(range(32)))
    record = json.loads(to_line(record_json(game)))
    assert record["house_rules"] == rules
    assert replay_independently(record).rounds == rounds


@pytest.mark.parametrize(("players", "number"), [(4, 1297), (4, 1703), (4, 1739), (2, 1099)])
def test_an_independent_program_replays_a_redraw(players: int, number: int) -> None:
    """These four simulated games have one; that of 1739 needs a shuffle."""
    record = json.loads(to_line(record_json(finished(players=players, number=number))))
    assert "redraw" in event_types(record)
    replay_independently(record)


def test_an_independent_program_replays_a_removal_without_a_seed() -> None:
    record = json.loads(to_line(record_json(stuck())))
    assert record["seed"] is None
    assert "remove" in event_types(record)
    replay_independently(record)


@pytest.mark.parametrize("key", ["drew", "card", "pile", "towers", "scores", "deck", "winners"])
def test_an_independent_program_detects_a_change(key: str) -> None:
    """The checks above can fail."""
    record = json.loads(to_line(record_json()))
    build, shuffle, score = (
        record["events"][find(record, k)] for k in ("build", "shuffle", "score")
    )
    match key:
        case "drew" | "card":
            build[key] = build[key] % 9 + 1
        case "pile":
            shuffle["pile"].sort()
        case "towers":
            next(iter(score["colours"].values()))["towers"] += 1
        case "scores":
            score["scores"][0] += 1
        case "deck":
            record["deck"].reverse()
        case "winners":
            record["result"]["winners"] = [(record["result"]["winners"][0] + 1) % 4]
    with pytest.raises((AssertionError, ValueError)):
        replay_independently(record)
