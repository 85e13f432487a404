"""Many games of one person, played by the server itself without websockets."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from manhattan.client import Client
from manhattan.server.domain.commands import Actor, PlayMove, StartGame, TakeSeat
from manhattan.server.domain.options import TableOptions
from manhattan.server.service.clock_and_secrets import new_seed
from manhattan.server.service.table_service import TableService
from support.recording_client import run_on_server
from support.server_fixtures import RunningServer

SHORT = {"two_players": "6x4-one-colour"}
"""A game of sixty moves."""


def actor_of(server: RunningServer, client: Client) -> Actor:
    """Return the author of a client's commands."""
    name, _, cookie = client.cookie.partition("=")
    assert name == "manhattan"
    [person, *_] = server.services.accounts._signer.loads(cookie)
    return Actor(person, client.name)


def play_games(
    server: RunningServer, people: list[Client], count: int, plies: int, **options: Any
) -> list[str]:
    """Start games in which the first person begins, play random moves, and return the tables."""
    actors = [actor_of(server, client) for client in people]
    seats = [{"occupant": "me"}, *[{"occupant": "open"}] * (len(people) - 1)]
    chosen = {"seats": seats, "first": 0, "house_rules": SHORT} | options
    settings = msgspec.convert(chosen, TableOptions)
    tables = server.services.tables

    async def play_all() -> list[str]:
        return [await _play(tables, actors, settings, plies, seed) for seed in range(count)]

    return run_on_server(server, play_all())


async def _play(
    service: TableService, actors: list[Actor], options: TableOptions, plies: int, seed: int
) -> str:
    rng = Random(seed)
    session = await service.open_table(actors[0], options)
    for actor in actors[1:]:
        await service.execute(session.id, TakeSeat(), actor)
    await service.execute(session.id, StartGame(new_seed()), actors[0])
    while (game := session.state.game) is not None and not game.is_over and game.ply < plies:
        move = str(rng.choice(game.legal_moves()))
        command = PlayMove(id=f"{game.ply}", ply=game.ply, move=move)
        await service.execute(session.id, command, actors[game.public.mover])
    return session.id
