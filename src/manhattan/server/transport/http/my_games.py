"""Routes of a person's games: pages, removal from the list, statistics."""

from __future__ import annotations

from aiohttp import web

from manhattan.server.protocol.requests import MyGamesQuery
from manhattan.server.protocol.responses import MyGameEntry, MyGameList, Statistics
from manhattan.server.service.my_games import MyGames
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import require_person, services_of, table_id

my_games = RouteTable("my games")


@my_games.route("GET", "/api/me/games")
async def list_my_games(request: web.Request, query: MyGamesQuery) -> MyGameList:
    """List the games in which you have a seat, twenty a page: those that wait for you, the running
    ones, tables that wait for players, and the finished ones."""
    person = await require_person(request)
    return await _games(request).list(person.id, query)


@my_games.route("GET", "/api/me/games/{table}")
async def show_my_game(request: web.Request) -> MyGameEntry:
    """Show one of your games, as the list does."""
    table = table_id(request)
    person = await require_person(request)
    return await _games(request).find(person.id, table)


@my_games.route("DELETE", "/api/me/games/{table}")
async def remove_my_game(request: web.Request) -> MyGameEntry:
    """Remove a game from your list, and from nobody else's. It comes back when it is your turn; a
    game that waits for you can't be removed."""
    table = table_id(request)
    person = await require_person(request)
    return await _games(request).set_removed(person.id, table, removed=True)


@my_games.route("PUT", "/api/me/games/{table}")
async def restore_my_game(request: web.Request) -> MyGameEntry:
    """Restore a game that you have removed from your list."""
    table = table_id(request)
    person = await require_person(request)
    return await _games(request).set_removed(person.id, table, removed=False)


@my_games.route("GET", "/api/me/statistics")
async def show_statistics(request: web.Request) -> Statistics:
    """Count your finished games and those you won."""
    person = await require_person(request)
    return await _games(request).statistics(person.id)


def _games(request: web.Request) -> MyGames:
    return MyGames(services_of(request).tables.store.games)
