"""A naive, independent implementation of the rules, for lockstep tests only.

Written from the texts alone (docs/reference/rules.md, docs/reference/record.md), with plain dicts,
lists and strings. It shares no code with the package, so the two check each other's reading of the
rules. All state is in mutable attributes: a test may overwrite them to construct a position and
then call ``begin_turn()``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement

Shuffle = Callable[[list[int]], list[int]]
Event = dict[str, object]
Blocks = dict[int, int]

CITIES = "ABCDEF"
SIZES = (1, 2, 3, 4)
CARDS = range(1, 10)
HAND = 4
STOCK = {1: 11, 2: 6, 3: 4, 4: 3}
LETTERS = {"blue": "b", "black": "k", "red": "r", "green": "g"}
LETTERS |= {"orange": "o", "yellow": "y", "purple": "p"}


@cache
def named_site(side: str, card: int) -> int:
    """RULES §3: the number of the site, in each city, that a card names from a side."""
    r, c = divmod(card - 1, 3)
    sides = {"south": (r, c), "west": (c, 2 - r), "north": (2 - r, 2 - c), "east": (2 - c, r)}
    row, column = sides[side]
    return 3 * row + column + 1


@cache
def mixes(number: int, stock: tuple[int, ...]) -> list[str]:
    """RULES §5a: each mix of `number` blocks from a stock of sizes 1-4, ascending."""
    return [
        "".join(str(size) for size in mix)
        for mix in combinations_with_replacement(SIZES, number)
        if all(mix.count(size) <= stock[size - 1] for size in SIZES)
    ]


def total(blocks: Blocks) -> int:
    """The number of blocks of all sizes."""
    return sum(blocks.values())


def needed(tower: list[tuple[str, int]], colour: str) -> int:
    """RULES §5b2: the smallest size that this colour may place on a tower (0: any)."""
    owner = tower[-1][0]
    if owner == colour:
        return 0
    behind = 0
    for block_colour, size in tower:
        if block_colour == owner:
            behind += size
        elif block_colour == colour:
            behind -= size
    return behind


def height(tower: list[tuple[str, int]]) -> int:
    """RULES §1: the height of a tower in floors."""
    return sum(size for _, size in tower)


class Oracle:
    """One game, from the deal to the result."""

    def __init__(
        self,
        *,
        rows: Mapping[str, str],
        sides: Sequence[str],
        colours: Sequence[Sequence[str]],
        first: int,
        deck: Sequence[int],
        shuffle: Shuffle,
    ) -> None:
        """RULES §4, RECORD "Dealing": four cards in a row to each player, from the start player."""
        self.rows = {"four_players": "6x4", **rows}
        self.sides = list(sides)
        self.colours = [list(own) for own in colours]
        self.shuffle = shuffle
        self.players = len(self.sides)
        self.per_round, self.rounds = self._table()

        everything = [colour for own in self.colours for colour in own]
        self.supplies: dict[str, Blocks] = {c: dict(STOCK) for c in everything}
        self.tableaus: dict[str, Blocks] = {c: dict.fromkeys(SIZES, 0) for c in everything}
        self.taken_out: dict[str, Blocks] = {c: dict.fromkeys(SIZES, 0) for c in everything}
        self.towers: dict[str, list[tuple[str, int]]] = {}
        self.scores = [0] * self.players
        self.result: dict[str, object] | None = None

        self.phase = "choose"
        self.round = 1
        self.start = first
        self.mover = first

        self.pile = list(deck)
        self.played: list[int] = []
        self.hands: list[list[int]] = [[] for _ in self.sides]
        for step in range(self.players):
            player = (first + step) % self.players
            self.hands[player] = sorted(self.pile[:HAND])
            del self.pile[:HAND]

    def _table(self) -> tuple[int, int]:
        """RULES §6, §8: blocks per colour and round, and rounds; checks the table by the rows."""
        row = {2: "two_players", 3: "three_players", 4: "four_players"}[self.players]
        mode = self.rows[row]
        two_colours = self.players == 2 and not mode.endswith("-one-colour")
        if any(len(own) != (2 if two_colours else 1) for own in self.colours):
            raise ValueError("wrong number of colours")
        if self.rows["sides"] == "distinct" and len(set(self.sides)) < self.players:
            raise ValueError("two players share a side")
        blocks, rounds = mode.removesuffix("-one-colour").split("x")
        return int(blocks), int(rounds)

    @property
    def is_over(self) -> bool:
        """RULES §7: whether the last round was scored."""
        return self.phase == "over"

    def legal(self) -> set[str]:
        """The texts of all legal moves."""
        if self.phase == "choose":
            return self._selections()
        if self.phase == "build":
            return set(self._placements())
        if self.phase == "remove":
            return {
                f"-{size}{self._suffix(colour)}"
                for colour in self.colours[self.mover]
                for size in SIZES
                if self.tableaus[colour][size] > 0
            }
        return set()

    def play(self, text: str) -> list[Event]:
        """Play a legal move; return all events until the next decision."""
        if text not in self.legal():
            raise ValueError(f"not legal now: {text}")
        if self.phase == "choose":
            return self._select(text)
        if self.phase == "build":
            return self._build(text)
        return self._remove(text)

    def _suffix(self, colour: str) -> str:
        """RECORD: the letter of a colour, if the mover has two colours."""
        return LETTERS[colour] if len(self.colours[self.mover]) == 2 else ""

    def _colour(self, suffix: str) -> str:
        """The mover's colour for such a letter, or for none."""
        return next(c for c in self.colours[self.mover] if self._suffix(c) == suffix)

    def _following(self) -> int:
        """RULES §9: the left neighbour of the mover."""
        return (self.mover + 1) % self.players

    def _selections(self) -> set[str]:
        """RULES §5a, §6: with two colours, the round's number of each."""
        parts = [
            mixes(self.per_round, tuple(self.supplies[colour][size] for size in SIZES))
            for colour in self.colours[self.mover]
        ]
        if len(parts) == 1:
            return {f"[{one}]" for one in parts[0]}
        return {f"[{one}|{other}]" for one in parts[0] for other in parts[1]}

    def _select(self, text: str) -> list[Event]:
        """RULES §5a: from supply to tableau; building starts after the last player."""
        for colour, part in zip(self.colours[self.mover], text[1:-1].split("|"), strict=True):
            for digit in part:
                self.supplies[colour][int(digit)] -= 1
                self.tableaus[colour][int(digit)] += 1
        events: list[Event] = [{"type": "select", "player": self.mover, "move": text}]
        self.mover = self._following()
        if self.mover == self.start:
            self.phase = "build"
            events += self.begin_turn()
        return events

    def _placements(self) -> Iterator[str]:
        """RULES §5b: the text of every placement that the mover's cards and blocks allow."""
        blocks = [
            (colour, self._suffix(colour), [s for s in SIZES if self.tableaus[colour][s] > 0])
            for colour in self.colours[self.mover]
        ]
        for card in set(self.hands[self.mover]):
            number = named_site(self.sides[self.mover], card)
            for city in CITIES:
                site = f"{city}{number}"
                tower = self.towers.get(site)
                for colour, suffix, sizes in blocks:
                    least = needed(tower, colour) if tower else 0
                    for size in sizes:
                        if size >= least:
                            yield f"{site}+{size}{suffix}"

    def _stuck(self) -> bool:
        """RULES §9: whether the mover has no legal placement."""
        return next(self._placements(), None) is None

    def begin_turn(self) -> list[Event]:
        """RULES §9 "No legal placement": one forced redraw if the mover is stuck."""
        if self.phase != "build" or not self._stuck():
            return []
        shown = sorted(self.hands[self.mover])
        self.played += shown
        events: list[Event] = []
        drew = [self._draw(events) for _ in range(HAND)]
        self.hands[self.mover] = sorted(drew)
        events.append({"type": "redraw", "player": self.mover, "hand": shown, "drew": drew})
        if self._stuck():
            self.phase = "remove"
        return events

    def _draw(self, events: list[Event]) -> int:
        """RULES §5b3: draw a card; an empty pile is replaced first, with an event."""
        if not self.pile:
            self.pile = list(self.shuffle(sorted(self.played)))
            self.played = []
            events.append({"type": "shuffle", "pile": list(self.pile)})
        return self.pile.pop(0)

    def _build(self, text: str) -> list[Event]:
        """RULES §5b: play the card, place the block, draw."""
        site, block = text.split("+")
        size, colour = int(block[0]), self._colour(block[1:])
        side, hand = self.sides[self.mover], self.hands[self.mover]
        card = next(card for card in CARDS if named_site(side, card) == int(site[1]))

        hand.remove(card)
        self.played.append(card)
        self.tableaus[colour][size] -= 1
        self.towers.setdefault(site, []).append((colour, size))
        events: list[Event] = []
        drew = self._draw(events)
        hand.append(drew)
        hand.sort()
        events.append(
            {"type": "build", "player": self.mover, "move": text, "card": card, "drew": drew}
        )
        return events + self._end_turn()

    def _remove(self, text: str) -> list[Event]:
        """RULES §9 "No legal placement": take a block out of the game, without a card."""
        size, colour = int(text[1]), self._colour(text[2:])
        self.tableaus[colour][size] -= 1
        self.taken_out[colour][size] += 1
        event: Event = {"type": "remove", "player": self.mover, "move": text}
        return [event, *self._end_turn()]

    def _end_turn(self) -> list[Event]:
        """RULES §5b, §5c: the next player's turn, or the round's scoring and the next round."""
        if any(total(tableau) for tableau in self.tableaus.values()):
            self.phase = "build"
            self.mover = self._following()
            while not any(total(self.tableaus[c]) for c in self.colours[self.mover]):
                self.mover = self._following()  # only in a constructed position
            return self.begin_turn()
        event = self._score()
        if self.round == self.rounds:
            self.phase = "over"
            self.result = self._final()
        else:
            self.phase = "choose"
            self.round += 1
            self.start = (self.start + 1) % self.players
            self.mover = self.start
        return [event]

    def owned(self, colour: str) -> list[str]:
        """RULES §1: the sites of the towers with this colour on top."""
        return [site for site, tower in self.towers.items() if tower and tower[-1][0] == colour]

    def top(self, colours: Sequence[str]) -> int:
        """The height of the tallest tower that one of these colours owns, 0 without any."""
        sites = [site for colour in colours for site in self.owned(colour)]
        return max((height(self.towers[site]) for site in sites), default=0)

    def tallest(self) -> str | None:
        """RULES §5c, §8 `tallest_tie`: the colour that scores the tallest tower."""
        highest = self.top(list(self.supplies))
        owners = [t[-1][0] for t in self.towers.values() if t and height(t) == highest]
        if self.rows["tallest_tie"] == "one_owner":
            owners = list(set(owners))
        return owners[0] if len(owners) == 1 else None

    def majorities(self, colour: str) -> list[str]:
        """RULES §5c: the cities in which this colour owns more towers than each other one."""
        cities = {c: [site[0] for site in self.owned(c)] for c in self.supplies}
        mine = cities.pop(colour)
        return [
            city
            for city in CITIES
            if all(mine.count(city) > other.count(city) for other in cities.values())
        ]

    def sheet(self) -> dict[str, dict[str, object]]:
        """RULES §5c: the score of each colour on this board, as in a score event."""
        tallest = self.tallest()
        return {
            colour: {
                "tallest": 3 if colour == tallest else 0,
                "majorities": self.majorities(colour),
                "towers": len(self.owned(colour)),
            }
            for colour in self.supplies
        }

    def _score(self) -> Event:
        """RULES §5c, §6: add the points of the round; a player has those of all their colours."""
        tallest = self.tallest()
        for player, own in enumerate(self.colours):
            for colour in own:
                self.scores[player] += 3 if colour == tallest else 0
                self.scores[player] += 2 * len(self.majorities(colour))
                self.scores[player] += len(self.owned(colour))
        scores = list(self.scores)
        return {"type": "score", "round": self.round, "colours": self.sheet(), "scores": scores}

    def _final(self) -> dict[str, object]:
        """RULES §7, §8 `final_tie`: each criterion keeps the best of the tied players."""
        highest = self.top(list(self.supplies))
        tops = [self.top(own) for own in self.colours]
        most = [sum(len(self.majorities(colour)) for colour in own) for own in self.colours]
        criteria = [("points", self.scores)]
        if self.rows["final_tie"] == "own_tallest":
            criteria += [("tallest", tops), ("majorities", most)]
        if self.rows["final_tie"] == "board_tallest":
            criteria += [("tallest", [int(top == highest) for top in tops]), ("majorities", most)]

        winners = list(range(self.players))
        decided_by = "shared"
        for name, values in criteria:
            best = max(values[player] for player in winners)
            winners = [player for player in winners if values[player] == best]
            if len(winners) == 1:
                decided_by = name
                break
        return {"scores": list(self.scores), "winners": winners, "decided_by": decided_by}
