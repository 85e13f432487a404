"""``manhattan play``: a game against bots on the terminal."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.markdown import Markdown
from rich.text import Text

from manhattan import record
from manhattan.bots import BOTS, Bot, bot, choose_greedily
from manhattan.cli import drawing
from manhattan.cli.options import EditionId, HouseRules, Players, house_rules
from manhattan.cli.telling import sentence
from manhattan.cli.terminal import console, program
from manhattan.game import Game
from manhattan.record import RecordError
from manhattan.replay import replay
from manhattan.rulebook import rulebook
from manhattan.rules import (
    DEFAULT_EDITION,
    Build,
    Built,
    Event,
    IllegalMove,
    ManhattanError,
    Move,
    Phase,
    Scored,
    SetupError,
    parse_move,
)
from manhattan.rules.errors import printable
from manhattan.rules.setup import check_count
from manhattan.view import View, all_seen_by, view

LOW_SCREEN = 30
"""Lines. On a lower screen hand and towers are shown in brief, so that all has room."""

YOU = 0
"""You are the first player, so you sit at the south unless a saved game says otherwise."""

HELP = """\
To choose blocks, type their sizes: 112234 (with two colours 1124 1223).
To build, type site and size: C5+3 (with two colours C5+3o). Each site shows
its number; what your cards allow is in brackets. To take a block out: -2.

  moves   every legal move         hint    a move that looks good now
  undo    back to your last move   towers  the floors of each colour
  rules   the rules of this game   sheets  the score sheets so far
  save    save the game: save FILE quit    leave"""


QUESTIONS = {
    "?": "help",
    "help": "help",
    "m": "moves",
    "moves": "moves",
    "h": "hint",
    "hint": "hint",
    "towers": "towers",
    "sheets": "sheets",
    "rules": "rules",
}


def play(
    context: typer.Context,
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    bots: Annotated[
        str, typer.Option("--bots", "-b", help=f"Who plays against you: {', '.join(BOTS)}.")
    ] = "greedy",
    name: Annotated[str, typer.Option("--name", "-n", help="Your name.")] = "Human",
    seed: Annotated[
        str | None, typer.Option("--seed", "-s", help="64 hex digits: the same cards again.")
    ] = None,
    load: Annotated[
        Path | None, typer.Option("--load", "-l", help="Go on with a saved game.")
    ] = None,
    house_rule: HouseRules = None,
) -> None:
    """Play against bots on the terminal."""
    opponent = bot(bots)
    if load is not None:
        _refuse_options(context, "players", "edition", "name", "seed", "house_rule")
        game = _loaded(load)
    else:
        names = [name, *(f"{bots.title()} {n}" for n in range(1, check_count(players)))]
        changes = house_rules(house_rule)
        dealt = _seed(seed)
        game = Game.new(names, edition=edition, house_rules=changes, first="lot", seed=dealt)
    TerminalGame(game, opponent).run()


class _Left(Exception):
    """The player has left."""


class TerminalGame:
    """One person at the keyboard, bots in all other seats."""

    def __init__(self, game: Game, opponent: Bot) -> None:
        self.game = game
        self.opponent = opponent
        self.console = console()
        self.news: list[Event] = []

    def run(self) -> None:
        """Play until the end of the game, or until the player leaves."""
        try:
            while not self.game.over:
                if self.game.table.mover == YOU:
                    self._show()
                    self._your_turn()
                else:
                    self._bots_turn()
            self._show()
            self._finish()
        except _Left:
            self.console.print("Goodbye.")

    def _finish(self) -> None:
        """The end: the last sheet, the proof of the shuffles, and the game to keep."""
        self.console.print(drawing.sheet(self.game.setup, self.game.table.sheets[-1]))
        if self.game.seed is not None:
            told = f"Every shuffle follows from the seed {self.game.seed.hex()}"
            self.console.print(told, soft_wrap=True)
        name = self._ask("Save the game? A file's name, or Enter")
        if name.strip():
            try:
                self._save(name.strip())
            except ManhattanError as error:
                self.console.print(Text(str(error), "red"))

    def _play(self, move: Move) -> None:
        events = self.game.play(move)
        self.news += all_seen_by(YOU, events)
        for event in events:
            if isinstance(event, Scored) and not self.game.over:
                self._show(blocks_and_cards=False)
                self.console.print(drawing.sheet(self.game.setup, event.sheet))
                self._pause()

    def _bots_turn(self) -> None:
        mover = self.game.table.mover
        # What everybody may know gives the bots their dice, so that a loaded game goes on as the
        # saved one would have.
        rng = Random(f"{self.game.commitment} {self.game.ply}")  # noqa: S311 - dice, not cards
        self._play(self.opponent(view(self.game.state, mover), rng))

    def _your_turn(self) -> None:
        seen = view(self.game.state, YOU)
        ply = self.game.ply
        while self.game.ply == ply:
            words = self._ask(f"{_question(seen)} (? for help)").split()
            if words:
                try:
                    if self._command(seen, words):
                        return
                except ManhattanError as error:
                    self.console.print(Text(printable(str(error)), "red"))

    def _command(self, seen: View, words: list[str]) -> bool:
        """Do what was typed; true if the position changed and has to be shown anew."""
        match words:
            case ["q" | "quit" | "exit"]:
                raise _Left
            case ["u" | "undo"]:
                return self._undo()
            case ["s" | "save", *name]:
                self._save(" ".join(name) or "manhattan-game.json")
            case [question] if question in QUESTIONS:
                self._answer(seen, QUESTIONS[question])
            case _:
                move = typed_move(" ".join(words), seen)
                if refused := seen.why_not(move):
                    raise IllegalMove(move, refused)
                self.news.clear()
                self._play(move)
                return True
        return False

    def _answer(self, seen: View, question: str) -> None:
        """Tell what was asked for."""
        match question:
            case "help":
                self.console.print(HELP)
            case "moves":
                self.console.print("  ".join(str(move) for move in seen.legal_moves()))
            case "hint":
                rng = Random(self.game.ply)  # noqa: S311 - the same hint when asked again
                self.console.print(f"{choose_greedily(seen, rng)} looks good.")
            case "towers":
                seat = seen.table.setup.players[YOU].seat
                self.console.print(drawing.board(seen.table, seat))
            case "sheets":
                for sheet in self.game.table.sheets:
                    self.console.print(drawing.sheet(self.game.setup, sheet))
            case "rules":
                self.console.print(Markdown(rulebook(self.game.setup.edition)))

    def _save(self, name: str) -> None:
        path = Path(name)
        if path.is_file() and path.stat().st_size:
            try:  # an older game may go, anything else is somebody's
                next(record.read(path))
            except RecordError:
                raise RecordError(
                    "This file is no saved game; choose another name.", name
                ) from None
        record.write(path, [record.to_json(self.game)])
        command = "replay" if self.game.over else "play --load"
        told = f"{program()} {command} {shlex.quote(str(path))}"
        self.console.print(f"Saved. Go on with: {told}", soft_wrap=True)

    def _undo(self) -> bool:
        mine = [ply for ply in range(self.game.ply) if self.game.state_at(ply).table.mover == YOU]
        if not mine:
            self.console.print("You have not moved yet.")
            return False
        self.game.undo(self.game.ply - mine[-1])
        self.news.clear()
        return True

    def _show(self, *, blocks_and_cards: bool = True) -> None:
        table = self.game.table
        seat = table.setup.players[YOU].seat
        seen = view(self.game.state, YOU)
        last = [event.site for event in self.news if isinstance(event, Built)]
        targets = {move.site for move in seen.legal_moves() if isinstance(move, Build)}
        low = self.console.is_terminal and self.console.height < LOW_SCREEN
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(drawing.headline(table))
        self.console.print(drawing.board(table, seat, last=last, targets=targets, floors=not low))
        if blocks_and_cards:
            self.console.print(drawing.stocks(table))
            self.console.print(drawing.cards_seen(table))
            self.console.print((drawing.hand_in_a_line if low else drawing.hand)(seen.hand))
        if self.game.ply <= len(table.setup.players):
            told = f"The seed of the cards is told at the end. SHA-256: {self.game.commitment}"
            self.console.print(Text(told, "dim"))
        for event in self.news:
            self.console.print(Text(sentence(event, table.setup), "italic"))

    def _ask(self, question: str) -> str:
        try:
            return self.console.input(Text(f"{question}: ", "bold"))
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise _Left from None

    def _pause(self) -> None:
        if self.console.is_terminal and sys.stdin.isatty():
            answer = self._ask("Enter to go on, quit to leave")
            if answer.strip() in ("q", "quit", "exit"):
                raise _Left


def typed_move(text: str, seen: View) -> Move:
    """A move as people type it: any case, blocks without brackets, apart or in any order."""
    compact = text.strip()
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


def _question(seen: View) -> str:
    plan = seen.table.setup.schedule
    match seen.table.phase:
        case Phase.SELECT:
            each = " of each colour" if plan.colours > 1 else ""
            return f"Choose {plan.blocks} blocks{each}"
        case Phase.REMOVE:
            return "No block can be placed. Take one out, like -1"
        case _:
            return "Build"


def _loaded(path: Path) -> Game:
    recorded = next(record.read(path))
    try:
        game = replay(recorded)
    except RecordError as error:
        raise error.inside(str(path)) from None
    if game.over:
        raise RecordError("This game is over. Look at it with: manhattan replay", str(path))
    return game


def _refuse_options(context: typer.Context, *names: str) -> None:
    """A saved game brings its own table: what would be ignored is refused."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = name.replace("_", "-")
            raise SetupError(f"A saved game has its own table: leave --{option} out with --load.")


def _seed(text: str | None) -> bytes | None:
    if text is None:
        return None
    if re.fullmatch(r"[0-9a-fA-F]{64}", text) is None:
        raise SetupError(f"{text[:80]!r} is no seed: a seed is 64 hex digits.")
    return bytes.fromhex(text)
