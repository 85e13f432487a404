"""Saved games: loading, saving on request, and autosave when a game is left. Nothing is
overwritten except an earlier state of the same game."""

from __future__ import annotations

import shlex
from itertools import takewhile
from pathlib import Path
from typing import Final

from manhattan import record
from manhattan.cli.ui.output_files import numbered_names
from manhattan.cli.ui.seats import Seats, resume_options
from manhattan.cli.ui.terminal import program_name
from manhattan.game import Game
from manhattan.record import Record, RecordError
from manhattan.replay import replay
from manhattan.rules import Move

DEFAULT_FILE: Final = Path("manhattan-game.json")
AUTOSAVE_FILE: Final = Path("manhattan-unfinished.json")


def load_game(path: Path) -> Game:
    """Load a game to continue."""
    recorded = next(record.read(path))
    try:
        game = replay(recorded)
    except RecordError as error:
        raise error.inside(str(path)) from None
    if game.is_over:
        raise RecordError("This game is over. Watch it with: manhattan replay", str(path))
    return game


class GameSaver:
    """Saves one game, and knows which of its moves are not saved yet."""

    def __init__(self, game: Game, seats: Seats) -> None:
        self._game = game
        self._seats = seats
        self._saved_moves: tuple[Move, ...] = game.moves
        self.last_message = ""
        """The message of the last save, which says how to continue the game."""

    def save(self, name: str = "") -> str:
        """Save the game, under a free default name if none is given, and return a message."""
        path = _expand_home(name) if name else self._free_name(DEFAULT_FILE)
        self._check_replaceable(path)
        return self._write(path, "Saved.")

    def autosave(self) -> str:
        """Save a game that is being left, under a name of its own, and return a message."""
        return self._write(self._free_name(AUTOSAVE_FILE), "Saved the unfinished game.")

    def has_unsaved_moves(self, people: tuple[int, ...]) -> bool:
        """Have any of these players made a move that is not saved? Moves of bots don't count:
        they would make them again."""
        moves = self._game.moves
        pairs = zip(moves, self._saved_moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        movers = (self._game.state_at(ply).public.mover for ply in range(same, len(moves)))
        return any(mover in people for mover in movers)

    def _write(self, path: Path, message: str) -> str:
        record.write(path, [record.to_json(self._game)])
        self._saved_moves = self._game.moves
        if self._game.is_over:
            action, command = "Watch it", [program_name(), "replay", str(path)]
        else:
            names = [player.name for player in self._game.setup.players]
            options = resume_options(names, self._seats)
            action, command = "Continue", [program_name(), "play", "--load", str(path), *options]
        self.last_message = f"{message} {action} with: {shlex.join(command)}"
        return self.last_message

    def _check_replaceable(self, path: Path) -> None:
        """Raise if the file holds anything but an earlier state of this game."""
        try:
            other_game = self._holds_other_game(path)
        except RecordError:
            message = "This file is not a saved game. Choose another name."
            raise RecordError(message, str(path)) from None
        if other_game:
            free = self._free_name(path)
            message = f"This file holds another game. Choose another name, for example {free}."
            raise RecordError(message, str(path))

    def _free_name(self, path: Path) -> Path:
        """This name, or the first numbered one under which nothing would be overwritten."""
        return next(filter(self._is_free, numbered_names(path)))

    def _is_free(self, path: Path) -> bool:
        try:
            return not path.is_dir() and not self._holds_other_game(path)
        except RecordError:
            return False
        except OSError:  # unreadable: writing will fail with a clear error
            return True

    def _holds_other_game(self, path: Path) -> bool:
        """Does the file hold another game? Raises if it holds no saved game at all."""
        try:
            if not path.is_file() or not path.stat().st_size:
                return False
        except OSError:  # for example a name that is too long: writing reports it
            return False
        return not all(map(self._is_this_game, record.read(path)))

    def _is_this_game(self, recorded: Record) -> bool:
        game = self._game
        identity = (game.setup, game.commitment, game.deck)
        return (recorded.setup, recorded.commitment, recorded.deck) == identity


def _expand_home(name: str) -> Path:
    """The path of a typed name: within a game there is no shell that expands ``~``."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise RecordError("The file can't be written: there is no such user.", name) from None
