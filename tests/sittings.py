"""Tables without a network: what happens at them, one entry after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manhattan.server import decisions
from manhattan.server.entries import Begun, Entry, Opened, from_text, to_text
from manhattan.server.folding import fold, folded, opened
from manhattan.server.sitting import Sitting
from manhattan.server.terms import Terms

SEED = bytes(range(32)).hex()
ADA, BOB, CAT, DAN = "person-a", "person-b", "person-c", "person-d"
NAMES = {ADA: "Ada", BOB: "Bob", CAT: "Cat", DAN: "Dan"}
ME, OPEN = {"who": "me"}, {"who": "open"}


def bot(level: str = "easy") -> dict[str, Any]:
    return {"who": "bot", "level": level}


def here(name: str) -> dict[str, Any]:
    return {"who": "here", "name": name}


class Gathering:
    """A table, and the time. Whatever happens is kept as it is stored, too."""

    def __init__(self, *chairs: dict[str, Any], **terms: Any) -> None:
        self.now = 1000
        entry = Opened(
            at=self.now,
            by=ADA,
            name="Ada",
            terms=Terms.model_validate({"first": 0, **terms, "chairs": chairs}),
        )
        self.entries: list[Entry] = [entry]
        self.sitting: Sitting = opened("t" * 14, entry)

    def happens(self, entry: Entry) -> Sitting:
        self.sitting = fold(self.sitting, entry)
        self.entries.append(entry)
        return self.sitting

    def does(self, person: str, what: Callable[..., Entry], *about: Any) -> Sitting:
        """Somebody does something, a second later."""
        self.now += 1000
        return self.happens(what(self.sitting, person, *about, self.now))

    def begins(self, *people: str) -> Gathering:
        """People sit down, and the cards are dealt."""
        for person in people:
            self.does(person, decisions.sit, NAMES[person], None)
        self.now += 1000
        self.happens(Begun(at=self.now, by=ADA, seed=SEED))
        return self

    def plays(self, person: str, move: str | None = None, command: str | None = None) -> str:
        """Somebody makes a move: a certain one, or the first that he may."""
        game = self.sitting.game
        assert game is not None
        chosen = move or str(game.legal_moves()[0])
        self.does(person, decisions.play, game.ply, chosen, command)
        return chosen

    def bot_plays(self) -> None:
        """The bot whose turn it is makes its first legal move."""
        from manhattan.server.entries import Played

        game = self.sitting.game
        assert game is not None
        assert self.sitting.bot_to_move
        self.now += 1000
        move = str(game.legal_moves()[0])
        self.happens(Played(at=self.now, player=game.table.mover, move=move))

    @property
    def ply(self) -> int:
        assert self.sitting.game is not None
        return self.sitting.game.ply

    def read_again(self) -> Sitting:
        """What another process makes of what was written down."""
        again = folded(self.sitting.id, [from_text(to_text(entry)) for entry in self.entries])
        assert again is not None
        return again
