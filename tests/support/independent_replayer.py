"""An independent program that replays records, written from RECORD and RULES alone.

It imports nothing of this project. For an invalid record, an ``assert`` fails.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]
CITIES = "ABCDEF"
LETTERS = {"blue": "b", "black": "k", "red": "r", "green": "g"} | {
    colour: colour[0] for colour in ("orange", "yellow", "purple")
}


# --- the published shuffle --------------------------------------------------------------------


def stream(seed: bytes, k: int) -> Iterator[int]:
    counter = 0
    while True:
        block = hashlib.sha256(seed + k.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(block[at : at + 4], "big")
        counter += 1


def below(n: int, numbers: Iterator[int]) -> int:
    for x in numbers:
        if x < n * (2**32 // n):
            return x % n
    raise AssertionError("the stream has no end")


def shuffled(seed: bytes, k: int, cards: list[int]) -> list[int]:
    numbers, pile = stream(seed, k), sorted(cards)
    for i in range(len(pile) - 1, 0, -1):
        j = below(i + 1, numbers)
        pile[i], pile[j] = pile[j], pile[i]
    return pile


# --- the replay -------------------------------------------------------------------------------


def site_of(side: str, card: int) -> int:
    r, c = divmod(card - 1, 3)
    row, column = {
        "south": (r, c),
        "west": (c, 2 - r),
        "north": (2 - r, 2 - c),
        "east": (2 - c, r),
    }[side]
    return 3 * row + column + 1


class Replayer:
    """Replays a complete record event by event."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.players = record["players"]
        self.pile: list[int] = list(record["deck"])
        self.played: list[int] = []
        self.shuffles = 0
        self.after_shuffle: Record | None = None
        self.towers: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.tableaus: dict[str, list[int]] = {}
        self.used: dict[str, Counter[int]] = defaultdict(Counter)
        self.totals = [0] * len(self.players)
        self.rounds = 0
        self.start = self.mover = int(record["first"])
        count = len(self.players)
        order = [(self.start + n) % count for n in range(count)]
        self.hands = {player: self.take(4) for player in order}

    def take(self, count: int) -> list[int]:
        taken, self.pile = self.pile[:count], self.pile[count:]
        return taken

    def run(self) -> None:
        events = self.record["events"]
        for index, event in enumerate(events):
            following = events[index + 1] if index + 1 < len(events) else None
            getattr(self, event["type"])(event, following)
            self.check_material()

    def turn(self, event: Record) -> None:
        """Check the mover, and pass the turn clockwise."""
        assert event["player"] == self.mover
        self.mover = (self.mover + 1) % len(self.players)

    def select(self, event: Record, _: Record | None) -> None:
        self.turn(event)
        groups = event["move"].strip("[]").split("|")
        for colour, sizes in zip(self.players[event["player"]]["colours"], groups, strict=True):
            assert list(sizes) == sorted(sizes)
            self.tableaus[colour] = [int(size) for size in sizes]
            self.used[colour].update(self.tableaus[colour])

    def build(self, event: Record, _: Record | None) -> None:
        self.turn(event)
        player, move = self.players[event["player"]], event["move"]
        site, size, colour = move[:2], int(move[3]), self.colour(player, move[4:])
        assert site_of(player["side"], event["card"]) == int(site[1])
        self.hands[event["player"]].remove(event["card"])  # raises if it is not in the hand
        self.discard(event, [event["card"]])
        assert self.take(1) == [event["drew"]]
        self.hands[event["player"]].append(event["drew"])
        self.tableaus[colour].remove(size)
        tower = self.towers[site]
        if tower:
            floors = self.floors(tower)
            assert floors[colour] + size >= floors[tower[-1][0]]
        tower.append((colour, size))

    def redraw(self, event: Record, following: Record | None) -> None:
        assert event["player"] == self.mover
        hand = self.hands[event["player"]]
        assert sorted(hand) == sorted(event["hand"])
        assert not self.can_build(event["player"], hand)
        self.discard(event, hand)
        assert self.take(4) == event["drew"]
        self.hands[event["player"]] = list(event["drew"])
        stuck = following is not None and following["type"] == "remove"
        assert self.can_build(event["player"], event["drew"]) is not stuck

    def remove(self, event: Record, _: Record | None) -> None:
        self.turn(event)
        colour = self.colour(self.players[event["player"]], event["move"][2:])
        self.tableaus[colour].remove(int(event["move"][1]))

    def discard(self, event: Record, cards: list[int]) -> None:
        if event is self.after_shuffle:  # the new pile already contains them
            self.after_shuffle = None
        else:
            self.played += cards

    def shuffle(self, event: Record, following: Record | None) -> None:
        """Comes directly before the event whose draw needed it, and contains its cards."""
        assert following is not None
        assert self.after_shuffle is None
        self.after_shuffle = following
        self.shuffles += 1
        needed = {"build": 1, "redraw": 4}[following["type"]]
        assert len(self.pile) < needed
        cards = self.played + (following["hand"] if needed == 4 else [following["card"]])
        assert sorted(cards) == sorted(event["pile"])
        if self.record["seed"] is not None:
            seed = bytes.fromhex(self.record["seed"])
            assert event["pile"] == shuffled(seed, self.shuffles, cards)
        self.pile += event["pile"]
        self.played = []

    def score(self, event: Record, _: Record | None) -> None:
        assert not any(self.tableaus.values())
        self.rounds += 1
        assert event["round"] == self.rounds
        assert set(event["colours"]) == {c for p in self.players for c in p["colours"]}
        top = [owner for owner, height in self.owned() if height == self.greatest_height()]
        alone = len(top) == 1 or (self.row("tallest_tie") == "one_owner" and len(set(top)) == 1)
        for number, player in enumerate(self.players):
            for colour in player["colours"]:
                assert event["colours"][colour] == {
                    "tallest": 3 if alone and top[0] == colour else 0,
                    "majorities": [city for city in CITIES if self.has_majority(colour, city)],
                    "towers": sum(owner == colour for owner, _ in self.owned()),
                }
                score = event["colours"][colour]
                self.totals[number] += score["tallest"] + score["towers"]
                self.totals[number] += 2 * len(score["majorities"])
        assert event["scores"] == self.totals
        self.start = self.mover = (self.start + 1) % len(self.players)

    def row(self, name: str) -> str:
        """A row of RULES 8; a house rule has priority."""
        by_edition = {
            ("999-games", "tallest_tie"): "one_owner",
            ("hig-1994", "final_tie"): "shared",
            ("foxgames-2018", "final_tie"): "board_tallest",
        }
        default = {"tallest_tie": "nobody", "final_tie": "own_tallest"}[name]
        edition = self.record["edition"]
        return str(self.record["house_rules"].get(name, by_edition.get((edition, name), default)))

    def owned(self) -> list[tuple[str, int]]:
        """The owner and the height of every tower."""
        return [(t[-1][0], sum(size for _, size in t)) for t in self.towers.values() if t]

    def greatest_height(self) -> int:
        return max(height for _, height in self.owned())

    def has_majority(self, colour: str, city: str) -> bool:
        owned = Counter(t[-1][0] for site, t in self.towers.items() if t and site[0] == city)
        return owned[colour] > max((n for c, n in owned.items() if c != colour), default=0)

    def can_build(self, number: int, hand: list[int]) -> bool:
        player = self.players[number]
        for card in hand:
            for city in CITIES:
                tower = self.towers[f"{city}{site_of(player['side'], card)}"]
                floors = self.floors(tower)
                for colour in player["colours"]:
                    for size in self.tableaus[colour]:
                        if not tower or floors[colour] + size >= floors[tower[-1][0]]:
                            return True
        return False

    @staticmethod
    def floors(tower: list[tuple[str, int]]) -> Counter[str]:
        floors: Counter[str] = Counter()
        for colour, size in tower:
            floors[colour] += size
        return floors

    @staticmethod
    def colour(player: Record, letter: str) -> str:
        assert bool(letter) is (len(player["colours"]) == 2)
        (colour,) = (c for c in player["colours"] if letter in ("", LETTERS[c]))
        return str(colour)

    def check_material(self) -> None:
        """There are 45 cards, five of each, and no more blocks chosen than a colour has."""
        if self.after_shuffle is None:
            cards = Counter(self.pile + self.played)
            for hand in self.hands.values():
                cards.update(hand)
            assert cards == Counter(dict.fromkeys(range(1, 10), 5))
        for used in self.used.values():
            assert used <= Counter({1: 11, 2: 6, 3: 4, 4: 3})

    def check_result(self) -> None:
        assert self.record["result"] == self.expected_result()

    def expected_result(self) -> Record:
        tallest, majorities = [], []
        for player in self.players:
            own = [height for owner, height in self.owned() if owner in player["colours"]]
            tallest.append(max(own, default=0))
            majorities.append(
                sum(self.has_majority(c, city) for c in player["colours"] for city in CITIES)
            )
        if self.row("final_tie") == "board_tallest":
            tallest = [int(height == self.greatest_height()) for height in tallest]
        criteria = {"points": self.totals, "tallest": tallest, "majorities": majorities}
        if self.row("final_tie") == "shared":
            criteria = {"points": self.totals}
        tied = list(range(len(self.players)))
        for name, values in criteria.items():
            tied = [n for n in tied if values[n] == max(values[m] for m in tied)]
            if len(tied) == 1:
                return {"scores": self.totals, "winners": tied, "decided_by": name}
        return {"scores": self.totals, "winners": tied, "decided_by": "shared"}


def replay_independently(record: Record) -> Replayer:
    """Replay a record, read as plain JSON, from the deal to the result."""
    if record["seed"] is not None:
        seed = bytes.fromhex(record["seed"])
        committed = seed
        if "server_seed" in record:  # drawn by the server and the players' clients together
            committed = bytes.fromhex(record["server_seed"])
            nonces = [bytes.fromhex(nonce) for nonce in record["nonces"] if nonce is not None]
            assert hashlib.sha256(committed + b"".join(nonces)).digest() == seed
            assert len(record["nonces"]) == len(record["players"])
        assert hashlib.sha256(committed).hexdigest() == record["commitment"]
        assert shuffled(seed, 0, record["deck"]) == record["deck"]
    assert Counter(record["deck"]) == Counter(dict.fromkeys(range(1, 10), 5))
    replayer = Replayer(record)
    replayer.run()
    replayer.check_result()
    return replayer
