"""The scheduler: what no person causes. Bots move, clocks and undo requests expire.

The process that has written a table's last event schedules the next. If it dies, another process
finds the table by the moment at which it was due (``housekeeping``).
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Final, Protocol

from manhattan.game import Game
from manhattan.rules import IllegalMove
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import ApplyTimeout, PlayBotMove, SystemCommand
from manhattan.server.domain.errors import CommandRejected, CommandSuperseded
from manhattan.server.protocol.messages import BotPreparingMessage
from manhattan.server.service.background import BackgroundTasks
from manhattan.server.service.bot_pool import BotPool
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.fair_queue import Ticket
from manhattan.server.service.table_session import TableSession
from manhattan.view import view_of

TAKEOVER_DELAY: Final[Milliseconds] = 2000
"""A table that is overdue by more may be taken over by any process."""
_LONGEST_TIMER: Final[Milliseconds] = 60 * 60_000
"""Later timeouts need no timer: housekeeping finds overdue tables in the database."""
_RETRY_S: Final = 1.0


class CommandExecutor(Protocol):
    """Executes the scheduler's commands: the table service."""

    async def execute(self, table: str, command: SystemCommand) -> object: ...


class TableScheduler:
    """Sets each table's timer, or lets its bot choose a move."""

    def __init__(self, executor: CommandExecutor, bots: BotPool, tasks: BackgroundTasks) -> None:
        self._executor = executor
        self._bots = bots
        self._tasks = tasks

    def schedule(self, session: TableSession, delay: Milliseconds = 0) -> None:
        """Schedule what is due next at a table: a bot's move now, or a timeout later. With a delay
        the process that wrote the last event gets the chance to act first."""
        state, bot = session.state, session.state.bot_to_move
        if bot is not None and session.bot_is_choosing_for(state):
            return  # a chat message changes nothing for the bot
        self.cancel(session)
        if bot is not None and not delay:
            session.bot_task = self._tasks.spawn(self._move_bot(session))
            session.bot_state = state.game.state if state.game else None
        elif (due := state.due) is not None and due < (now := now_ms()) + _LONGEST_TIMER:
            wait = max(0, due + delay - now) / 1000
            loop = asyncio.get_running_loop()
            session.timer = loop.call_later(wait, self._on_timer, session)

    def on_viewers_changed(self, session: TableSession) -> None:
        """Let a table that somebody watches go before others, or not any more."""
        if session.bot_is_choosing and session.bot_ticket is not None:
            self._bots.queue.move(session.bot_ticket, session.clients())

    def cancel(self, session: TableSession) -> None:
        """Cancel what is scheduled at a table."""
        if session.timer is not None:
            session.timer.cancel()
            session.timer = None
        if session.bot_task is not None and session.bot_task is not asyncio.current_task():
            session.bot_task.cancel()
        session.bot_task = None

    def _on_timer(self, session: TableSession) -> None:
        self._tasks.spawn(self._apply_timeout(session))

    async def _apply_timeout(self, session: TableSession) -> None:
        try:
            await self._executor.execute(session.id, ApplyTimeout())
        except CommandSuperseded:
            self.schedule(session)
        except CommandRejected:
            self._retry(session)

    async def _move_bot(self, session: TableSession) -> None:
        """Let a bot choose a move, and play it when people can follow."""
        state = session.state
        game, level = state.game, state.bot_to_move
        assert game is not None
        assert level is not None
        try:
            view = view_of(game, game.public.mover)
            if self._bots.needs_compilation(level, view):
                session.broadcast_message(BotPreparingMessage(player=game.public.mover))
            session.bot_ticket = Ticket(session.clients())
            move = await self._bots.choose_move(level, view, _bot_seed(game), session.bot_ticket)
            delay = state.options.bot_delay_ms
            # At most the delay: the system's time may have been set back.
            wait = min(delay, state.changed_at + delay - now_ms())
            if wait > 0:
                await asyncio.sleep(wait / 1000)
            await self._executor.execute(session.id, PlayBotMove(game.state, move))
        except (CommandSuperseded, IllegalMove):
            self.cancel(session)
            self.schedule(session)
        except CommandRejected:
            self._retry(session)

    def _retry(self, session: TableSession) -> None:
        """Try again soon what failed now."""
        self.cancel(session)
        loop = asyncio.get_running_loop()
        session.timer = loop.call_later(_RETRY_S, self.schedule, session)


def _bot_seed(game: Game) -> str:
    """Return a bot's random seed.

    It is the same if the bot has to choose again, so that the bot makes the same move, unless its
    time runs out first. It is secret: a player who knew it could try out which hand makes the bot
    move as it did.
    """
    assert game.seed is not None
    return hashlib.sha256(b"bot %d " % game.ply + game.seed).hexdigest()
