"""Keeping games in files: saved when somebody says so, and by themselves when one is left."""

from __future__ import annotations

import shlex
from itertools import takewhile
from pathlib import Path
from typing import Final

from manhattan import record
from manhattan.cli.files import numbered
from manhattan.cli.seats import Seats, options_for
from manhattan.cli.terminal import program
from manhattan.game import Game
from manhattan.record import Record, RecordError
from manhattan.replay import replay
from manhattan.rules import Move

USUAL_FILE: Final = Path("manhattan-game.json")
UNFINISHED: Final = Path("manhattan-unfinished.json")


def loaded(path: Path) -> Game:
    """The game of a file, to go on with."""
    recorded = next(record.read(path))
    try:
        game = replay(recorded)
    except RecordError as error:
        raise error.inside(str(path)) from None
    if game.over:
        raise RecordError("This game is over. Look at it with: manhattan replay", str(path))
    return game


class Keeper:
    """Saves one game, never over anything else, and knows what is not saved yet."""

    def __init__(self, game: Game, seats: Seats) -> None:
        self._game = game
        self._seats = seats
        self._kept: tuple[Move, ...] = game.moves
        self.told = ""
        """How to go on with what was saved last."""

    def save(self, name: str = "") -> str:
        """Save the game and tell how to go on with it. Without a name, under one that is free."""
        path = _at_home(name) if name else self._free(USUAL_FILE)
        self._refuse_to_replace(path)
        return self._write(path, "Saved.")

    def keep(self) -> str:
        """Save a game that is being left, under a name of its own."""
        return self._write(self._free(UNFINISHED), "The game is kept.")

    def loses(self, people: tuple[int, ...]) -> bool:
        """Would any of these players lose a move, if the game was left now? What the bots did
        alone they would do again."""
        moves = self._game.moves
        pairs = zip(moves, self._kept, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        movers = (self._game.state_at(ply).table.mover for ply in range(same, len(moves)))
        return any(mover in people for mover in movers)

    def _write(self, path: Path, done: str) -> str:
        record.write(path, [record.to_json(self._game)])
        self._kept = self._game.moves
        command = [program(), "replay", str(path)]
        if not self._game.over:
            names = [player.name for player in self._game.setup.players]
            command = [program(), "play", "--load", str(path), *options_for(names, self._seats)]
        self.told = f"{done} Go on with: {shlex.join(command)}"
        return self.told

    def _refuse_to_replace(self, path: Path) -> None:
        """An earlier moment of this game may go, anything else is somebody's."""
        try:
            holds_another = self._holds_another(path)
        except RecordError:
            told = "This file is no saved game; choose another name."
            raise RecordError(told, str(path)) from None
        if holds_another:
            told = f"Another game is saved here; choose another name, like {self._free(path)}."
            raise RecordError(told, str(path))

    def _free(self, path: Path) -> Path:
        """This name, or with a number the first that takes nothing from anybody."""
        return next(filter(self._is_free, numbered(path)))

    def _is_free(self, path: Path) -> bool:
        try:
            return not path.is_dir() and not self._holds_another(path)
        except RecordError:
            return False
        except OSError:  # nobody can look there: whoever writes will be told why
            return True

    def _holds_another(self, path: Path) -> bool:
        """Is another game in this file? What is no saved game at all raises."""
        try:
            if not path.is_file() or not path.stat().st_size:
                return False
        except OSError:  # such as a name that is too long: writing tells it
            return False
        return not all(map(self._is_ours, record.read(path)))

    def _is_ours(self, recorded: Record) -> bool:
        game = self._game
        ours = (game.setup, game.commitment, game.deck)
        return (recorded.setup, recorded.commitment, recorded.deck) == ours


def _at_home(name: str) -> Path:
    """A file by the name that was typed: at the table no shell makes ``~`` somebody's home."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise RecordError("The file can't be written: nobody has this home.", name) from None
