"""``manhattan play``: a game against bots on the terminal."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.text import Text

from manhattan import record
from manhattan.bots import BOTS, Bot, bot, choose_greedily
from manhattan.cli import drawing
from manhattan.cli.options import EditionId, HouseRules, Players, house_rules
from manhattan.cli.telling import sentence
from manhattan.cli.terminal import console
from manhattan.game import Game
from manhattan.record import RecordError
from manhattan.replay import replay
from manhattan.rules import (
    DEFAULT_EDITION,
    Build,
    Built,
    Event,
    ManhattanError,
    Move,
    Phase,
    Scored,
    SetupError,
    parse_move,
)
from manhattan.rules.setup import check_count
from manhattan.view import View, all_seen_by, view

YOU = 0
"""You are the first player, so you sit at the south unless a saved game says otherwise."""

HELP = """\
To choose blocks, type their sizes: 112234 (with two colours 1124 1223).
To build, type site and size: C5+3 (with two colours C5+3o). Each site shows
its number; what your cards allow is in brackets. To take a block out: -2.

  moves   every legal move         hint    a move that looks good now
  undo    back to your last move   save    save the game: save FILE
  ?       this help                quit    leave"""


def play(
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
        except _Left:
            self.console.print("Goodbye.")
            return
        self._show()
        self.console.print(
            "Every shuffle follows from the seed "
            f"{self.game.seed.hex() if self.game.seed else '-'}.",
            soft_wrap=True,
        )

    def _play(self, move: Move) -> None:
        events = self.game.play(move)
        self.news += all_seen_by(YOU, events)
        for event in events:
            if isinstance(event, Scored):
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
            words = self._ask(_question(seen)).split()
            if words:
                try:
                    if self._command(seen, words):
                        return
                except ManhattanError as error:
                    self.console.print(Text(str(error), "red"), soft_wrap=True)

    def _command(self, seen: View, words: list[str]) -> bool:
        """Do what was typed; true if the position changed and has to be shown anew."""
        match words:
            case ["?" | "help"]:
                self.console.print(HELP)
            case ["q" | "quit" | "exit"]:
                raise _Left
            case ["m" | "moves"]:
                for line in drawing.chunks([str(move) for move in seen.legal_moves()], 8):
                    self.console.print("  ".join(line), soft_wrap=True)
            case ["h" | "hint"]:
                rng = Random(self.game.ply)  # noqa: S311 - the same hint when asked again
                self.console.print(f"{choose_greedily(seen, rng)} looks good.")
            case ["u" | "undo"]:
                return self._undo()
            case ["s" | "save", *name]:
                path = Path(" ".join(name) or "manhattan-game.json")
                record.write(path, [record.to_json(self.game)])
                command = f"manhattan play --load {shlex.quote(str(path))}"
                self.console.print(f"Saved. Go on with: {command}", soft_wrap=True)
            case _:
                self.news.clear()
                self._play(typed_move(" ".join(words), seen.table.phase))
                return True
        return False

    def _undo(self) -> bool:
        mine = [ply for ply in range(self.game.ply) if self.game.state_at(ply).table.mover == YOU]
        if not mine:
            self.console.print("You have not moved yet.")
            return False
        self.game.undo(self.game.ply - mine[-1])
        self.news.clear()
        return True

    def _show(self) -> None:
        table = self.game.table
        seat = table.setup.players[YOU].seat
        seen = view(self.game.state, YOU)
        last = [event.site for event in self.news if isinstance(event, Built)]
        targets = {move.site for move in seen.legal_moves() if isinstance(move, Build)}
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(drawing.headline(table))
        self.console.print(drawing.board(table, seat, last=last, targets=targets))
        self.console.print(drawing.stocks(table))
        self.console.print(drawing.hand(seen.hand))
        for event in self.news:
            self.console.print(Text(sentence(event, table.setup), "italic"), soft_wrap=True)

    def _ask(self, question: str) -> str:
        try:
            return self.console.input(Text(f"{question} (? for help): ", "bold"))
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise _Left from None

    def _pause(self) -> None:
        if self.console.is_terminal and sys.stdin.isatty():
            self._ask("Enter to go on")


def typed_move(text: str, phase: Phase) -> Move:
    """A move as people type it: any case, and blocks without brackets and in any order."""
    compact = text.strip()
    if phase is Phase.SELECT and re.fullmatch(r"\[?[1-4]+([ |,]+[1-4]+)?\]?", compact):
        groups = re.findall(r"[1-4]+", compact)
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


def _seed(text: str | None) -> bytes | None:
    if text is None:
        return None
    if re.fullmatch(r"[0-9a-fA-F]{64}", text) is None:
        raise SetupError(f"{text[:80]!r} is no seed: a seed is 64 hex digits.")
    return bytes.fromhex(text)
