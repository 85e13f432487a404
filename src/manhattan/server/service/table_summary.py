"""Table summaries: the columns by which the database lists tables and finds overdue ones."""

from __future__ import annotations

import msgspec

from manhattan.server.domain.state import TableState
from manhattan.server.storage import Summary


def summarize(state: TableState) -> Summary:
    """Return a table's summary."""
    listing = {
        "edition": state.options.edition,
        "house_rules": state.options.house_rules,
        "players": [
            {"name": seat.name, "level": seat.level, "open": seat.is_open} for seat in state.seats
        ],
        "host": state.host_name,
        "clock": msgspec.to_builtins(state.options.clock),
        "hints_disabled": state.options.hints_disabled,
        "round": _round(state),
        "opened_at": state.opened_at,
    }
    return Summary(
        state.stage, state.options.public, state.opened_at, state.due, listing, state.host
    )


def summarize_if_changed(before: TableState, after: TableState) -> Summary | None:
    """Return a table's new summary, or None if an event hasn't changed it."""
    same = (
        before.seats is after.seats
        and before.stage == after.stage
        and before.host == after.host
        and _round(before) == _round(after)
        and before.due == after.due
    )
    return None if same else summarize(after)


def _round(state: TableState) -> int:
    return state.game.public.round if state.game else 0
