"""Seats: which players are people at the keyboard and which are bots, in new and saved games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from manhattan.bots import BOTS, LEVELS, bot
from manhattan.bots.names import BOT_NAMES, free_bot_name, level_of_bot_name
from manhattan.cli.ui.bot_options import parse_bot_names
from manhattan.rules import SetupError
from manhattan.rules.errors import describe_characters
from manhattan.rules.setup import check_player_count

DEFAULT_BOT: Final = "medium"
DEFAULT_NAME: Final = "Human"

Seats = tuple[str | None, ...]
"""For each player, in turn order: the bot that plays, or None for a person."""


def human_players(seats: Seats) -> tuple[int, ...]:
    """The players who are people."""
    return tuple(player for player, bot_name in enumerate(seats) if bot_name is None)


def seat_new_game(people: Sequence[str], players: int, bots: str | None) -> tuple[list[str], Seats]:
    """The names and seats of a new game: people first, bots in the remaining seats."""
    free = check_player_count(players) - len(people)
    if free < 0:
        raise SetupError(
            f"There are {len(people)} names for {players} players. Remove a --name, or raise "
            "--players."
        )
    _check_distinct(people)
    for name in people:
        if bot_of_name(name):
            raise SetupError(
                f"{name!r} is a bot's name: saved games recognize bots by their names. Choose "
                "another name."
            )
    bot_names = _bots_for(free, bots) if bots is not None else [DEFAULT_BOT] * free
    names = list(people)
    for number, name in enumerate(bot_names, start=1):
        has_own_names = name in BOT_NAMES  # as on a server
        names.append(free_bot_name(name, names) if has_own_names else f"{name.title()} {number}")
    return names, (*(None for _ in people), *bot_names)


def seat_saved_game(
    names: Sequence[str], people: Sequence[str] | None = None, bots: str | None = None
) -> Seats:
    """The seats of a saved game, from its players' names and the options ``--name`` and
    ``--bots``."""
    if people:
        _check_distinct(people)
        _check_present(people, names)
    humans = _humans_among(names, people)
    if not humans:
        raise SetupError(
            "All players of this game are bots. Choose the one you play with --name. "
            f"The players: {', '.join(names)}."
        )
    others = [player for player in range(len(names)) if player not in humans]
    if bots is not None:
        bot_names = _bots_for(len(others), bots)
    else:
        bot_names = [bot_of_name(names[player]) or DEFAULT_BOT for player in others]
    bot_by_player = dict(zip(others, bot_names, strict=True))
    return tuple(bot_by_player.get(player) for player in range(len(names)))


def resume_options(names: Sequence[str], seats: Seats) -> list[str]:
    """The options that restore these seats when the game is loaded again."""
    options: list[str] = []
    people = None
    if _humans_among(names) != human_players(seats):
        people = list(dict.fromkeys(names[player] for player in human_players(seats)))
        for name in people:
            options += ["--name", name]
    if seat_saved_game(names, people) != seats:
        bots = [bot_name for bot_name in seats if bot_name is not None]
        options += ["--bots", bots[0] if len(set(bots)) == 1 else ",".join(bots)]
    return options


def _humans_among(names: Sequence[str], people: Sequence[str] | None = None) -> tuple[int, ...]:
    """The players of a saved game who are people: those given by name; without names, all who
    are not named like a bot; in a game where no player is, the first player."""
    if people:
        return tuple(player for player, name in enumerate(names) if name in people)
    # In an older game of this program all bots have a number; then a person may have a name that
    # is a bot's today.
    is_older = any(bot_from_number(name) in LEVELS for name in names)
    recognize = bot_from_number if is_older else bot_of_name
    if not any(map(recognize, names)):
        return (0,)
    return tuple(player for player, name in enumerate(names) if not recognize(name))


def bot_from_number(name: str) -> str | None:
    """The bot that a numbered name stands for, if any: ``Greedy 1`` is ``greedy``."""
    match = re.fullmatch(r"(.+) [1-9][0-9]*", name)
    titles = {bot_name.title(): bot_name for bot_name in BOTS}
    return titles.get(match[1]) if match else None


def bot_of_name(name: str) -> str | None:
    """The bot that has this name, if any: ``Clara`` is ``medium``, ``Greedy 1`` is ``greedy``."""
    return bot_from_number(name) or level_of_bot_name(name)


def _bots_for(seats: int, text: str) -> list[str]:
    """A bot for each seat, from a list of one name or of as many names as seats."""
    names = parse_bot_names(text)
    for name in names:
        bot(name)  # raises if there is no such bot
    if not seats:
        raise SetupError("All players at this table are people. Remove --bots.")
    if len(names) not in (1, seats):
        raise SetupError(
            f"--bots has {len(names)} names for {seats} seat{'s' * (seats > 1)}. Give one bot "
            "for all, or one for each seat in turn order."
        )
    return names if len(names) == seats else names * seats


def _check_distinct(people: Sequence[str]) -> None:
    for name in people:
        if people.count(name) > 1:
            raise SetupError(
                f"Two people can't both be called {describe_characters(name)}. Choose another name."
            )


def _check_present(people: Sequence[str], names: Sequence[str]) -> None:
    for name in people:
        if name not in names:
            raise SetupError(
                f"There is no player called {describe_characters(name)} in this game. "
                f"The players: {', '.join(names)}."
            )
