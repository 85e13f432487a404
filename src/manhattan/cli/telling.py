"""Telling in words what happened."""

from __future__ import annotations

from collections.abc import Collection

from manhattan.bots import Hint
from manhattan.rules import (
    Built,
    Colour,
    Ended,
    Event,
    Redrew,
    Remove,
    Removed,
    Result,
    Scored,
    Select,
    Selected,
    Setup,
    Shuffled,
)

_DECIDED = {
    "points": "with the most points",
    "tallest": "level on points, by the tallest tower",
    "majorities": "level on points and tallest towers, by majorities",
    "shared": "level in everything that counts",
}


def sentence(event: Event, setup: Setup) -> str:
    """An event as a sentence."""
    match event:
        case Selected(player, move):
            return f"{_name(setup, player)} chooses {_blocks(setup, player, move.blocks)}."
        case Built(player, move, block):
            which = f"{block.colour} {block.size}" if move.colour else f"{block.size}"
            took = f", takes it from {event.taken_from}" if event.taken_from else ""
            drew = f", draws card {event.drew}" if event.drew else ""
            name = _name(setup, player)
            return f"{name} plays card {event.card}: {which} on {move.site}{took}{drew}."
        case Shuffled():
            return "The draw pile is empty: the played cards are shuffled."
        case Redrew(player, hand):
            cards = " ".join(map(str, hand))
            return (
                f"{_name(setup, player)} can place no block with any card, shows {cards} "
                "and draws a new hand."
            )
        case Removed(player, _, block):
            article = "an" if block.colour is Colour.ORANGE else "a"
            return (
                f"{_name(setup, player)} still can place no block and takes {article} "
                f"{block.colour} {block.size} out of the game."
            )
        case Scored(sheet):
            totals = zip(setup.players, sheet.scores, strict=True)
            told = ", ".join(f"{player.name} {points}" for player, points in totals)
            return f"Round {sheet.round} is scored: {told}."
        case Ended(result):
            return ending(result, setup)


def ending(result: Result, setup: Setup) -> str:
    """Who has won, and what decided it."""
    winners = words([_name(setup, player) for player in result.winners])
    verb = "wins" if len(result.winners) == 1 else "share the win"
    return f"{winners} {verb}, {_DECIDED[result.decided_by]}."


def reason(hint: Hint, setup: Setup, mover: int) -> str:
    """A hint, and what can be said for it at once."""
    said = f"{hint.move} looks good."
    match hint.move:
        case Select():
            return f"{said} Such blocks did best in many games."
        case Remove():
            return f"{said} You will miss no block less."
    facts = [f"takes the tower from {hint.takes_from}"] if hint.takes_from else []
    if (own := hint.points[mover]) > 0:
        facts.append(f"brings you {own} point{'s' * (own > 1)}")
    # With two colours one may have to cover a tower of one's own.
    names = [
        "you" if player == mover else _name(setup, player) for player in range(len(hint.points))
    ]
    changes = zip(names, hint.points, strict=True)
    if costs := [f"{name} {-change}" for name, change in changes if change < 0]:
        facts.append(f"costs {words(costs)}")
    return f"{said} It {words(facts)}, as things stand." if facts else f"{said} It prepares more."


def words(names: Collection[str]) -> str:
    """``Ada, Bob and Cyd``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _name(setup: Setup, player: int) -> str:
    return setup.players[player].name


def _blocks(setup: Setup, player: int, blocks: tuple[tuple[int, ...], ...]) -> str:
    colours = setup.players[player].colours
    each = (" ".join(map(str, sizes)) for sizes in blocks)
    if len(blocks) == 1:
        return next(each)
    return words([f"{c} {sizes}" for c, sizes in zip(colours, each, strict=True)])
