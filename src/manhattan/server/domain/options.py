"""Table options: the rules, the seats, the clock and the visibility that a table is opened with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, field

from manhattan.bots import LEVELS
from manhattan.bots.names import free_bot_name
from manhattan.rules import DEFAULT_EDITION, Colour, Setup, SetupError, Side, set_up
from manhattan.rules.setup import MAX_NAME_LENGTH, check_name
from manhattan.server.domain.clocks import ClockOptions, Correspondence, NoClock

LIVE_ABSENCE_S: Final = 2 * 60
"""After this absence of the player to move, any player may let a bot play for them."""
CORRESPONDENCE_ABSENCE_S: Final = 24 * 60 * 60
"""The same, where a player has days for each move."""
DEFAULT_BOT_DELAY_MS: Final = 700
"""Long enough for people to follow a bot's move."""

Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_LENGTH, examples=["Ada"])]
SeatNumber = Annotated[
    # The limit keeps error messages short; which seats exist depends on the table.
    int, Meta(ge=0, le=99, description="A seat, or its player; the first is 0.")
]
LevelName = Annotated[str, Meta(pattern=f"^({'|'.join(LEVELS)})$", examples=["medium"])]

NonceHash = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 of a nonce of 32 bytes, the client's part of the shuffles' seed. The "
        "client reveals it when the game starts.",
    ),
]

_AbsenceSeconds = Annotated[int, Meta(ge=30, le=14 * 24 * 60 * 60)]
_Colours = Annotated[tuple[Colour, ...], Meta(max_length=2)]


class SeatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The intended holder of a seat."""

    occupant: Annotated[
        Literal["me", "here", "open", "bot"],
        Meta(
            description="`me`: the person who opens the table. `here`: another person on the same "
            "screen. `open`: the first person who takes the seat. `bot`: a bot."
        ),
    ]
    name: Annotated[Name | None, Meta(description="For `here`; for `me` a different name.")] = None
    level: Annotated[LevelName | None, Meta(description="For `bot`.")] = None
    side: Annotated[Side | None, Meta(description="For all seats or for none.")] = None
    colours: Annotated[_Colours | None, Meta(description="For all seats or for none.")] = None
    nonce_hash: Annotated[NonceHash | None, Meta(description="For `me` and `here`.")] = None

    def __post_init__(self) -> None:
        if self.occupant == "bot" and self.level is None:
            raise SetupError("A bot needs a level.")
        if self.occupant != "bot" and self.level is not None:
            raise SetupError("Only a bot has a level.")
        if self.occupant == "here" and self.name is None:
            raise SetupError("Another person on the same screen needs a name.")
        if self.occupant in ("open", "bot") and self.name is not None:
            raise SetupError("Only people on this screen are named here.")
        if self.occupant in ("open", "bot") and self.nonce_hash is not None:
            raise SetupError("Only people on this screen send the hash of a nonce here.")
        if self.name is not None:
            check_name(self.name)


class TableOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a table. Options that the rules can't set up raise ``SetupError``."""

    edition: Annotated[str, Meta(max_length=40, examples=["hig-2017"])] = DEFAULT_EDITION
    house_rules: Annotated[dict[str, str], Meta(max_length=10)] = field(default_factory=dict)
    seats: Annotated[
        tuple[SeatOptions, ...],
        Meta(min_length=2, max_length=4, description="In turn order, clockwise."),
    ]
    first: Annotated[
        Literal["random"] | int, Meta(description="The start player: drawn at random, or a seat.")
    ] = "random"
    public: Annotated[
        bool, Meta(description="Listed for everyone; otherwise reached by its link.")
    ] = False
    clock: ClockOptions = field(default_factory=NoClock)
    absence_s: Annotated[
        _AbsenceSeconds | None,
        Meta(
            description="After this absence of the player to move, in seconds, any player may let "
            "a bot play for them. By default two minutes, or a day where moves take days."
        ),
    ] = None
    hints_disabled: Annotated[bool, Meta(description="No hints for any player.")] = False
    bot_delay_ms: Annotated[
        int, Meta(ge=0, le=5000, description="The least duration of a bot's move.")
    ] = DEFAULT_BOT_DELAY_MS

    def __post_init__(self) -> None:
        if sum(seat.occupant == "me" for seat in self.seats) > 1:
            raise SetupError("Only one seat is `me`; other people on the same screen are `here`.")
        self.setup([f"Player {n}" for n in range(1, len(self.seats) + 1)])

    @property
    def absence_limit_s(self) -> int:
        """The absence after which a bot may play for a player."""
        if self.absence_s is not None:
            return self.absence_s
        is_slow = isinstance(self.clock, Correspondence)
        return CORRESPONDENCE_ABSENCE_S if is_slow else LIVE_ABSENCE_S

    def bot_names(self, people: Iterable[str]) -> tuple[str, ...]:
        """Name the bots, in turn order. People have their names already."""
        names: list[str] = []
        taken = [*people, *(seat.name for seat in self.seats if seat.name is not None)]
        for seat in self.seats:
            if seat.level is not None:
                names.append(free_bot_name(seat.level, [*taken, *names]))
        return tuple(names)

    def setup(self, names: list[str], first: int | None = None) -> Setup:
        """Set up the game; raises ``SetupError`` where the rules can't."""
        if first is None:
            first = 0 if self.first == "random" else self.first
        sides = [seat.side for seat in self.seats if seat.side is not None]
        colours = [seat.colours for seat in self.seats if seat.colours is not None]
        return set_up(
            names,
            edition=self.edition,
            house_rules=self.house_rules,
            first=first,
            sides=sides or None,
            colours=colours or None,
        )
