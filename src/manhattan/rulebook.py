"""The rules in our own words, edition by edition, written from the same data that is played by.

``manhattan rules`` prints it and ``docs/editions.md`` is made of it, so that neither can drift away
from what the program does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from manhattan.rules import CITIES, EDITIONS, ROWS, Edition, edition
from manhattan.rules.blocks import BLOCKS_OF_A_COLOUR, FULL_STOCK
from manhattan.rules.editions import Schedule, schedule

ROW_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sides": "Sides of the board",
        "tallest_tie": "Several towers share the greatest height",
        "four_players": "Four players",
        "three_players": "Three players",
        "two_players": "Two players",
        "final_tie": "Equal points at the end",
    }
)
VALUES: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("sides", "distinct"): "everybody at a side of their own",
        ("sides", "free"): "players may share a side",
        ("tallest_tie", "nobody"): "nobody scores it",
        ("tallest_tie", "one_owner"): "scored if one colour owns them all",
        ("four_players", "6x4"): "6 blocks a round, 4 rounds",
        ("four_players", "4x6"): "4 blocks a round, 6 rounds",
        ("three_players", "4x6"): "4 blocks a round, 6 rounds",
        ("three_players", "6x4"): "6 blocks a round, 4 rounds",
        ("two_players", "4x6"): "two colours each, 4 blocks of each a round, 6 rounds",
        ("two_players", "4x4"): "two colours each, 4 blocks of each a round, 4 rounds",
        ("two_players", "6x4-one-colour"): "one colour each, 6 blocks a round, 4 rounds",
        ("final_tie", "shared"): "the win is shared",
        ("final_tie", "own_tallest"): "the taller own tower, then more majorities, then shared",
        ("final_tie", "board_tallest"): (
            "who owns the board's tallest tower, then more majorities, then shared"
        ),
    }
)


def rulebook(edition_id: str) -> str:
    """All rules of an edition, as Markdown."""
    book = edition(edition_id)
    return "\n\n".join(
        [
            f"# Manhattan: {book.title}",
            _aim(),
            _material(book),
            _seats(book),
            _setting_up(book),
            _round(book),
            _scoring(book),
            _players(book),
            _end(book),
            _rare_cases(),
        ]
    )


def differences() -> str:
    """What differs between the editions, as Markdown; the named rows can be house rules."""
    books = list(EDITIONS.values())
    lines = [
        "| | row | " + " | ".join(f"{book.title} (`{book.id}`)" for book in books) + " |",
        "|---" * (len(books) + 2) + "|",
        "| Rulebook in | | " + " | ".join(book.language for book in books) + " |",
        "| Colours | | " + " | ".join(", ".join(book.colours) for book in books) + " |",
        "| Start player | | " + " | ".join(book.start_player for book in books) + " |",
    ]
    for row, title in ROW_TITLES.items():
        cells = (VALUES[row, getattr(book.rules, row)] for book in books)
        lines.append(f"| {title} | `{row}` | " + " | ".join(cells) + " |")
    return "# How the editions differ\n\n" + "\n".join(lines)


def house_rules() -> str:
    """Every row that a table may change and the values it can take, as Markdown."""
    lines = ["| row | value | meaning |", "|---|---|---|"]
    for row, values in ROWS.items():
        lines += [f"| `{row}` | `{value}` | {VALUES[row, value]} |" for value in values]
    return (
        "# House rules\n\nA table starts from an edition and may change single rows of it. "
        "Wherever the game names its edition it names these changes too.\n\n" + "\n".join(lines)
    )


def _aim() -> str:
    return (
        "You raise skyscrapers in six cities. A tower belongs to whoever put the topmost block on "
        "it, whatever lies below. After every round the tallest tower, the lead in each city and "
        "every tower bring points; most points after the last round win."
    )


def _material(book: Edition) -> str:
    ones, twos, threes, fours = FULL_STOCK
    names = ""
    if book.cities[0] != "A":
        lettered = zip(CITIES, book.cities, strict=True)
        names = f" ({', '.join(f'{letter} {name}' for letter, name in lettered)})"
    return (
        "## What there is\n\n"
        f"- Six cities A to F{names} of nine sites each, three by three.\n"
        "- 45 cards, five of each kind. A card shows one position in a grid of three by three.\n"
        f"- In each colour ({', '.join(book.colours)}) 24 blocks: {ones} of one floor, "
        f"{twos} of two, {threes} of three and {fours} of four."
    )


def _seats(book: Edition) -> str:
    sides = {
        "distinct": "Everybody sits at a different side of the board",
        "free": "Players choose their sides freely and may share one",
    }[book.rules.sides]
    return (
        "## Seats and cards\n\n"
        f"{sides} and stays there. You read a card upright from your own side: it names the same "
        "position in all six cities *as you see them*. So the same card points to other sites for "
        "the player opposite; only the centre is the centre for all."
    )


def _setting_up(book: Edition) -> str:
    start = {
        "the oldest": "The oldest player starts",
        "settled freely": "The players settle who starts",
    }[book.start_player]
    return (
        "## Setting up\n\n"
        f"Take the blocks of your colour: they are your supply. {start}. Shuffle the cards and "
        "deal four to each player; the rest is the draw pile. Hands are secret; blocks, points "
        "and played cards are open to all."
    )


def _round(book: Edition) -> str:
    return (
        "## A round\n\n"
        f"**Choose.** From the start player clockwise, everybody puts the round's blocks "
        f"({_plan(schedule(book.rules, 4))} with four players) from the supply on the tableau, any "
        "mix of sizes. You know your hand when you choose, and what those before you chose. There "
        "is no exchange later.\n\n"
        "**Build.** From the start player clockwise, turn by turn until all tableaus are empty:\n\n"
        "1. Play a card, face up.\n"
        "2. Put one block of your tableau on the site that the card names, in a city of your "
        "choice. An empty site or a tower of your own takes any block. A tower of another colour "
        "takes it if afterwards *your* floors in it, wherever they are, are at least as many as "
        "its present owner's. Then it is yours. Floors of third colours don't count.\n"
        "3. Draw a card. If there is none, all cards played so far are shuffled into a new pile "
        "first; hands stay as they are.\n\n"
        "Whoever can build must. Towers have no limit and stay until the end of the game.\n\n"
        "**Score** (below). Then the left neighbour becomes start player. Hands are kept."
    )


def _scoring(book: Edition) -> str:
    tie = {
        "nobody": "If several towers share that height, nobody scores it",
        "one_owner": (
            "If several towers share that height, it counts only if one colour owns all of them"
        ),
    }[book.rules.tallest_tie]
    return (
        "## Scoring\n\n"
        f"- **3 points** for owning the tallest tower of the whole board. {tie}.\n"
        "- **2 points** in each city to the colour that owns more towers there than any other "
        "single colour. A tie brings nobody points; one tower is enough if it is the only one.\n"
        "- **1 point** for every tower that you own."
    )


def _players(book: Edition) -> str:
    three, two = schedule(book.rules, 3), schedule(book.rules, 2)
    all_used = two.blocks * two.rounds == BLOCKS_OF_A_COLOUR
    unused = "" if all_used else " Part of the blocks stays unused."
    return (
        "## Three players, two players\n\n"
        f"**Three** play as four do, with {_plan(three)} a round and {three.rounds} rounds.\n\n"
        f"**Two** have two colours each and one hand: {_plan(two)} of each colour a round, "
        f"{two.rounds} rounds.{unused} In each turn you build one block of either colour. "
        "Owning, taking over and scoring go by colour as if four were playing, so your other "
        "colour is a foreign colour; your points are the sum of both."
        + (f"\n\n{book.options}" if book.options else "")
    )


def _end(book: Edition) -> str:
    four = schedule(book.rules, 4)
    tie = {
        "shared": "Players with equal points share the win.",
        "own_tallest": (
            "With equal points the taller tower decides (each tied player's own tallest), then "
            "the greater number of majorities on the final board. Who is still level shares the "
            "win."
        ),
        "board_tallest": (
            "With equal points it is decided by who owns a tower of the greatest height on the "
            "whole board; if none of the tied players does, or several do, by the greater number "
            "of majorities on the final board. Who is still level shares the win."
        ),
    }[book.rules.final_tie]
    return (
        "## The end\n\n"
        f"With four players the game ends after {four.rounds} rounds. Most points win. {tie}"
    )


def _rare_cases() -> str:
    return (
        "## Rulings\n\nNo rulebook says what happens when none of your blocks can be placed with "
        "any of your cards. Here you show your hand, put it with the played cards and draw four "
        "new ones. If that does not help, you take one block of your choice from your tableau out "
        "of the game, play and draw no card, and your turn is over."
    )


def _plan(plan: Schedule) -> str:
    return f"{plan.blocks} blocks"
