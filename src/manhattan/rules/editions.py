"""The editions as data: the differences between rulebooks, and house rules (RULES 6, 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, get_args

from manhattan.rules.blocks import Colour
from manhattan.rules.errors import SetupError, describe_characters

Sides = Literal["distinct", "free"]
TallestTie = Literal["nobody", "one_owner"]
FourPlayers = Literal["6x4", "4x6"]
ThreePlayers = Literal["4x6", "6x4"]
TwoPlayers = Literal["4x6", "4x4", "6x4-one-colour"]
FinalTie = Literal["shared", "own_tallest", "board_tallest"]


@dataclass(frozen=True, slots=True)
class Rules:
    """One value for each row in which the rulebooks differ. A house rule can change any row."""

    sides: Sides
    """Whether players may share a side of the board."""
    tallest_tie: TallestTie
    """The scorer if several towers are the tallest: nobody, or the one owner of all of them."""
    four_players: FourPlayers
    """Blocks a round x number of rounds."""
    three_players: ThreePlayers
    two_players: TwoPlayers
    """The same, for each of the player's two colours unless the value says one colour."""
    final_tie: FinalTie
    """What breaks a tie at the end: nothing, the tied players' own tallest towers, or the
    board's tallest tower; majorities come next after the latter two."""

    def changed(self, house_rules: Mapping[str, str]) -> Rules:
        """Return these rules with some rows changed."""
        for row, value in house_rules.items():
            if row not in HOUSE_RULES:
                raise SetupError(
                    f"There is no house rule {describe_characters(row)}. "
                    f"The house rules are: {', '.join(HOUSE_RULES)}."
                )
            if value not in HOUSE_RULES[row]:
                raise SetupError(
                    f"The house rule {row} can't be {describe_characters(str(value))}. "
                    f"It can be: {', '.join(HOUSE_RULES[row])}."
                )
        return replace(self, **house_rules)  # type: ignore[arg-type]  # each value was checked above


HOUSE_RULES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sides": get_args(Sides),
        "tallest_tie": get_args(TallestTie),
        "four_players": get_args(FourPlayers),
        "three_players": get_args(ThreePlayers),
        "two_players": get_args(TwoPlayers),
        "final_tie": get_args(FinalTie),
    }
)
"""Every rule that differs between editions or that players may change, and its values. Changed by
the players, such a rule is a house rule."""


def parse_house_rules(texts: Iterable[str], sign: str = "=") -> dict[str, str]:
    """Read house rules written as ``row=value``, or with another sign than ``=``."""
    changes: dict[str, str] = {}
    for text in texts:
        row, separator, value = text.partition(sign)
        if not separator:
            raise SetupError(
                f"{text!r} is not a house rule: write it like tallest_tie{sign}one_owner. "
                f"The house rules are: {', '.join(HOUSE_RULES)}."
            )
        changes[row] = value
    return changes


@dataclass(frozen=True, slots=True)
class Schedule:
    """How many blocks of each colour a player builds in a round, and for how many rounds."""

    blocks: int
    rounds: int
    colours: int
    """The number of colours of each player."""


def schedule(rules: Rules, players: int) -> Schedule:
    """Look up the schedule for a number of players."""
    row = {4: rules.four_players, 3: rules.three_players, 2: rules.two_players}[players]
    match = re.match(r"(\d)x(\d)", row)
    assert match is not None  # the values of a row are a closed list
    two_colours = players == 2 and not row.endswith("one-colour")
    return Schedule(int(match[1]), int(match[2]), colours=2 if two_colours else 1)


@dataclass(frozen=True, slots=True)
class Edition:
    """A rulebook."""

    id: str
    title: str
    language: str
    colours: tuple[Colour, ...]
    """The colours in the box, in the order in which players get them by default."""
    cities: tuple[str, ...]
    """The names of the cities A to F; later editions print only the letters."""
    start_player: str
    """How the rulebook chooses the first start player. Here the players agree or draw lots."""
    rules: Rules
    options: str = ""
    """What the rulebook leaves to the players, and the house rules for it."""


_NAMED_CITIES: Final = ("Sydney", "Manhattan", "Frankfurt", "Hong Kong", "São Paulo", "Cairo")
_LETTERED_CITIES: Final = ("A", "B", "C", "D", "E", "F")
_COLOURS_1994: Final = (Colour.BLUE, Colour.BLACK, Colour.RED, Colour.GREEN)
_COLOURS_LATER: Final = (Colour.ORANGE, Colour.BLUE, Colour.YELLOW, Colour.PURPLE)

_RULES_2017: Final = Rules(
    sides="distinct",
    tallest_tie="nobody",
    four_players="6x4",
    three_players="4x6",
    two_players="4x6",
    final_tie="own_tallest",
)

EDITIONS: Final[Mapping[str, Edition]] = MappingProxyType(
    {
        edition.id: edition
        for edition in (
            Edition(
                id="hig-2017",
                title="Hans im Glück 2017",
                language="German",
                colours=_COLOURS_LATER,
                cities=_LETTERED_CITIES,
                start_player="the oldest",
                rules=_RULES_2017,
            ),
            Edition(
                id="hig-1994",
                title="Hans im Glück 1994",
                language="German and French",
                colours=_COLOURS_1994,
                cities=_NAMED_CITIES,
                start_player="settled freely",
                rules=replace(_RULES_2017, sides="free", final_tie="shared"),
                options=(
                    "The rulebook leaves two options to the players: three players can also take "
                    "6 blocks a round for 4 rounds (three_players=6x4), and two players can play "
                    "one colour each with 6 blocks a round for 4 rounds "
                    "(two_players=6x4-one-colour)."
                ),
            ),
            Edition(
                id="999-games",
                title="999 Games",
                language="Dutch",
                colours=_COLOURS_LATER,
                cities=_LETTERED_CITIES,
                start_player="the oldest",
                rules=replace(_RULES_2017, tallest_tie="one_owner"),
            ),
            Edition(
                id="foxgames-2018",
                title="FoxGames 2018",
                language="Polish",
                colours=_COLOURS_LATER,
                cities=_LETTERED_CITIES,
                start_player="the oldest",
                rules=replace(_RULES_2017, two_players="4x4", final_tie="board_tallest"),
            ),
        )
    }
)
"""All editions by id. Never change the rules of an edition: stored games and records are replayed
with them. Add a new edition instead."""

DEFAULT_EDITION: Final = "hig-2017"


def edition(id: str) -> Edition:
    """Look up an edition by its id."""
    if id not in EDITIONS:
        raise SetupError(
            f"There is no edition {describe_characters(id)}. "
            f"The editions are: {', '.join(EDITIONS)}."
        )
    return EDITIONS[id]
