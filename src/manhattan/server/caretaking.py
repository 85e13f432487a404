"""What happens at tables by itself: bots move, clocks run out, questions lapse.

Whoever has written the last entry sees to the next. If his process has died, any other finds the
table by the moment at which something was due.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING, Final

from manhattan.game import Game
from manhattan.rules import IllegalMove, Move, State
from manhattan.server import decisions
from manhattan.server.clocks import Milliseconds, now
from manhattan.server.denials import Denied
from manhattan.server.entries import Entry, Played
from manhattan.server.garbage import Garbage
from manhattan.server.live import LiveTable
from manhattan.server.sitting import Sitting
from manhattan.server.store import StoreAway
from manhattan.view import view_of

if TYPE_CHECKING:
    from manhattan.server.house import Decide, House

log = logging.getLogger("manhattan.server")

_SWEEP: Final = 1.0
"""Seconds between looks at what should have happened somewhere."""
GRACE: Final[Milliseconds] = 2000
"""So much later than due, any process may see to it."""
_SAY_AGAIN: Final[Milliseconds] = 10_000
"""So often other processes are told who looks on here."""
_LOOK_AGAIN: Final[Milliseconds] = 5_000
"""So often it is looked for what other processes have written and not told; at all tables at once
that somebody looks at here."""
_IDLE: Final[Milliseconds] = 60_000
"""So long a table is kept in memory that nobody looks at; reading it again takes some
milliseconds. One whose game is over is not looked for again as soon."""
_OVER_IDLE: Final[Milliseconds] = 5_000
_RETRY: Final = 1.0
_AT_ONCE: Final = 100
"""Tables that are taken up in one go."""


class Stale(Exception):
    """What was to happen has been overtaken by something else."""


class Caretaker:
    """Sees to the tables of a house."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._sweeping: asyncio.Task[None] | None = None
        self._garbage: Garbage | None = None
        self._looked = now()
        self._failing: set[str] = set()
        """What went wrong last time."""

    def start(self) -> None:
        self._garbage = Garbage(now())
        self._sweeping = asyncio.create_task(self._sweep())

    def stop(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
        for live in self._house.tables:
            self.rest(live)

    def see_to(self, live: LiveTable, delay: Milliseconds = 0) -> None:
        """Have a bot think, or wake up when a clock has run out."""
        sitting, bot = live.sitting, live.sitting.bot_to_move
        if bot is not None and live.thinks_about(sitting):
            return  # something was said meanwhile
        self.rest(live)
        if bot is not None and not delay:
            live.thinking = self._house.spawn(self._bots_turn(live))
            live.thought_about = sitting.game.state if sitting.game else None
        elif (due := sitting.due) is not None:
            wait = max(0, due + delay - now()) / 1000
            loop = asyncio.get_running_loop()
            live.timer = loop.call_later(wait, lambda: self._house.spawn(self._wake(live)))

    def rest(self, live: LiveTable) -> None:
        if live.timer is not None:
            live.timer.cancel()
            live.timer = None
        if live.thinking is not None and live.thinking is not asyncio.current_task():
            live.thinking.cancel()
        live.thinking = None

    async def _wake(self, live: LiveTable) -> None:
        """Something may be due."""

        def decide(sitting: Sitting, at: Milliseconds) -> Entry:
            entry = decisions.overdue(sitting, at)
            if entry is None:
                raise Stale
            return entry

        try:
            await self._house.act(live.id, decide)
        except Stale:
            self.see_to(live)
        except Denied:
            self._later(live)

    async def _bots_turn(self, live: LiveTable) -> None:
        """A bot thinks, and moves when people can follow."""
        sitting = live.sitting
        game, level = sitting.game, sitting.bot_to_move
        assert game is not None
        assert level is not None
        mover = game.table.mover
        try:
            seen = view_of(game, mover)
            if self._house.thinkers.needs_warming(level, seen):
                live.tell_all({"type": "warming", "player": mover})
            move = await self._house.thinkers.choose(level, seen, _dice(game), sitting.host)
            pace = sitting.terms.pace
            wait = min(pace, sitting.changed_at + pace - now())  # the time may have been set back
            if wait > 0:
                await asyncio.sleep(wait / 1000)
            await self._house.act(live.id, _bots_move(game.state, move, mover))
        except (Stale, IllegalMove):
            self.rest(live)
            self.see_to(live)
        except Denied:
            self._later(live)

    def _later(self, live: LiveTable) -> None:
        """Try again soon what could not be done now."""
        self.rest(live)
        loop = asyncio.get_running_loop()
        live.timer = loop.call_later(_RETRY, lambda: self.see_to(live))

    async def _sweep(self) -> None:
        """Again and again, whatever goes wrong: nobody else looks after what is left undone."""
        house = self._house
        while True:
            await asyncio.sleep(_SWEEP * Random().uniform(0.8, 1.2))  # noqa: S311 - not all at once
            try:
                await self._unharmed(self._look_for_overdue)
                await self._unharmed(self._look_for_news)
                await self._unharmed(house.look_for_gone)
                await self._unharmed(self._look_for_storage)
            except StoreAway as error:
                house.storage_is_away(error)
            await self._unharmed(self._tidy_up)

    async def _unharmed(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something. What nobody expects ends nothing else; it is told once, until it goes well
        again, or the logs would be full of it."""
        name = getattr(work, "__name__", "")
        try:
            await work()
        except StoreAway:
            raise
        except Exception as error:
            if name not in self._failing:
                log.error("something went wrong", exc_info=error)
            self._failing.add(name)
        else:
            self._failing.discard(name)

    async def _look_for_overdue(self) -> None:
        """See to tables whose process has died."""
        most = _AT_ONCE + len(self._house.unreadable)  # which stay overdue
        for table in await self._house.store.overdue(now() - GRACE, most):
            await self._house.apart(self._take_up(table))

    async def _look_for_storage(self) -> None:
        """See whether the database that was away is back."""
        if self._house.trouble is not None:
            await self._house.store.has_space()
            self._house.storage_is_back()

    async def _tidy_up(self) -> None:
        """Say again who is there, and drop what nobody needs any more."""
        if self._garbage is not None:
            self._garbage.look(self._house.last_played, now())
        trouble: Exception | None = None
        for live in self._house.tables:
            try:
                if live.viewers and now() - live.told_present > _SAY_AGAIN:
                    live.tell_presence(now())  # of whom nothing was heard for long is gone
                    self._house.tell_present(live)
                self._forget_if_idle(live)
            except Exception as error:  # the other tables can't help it
                trouble = error
        if trouble is not None:
            raise trouble

    async def _look_for_news(self) -> None:
        """See what nobody has told us of: what we are not sure about, what came while we could hear
        nothing, and what a process wrote that died before it could say so."""
        house, deaf = self._house, bool(self._house.bus.trouble)
        unsure = {live.id for live in house.tables if live.unsure}
        if not house.bus.alone and (deaf or now() - self._looked > _LOOK_AGAIN):
            self._looked = now()
            shown = [live for live in house.tables if live.viewers or deaf]
            known = {live.id: live.sitting.number for live in shown}
            unsure.update(await house.store.with_news(known))
        for live in house.tables:
            if live.id in unsure:
                await house.apart(house.look_for_news(live))

    async def _take_up(self, table: str) -> None:
        """A table at which something is late: whoever was to see to it may be no more."""
        live = await self._house.table(table)
        await self._house.look_for_news(live)
        if not live.thinks:  # a timer may be late, too: a computer that slept sets none
            self.rest(live)
            self.see_to(live)

    def _forget_if_idle(self, live: LiveTable) -> None:
        due_soon = live.sitting.due is not None and live.sitting.due < now() + _IDLE
        busy = live.viewers or live.lock.locked() or live.thinks or due_soon
        patience = _IDLE if live.sitting.stage in ("gathering", "playing") else _OVER_IDLE
        if busy or now() - live.used < patience:
            return
        self.rest(live)
        self._house.forget(live)


def _dice(game: Game) -> str:
    """The same if it is thought about again, and nothing that anybody could know: who knew a bot's
    dice could try out which hand makes it move as it did."""
    assert game.seed is not None
    return hashlib.sha256(b"dice %d " % game.ply + game.seed).hexdigest()


def _bots_move(thought_about: State, move: Move, mover: int) -> Decide:
    def decide(sitting: Sitting, at: Milliseconds) -> Entry:
        game = sitting.game
        if game is None or game.state is not thought_about or sitting.bot_to_move is None:
            raise Stale
        return Played(at=at, player=mover, move=str(move))

    return decide
