"""A game on the terminal: people take turns at one keyboard, bots play the other seats.

With several people, a hand is shown only to its player: the screen is cleared between turns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from rich.text import Text

from manhattan.cli.ui import board_renderer
from manhattan.cli.ui.autosave import GameSaver
from manhattan.cli.ui.bot_runner import BotRunner
from manhattan.cli.ui.input_parser import (
    HELP,
    NO_WORDS,
    PUBLIC_QUERIES,
    QUERIES,
    QUIT_WORDS,
    SAVE_WORDS,
    UNDO_WORDS,
    YES_WORDS,
    parse_typed_move,
    prompt_for,
)
from manhattan.cli.ui.layout import table_page
from manhattan.cli.ui.seats import Seats, human_players
from manhattan.cli.ui.terminal import (
    clear_with_scrollback,
    console,
    discard_typed_input,
    print_paged,
    prompt,
    render_markdown,
)
from manhattan.game import Game
from manhattan.rulebook import rulebook
from manhattan.rules import Event, IllegalMove, ManhattanError, Move, Scored, Sheet, Side
from manhattan.rules.errors import printable
from manhattan.view import View, redact_events, view_of


class _Quit(Exception):
    """A person has left the game."""


class TerminalGame:
    """One game, with one person at the keyboard or several in turn."""

    def __init__(self, game: Game, seats: Seats) -> None:
        self.game = game
        self.seats = seats
        self.people = human_players(seats)
        self.console = console()
        self.viewer: int | None = None
        """The player whose hand is on the screen; None if no hand is."""
        self.saver = GameSaver(game, seats)
        self.bots = BotRunner(self.console, game.setup, seats)

    @property
    def is_hot_seat(self) -> bool:
        """Do several people share the screen, so that hands have to be hidden?"""
        return len(self.people) > 1

    @property
    def shared_viewer(self) -> int | None:
        """The viewer of pages that everyone may see. A single person need not hide their hand."""
        return None if self.is_hot_seat else self.people[0]

    def run(self) -> None:
        """Play until the game is over or a person leaves."""
        try:
            while not self.game.is_over:
                mover = self.game.public.mover
                bot_name = self.seats[mover]
                if bot_name is None:
                    self._hand_over(mover)
                    self._show_table(mover)
                    self._take_turn()
                else:
                    self._run_bot(bot_name)
            self._finish()
        except (_Quit, KeyboardInterrupt):
            self._leave()
        finally:
            self.bots.stop()

    # --- turns --------------------------------------------------------------------------------

    def _hand_over(self, person: int) -> None:
        """Ask the other people to look away before a hand is shown."""
        if not self.is_hot_seat or self.viewer == person:
            return
        self._clear()
        discard_typed_input()
        name = self.game.setup.players[person].name
        while self._ask(f"{name}, it's your turn. Press Enter when the others look away"):
            pass  # the table comes first: nothing typed blindly is a move

    def _take_turn(self) -> None:
        view = view_of(self.game, self.game.public.mover)
        ply = self.game.ply
        while self.game.ply == ply:
            words = self._read_line(f"{prompt_for(view)} (? for help)").split()
            if words:
                with self._errors_printed():
                    if self._execute(view, words):
                        return

    def _execute(self, view: View, words: list[str]) -> bool:
        """Execute what was typed; return whether the position changed."""
        match [words[0].lower(), *words[1:]]:
            case [word] if word in QUIT_WORDS:
                raise _Quit
            case [word] if word in UNDO_WORDS:
                return self._undo()
            case [word, *name] if word in SAVE_WORDS:
                self._save(" ".join(name))
            case [word] if word in QUERIES:
                self._answer(view, QUERIES[word])
            case _:
                move = parse_typed_move(" ".join(words), view)
                if refusal := view.why_not(move):
                    raise IllegalMove(move, refusal)
                self._play(move)
                return True
        return False

    def _run_bot(self, bot_name: str) -> None:
        if self.is_hot_seat and self.console.is_terminal:
            self._show_table(None)  # bots take time, and no hand should stay visible meanwhile
        # Seeded by public information, so that a loaded game continues as the saved one would.
        rng = Random(f"{self.game.commitment} {self.game.ply}")  # noqa: S311 - dice, not cards
        view = view_of(self.game, self.game.public.mover)
        self._play(self.bots.choose_move(bot_name, view, rng))

    def _play(self, move: Move) -> None:
        for event in self.game.play(move):
            if isinstance(event, Scored) and not self.game.is_over:
                self._show_table(self.shared_viewer, event.sheet)
                if self.console.is_terminal and sys.stdin.isatty():
                    self._pause_between_rounds()

    def _undo(self) -> bool:
        ply = self._last_ply_of(self.game.public.mover)
        if ply is None:
            self.console.print("There is nothing to undo: you haven't moved yet.")
            return False
        self.game.undo(self.game.ply - ply)
        return True

    # --- answers ------------------------------------------------------------------------------

    def _answer(self, view: View, query: str) -> None:
        match query:
            case "help":
                self.console.print(HELP)
            case "moves":
                moves = "  ".join(str(move) for move in view.legal_moves())
                print_paged(self.console, Text(moves))
            case "hint":
                self.bots.print_hint(view, self._advice_rng())
            case "advice":
                self.bots.print_advice(view, self._advice_rng())
            case "towers":
                side = self._side_of(view.player)
                self.console.print(board_renderer.render_board(view.public, side))
            case "sheets":
                self._print_sheets()
            case "rules":
                text = rulebook(self.game.setup.edition)
                print_paged(self.console, render_markdown(text))

    def _print_sheets(self) -> None:
        setup, sheets = self.game.setup, self.game.public.sheets
        if not sheets:
            self.console.print("No round has been scored yet.")
        print_paged(self.console, *(board_renderer.render_sheet(setup, sheet) for sheet in sheets))

    def _advice_rng(self) -> Random:
        """The same dice for the same position: repeated questions get the same answer."""
        return Random(self.game.ply)  # noqa: S311 - dice, not cards

    def _pause_between_rounds(self) -> None:
        """Show the scores until Enter is pressed; answer what shows no hand."""
        view = view_of(self.game, None)
        while words := self._ask("Press Enter to continue, or type quit").split():
            command, *name = words
            with self._errors_printed():
                if command.lower() in SAVE_WORDS:
                    self._save(" ".join(name))
                elif command.lower() in PUBLIC_QUERIES and not name:
                    self._answer(view, command.lower())
                else:
                    commands = f"save FILE, {', '.join(PUBLIC_QUERIES)} or quit"
                    self.console.print(f"The round is over. Type {commands}.")

    # --- the end, and saving ------------------------------------------------------------------

    def _finish(self) -> None:
        """Show the last score sheet and the seed of the shuffles, and offer to save the game."""
        proof = ""
        if self.game.seed is not None:
            proof = f"Seed of the shuffles: {self.game.seed.hex()}"
        lines = -(-len(proof) // self.console.width)
        self._show_table(self.shared_viewer, self.game.public.sheets[-1], lines_below=lines)
        if proof:
            self.console.print(proof, soft_wrap=True)
        self._offer_to_save()
        self.console.print("Goodbye.")

    def _offer_to_save(self) -> None:
        while name := self._ask("Save the game? Type a file name, or press Enter to skip"):
            if name.lower() in NO_WORDS:
                return
            if name.split()[0].lower() in SAVE_WORDS + YES_WORDS:  # "yes", "save", "save FILE"
                name = name.partition(" ")[2].strip()
            with self._errors_printed():
                self._save(name)
                return

    def _save(self, name: str) -> None:
        self.console.print(self.saver.save(name), soft_wrap=True)

    def _leave(self) -> None:
        message = self._autosave()
        if self.is_hot_seat and not self.game.is_over:
            self._clear()  # so that the next person sees no hand
            if self.console.is_terminal:
                message = message or self.saver.last_message
        if message:
            self.console.print(message, soft_wrap=True)
        self.console.print("Goodbye.")

    def _autosave(self) -> str:
        """Save an unfinished game and return a message. Scripts save explicitly instead."""
        if (
            self.game.is_over
            or not sys.stdin.isatty()
            or not self.saver.has_unsaved_moves(self.people)
        ):
            return ""
        try:
            return self.saver.autosave()
        except ManhattanError as error:
            return f"The game could not be saved. {error}"

    # --- the screen ---------------------------------------------------------------------------

    def _show_table(
        self, viewer: int | None, sheet: Sheet | None = None, lines_below: int = 0
    ) -> None:
        """Show the table from a player's viewpoint; with None, what everyone may see."""
        self.viewer = viewer
        is_opening = self.game.ply <= len(self.seats)
        self._clear()
        for part in table_page(
            self.console,
            view_of(self.game, viewer),
            self._side_of(viewer),
            self._latest_events(viewer),
            commitment=self.game.commitment if is_opening else None,
            sheet=sheet,
            lines_below=lines_below,
        ):
            self.console.print(part)
        if notice := self.bots.notice:
            self.console.print(Text(notice, "dim"))

    def _latest_events(self, viewer: int | None) -> tuple[Event, ...]:
        """The events since the viewer's last move; for everyone, since the last move of a
        person."""
        since = self._last_ply_of(*(self.people if viewer is None else [viewer])) or 0
        steps = self.game.steps[since:]
        return redact_events(viewer, (event for step in steps for event in step.events))

    def _last_ply_of(self, *players: int) -> int | None:
        """The ply of the last move that one of these players made."""
        plies = reversed(range(self.game.ply))
        return next((ply for ply in plies if self.game.mover_at(ply) in players), None)

    def _side_of(self, viewer: int | None) -> Side:
        """The side from which the board is shown; for everyone, the first person's."""
        return self.game.setup.players[self.people[0] if viewer is None else viewer].side

    def _clear(self) -> None:
        if self.console.is_terminal:
            if self.is_hot_seat:
                clear_with_scrollback(self.console)
            else:
                self.console.clear()

    @contextmanager
    def _errors_printed(self) -> Iterator[None]:
        """Print errors instead of ending the game."""
        try:
            yield
        except ManhattanError as error:
            self.console.print(Text(printable(str(error)), "red"))

    def _read_line(self, question: str) -> str:
        try:
            return prompt(self.console, question)
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise _Quit from None

    def _ask(self, question: str) -> str:
        """Ask a question at which ``quit`` leaves the game."""
        answer = self._read_line(question).strip()
        if answer.lower() in QUIT_WORDS:
            raise _Quit
        return answer
