"""The rulebook of each edition as text, generated from the data that the engine plays by.

``manhattan rules`` prints it and ``docs/reference/editions.md`` is generated from it. What differs
between editions comes from that data; the sentences around it are written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from manhattan.rules import CITIES, EDITIONS, HOUSE_RULES, Edition, edition, parse_board, set_up
from manhattan.rules.blocks import BLOCKS_OF_A_COLOUR, FULL_STOCK, Block
from manhattan.rules.editions import Schedule, schedule
from manhattan.rules.scoring import score_round
from manhattan.rules.towers import Tower

ROW_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sides": "Sides of the board",
        "tallest_tie": "Tie for tallest",
        "four_players": "Four players",
        "three_players": "Three players",
        "two_players": "Two players",
        "final_tie": "Tie at the end",
    }
)
VALUES: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("sides", "distinct"): "every player at a different side",
        ("sides", "free"): "players may share a side",
        ("tallest_tie", "nobody"): "nobody scores",
        ("tallest_tie", "one_owner"): "the owner scores, if one colour owns them all",
        ("four_players", "6x4"): "6 blocks a round, 4 rounds",
        ("four_players", "4x6"): "4 blocks a round, 6 rounds",
        ("three_players", "4x6"): "4 blocks a round, 6 rounds",
        ("three_players", "6x4"): "6 blocks a round, 4 rounds",
        ("two_players", "4x6"): "two colours each, 4 blocks of each a round, 6 rounds",
        ("two_players", "4x4"): "two colours each, 4 blocks of each a round, 4 rounds",
        ("two_players", "6x4-one-colour"): "one colour each, 6 blocks a round, 4 rounds",
        ("final_tie", "shared"): "the win is shared",
        (
            "final_tie",
            "own_tallest",
        ): "the taller own tower, then more majorities, then a shared win",
        ("final_tie", "board_tallest"): (
            "the owner of the board's tallest tower, then more majorities, then a shared win"
        ),
    }
)


def rulebook(edition_id: str) -> str:
    """Write all rules of an edition, as Markdown."""
    book = edition(edition_id)
    return "\n\n".join(
        [
            f"# Manhattan: {book.title}",
            _aim(),
            _material(book),
            _sides(book),
            _setting_up(book),
            _round(book),
            _scoring(book),
            _players(book),
            _end(book),
            _rulings(),
        ]
    )


def differences() -> str:
    """Write a table of the differences between the editions, as Markdown."""
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
    """Write the house rules and their values, as Markdown."""
    lines = ["| row | value | meaning |", "|---|---|---|"]
    for row, values in HOUSE_RULES.items():
        lines += [f"| `{row}` | `{value}` | {VALUES[row, value]} |" for value in values]
    return (
        "# House rules\n\nA table starts from an edition and may change single rows of it. "
        "Wherever the program names the edition, it also names these changes.\n\n"
        + "\n".join(lines)
    )


def _aim() -> str:
    return (
        "You build skyscrapers in six cities. A tower belongs to the colour of its topmost block, "
        "whatever lies below. After every round, the tallest tower, the majority in each city and "
        "every tower score points. The player with the most points after the last round wins."
    )


def _material(book: Edition) -> str:
    ones, twos, threes, fours = FULL_STOCK
    names = ""
    if book.cities[0] != "A":
        lettered = zip(CITIES, book.cities, strict=True)
        names = f" ({', '.join(f'{letter} {name}' for letter, name in lettered)})"
    return (
        "## Components\n\n"
        f"- Six cities, A to F{names}, with nine sites each, three by three.\n"
        "- 45 cards, five of each kind. A card shows one position in a grid of three by three.\n"
        f"- 24 blocks of each colour ({', '.join(book.colours)}): {ones} with one floor, "
        f"{twos} with two, {threes} with three and {fours} with four."
    )


def _sides(book: Edition) -> str:
    sides = {
        "distinct": "Every player sits at a different side of the board",
        "free": "Players choose their sides freely, may share one, and keep them",
    }[book.rules.sides]
    return (
        "## Sides and cards\n\n"
        f"{sides} for the whole game. You read a card upright from your own side: it names the "
        "same position in all six cities *as you see them*. The same card names other sites for "
        "the player opposite; only the centre is the same for all."
    )


def _setting_up(book: Edition) -> str:
    start = {
        "the oldest": "The oldest player starts",
        "settled freely": "The players agree on who starts",
    }[book.start_player]
    return (
        "## Set-up\n\n"
        f"Take the blocks of your colour: they are your supply. {start}. Shuffle the cards and "
        "deal four to each player; the rest are the draw pile. Hands are secret; blocks, points "
        "and played cards are public."
    )


def _round(book: Edition) -> str:
    return (
        "## A round\n\n"
        f"**Choose.** Clockwise from the start player, each player moves the blocks for the round "
        f"({_blocks(schedule(book.rules, 4))} with four players) from the supply to the tableau, "
        "in any mix of sizes. You choose knowing your hand and the choices before yours, and can't "
        "exchange blocks later.\n\n"
        "**Build.** Clockwise from the start player, turn by turn until all tableaus are empty:\n\n"
        "1. Play a card, face up.\n"
        "2. Place one block from your tableau on the site that the card names, in a city of your "
        "choice. An empty site takes any block, and so does a tower of the same colour. On a tower "
        "of another colour you can place a block if your colour then has at least as many floors "
        "in the tower as its present owner, at whatever height. The tower is then yours. Floors of "
        "third colours don't count.\n"
        "3. Draw a card. If the pile is empty, shuffle all cards played so far into a new pile "
        "first; players keep their hands.\n\n"
        f"{_takeover_examples(book)}\n\n"
        "A player who can build must build. Towers have no maximum height and stay until the end "
        "of the game.\n\n"
        "**Score** (see below). Then the left neighbour becomes the start player. Players keep "
        "their hands."
    )


def _scoring(book: Edition) -> str:
    tie = {
        "nobody": "If several towers have that height, nobody scores it",
        "one_owner": (
            "If several towers have that height, it scores only if one colour owns all of them"
        ),
    }[book.rules.tallest_tie]
    return (
        "## Scoring\n\n"
        f"- **3 points** for the owner of the tallest tower on the whole board. {tie}.\n"
        "- **2 points** in each city for the colour that owns more towers there than every other "
        "single colour (the majority). In a tie nobody scores; one tower is enough if it is the "
        "only one.\n"
        "- **1 point** for every tower that you own. Towers that still stand score again in the "
        "next round.\n\n"
        f"{_scoring_example(book)}"
    )


def _players(book: Edition) -> str:
    three, two = schedule(book.rules, 3), schedule(book.rules, 2)
    all_used = two.blocks * two.rounds == BLOCKS_OF_A_COLOUR
    unused = "" if all_used else " Some blocks stay unused."
    return (
        "## Three players, two players\n\n"
        f"**Three** play like four, with {_blocks(three)} a round and {three.rounds} rounds.\n\n"
        f"**Two** have two colours each and one hand: {_blocks(two)} of each colour a round, "
        f"{two.rounds} rounds.{unused} In each turn you place one block of either colour. "
        "Ownership, takeovers and scoring go by colour, as if there were four players: a tower of "
        "your other colour is a tower of another colour. Your points are the sum of both."
        + (f"\n\n{book.options}" if book.options else "")
    )


def _end(book: Edition) -> str:
    four = schedule(book.rules, 4)
    tie = {
        "shared": "In a tie, the tied players share the win.",
        "own_tallest": (
            "In a tie, the taller tower decides (the tallest of each tied player), then the "
            "greater number of majorities on the final board. Players who are still tied share "
            "the win."
        ),
        "board_tallest": (
            "In a tie, the player who owns a tower of the greatest height on the whole board wins. "
            "If none of the tied players owns one, or several do, the greater number of "
            "majorities on the final board decides. Players who are still tied share the win."
        ),
    }[book.rules.final_tie]
    return (
        "## End of the game\n\n"
        f"With four players the game ends after {four.rounds} rounds. The player with the most "
        f"points wins. {tie}"
    )


def _rulings() -> str:
    seats = {
        players: [player.side.value.title() for player in set_up(players).players]
        for players in (2, 3)
    }
    return (
        "## Rulings\n\n"
        "Where the rulebooks are silent, these rulings hold:\n\n"
        "- **No block fits.** If you can't place any of your blocks with any of your cards, you "
        "show your hand at the start of your turn, put it on the played cards and draw four new "
        "cards. There is one redraw per turn. If you still can't place a block, you take one block "
        "of your choice from your tableau out of the game, without playing or drawing a card, and "
        "your turn ends.\n"
        "- **The draw pile is empty.** Not every rulebook says what happens. The played cards, the "
        "one just played included, are shuffled when a card has to be drawn and there is none, not "
        "earlier.\n"
        "- **The last turns.** Players draw a card in the last turns as well. It changes nothing.\n"
        f"- **Seats.** Unless you choose otherwise, two players sit {' and '.join(seats[2])}, and "
        f"three sit {', '.join(seats[3][:2])} and {seats[3][2]}. Empty sides are skipped. Players "
        "who share a side take their turns in the order in which they are listed.\n"
        "- **Two colours.** With two players, your other colour is a foreign colour in everything, "
        "not only in the scoring."
    )


def _takeover_examples(book: Edition) -> str:
    """Write examples of takeovers. The engine computes their numbers."""
    first, second, third, fourth = book.colours
    tower = Tower((Block(third, 1), Block(second, 3)))
    tied = Tower((Block(first, 4), Block(fourth, 4), Block(third, 4)))
    return (
        f"*Example.* A tower has 1 floor of {third} and 3 of {second} on top: {tower.owner} owns "
        f"it. To build there, {third} needs a block of at least {tower.min_size[third]} floors "
        f"(1 + {tower.min_size[third]} against 3) and {first} one of at least "
        f"{tower.min_size[first]}; {second} may place any block.\n\n"
        f"*Example.* {first.title()} starts a tower with 4 floors. {fourth.title()} places 4 on it "
        f"and owns it, because a tie is enough; then {third} places 4 and owns it. Now {first} can "
        f"take it back with {tied.min_size[first]} floor: 4 + {tied.min_size[first]} against 4."
    )


def _scoring_example(book: Edition) -> str:
    """Write an example of a scoring. The engine computes its points."""
    first, second, third, _ = book.colours
    towers = {
        "A1": (Block(first, 4), Block(first, 3)),
        "A2": (Block(second, 2),),
        "A3": (Block(second, 1),),
        "B1": (Block(second, 3),),
        "B2": (Block(third, 1),),
        "C5": (Block(third, 2),),
    }
    board = parse_board(
        " ".join(f"{site}:{''.join(map(str, blocks))}" for site, blocks in towers.items())
    )
    setup = set_up(4, edition=book.id)
    points = [score.points for score in score_round(board, setup, 1, (0,) * 4).colours]
    return (
        f"*Example.* {first.title()} owns one tower in A, the tallest of the board. "
        f"{second.title()} owns two towers in A and one in B. {third.title()} owns one in B and "
        f"the only one in C. {first.title()} scores {points[0]} (3 for the tallest, 1 for the "
        f"tower), {second} {points[1]} (2 for the majority in A, 3 for towers), {third} "
        f"{points[2]} (2 for the majority in C, 2 for towers). In B, {second} and {third} are tied."
    )


def _blocks(schedule: Schedule) -> str:
    return f"{schedule.blocks} blocks"
