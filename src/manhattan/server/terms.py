"""What a table is opened with: the rules, the chairs, the clock, who may look on."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from manhattan.bots import LEVELS
from manhattan.rules import DEFAULT_EDITION, Colour, Seat, Setup, set_up
from manhattan.rules.setup import LONGEST_NAME, check_name
from manhattan.server.clocks import ClockTerms, NoClock

USUAL_PACE: Final = 700
"""Milliseconds that a bot's move takes at least, so that people can follow."""

Name = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_NAME, examples=["Ada"]),
    AfterValidator(check_name),
]
ChairNumber = Annotated[
    # No more digits than can be told back: which chairs there are is the table's business.
    int, Field(ge=0, le=99, description="A chair, or who sits in it; the first is 0.")
]
LevelName = Annotated[str, Field(pattern=f"^({'|'.join(LEVELS)})$", examples=["medium"])]


class Form(BaseModel):
    """What comes from outside: nothing is guessed, nothing left over."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ChairTerms(Form):
    """Who is meant to sit in a chair."""

    who: Literal["me", "here", "open", "bot"] = Field(
        description="`me`: who opens the table. `here`: somebody else at the same screen. `open`: "
        "whoever comes. `bot`: a bot."
    )
    name: Name | None = Field(default=None, description="For `here`; for `me` instead of his own.")
    level: LevelName | None = Field(default=None, description="For `bot`.")
    side: Seat | None = Field(default=None, description="For all chairs or for none.")
    colours: tuple[Colour, ...] | None = Field(
        default=None, max_length=2, description="For all chairs or for none."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.who == "bot" and self.level is None:
            raise ValueError("A bot has a level.")
        if self.who != "bot" and self.level is not None:
            raise ValueError("Only a bot has a level.")
        if self.who == "here" and self.name is None:
            raise ValueError("Somebody at the same screen has a name.")
        if self.who in ("open", "bot") and self.name is not None:
            raise ValueError("Only people at this screen are named here.")
        return self


class Terms(Form):
    """How a table is to be."""

    edition: str = Field(default=DEFAULT_EDITION, max_length=40, examples=["hig-2017"])
    house_rules: dict[str, str] = Field(default_factory=dict, max_length=10)
    chairs: tuple[ChairTerms, ...] = Field(
        min_length=2, max_length=4, description="In turn order, clockwise."
    )
    first: Literal["lot"] | int = Field(
        default="lot", description="Who starts: by lot, or the chair that was agreed on."
    )
    public: bool = Field(default=False, description="Listed for all; otherwise by link alone.")
    clock: ClockTerms = NoClock()
    serious: bool = Field(default=False, description="No hints for anybody.")
    pace: int = Field(
        default=USUAL_PACE, ge=0, le=5000, description="Milliseconds a bot's move takes at least."
    )

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        if sum(chair.who == "me" for chair in self.chairs) > 1:
            raise ValueError("Who opens a table has one chair; others at his screen are `here`.")
        self.setup([f"Player {n}" for n in range(1, len(self.chairs) + 1)])
        return self

    def setup(self, names: list[str], first: int | None = None) -> Setup:
        """The table as the rules see it; raises ``SetupError`` where they can't."""
        begins = (0 if self.first == "lot" else self.first) if first is None else first
        sides = [chair.side for chair in self.chairs if chair.side is not None]
        colours = [chair.colours for chair in self.chairs if chair.colours is not None]
        return set_up(
            names,
            edition=self.edition,
            house_rules=self.house_rules,
            first=begins,
            seats=sides or None,
            colours=colours or None,
        )
