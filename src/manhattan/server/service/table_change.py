"""What the write path writes: a table's next event, or a new table.

A change is evolved, appended, applied, described, encoded and sent; ``group_commit`` takes these
steps for many tables at once.
"""

from __future__ import annotations

from manhattan.server.domain.events import TableEvent
from manhattan.server.domain.evolve import evolve
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.updates import TableUpdate
from manhattan.server.service.table_session import TableSession, Viewer
from manhattan.server.storage import Append
from manhattan.server.storage.projection import project


class TableCreation:
    """The first event of a table, which nobody watches yet."""

    def __init__(self, state: TableState, event: TableEvent) -> None:
        """``state`` is the state after the event."""
        self.row = project(None, state, event)

    def prepare(self) -> None:
        """Nothing to do: the row follows from the event alone."""

    def apply(self) -> None:
        """Nothing to do: there is no session yet."""

    def describe(self) -> None:
        """Nothing to do: there are no viewers yet."""

    def encode(self) -> None:
        """Nothing to do: there are no viewers yet."""

    def send(self) -> None:
        """Nothing to do: there are no viewers yet."""


class TableChange:
    """The next event of a table. The caller holds the session's lock until the change is done."""

    def __init__(
        self,
        session: TableSession,
        event: TableEvent,
        sender: Viewer | None = None,
        command_id: str | None = None,
    ) -> None:
        """The sender of the command gets the update as the reply to it."""
        self._session = session
        self._event = event
        self._sender = sender
        self._command_id = command_id
        self._after: TableState
        self._messages: list[tuple[Viewer, bytes]]
        self.row: Append
        self.update: TableUpdate

    def prepare(self) -> None:
        """Evolve the state, from which the columns for lists and timers follow."""
        before = self._session.state
        self._after = evolve(before, self._event)
        self.row = project(before, self._after, self._event)

    def apply(self) -> None:
        """Adopt the state after the event, which is durable now."""
        self.update = self._session.apply(self._event, self._after)

    def describe(self) -> None:
        """Work out what is the same for every viewer."""
        if self._session.viewers:
            self.update.describe()

    def encode(self) -> None:
        """Encode the update for each viewer."""
        self._messages = self._session.encode_for_viewers(
            self.update, self._sender, self._command_id
        )

    def send(self) -> None:
        """Send the update."""
        for viewer, message in self._messages:
            viewer.send(message)
