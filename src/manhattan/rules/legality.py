"""May I, and if not, why not (RULES 5a, 5b, 9).

``refusal`` is the one place that knows what is legal; ``legal_moves`` lists the same thing the
quick way round, and a test holds the two against each other. Both take the open table and one
hand, so that they serve a player's view as well as the whole state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from itertools import product
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from manhattan.rules.blocks import SIZES, Colour, Stock, sizes_in, stock_of
from manhattan.rules.board import SITES, TARGETS, Card, Seat, Site, card_for
from manhattan.rules.errors import ManhattanError
from manhattan.rules.moves import Build, Move, Remove, Select, Sizes
from manhattan.rules.state import Phase, State, Table
from manhattan.rules.towers import NO_BLOCK


class Reason(StrEnum):
    """Why a move is refused. The value names it in every protocol; the sentence is for people."""

    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    NOT_PLAYING = "not_playing"
    SELECT_FIRST = "select_first"
    ALREADY_SELECTED = "already_selected"
    WRONG_NUMBER_OF_COLOURS = "wrong_number_of_colours"
    WRONG_NUMBER_OF_BLOCKS = "wrong_number_of_blocks"
    SUPPLY_TOO_SMALL = "supply_too_small"
    COLOUR_NOT_NEEDED = "colour_not_needed"
    COLOUR_MISSING = "colour_missing"
    COLOUR_NOT_YOURS = "colour_not_yours"
    NO_SUCH_BLOCK = "no_such_block"
    NO_SUCH_CARD = "no_such_card"
    TOO_FEW_FLOORS = "too_few_floors"
    CAN_BUILD = "can_build"
    MUST_REMOVE = "must_remove"

    def __repr__(self) -> str:
        return f"Reason.{self.name}"


SENTENCES: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.GAME_OVER: "The game is over.",
        Reason.NOT_YOUR_TURN: "It is {mover}'s turn, not {player}'s.",
        Reason.NOT_PLAYING: "You are looking on; it is {mover}'s turn.",
        Reason.SELECT_FIRST: "Blocks for round {round} are chosen first, {count} of each colour.",
        Reason.ALREADY_SELECTED: "The blocks of round {round} are chosen already; now build.",
        Reason.WRONG_NUMBER_OF_COLOURS: (
            "Write a list of blocks for each colour you play: {needed}, not {given}."
        ),
        Reason.WRONG_NUMBER_OF_BLOCKS: "Choose {needed} blocks of {colour}, not {given}.",
        Reason.SUPPLY_TOO_SMALL: (
            "The supply of {colour} has {left} left of size {size}; {given} were chosen."
        ),
        Reason.COLOUR_NOT_NEEDED: "You play one colour: leave the letter {letter} out.",
        Reason.COLOUR_MISSING: "You play two colours: add the letter {first} or {second}.",
        Reason.COLOUR_NOT_YOURS: "{colour} is not your colour: add the letter {first} or {second}.",
        Reason.NO_SUCH_BLOCK: "There is no {colour} block of {size} on your tableau.",
        Reason.NO_SUCH_CARD: "{site} takes card {card} from your seat, which is not in your hand.",
        Reason.TOO_FEW_FLOORS: "{site} is {owner}'s with {floors} floors; you would have {yours}.",
        Reason.CAN_BUILD: "A block is taken out only when none can be placed; you can place one.",
        Reason.MUST_REMOVE: "None of your blocks can be placed: take one out of the game.",
    }
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A named reason, with the figures that its sentence needs."""

    reason: Reason
    figures: Mapping[str, str | int] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return SENTENCES[self.reason].format(**self.figures)


class IllegalMove(ManhattanError):
    """A move that the rules refuse. Nothing was changed by it."""

    def __init__(self, move: Move, refusal: Refusal) -> None:
        super().__init__(f"{move}: {refusal}")
        self.move = move
        self.refusal = refusal

    def __reduce__(self) -> tuple[type[IllegalMove], tuple[Move, Refusal]]:
        return IllegalMove, (self.move, self.refusal)


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move of whoever is to move, in a fixed order; none when the game is over."""
    return moves_with(state.table, state.hand)


def why_not(state: State, move: Move, player: int | None = None) -> Refusal | None:
    """Why a move is refused now, or None if it is legal; for a given player, or the one to move."""
    return refusal(state.table, state.hand, move, player)


def moves_with(table: Table, hand: tuple[Card, ...]) -> tuple[Move, ...]:
    """Every legal move of whoever is to move, if he holds this hand."""
    match table.phase:
        case Phase.SELECT:
            supplies = tuple(table.supplies[own.slot] for own in table.setup.own[table.mover])
            return selections(supplies, table.setup.schedule.blocks)
        case Phase.BUILD:
            return tuple(placements(table, hand))
        case Phase.REMOVE:
            return tuple(
                Remove(size, own.said)
                for own in table.setup.own[table.mover]
                for size in SIZES
                if table.tableaus[own.slot][size - 1]
            )
    return ()


def can_build(table: Table, hand: tuple[Card, ...]) -> bool:
    """Has whoever is to move any legal placement?"""
    board, targets = table.board, TARGETS[table.seat]
    for colour, slot, _ in table.setup.own[table.mover]:
        largest = (0, *sizes_from(table.tableaus[slot])[0])[-1]
        for card in hand:
            for site in targets[card]:
                if board[site].needs[colour] <= largest:
                    return True
    return False


def refusal(
    table: Table, hand: tuple[Card, ...], move: Move, player: int | None = None
) -> Refusal | None:
    """Why a move is refused, or None if it is legal, if whoever is to move holds this hand."""
    setup = table.setup
    if table.phase is Phase.OVER:
        return Refusal(Reason.GAME_OVER)
    if player is not None and player != table.mover:
        other = setup.players[setup.check_player(player)]
        names = {"mover": table.player.name, "player": other.name}
        return Refusal(Reason.NOT_YOUR_TURN, names)
    if isinstance(move, Select):
        if table.phase is not Phase.SELECT:
            return Refusal(Reason.ALREADY_SELECTED, {"round": table.round})
        return _select_refusal(table, move)
    if table.phase is Phase.SELECT:
        figures = {"round": table.round, "count": setup.schedule.blocks}
        return Refusal(Reason.SELECT_FIRST, figures)
    if isinstance(move, Remove) and table.phase is Phase.BUILD:
        return Refusal(Reason.CAN_BUILD)
    if isinstance(move, Build) and table.phase is Phase.REMOVE:
        return Refusal(Reason.MUST_REMOVE)
    return _block_refusal(table, move) or (
        _build_refusal(table, hand, move) if isinstance(move, Build) else None
    )


def colour_of(table: Table, move: Build | Remove) -> Colour:
    """The colour of a move's block: the one it names, or the mover's only one."""
    return move.colour or table.player.colours[0]


def _select_refusal(table: Table, move: Select) -> Refusal | None:
    colours = table.player.colours
    if len(move.blocks) != len(colours):
        figures = {"needed": len(colours), "given": len(move.blocks)}
        return Refusal(Reason.WRONG_NUMBER_OF_COLOURS, figures)
    needed = table.setup.schedule.blocks
    for colour, sizes in zip(colours, move.blocks, strict=True):
        if len(sizes) != needed:
            count = {"needed": needed, "colour": colour.value, "given": len(sizes)}
            return Refusal(Reason.WRONG_NUMBER_OF_BLOCKS, count)
        for size, left, given in zip(SIZES, table.supply(colour), stock_of(sizes), strict=True):
            if given > left:
                short = {"colour": colour.value, "size": size, "left": left, "given": given}
                return Refusal(Reason.SUPPLY_TOO_SMALL, short)
    return None


def _block_refusal(table: Table, move: Build | Remove) -> Refusal | None:
    """Is the move's block one of the mover's, and said in the right form?"""
    for colour, slot, said in table.setup.own[table.mover]:
        if move.colour is said:
            if table.tableaus[slot][move.size - 1]:
                return None
            return Refusal(Reason.NO_SUCH_BLOCK, {"colour": colour.value, "size": move.size})
    first, *second = (colour.letter for colour in table.player.colours)
    if move.colour is None:
        return Refusal(Reason.COLOUR_MISSING, {"first": first, "second": second[0]})
    if not second:
        return Refusal(Reason.COLOUR_NOT_NEEDED, {"letter": move.colour.letter})
    figures = {"colour": move.colour.value, "first": first, "second": second[0]}
    return Refusal(Reason.COLOUR_NOT_YOURS, figures)


def _build_refusal(table: Table, hand: tuple[Card, ...], move: Build) -> Refusal | None:
    site, colour = move.site, colour_of(table, move)
    card = card_for(table.seat, site)
    if card not in hand:
        return Refusal(Reason.NO_SUCH_CARD, {"site": str(site), "card": card})
    tower = table.board[site]
    if move.size < tower.smallest_for(colour):
        assert tower.owner is not None  # an empty site takes anything
        return Refusal(
            Reason.TOO_FEW_FLOORS,
            {
                "site": str(site),
                "owner": tower.owner.value,
                "floors": tower.floors[tower.owner],
                "yours": tower.floors.get(colour, 0) + move.size,
            },
        )
    return None


def placements(table: Table, hand: tuple[Card, ...]) -> list[Build]:
    """Every legal placement of whoever is to move, if he holds this hand: by colour, site, size."""
    board, reach = table.board, sites_of(table.seat, hand)
    found: list[Build] = []
    for own in table.setup.own[table.mover]:
        colour, by_least = own.colour, builds(own.said, sizes_from(table.tableaus[own.slot]))
        for site in reach.sites:
            found += by_least[board[site].needs[colour]][site]
    return found


# What follows is remembered: making a move costs more than looking it up, and the same few
# thousand moves come up in every game. Each of these keeps a bounded number of them.


class Reach(NamedTuple):
    """The sites that a hand names from a seat."""

    sites: tuple[Site, ...]
    cities: tuple[int, ...]
    """Of each, its number."""
    pick: itemgetter[Any]
    """Takes what belongs to them out of something that has one for every site."""


@cache
def sites_of(seat: Seat, hand: tuple[Card, ...]) -> Reach:
    """The sites that a hand names from a seat."""
    sites = tuple(site for card in dict.fromkeys(hand) for site in TARGETS[seat][card])
    return Reach(sites, tuple(site // 9 for site in sites), itemgetter(*sites))


@cache
def sizes_from(tableau: Stock) -> tuple[Sizes, ...]:
    """``[least]``: the different sizes on a tableau, of at least so many floors."""
    different = [size for size in SIZES if tableau[size - 1]]
    return tuple(
        tuple(size for size in different if size >= least) for least in (0, *SIZES, NO_BLOCK)
    )


@lru_cache(maxsize=512)
def builds(
    said: Colour | None, sizes: tuple[Sizes, ...]
) -> tuple[tuple[tuple[Build, ...], ...], ...]:
    """``[least][site]``: the moves that put a block of at least so many floors on a site, if there
    are such ``sizes_from`` so many."""
    return tuple(
        tuple(tuple(Build(site, size, said) for size in large) for site in SITES) for large in sizes
    )


@lru_cache(maxsize=256)
def selections(supplies: tuple[Stock, ...], count: int) -> tuple[Select, ...]:
    """Every choice of so many blocks of each colour, from what is left of it."""
    each = (_multisets(supply, count) for supply in supplies)
    return tuple(map(_selection, product(*each)))


@cache
def _selection(blocks: tuple[Sizes, ...]) -> Select:
    return Select(blocks)


@cache
def _multisets(supply: Stock, count: int) -> tuple[Sizes, ...]:
    """Every choice of so many blocks from a supply, in ascending order."""
    return tuple(
        sizes_in((ones, twos, threes, count - ones - twos - threes))
        for ones in range(min(supply[0], count), -1, -1)
        for twos in range(min(supply[1], count - ones), -1, -1)
        for threes in range(min(supply[2], count - ones - twos), -1, -1)
        if count - ones - twos - threes <= supply[3]
    )
