"""A player for the drill: ``open``, ``continue`` or ``check``, then the address of the server."""

import json
import sys
from pathlib import Path

from manhattan.client import Client

AGAINST_EASY = [{"occupant": "me"}, {"occupant": "bot", "level": "easy"}]
NOTES = Path("/data/games.json")


def play(client: Client, table: str, moves: int = 1000) -> int:
    """Make the first legal move again and again; return how often."""
    made = 0
    with client.connect(table) as seat:
        for turn in seat.turns():
            seat.play(turn.moves[0])
            made += 1
            if made == moves:
                break
    return made


task, address = sys.argv[1:]
client = Client(address, "Ada")
if task == "open":
    finished = client.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
    unfinished = client.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
    print(f"A whole game of {play(client, finished)} moves, and the first 5 of another.")
    play(client, unfinished, 5)
    NOTES.write_text(json.dumps([client.cookie, finished, unfinished]))
else:
    client.cookie, finished, unfinished = json.loads(NOTES.read_text())
    if task == "continue":
        print(f"The unfinished game continued with {play(client, unfinished)} moves.")
    for table in (finished, unfinished):
        assert client.record(table)["result"]
    print("Both games have their results.")
