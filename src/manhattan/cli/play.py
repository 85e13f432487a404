"""``manhattan play``: a game on the terminal, against bots or at one keyboard."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.text import Text

from manhattan.bots import LEVELS
from manhattan.cli import drawing, screen
from manhattan.cli.keeping import Keeper, loaded
from manhattan.cli.options import EditionId, HouseRules, Players, house_rules
from manhattan.cli.seats import (
    USUAL_BOT,
    USUAL_NAME,
    Seats,
    new_table,
    people_at,
    saved_table,
)
from manhattan.cli.terminal import ask, console, forget_typing, laid_out, tell_at_length, wipe
from manhattan.cli.thinking import Thinking
from manhattan.cli.typed import (
    HELP,
    LEAVE,
    NO,
    OPEN_TO_ALL,
    QUESTIONS,
    SAVE,
    UNDO,
    YES,
    question,
    typed_move,
)
from manhattan.game import Game
from manhattan.rulebook import rulebook
from manhattan.rules import (
    DEFAULT_EDITION,
    Event,
    IllegalMove,
    ManhattanError,
    Move,
    Scored,
    Seat,
    SetupError,
    Sheet,
)
from manhattan.rules.errors import printable
from manhattan.view import View, all_seen_by, view_of


def play(
    context: typer.Context,
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            "-b",
            help=f"Who plays in the other seats: {', '.join(LEVELS)}, or another bot (see below). "
            "One for all, or one for each seat in turn order, with commas between.",
            show_default=USUAL_BOT,
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            "-n",
            help="A person at the keyboard; say it again for each. With --load: which of the "
            "players are.",
            show_default=USUAL_NAME,
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", "-s", help="64 hex digits: the same cards again.")
    ] = None,
    load: Annotated[
        Path | None, typer.Option("--load", "-l", help="Go on with a saved game.")
    ] = None,
    house_rule: HouseRules = None,
) -> None:
    """Play on the terminal: against bots, or several people in turn at one keyboard."""
    if load is not None:
        _refuse_options(context, "players", "edition", "seed", "house_rule")
        game = loaded(load)
        seats = saved_table([player.name for player in game.setup.players], name, bots)
    else:
        names, seats = new_table(name or [USUAL_NAME], players, bots)
        changes = house_rules(house_rule)
        dealt = _seed(seed)
        game = Game.new(names, edition=edition, house_rules=changes, first="lot", seed=dealt)
    TerminalGame(game, seats).run()


class _Left(Exception):
    """The player has left."""


class TerminalGame:
    """One person at the keyboard, or several in turn; bots in all other seats."""

    def __init__(self, game: Game, seats: Seats) -> None:
        self.game = game
        self.seats = seats
        self.people = people_at(seats)
        self.console = console()
        self.looker: int | None = None
        """Whose hand the screen may show now; None if everybody may look."""
        self.keeper = Keeper(game, seats)
        self.thinking = Thinking(self.console, game.setup, seats)

    @property
    def hot_seat(self) -> bool:
        """Do several people share the screen, so that each one's hand has to be hidden?"""
        return len(self.people) > 1

    @property
    def all_of_us(self) -> int | None:
        """Who looks when it is nobody's turn: everybody, but a person alone needs hide nothing."""
        return None if self.hot_seat else self.people[0]

    def run(self) -> None:
        """Play until the end of the game, or until somebody leaves."""
        try:
            while not self.game.over:
                mover = self.game.table.mover
                played_by = self.seats[mover]
                if played_by is None:
                    self._hand_over(mover)
                    self._show(mover)
                    self._your_turn()
                else:
                    self._bots_turn(played_by)
            self._finish()
        except (_Left, KeyboardInterrupt):
            self._goodbye()
        finally:
            self.thinking.stop()

    def _hand_over(self, person: int) -> None:
        """Before a person's hand is shown the others look away."""
        if not self.hot_seat or self.looker == person:
            return
        self._clear()
        forget_typing()
        name = self.game.setup.players[person].name
        while self._ask_to_go_on(f"{name}, it is your turn. Enter when nobody else looks"):
            pass  # a move typed blindly is none: first comes the table

    def _finish(self) -> None:
        """The end: the last sheet, the proof of the shuffles, and the game to keep."""
        told = ""
        if self.game.seed is not None:
            told = f"Every shuffle follows from the seed {self.game.seed.hex()}"
        lines = -(-len(told) // self.console.width)
        self._show(self.all_of_us, self.game.table.sheets[-1], below=lines)
        if told:
            self.console.print(told, soft_wrap=True)
        self._offer_to_save()
        self.console.print("Goodbye.")

    def _offer_to_save(self) -> None:
        while name := self._ask_to_go_on("Save the game? A file's name, or Enter"):
            if name.lower() in NO:
                return
            if name.split()[0].lower() in SAVE + YES:  # as all the game, or as one answers
                name = name.partition(" ")[2].strip()
            with self._told_if_refused():
                self._save(name)
                return

    def _goodbye(self) -> None:
        told = self._kept()
        if self.hot_seat and not self.game.over:
            self._clear()  # the hand of whoever left is not for those who come after
            if self.console.is_terminal:
                told = told or self.keeper.told
        if told:
            self.console.print(told, soft_wrap=True)
        self.console.print("Goodbye.")

    def _kept(self) -> str:
        """Save a game that somebody leaves, and tell where. A script says itself what to save."""
        if self.game.over or not sys.stdin.isatty() or not self.keeper.loses(self.people):
            return ""
        try:
            return self.keeper.keep()
        except ManhattanError as error:
            return f"The game could not be kept. {error}"

    def _play(self, move: Move) -> None:
        for event in self.game.play(move):
            if isinstance(event, Scored) and not self.game.over:
                self._show(self.all_of_us, event.sheet)
                if self.console.is_terminal and sys.stdin.isatty():
                    self._between_rounds()

    def _between_rounds(self) -> None:
        """Everybody may look at the scores, until somebody presses Enter."""
        seen = view_of(self.game, None)
        while words := self._ask_to_go_on("Enter to go on, quit to leave").split():
            command, *name = words
            with self._told_if_refused():
                if command.lower() in SAVE:
                    self._save(" ".join(name))
                elif command.lower() in OPEN_TO_ALL and not name:
                    self._answer(seen, command.lower())
                else:
                    told = f"save FILE, {', '.join(OPEN_TO_ALL)} or quit"
                    self.console.print(f"The round is over. Type {told}; Enter goes on.")

    def _bots_turn(self, played_by: str) -> None:
        if self.hot_seat and self.console.is_terminal:
            self._show(None)  # a bot may take its time, and no hand is to lie open meanwhile
        # What everybody may know gives the bots their dice, so that a loaded game goes on as the
        # saved one would have.
        rng = Random(f"{self.game.commitment} {self.game.ply}")  # noqa: S311 - dice, not cards
        self._play(self.thinking.choose(played_by, view_of(self.game, self.game.table.mover), rng))

    def _your_turn(self) -> None:
        seen = view_of(self.game, self.game.table.mover)
        ply = self.game.ply
        while self.game.ply == ply:
            words = self._ask(f"{question(seen)} (? for help)").split()
            if words:
                with self._told_if_refused():
                    if self._command(seen, words):
                        return

    @contextmanager
    def _told_if_refused(self) -> Iterator[None]:
        """What can't be done is told, and asked for again."""
        try:
            yield
        except ManhattanError as error:
            self.console.print(Text(printable(str(error)), "red"))

    def _command(self, seen: View, words: list[str]) -> bool:
        """Do what was typed; true if the position changed and has to be shown anew."""
        match [words[0].lower(), *words[1:]]:
            case [word] if word in LEAVE:
                raise _Left
            case [word] if word in UNDO:
                return self._undo()
            case [word, *name] if word in SAVE:
                self._save(" ".join(name))
            case [word] if word in QUESTIONS:
                self._answer(seen, QUESTIONS[word])
            case _:
                move = typed_move(" ".join(words), seen)
                if refused := seen.why_not(move):
                    raise IllegalMove(move, refused)
                self._play(move)
                return True
        return False

    def _answer(self, seen: View, asked: str) -> None:
        """Tell what was asked for."""
        match asked:
            case "help":
                self.console.print(HELP)
            case "moves":
                moves = "  ".join(str(move) for move in seen.legal_moves())
                tell_at_length(self.console, Text(moves))
            case "hint":
                self.thinking.hint(seen, self._advisers_dice())
            case "advice":
                self.thinking.advise(seen, self._advisers_dice())
            case "towers":
                self.console.print(drawing.board(seen.table, self._seat(seen.player)))
            case "sheets":
                sheets = [drawing.sheet(self.game.setup, s) for s in self.game.table.sheets]
                tell_at_length(self.console, *sheets)
                if not sheets:
                    self.console.print("No round is scored yet.")
            case "rules":
                tell_at_length(self.console, laid_out(rulebook(self.game.setup.edition)))

    def _advisers_dice(self) -> Random:
        """The same advice when it is asked for again."""
        return Random(self.game.ply)  # noqa: S311 - dice, not cards

    def _save(self, name: str) -> None:
        self.console.print(self.keeper.save(name), soft_wrap=True)

    def _undo(self) -> bool:
        mine = self._last_ply_of(self.game.table.mover)
        if mine is None:
            self.console.print("You have not moved yet.")
            return False
        self.game.undo(self.game.ply - mine)
        return True

    def _last_ply_of(self, *players: int) -> int | None:
        """When one of these players moved last."""
        plies = reversed(range(self.game.ply))
        return next((p for p in plies if self.game.mover_at(p) in players), None)

    def _news_for(self, looker: int | None) -> tuple[Event, ...]:
        """What happened since somebody's own last move, or for all since the last of a person."""
        since = self._last_ply_of(*(self.people if looker is None else [looker])) or 0
        steps = self.game.steps[since:]
        return all_seen_by(looker, (event for step in steps for event in step.events))

    def _show(self, looker: int | None, scored: Sheet | None = None, below: int = 0) -> None:
        """The table as somebody sees it from his side, or with None as everybody may. So many
        lines will be written below it, beside what is asked."""
        self.looker = looker
        at_first = self.game.ply <= len(self.seats)
        proof = self.game.commitment if at_first else None
        seen, news = view_of(self.game, looker), self._news_for(looker)
        self._clear()
        for part in screen.page(
            self.console,
            seen,
            self._seat(looker),
            news,
            proof=proof,
            scored=scored,
            below=below,
        ):
            self.console.print(part)

    def _seat(self, looker: int | None) -> Seat:
        """From where the table is seen; by all from the first person's side."""
        return self.game.setup.players[self.people[0] if looker is None else looker].seat

    def _clear(self) -> None:
        if self.console.is_terminal:
            if self.hot_seat:
                wipe(self.console)
            else:
                self.console.clear()

    def _ask(self, question: str) -> str:
        try:
            return ask(self.console, question)
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise _Left from None

    def _ask_to_go_on(self, question: str) -> str:
        answer = self._ask(question).strip()
        if answer.lower() in LEAVE:
            raise _Left
        return answer


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
