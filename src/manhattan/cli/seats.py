"""Who sits at the table: people at the keyboard and bots, in a new game or a saved one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from manhattan.bots import BOTS, bot
from manhattan.cli.opponents import bot_names
from manhattan.rules import SetupError
from manhattan.rules.errors import describe_characters
from manhattan.rules.setup import check_count

USUAL_BOT: Final = "medium"
USUAL_NAME: Final = "Human"

Seats = tuple[str | None, ...]
"""For every player, in turn order: the bot that plays him, or None if a person does."""


def people_at(seats: Seats) -> tuple[int, ...]:
    """The players who are people."""
    return tuple(player for player, played_by in enumerate(seats) if played_by is None)


def new_table(people: Sequence[str], players: int, bots: str | None) -> tuple[list[str], Seats]:
    """The names and the seats of a new game: people first, bots in the seats that are left."""
    free = check_count(players) - len(people)
    if free < 0:
        raise SetupError(
            f"There are {len(people)} names but {players} players: leave a name out, or raise "
            "--players."
        )
    _check_distinct(people)
    for name in people:
        if bot_called(name):
            raise SetupError(
                f"{name!r} is a bot's name, and a saved game knows its bots by their names: "
                "choose another."
            )
    chosen = _bots_for(free, bots) if bots is not None else [USUAL_BOT] * free
    names = [*people, *(f"{name.title()} {n}" for n, name in enumerate(chosen, start=1))]
    return names, (*(None for _ in people), *chosen)


def saved_table(
    names: Sequence[str], people: Sequence[str] | None = None, bots: str | None = None
) -> Seats:
    """The seats of a saved game, by its players' names and by what was said of them."""
    if people:
        _check_distinct(people)
        _check_known(people, names)
    taken = _people_among(names, people)
    if not taken:
        raise SetupError(
            "Every player of this game is a bot: say with --name whom you play. "
            f"The players: {', '.join(names)}."
        )
    theirs = [player for player in range(len(names)) if player not in taken]
    if bots is not None:
        played_by = _bots_for(len(theirs), bots)
    else:
        played_by = [bot_called(names[player]) or USUAL_BOT for player in theirs]
    seats = dict(zip(theirs, played_by, strict=True))
    return tuple(seats.get(player) for player in range(len(names)))


def options_for(names: Sequence[str], seats: Seats) -> list[str]:
    """What has to be said when the game is loaded, so that everybody has his seat again."""
    told: list[str] = []
    people = None
    if _people_among(names) != people_at(seats):
        people = list(dict.fromkeys(names[player] for player in people_at(seats)))
        for name in people:
            told += ["--name", name]
    if saved_table(names, people) != seats:
        bots = [seat for seat in seats if seat is not None]
        told += ["--bots", bots[0] if len(set(bots)) == 1 else ",".join(bots)]
    return told


def _people_among(names: Sequence[str], people: Sequence[str] | None = None) -> tuple[int, ...]:
    """The people among the players of a saved game: those who are named. If nobody is, those who
    are not called like a bot; and in a game without such bots, from elsewhere, the first player.
    """
    if people:
        return tuple(player for player, name in enumerate(names) if name in people)
    if any(map(bot_called, names)):
        return tuple(player for player, name in enumerate(names) if not bot_called(name))
    return (0,)


def bot_called(name: str) -> str | None:
    """The bot that has a player's name, if it is one's."""
    numbered = re.fullmatch(r"(.+) [1-9][0-9]*", name)
    titles = {bot_name.title(): bot_name for bot_name in BOTS}
    return titles.get(numbered[1]) if numbered else None


def _bots_for(seats: int, text: str) -> list[str]:
    """A bot for each of some seats, from one name or as many as there are seats."""
    names = bot_names(text)
    for name in names:
        bot(name)
    if not seats:
        raise SetupError("Everybody at this table is a person: leave --bots out.")
    if len(names) not in (1, seats):
        raise SetupError(
            f"--bots names {len(names)}, but there are seats for {seats}: name one bot for all, "
            "or one for each, in turn order."
        )
    return names if len(names) == seats else names * seats


def _check_distinct(people: Sequence[str]) -> None:
    for name in people:
        if people.count(name) > 1:
            raise SetupError(
                f"Two people can't both be called {describe_characters(name)}: choose another name."
            )


def _check_known(people: Sequence[str], names: Sequence[str]) -> None:
    for name in people:
        if name not in names:
            raise SetupError(
                f"Nobody in this game is called {describe_characters(name)}. "
                f"The players: {', '.join(names)}."
            )
