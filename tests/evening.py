"""An evening at a table: those who play and those who look on do everything that can be done there,
and a good deal that can't."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random
from types import TracebackType
from typing import Any, Self

from manhattan.game import Game
from manhattan.rules import SITES, Build, Colour, Move, Reason, parse_move
from serving import Running
from witness import Json, Witness, game_at, sitting_at, wait_for_people


class Evening:
    """A table, those who play there, and those who look on."""

    def __init__(self, up: Running, people: int, chairs: Sequence[Json], **terms: Any) -> None:
        """The person who opens the table begins."""
        self._stack = ExitStack()
        self.up = up
        self.dice = Random(len(chairs))
        self.players = [self._come(name) for name in ("Ada", "Bob", "Cyd", "Dan")[:people]]
        self.onlooker = self._come("Olga")
        self.stranger = self._come(None)
        self.phone = self._come("Ada's phone")
        self.secrets: list[str] = []
        host, *guests = self.players
        self.table = host.ask(
            "POST", "/api/tables", {"chairs": chairs, "pace": 0, "first": 0} | terms
        )["id"]
        for guest in guests:
            guest.ask("POST", f"{self.path}/sit", {})
        for one in self.everybody:
            one.look(self.table)
        host.ask("POST", f"{self.path}/begin")

    def _come(self, name: str | None) -> Witness:
        return self._stack.enter_context(Witness(self.up, name))

    @property
    def path(self) -> str:
        return f"/api/tables/{self.table}"

    @property
    def everybody(self) -> list[Witness]:
        return [*self.players, self.onlooker, self.stranger, self.phone]

    @property
    def game(self) -> Game:
        return game_at(self.up, self.table)

    @property
    def mover(self) -> Witness:
        """Who has to move, and is no bot."""
        return self.who(wait_for_people(self.up, self.table).table.mover)

    def who(self, chair: int) -> Witness:
        """Who sits in a chair."""
        person = sitting_at(self.up, self.table).chairs[chair].person
        assert person is not None
        return next(one for one in self.everybody if one.person == person)

    def others(self) -> list[Witness]:
        return [one for one in self.everybody if one is not self.mover]

    def play(self, plies: int) -> None:
        """Random moves, so many of people; fewer if the game is over before."""
        for _ in range(plies):
            game = wait_for_people(self.up, self.table)
            if game.over:
                return
            move = self.dice.choice(game.legal_moves())
            told = self.mover.do("play", ply=game.ply, move=str(move))
            assert told["type"] == "news", told

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()


# What happens in an evening.


def ask_around(evening: Evening) -> None:
    """Everybody asks for everything that can be asked for."""
    for one in evening.everybody:
        for what in ("me", "box", "tables", "tables?stage=playing", "tables?stage=over"):
            assert one.asked("GET", f"/api/{what}").status_code == 200
        assert one.asked("GET", "/api/tables/mine").status_code == (200 if one.name else 401)
        assert one.asked("GET", evening.path).status_code == 200
        assert one.asked("GET", f"{evening.path}/record").status_code == 200
        for path in ("/metrics", "/healthz", "/api/nothing", f"{evening.path}/hint"):
            one.asked("GET", path)
    if not evening.game.over:
        for one in evening.others():
            assert one.asked("POST", f"{evening.path}/hint").status_code in (401, 403, 409)
            assert one.asked("POST", f"{evening.path}/evaluation").status_code in (401, 403, 409)


def one_refused_for_each_reason(game: Game) -> dict[Reason, Move]:
    """Moves that whoever is to move can't make: for every reason that there is just now."""
    blocks = ["1", "111111", "444444", "4444|4444", "1|1"]
    colours = (None, *Colour)
    tried: list[Move] = [parse_move(f"[{each}]") for each in blocks]
    tried += [parse_move(f"-{size}{c.letter if c else ''}") for size in (1, 4) for c in colours]
    tried += [Build(site, size, c) for site in SITES for size in (1, 2, 3, 4) for c in colours]
    return {refused.reason: move for move in tried if (refused := game.why_not(move))}


def refuse_everything(evening: Evening) -> None:
    """Whoever is to move tries what the rules refuse, all others what he could do."""
    mover = evening.mover
    game = evening.game
    legal = str(evening.dice.choice(game.legal_moves()))
    for reason, move in one_refused_for_each_reason(game).items():
        assert mover.do("play", ply=game.ply, move=str(move))["reason"] == reason
        assert mover.do("why", move=str(move))["refusal"]["reason"] == reason
    assert mover.do("why", move=legal)["refusal"] is None
    for ply in (max(0, game.ply - 1) or 7, game.ply + 1):
        assert mover.do("play", ply=ply, move=legal)["type"] == "refused"
    for one in evening.others():
        for move_text in (legal, "A1+4", "hello"):
            assert one.do("play", ply=game.ply, move=move_text)["type"] == "refused"
            one.do("why", move=move_text)
    for one in evening.everybody:
        for kind, what in (("answer", {"yes": True}), ("back", {}), ("undo", {"ply": 999})):
            assert one.do(kind, **what)["type"] == "refused"
        assert one.do("resign", player=9)["type"] == "refused"
    assert game is evening.game


def talk(evening: Evening) -> None:
    for one in evening.everybody:
        told = one.do("say", text="What do you hold?")
        assert told["type"] == ("news" if one.name else "refused")


def take_back(evening: Evening) -> None:
    """Whoever moved last wants his blocks back: at first the others don't agree, then they do."""
    game = evening.game
    asker = evening.who(game.mover_at(game.ply - 1))
    for yes in (False, True):
        assert asker.do("undo", ply=game.ply)["type"] == "news"
        for one in evening.everybody:
            if sitting_at(evening.up, evening.table).undo is not None:
                one.do("answer", yes=yes)
    assert evening.game.ply == game.ply - 1


def come_again(evening: Evening) -> None:
    """Everybody goes away and comes again, and says what he has heard already."""
    number = sitting_at(evening.up, evening.table).number
    for one in evening.everybody:
        one.catch_up()
        for since in (0, number - 9, 99999999):
            one.look(evening.table, since)


def move_house(evening: Evening, chair: int) -> None:
    """Who sits in a chair goes on with his phone; what he leaves behind goes on listening."""
    old = evening.who(chair)
    secret = old.ask("POST", f"{evening.path}/link", {"chair": chair})["secret"]
    evening.secrets.append(secret)
    evening.phone.ask("POST", f"{evening.path}/claim", {"secret": secret})
    assert evening.who(chair) is evening.phone
    again = old.asked("POST", f"{evening.path}/claim", {"secret": secret})
    assert again.json()["reason"] == "link_dead"


def everything_refused(evening: Evening) -> set[str]:
    """Why the rules refused moves this evening."""
    told = [heard.told for one in evening.everybody for heard in one.heard]
    refusals = [message.get("refusal") or message for message in told]
    return {refusal["reason"] for refusal in refusals if "reason" in refusal}
