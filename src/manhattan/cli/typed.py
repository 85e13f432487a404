"""What people type at the table, and what they are asked."""

from __future__ import annotations

import re

from manhattan.rules import Move, NotationError, Phase, parse_move
from manhattan.view import View

HELP = """\
To choose blocks, type their sizes: 112234 (with two colours 1124 1223).
To build, type site and size: C5+3 (with two colours C5+3o). Each site shows
its number; what your cards allow is in brackets. To take a block out: -2.

  moves   every legal move         hint    a move that looks good now
  undo    back to your last move   advice  moves thought over, and who may win
  rules   the rules of this game   towers  the floors of each colour
  save    save the game: save FILE sheets  the score sheets so far
  quit    leave"""


LEAVE = ("q", "quit", "exit")
UNDO = ("u", "undo")
SAVE = ("s", "save")
YES, NO = ("y", "yes"), ("n", "no")

QUESTIONS = {
    "?": "help",
    "help": "help",
    "m": "moves",
    "moves": "moves",
    "h": "hint",
    "hint": "hint",
    "a": "advice",
    "advice": "advice",
    "towers": "towers",
    "sheets": "sheets",
    "rules": "rules",
}

OPEN_TO_ALL = ("sheets", "towers", "rules")
"""Questions that show nobody's hand: they are answered between the rounds, too."""


def typed_move(text: str, seen: View) -> Move:
    """A move as people type it: any case, blocks without brackets, apart or in any order."""
    try:
        return _move(text.strip(), seen)
    except NotationError:
        return parse_move(text.strip())  # it is refused as it was typed, not as it was read


def _move(compact: str, seen: View) -> Move:
    if seen.table.phase is Phase.SELECT and re.fullmatch(r"\[?[1-4][1-4 |,]*\]?", compact):
        groups = re.findall(r"[1-4]+", compact)
        colours = seen.table.setup.schedule.colours
        if len(groups) != colours:  # typed apart, as the screen writes them
            sizes, each = "".join(groups), seen.table.setup.schedule.blocks
            groups = [sizes] if colours == 1 else [sizes[:each], sizes[each:] or "?"]
        return parse_move(f"[{'|'.join(''.join(sorted(group)) for group in groups)}]")
    if compact.isascii():  # other alphabets have letters that become ours in lower case
        compact = compact[:1].upper() + compact[1:].lower().replace(" ", "")
    return parse_move(compact)


def question(seen: View) -> str:
    """What is asked of whoever is to move."""
    plan = seen.table.setup.schedule
    match seen.table.phase:
        case Phase.SELECT:
            each = " of each colour" if plan.colours > 1 else ""
            return f"Choose {plan.blocks} blocks{each}"
        case Phase.REMOVE:
            return "No block can be placed. Take one out, like -1"
        case _:
            return "Build"
