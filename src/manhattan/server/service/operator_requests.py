"""Executes what operators ask for with ``manhattan admin``, while the server runs."""

from __future__ import annotations

from typing import Final

from manhattan.rules import ManhattanError
from manhattan.server.domain.commands import CloseByOperator
from manhattan.server.service.account_data import delete_account
from manhattan.server.service.table_service import TableService
from manhattan.server.storage import StoreUnavailable
from manhattan.server.storage.operator_store import OperatorRequest

DONE: Final = "done"


class OperatorRequests:
    """The requests that wait in the database."""

    def __init__(self, tables: TableService) -> None:
        self._tables = tables
        self._store = tables.store.operators

    async def execute_next(self) -> None:
        """Execute the next request, if there is one."""
        request = await self._store.next_request()
        if request is None:
            return
        try:
            outcome = await self._execute(request)
        except StoreUnavailable:
            raise
        except ManhattanError as error:
            outcome = str(error)
        await self._store.report(request.id, outcome)

    async def _execute(self, request: OperatorRequest) -> str:
        match request.action:
            case "close_table":
                await self._tables.execute(request.subject, CloseByOperator())
            case "delete_person":
                person = await self._tables.store.find_person(request.subject)
                if person is None:
                    return f"There is no person {request.subject}."
                await delete_account(self._tables, person)
        return DONE
