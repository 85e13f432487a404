"""The set-up of a table: players, their sides and colours, and the rules (RULES 3, 4, 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from manhattan.rules.blocks import Colour
from manhattan.rules.board import CLOCKWISE, Side
from manhattan.rules.editions import DEFAULT_EDITION, Edition, Rules, Schedule, edition, schedule
from manhattan.rules.errors import InvalidName, SetupError, describe_characters

DEFAULT_SIDES: Final[Mapping[int, tuple[Side, ...]]] = MappingProxyType(
    {
        2: (Side.SOUTH, Side.NORTH),
        3: (Side.SOUTH, Side.WEST, Side.NORTH),
        4: (Side.SOUTH, Side.WEST, Side.NORTH, Side.EAST),
    }
)
MAX_NAME_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class Player:
    """A player at the table.

    Players are identified by their index in ``Setup.players``: two of them may share a side, and
    names may repeat.
    """

    name: str
    side: Side
    colours: tuple[Colour, ...]


class OwnColour(NamedTuple):
    """One of a player's colours."""

    colour: Colour
    slot: int
    """Its index in ``Setup.colours``, and so in the lists of supplies and tableaus."""
    notation: Colour | None
    """The colour that the player's moves name; None for a player with one colour."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A table before the cards are dealt.

    The constructor checks all values, so every ``Setup`` can be played. ``set_up`` fills in
    defaults.
    """

    players: tuple[Player, ...]
    """In turn order, clockwise. The first one listed need not be the start player."""
    edition: str = DEFAULT_EDITION
    house_rules: tuple[tuple[str, str], ...] = ()
    """The rows of the edition that this table changes, sorted by name."""
    first: int = 0
    """The start player of the first round, agreed on by the players or drawn at random."""

    rules: Rules = field(init=False, repr=False, compare=False)
    schedule: Schedule = field(init=False, repr=False, compare=False)
    colours: tuple[Colour, ...] = field(init=False, repr=False, compare=False)
    """All colours in play, player by player: the order of supplies and tableaus."""
    colours_by_player: tuple[tuple[OwnColour, ...], ...] = field(
        init=False, repr=False, compare=False
    )
    """The colours of each player."""

    def __post_init__(self) -> None:
        book = edition(self.edition)
        house_rules = dict(self.house_rules)
        rules = book.rules.changed(house_rules)
        changes = sorted((r, v) for r, v in house_rules.items() if getattr(book.rules, r) != v)
        check_player_count(len(self.players))
        self.check_player(self.first)
        object.__setattr__(self, "house_rules", tuple(changes))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "schedule", schedule(rules, len(self.players)))
        object.__setattr__(self, "colours", tuple(c for p in self.players for c in p.colours))
        for player in self.players:
            check_name(player.name)
        self._check_colours(book)
        self._check_sides()
        object.__setattr__(self, "colours_by_player", tuple(map(self._own_colours, self.players)))

    @property
    def rules_name(self) -> str:
        """The edition and all changes to it, for people."""
        return ", ".join([self.edition, *(f"{row}={value}" for row, value in self.house_rules)])

    def check_player(self, player: int) -> int:
        """Return the player's index, or raise ``SetupError`` if the table has no such player."""
        if type(player) is not int or not 0 <= player < len(self.players):
            last = len(self.players) - 1
            raise SetupError(f"There is no player {player!r} at this table, only 0 to {last}.")
        return player

    def colour_index(self, colour: Colour) -> int:
        """The index of a colour in the lists of supplies and tableaus."""
        return self.colours.index(colour)

    def player_of(self, colour: Colour) -> int:
        """The player who has this colour."""
        return self.colours.index(colour) // self.schedule.colours

    def left_of(self, player: int) -> int:
        """The next player clockwise."""
        return (player + 1) % len(self.players)

    def _own_colours(self, player: Player) -> tuple[OwnColour, ...]:
        return tuple(
            OwnColour(
                colour, self.colour_index(colour), colour if len(player.colours) > 1 else None
            )
            for colour in player.colours
        )

    def _check_colours(self, book: Edition) -> None:
        each = self.schedule.colours
        for player in self.players:
            if len(player.colours) != each:
                raise SetupError(
                    f"{player.name} has {len(player.colours)} colours; with {len(self.players)} "
                    f"players, these rules give each player {each}."
                )
            for colour in player.colours:
                if colour not in book.colours:
                    raise SetupError(
                        f"{player.name} can't play {colour}: the colours of {book.title} are "
                        f"{', '.join(book.colours)}."
                    )
        for colour in set(self.colours):
            if self.colours.count(colour) > 1:
                raise SetupError(f"The colour {colour} is assigned twice.")

    def _check_sides(self) -> None:
        sides = [player.side for player in self.players]
        if self.rules.sides == "distinct" and len(set(sides)) < len(sides):
            raise SetupError(
                "Two players sit at the same side of the board; these rules give every player "
                "a different side."
            )
        # One clockwise turn around the board is four steps, and a list that is not clockwise takes
        # more than one turn. Players who share a side must be listed next to each other, because
        # otherwise the left neighbour of a player would be ambiguous.
        steps = [
            (CLOCKWISE.index(after) - CLOCKWISE.index(before)) % 4
            for before, after in zip(sides, sides[1:] + sides[:1], strict=True)
        ]
        split = sides[0] == sides[-1] and len(set(sides)) > 1
        if sum(steps) > 4 or split:
            raise SetupError(
                "List the players clockwise around the board (south, west, north, east), and "
                f"players who share a side next to each other, not {', '.join(sides)}."
            )


def set_up(
    players: int | Sequence[str] = 4,
    *,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
    first: int = 0,
    sides: Sequence[Side | str] | None = None,
    colours: Sequence[Sequence[Colour | str]] | None = None,
) -> Setup:
    """Set up a table for a number of players or a list of names, with the usual defaults.

    >>> set_up(["Ada", "Bob"]).players[1]
    Player(name='Bob', side=Side.NORTH, colours=(Colour.YELLOW, Colour.PURPLE))
    """
    if isinstance(players, str):
        raise SetupError(f"Players are a number or a list of names, not {players!r}.")
    count = check_player_count(players if isinstance(players, int) else len(players))
    names = [f"Player {n + 1}" for n in range(count)] if isinstance(players, int) else players
    changes = dict(house_rules or {})
    all_sides = DEFAULT_SIDES[len(names)] if sides is None else [_side(text) for text in sides]
    all_colours = _default_colours(edition, changes, len(names)) if colours is None else colours
    for what, values in (("sides", all_sides), ("sets of colours", all_colours)):
        if len(values) != len(names):
            raise SetupError(f"There are {len(names)} players but {len(values)} {what}.")
    return Setup(
        players=tuple(
            Player(name, side, tuple(_colour(text) for text in own_colours))
            for name, side, own_colours in zip(names, all_sides, all_colours, strict=True)
        ),
        edition=edition,
        house_rules=tuple(changes.items()),
        first=first,
    )


def check_player_count(players: int) -> int:
    """Return the number of players, or raise ``SetupError`` if it is not 2 to 4."""
    if players not in DEFAULT_SIDES:
        raise SetupError(f"Manhattan is for 2 to 4 players; there are {players}.")
    return players


def _default_colours(
    edition_id: str, house_rules: Mapping[str, str], players: int
) -> list[tuple[Colour, ...]]:
    book = edition(edition_id)
    each = schedule(book.rules.changed(house_rules), players).colours
    return [book.colours[n * each : (n + 1) * each] for n in range(players)]


def _side(text: Side | str) -> Side:
    if text not in CLOCKWISE:
        raise SetupError(
            f"{describe_characters(text)} is not a side of the board. "
            f"The sides are: {', '.join(CLOCKWISE)}."
        )
    return Side(text)


def _colour(text: Colour | str) -> Colour:
    if text not in tuple(Colour):
        raise SetupError(
            f"{describe_characters(text)} is not a colour. The colours are: {', '.join(Colour)}."
        )
    return Colour(text)


def check_name(name: str) -> str:
    """Return the name, or raise ``InvalidName`` if it is not valid for a player."""
    if not isinstance(name, str):
        raise InvalidName(f"A player's name is a text, not {name!r}.")
    # Python calls joiners unprintable, but the spelling of some scripts needs them.
    visible = name.replace("\u200c", "").replace("\u200d", "")
    if len(name) > MAX_NAME_LENGTH or not visible.strip() or not visible.isprintable():
        raise InvalidName(
            f"{describe_characters(name)} is not a valid name: a name has 1 to {MAX_NAME_LENGTH} "
            "printable characters."
        )
    return name
