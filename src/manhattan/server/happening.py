"""Something that happens at a table: worked out, written down, told."""

from __future__ import annotations

from manhattan.server.entries import Entry, to_text
from manhattan.server.folding import fold
from manhattan.server.live import LiveTable, Viewer, changed_summary
from manhattan.server.news import News
from manhattan.server.sitting import Sitting
from manhattan.server.store import Append


class Happening:
    """What was decided at a table by how it stands, as a ``Change``. Whoever waits for it holds the
    table's lock; should it stand differently all the same, the entry's number is taken."""

    __slots__ = ("_after", "_before", "_command", "_entry", "_live", "_viewer", "_worded", "news")

    def __init__(
        self, live: LiveTable, entry: Entry, viewer: Viewer | None, command: str | None
    ) -> None:
        """With who asked for it, and what he calls that."""
        self._live = live
        self._before = live.sitting
        self._entry = entry
        self._viewer = viewer
        self._command = command
        self._after: Sitting | None = None
        self._worded: list[tuple[Viewer, bytes]] = []
        self.news: News | None = None
        """What it is to everybody, once it has happened."""

    def work_out(self) -> None:
        self._after = fold(self._before, self._entry)

    def write(self) -> Append:
        before, after, entry = self._before, self._after, self._entry
        assert after is not None
        summary = changed_summary(before, after)
        people = None if before.chairs is after.chairs else after.people()
        return Append(before.id, before.number, to_text(entry), entry.at, summary, people)

    def happen(self) -> None:
        self.news = self._live.happened(self._entry, self._after)

    def describe(self) -> None:
        assert self.news is not None
        self.news.for_all()

    def word(self) -> None:
        assert self.news is not None
        self._worded = self._live.worded(self.news, self._viewer, self._command)

    def send(self) -> None:
        for viewer, message in self._worded:
            viewer.put(message)


class FirstEntry:
    """A new table's first entry, as a ``Change``: nobody looks on yet."""

    def __init__(self, append: Append) -> None:
        self._append = append

    def write(self) -> Append:
        return self._append

    def _nothing(self) -> None:
        pass

    work_out = happen = describe = word = send = _nothing
