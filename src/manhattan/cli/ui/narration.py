"""Narration: events, results and hints as sentences."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from manhattan.bots import Hint, HintReason
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

_DECIDED_BY: Final = {
    "points": " with the most points",
    "tallest": ": tied on points, ahead by the tallest tower",
    "majorities": ": tied on points and the tallest tower, ahead by majorities",
    "shared": ": tied on every criterion",
}


def describe_event(event: Event, setup: Setup) -> str:
    """Describe an event in a sentence."""
    match event:
        case Selected(player, move):
            return f"{_name(setup, player)} chooses {_blocks(setup, player, move.blocks)}."
        case Built(player, move, block):
            what = f"{block.colour} {block.size}" if move.colour else f"{block.size}"
            took = f", takes it from {event.taken_from}" if event.taken_from else ""
            drew = f", draws card {event.drew}" if event.drew else ""
            name = _name(setup, player)
            return f"{name} plays card {event.card}: {what} on {move.site}{took}{drew}."
        case Shuffled():
            return "The draw pile is empty: the played cards are shuffled."
        case Redrew(player, hand):
            cards = " ".join(map(str, hand))
            return (
                f"{_name(setup, player)} can't place a block with any card, shows {cards} "
                "and draws a new hand."
            )
        case Removed(player, _, block):
            article = "an" if block.colour is Colour.ORANGE else "a"
            return (
                f"{_name(setup, player)} still can't place a block and removes {article} "
                f"{block.colour} {block.size} from the game."
            )
        case Scored(sheet):
            totals = zip(setup.players, sheet.scores, strict=True)
            scores = ", ".join(f"{player.name} {points}" for player, points in totals)
            return f"Round {sheet.round} is scored: {scores}."
        case Ended(result):
            return describe_result(result, setup)


def describe_result(result: Result, setup: Setup) -> str:
    """Describe the winner or winners, and what decided the game."""
    winners = join_words([_name(setup, player) for player in result.winners])
    verb = "wins" if len(result.winners) == 1 else "share the win"
    return f"{winners} {verb}{_DECIDED_BY[result.decided_by]}."


def describe_hint(hint: Hint, setup: Setup, mover: int) -> str:
    """Describe a hint, what speaks for the move, and the points that it changes at once."""
    suggestion = f"{hint.move} looks good."
    match hint.move:
        case Select():
            return f"{suggestion} Selections like this did best in many games."
        case Remove():
            return f"{suggestion} It's the block you need least."
    own = setup.players[mover].colours
    effects = [effect for reason in hint.reasons if (effect := _effect(reason, own))]
    if (gain := hint.points[mover]) > 0:
        effects.append(f"earns you {_points(gain)}")
    # With two colours, players may have to cover a tower of their other colour.
    names = [
        "you" if player == mover else _name(setup, player) for player in range(len(hint.points))
    ]
    changes = zip(names, hint.points, strict=True)
    if costs := [f"{name} {-change}" for name, change in changes if change < 0]:
        effects.append(f"costs {join_words(costs)}")
    if not effects:
        return f"{suggestion} It prepares later gains."
    return f"{suggestion} It {join_words(effects)}, as things stand."


def _effect(reason: HintReason, own: tuple[Colour, ...]) -> str:
    """What a reason says about the move; nothing where the points say enough."""
    match reason.kind:
        case "wins_tallest":
            return "makes the tallest tower yours"
        case "wins_majority":
            return f"wins the majority in {reason.city}"
        case "ends_tallest":
            return f"ties {reason.colour} for the tallest tower"
        case "ends_majority":
            return f"ends {reason.colour}'s majority in {reason.city}"
        case "takes_tower":
            whose = "your own " if reason.colour in own else ""
            return f"takes the tower from {whose}{reason.colour}"
        case _:
            return ""


def join_words(words: Collection[str]) -> str:
    """Join words as in ``Ada, Bob and Cyd``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _points(number: int) -> str:
    return f"{number} point{'s' * (number > 1)}"


def _name(setup: Setup, player: int) -> str:
    return setup.players[player].name


def _blocks(setup: Setup, player: int, blocks: tuple[tuple[int, ...], ...]) -> str:
    colours = setup.players[player].colours
    sizes_by_colour = [" ".join(map(str, sizes)) for sizes in blocks]
    if len(blocks) == 1:
        return sizes_by_colour[0]
    return join_words([f"{c} {sizes}" for c, sizes in zip(colours, sizes_by_colour, strict=True)])
