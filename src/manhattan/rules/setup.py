"""Setting up a table: who sits where with which colours, and by which rules (RULES 3, 4, 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from manhattan.rules.blocks import Colour
from manhattan.rules.board import CLOCKWISE, Seat
from manhattan.rules.editions import DEFAULT_EDITION, Edition, Rules, Schedule, edition, schedule
from manhattan.rules.errors import SetupError, describe_characters

DEFAULT_SEATS: Final[Mapping[int, tuple[Seat, ...]]] = MappingProxyType(
    {
        2: (Seat.SOUTH, Seat.NORTH),
        3: (Seat.SOUTH, Seat.WEST, Seat.NORTH),
        4: (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST),
    }
)
LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at the table. He is known by his place in the list of players, not by his side:
    two players may share one, and names may repeat."""

    name: str
    seat: Seat
    colours: tuple[Colour, ...]


class OwnColour(NamedTuple):
    """One of a player's colours, as the rules need it."""

    colour: Colour
    slot: int
    """Where it stands in the lists of supplies and tableaus."""
    said: Colour | None
    """How a move names it: not at all if the player has no other."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A table before the cards are dealt. Making one checks it: a ``Setup`` can be played.

    ``set_up`` makes one with everything by default.
    """

    players: tuple[Player, ...]
    """In turn order, clockwise. The first in the list need not be the start player."""
    edition: str = DEFAULT_EDITION
    house_rules: tuple[tuple[str, str], ...] = ()
    """The rows of the edition that this table changed, sorted by name; only real changes."""
    first: int = 0
    """The first round's start player: named by the players, or drawn by lot."""

    rules: Rules = field(init=False, repr=False, compare=False)
    schedule: Schedule = field(init=False, repr=False, compare=False)
    colours: tuple[Colour, ...] = field(init=False, repr=False, compare=False)
    """All colours in play, player by player. Supplies and tableaus are listed in this order."""
    own: tuple[tuple[OwnColour, ...], ...] = field(init=False, repr=False, compare=False)
    """Each player's colours."""

    def __post_init__(self) -> None:
        book = edition(self.edition)
        house_rules = dict(self.house_rules)
        rules = book.rules.changed(house_rules)
        changes = sorted((r, v) for r, v in house_rules.items() if getattr(book.rules, r) != v)
        check_count(len(self.players))
        self.check_player(self.first)
        object.__setattr__(self, "house_rules", tuple(changes))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "schedule", schedule(rules, len(self.players)))
        object.__setattr__(self, "colours", tuple(c for p in self.players for c in p.colours))
        for player in self.players:
            check_name(player.name)
        self._check_colours(book)
        self._check_seats()
        object.__setattr__(self, "own", tuple(map(self._own_colours, self.players)))

    @property
    def rules_name(self) -> str:
        """The edition, and every change that the table made to it."""
        return ", ".join([self.edition, *(f"{row}={value}" for row, value in self.house_rules)])

    def check_player(self, player: int) -> int:
        """The player's number, if there is one of that number at this table."""
        if type(player) is not int or not 0 <= player < len(self.players):
            last = len(self.players) - 1
            raise SetupError(f"There is no player {player!r} at this table: they are 0 to {last}.")
        return player

    def colour_index(self, colour: Colour) -> int:
        """Where a colour stands in the lists of supplies and tableaus."""
        return self.colours.index(colour)

    def player_of(self, colour: Colour) -> int:
        """Whose colour it is."""
        return self.colours.index(colour) // self.schedule.colours

    def left_of(self, player: int) -> int:
        """Who follows a player, clockwise."""
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
                    f"players by these rules everybody has {each}."
                )
            for colour in player.colours:
                if colour not in book.colours:
                    raise SetupError(
                        f"{player.name} can't play {colour}: the box of {book.title} holds "
                        f"{', '.join(book.colours)}."
                    )
        for colour in set(self.colours):
            if self.colours.count(colour) > 1:
                raise SetupError(f"The colour {colour} is given out twice.")

    def _check_seats(self) -> None:
        seats = [player.seat for player in self.players]
        if self.rules.sides == "distinct" and len(set(seats)) < len(seats):
            raise SetupError(
                "Two players sit at the same side of the board; by these rules "
                "everybody has a side of his own."
            )
        # Once round the table is four sides. Whoever is listed against the clock goes round twice;
        # and a side must be listed in one piece, or "who sits left of whom" has two answers.
        steps = [
            (CLOCKWISE.index(after) - CLOCKWISE.index(before)) % 4
            for before, after in zip(seats, seats[1:] + seats[:1], strict=True)
        ]
        split = seats[0] == seats[-1] and len(set(seats)) > 1
        if sum(steps) > 4 or split:
            raise SetupError(
                "Players are listed clockwise around the board (south, west, north, east), those "
                f"who share a side next to each other; they are listed {', '.join(seats)}."
            )


def set_up(
    players: int | Sequence[str] = 4,
    *,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
    first: int = 0,
    seats: Sequence[Seat | str] | None = None,
    colours: Sequence[Sequence[Colour | str]] | None = None,
) -> Setup:
    """A table for some players, given by number or by their names, with the usual defaults.

    >>> set_up(["Ada", "Bob"]).players[1]
    Player(name='Bob', seat=Seat.NORTH, colours=(Colour.YELLOW, Colour.PURPLE))
    """
    if isinstance(players, str):
        raise SetupError(f"Players are a number or a list of names, not {players!r}.")
    count = check_count(players if isinstance(players, int) else len(players))
    names = [f"Player {n + 1}" for n in range(count)] if isinstance(players, int) else players
    changes = dict(house_rules or {})
    sides = DEFAULT_SEATS[len(names)] if seats is None else [_seat(text) for text in seats]
    given = _default_colours(edition, changes, len(names)) if colours is None else colours
    for what, many in (("seats", sides), ("sets of colours", given)):
        if len(many) != len(names):
            raise SetupError(f"There are {len(names)} players but {len(many)} {what}.")
    return Setup(
        players=tuple(
            Player(name, side, tuple(_colour(text) for text in theirs))
            for name, side, theirs in zip(names, sides, given, strict=True)
        ),
        edition=edition,
        house_rules=tuple(changes.items()),
        first=first,
    )


def check_count(players: int) -> int:
    """The number of players, if so many can play."""
    if players not in DEFAULT_SEATS:
        raise SetupError(f"Manhattan is for 2 to 4 players; there are {players}.")
    return players


def _default_colours(
    edition_id: str, house_rules: Mapping[str, str], players: int
) -> list[tuple[Colour, ...]]:
    book = edition(edition_id)
    each = schedule(book.rules.changed(house_rules), players).colours
    return [book.colours[n * each : (n + 1) * each] for n in range(players)]


def _seat(text: Seat | str) -> Seat:
    if text not in CLOCKWISE:
        raise SetupError(
            f"{describe_characters(text)} is no side of the board. "
            f"The sides: {', '.join(CLOCKWISE)}."
        )
    return Seat(text)


def _colour(text: Colour | str) -> Colour:
    if text not in tuple(Colour):
        raise SetupError(
            f"{describe_characters(text)} is no colour. The colours: {', '.join(Colour)}."
        )
    return Colour(text)


def check_name(name: str) -> str:
    """The name, if a player can be called so."""
    if not isinstance(name, str):
        raise SetupError(f"A player's name is a text, not {name!r}.")
    # Joiners are invisible, so Python calls them unprintable, but some scripts can't do without.
    visible = name.replace("\u200c", "").replace("\u200d", "")
    if len(name) > LONGEST_NAME or not visible.strip() or not visible.isprintable():
        raise SetupError(
            f"{describe_characters(name)} can't be a player's name: a name has 1 to {LONGEST_NAME} "
            "printable characters."
        )
    return name
