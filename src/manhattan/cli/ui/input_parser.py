"""Input parser: the words and moves that people type in a game, and the prompts they answer."""

from __future__ import annotations

import re
from typing import Final

from manhattan.rules import Move, NotationError, Phase, parse_move
from manhattan.view import View

HELP: Final = """\
Choose blocks by their sizes: 112234 (with two colours: 1124 1223).
Build with a site and a size: C5+3 (with two colours: C5+3o). Each site shows
its number; brackets mark the sites that your cards allow. Remove a block: -2.

  moves   list every legal move      hint    suggest a move, with a reason
  undo    go back to your last move  advice  evaluate moves: who would win?
  rules   show the rules             towers  show the floors of each colour
  save    save the game: save FILE   sheets  show the score sheets so far
  quit    leave the game"""


QUIT_WORDS: Final = ("q", "quit", "exit")
UNDO_WORDS: Final = ("u", "undo")
SAVE_WORDS: Final = ("s", "save")
YES_WORDS: Final = ("y", "yes")
NO_WORDS: Final = ("n", "no")

QUERIES: Final = {
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

PUBLIC_QUERIES: Final = ("sheets", "towers", "rules")
"""Queries that show no hand: they are also answered between the rounds."""


def parse_typed_move(text: str, view: View) -> Move:
    """Parse a move as people type it: in any case, with blocks in any order, spaced or not."""
    try:
        return _parse_leniently(text.strip(), view)
    except NotationError:
        return parse_move(text.strip())  # so that the error quotes what was typed


def _parse_leniently(text: str, view: View) -> Move:
    if view.public.phase is Phase.SELECT and re.fullmatch(r"\[?[1-4][1-4 |,]*\]?", text):
        groups = re.findall(r"[1-4]+", text)
        schedule = view.public.setup.schedule
        if len(groups) != schedule.colours:  # sizes with spaces between them, as the screen has it
            sizes = "".join(groups)
            groups = [sizes]
            if schedule.colours > 1:
                groups = [sizes[: schedule.blocks], sizes[schedule.blocks :] or "?"]
        return parse_move(f"[{'|'.join(''.join(sorted(group)) for group in groups)}]")
    if text.isascii():  # some letters of other alphabets become ASCII in lower case
        text = text[:1].upper() + text[1:].lower().replace(" ", "")
    return parse_move(text)


def prompt_for(view: View) -> str:
    """The question to the player whose turn it is."""
    schedule = view.public.setup.schedule
    match view.public.phase:
        case Phase.SELECT:
            each = " of each colour" if schedule.colours > 1 else ""
            return f"Choose {schedule.blocks} blocks{each}"
        case Phase.REMOVE:
            return "You can't place any block. Remove one, for example -1"
        case _:
            return "Build"
