"""What is sent to the HTTP part of the API, beside a table's terms."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from manhattan.server.terms import ChairNumber, Form, LevelName, Name

MOST_MOVES: Final = 10


class NameForm(Form):
    """What one wants to be called."""

    name: Name


class SitForm(Form):
    """Where one wants to sit."""

    chair: ChairNumber | None = Field(default=None, description="Any open one if not said.")


class FillForm(Form):
    """Who is to sit in a chair."""

    chair: ChairNumber
    level: LevelName | None = Field(default=None, description="A bot; null frees the chair.")


class ChairForm(Form):
    """Which of one's chairs, where several share a screen."""

    chair: ChairNumber | None = None


class ClaimForm(Form):
    """The secret of a link."""

    secret: str = Field(min_length=10, max_length=100)


class LessonForm(Form):
    """What a learner has done so far."""

    moves: tuple[Annotated[str, Field(max_length=60)], ...] = Field(
        max_length=MOST_MOVES, description="His moves, oldest first, as in a saved game."
    )
