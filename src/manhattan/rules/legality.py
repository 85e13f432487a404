"""Legality: is this move allowed, and if not, why not (RULES 5a, 5b, 9).

``refusal`` is the only function that decides whether a move is legal. ``legal_moves_for_hand``
lists the legal moves without trying every conceivable one, and a test compares the two. Both take
the public state and one hand, so that they serve a player's view as well as the whole state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import combinations_with_replacement, product
from types import MappingProxyType
from typing import Final

from manhattan.rules.blocks import SIZES, Colour, Stock, stock_of
from manhattan.rules.board import CARD_NAMES, SITES, TARGETS, Card, Side, Site, card_for
from manhattan.rules.errors import ManhattanError
from manhattan.rules.moves import Build, Move, Remove, Select, Sizes
from manhattan.rules.state import Phase, PublicState, State
from manhattan.rules.towers import NO_BLOCK


class Reason(StrEnum):
    """Why a move is illegal. The value is the code that every protocol uses."""

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
        Reason.NOT_PLAYING: "You are watching; it is {mover}'s turn.",
        Reason.SELECT_FIRST: (
            "Choose the blocks for round {round} first, {count} of each of your colours."
        ),
        Reason.ALREADY_SELECTED: (
            "The blocks for round {round} have already been chosen; place one of them."
        ),
        Reason.WRONG_NUMBER_OF_COLOURS: (
            "Write one list of blocks for each colour that you play: {needed}, not {given}."
        ),
        Reason.WRONG_NUMBER_OF_BLOCKS: "Choose {needed} {colour} blocks, not {given}.",
        Reason.SUPPLY_TOO_SMALL: (
            "Not enough {colour} blocks of size {size}: {left} left, {given} chosen."
        ),
        Reason.COLOUR_NOT_NEEDED: "You play one colour: leave out the letter {letter}.",
        Reason.COLOUR_MISSING: "You play two colours: add the letter {first} or {second}.",
        Reason.COLOUR_NOT_YOURS: "You don't play {colour}: use the letter {first} or {second}.",
        Reason.NO_SUCH_BLOCK: "There is no {colour} block of size {size} on your tableau.",
        Reason.NO_SUCH_CARD: (
            "From your side, {site} needs card {card} ({position}), which is not in your hand."
        ),
        Reason.TOO_FEW_FLOORS: (
            "{site} belongs to {owner} with {floors} floors; you would have {yours}."
        ),
        Reason.CAN_BUILD: "You can place a block, so you can't take one out of the game.",
        Reason.MUST_REMOVE: "You can't place any of your blocks: take one out of the game.",
    }
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is illegal: a reason, and the parameters of its sentence."""

    reason: Reason
    params: Mapping[str, str | int] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return SENTENCES[self.reason].format(**self.params)


class IllegalMove(ManhattanError):
    """An attempt to play an illegal move. It changed nothing."""

    def __init__(self, move: Move, refusal: Refusal) -> None:
        super().__init__(f"{move}: {refusal}")
        self.move = move
        self.refusal = refusal

    def __reduce__(self) -> tuple[type[IllegalMove], tuple[Move, Refusal]]:
        return IllegalMove, (self.move, self.refusal)


def legal_moves(state: State) -> tuple[Move, ...]:
    """List the legal moves of the player to move, in a fixed order; none after the end."""
    return legal_moves_for_hand(state.public, state.hand)


def why_not(state: State, move: Move, player: int | None = None) -> Refusal | None:
    """Explain why a move is illegal now, or return None if it is legal.

    Without a player, the move is taken to be that of the player to move.
    """
    return refusal(state.public, state.hand, move, player)


def legal_moves_for_hand(public: PublicState, hand: tuple[Card, ...]) -> tuple[Move, ...]:
    """List the legal moves of the player to move, given their hand."""
    colours = public.setup.colours_by_player[public.mover]
    match public.phase:
        case Phase.SELECT:
            supplies = tuple(public.supplies[own.slot] for own in colours)
            return selections(supplies, public.setup.schedule.blocks)
        case Phase.BUILD:
            return tuple(placements(public, hand))
        case Phase.REMOVE:
            return tuple(
                Remove(size, own.notation)
                for own in colours
                for size in available_sizes(public.tableaus[own.slot])
            )
    return ()


def can_build(public: PublicState, hand: tuple[Card, ...]) -> bool:
    """Return whether the player to move has a legal placement with this hand."""
    for own in public.setup.colours_by_player[public.mover]:
        tableau = public.tableaus[own.slot]
        for card in hand:
            for site in TARGETS[public.side][card]:
                if any(tableau[public.board[site].min_size[own.colour] - 1 :]):
                    return True
    return False


def refusal(
    public: PublicState, hand: tuple[Card, ...], move: Move, player: int | None = None
) -> Refusal | None:
    """Explain why a move is illegal, given the hand of the player to move; None if it is legal."""
    setup = public.setup
    if public.phase is Phase.OVER:
        return Refusal(Reason.GAME_OVER)
    if player is not None and player != public.mover:
        other = setup.players[setup.check_player(player)]
        names = {"mover": public.player.name, "player": other.name}
        return Refusal(Reason.NOT_YOUR_TURN, names)
    if isinstance(move, Select):
        if public.phase is not Phase.SELECT:
            return Refusal(Reason.ALREADY_SELECTED, {"round": public.round})
        return _select_refusal(public, move)
    if public.phase is Phase.SELECT:
        params = {"round": public.round, "count": setup.schedule.blocks}
        return Refusal(Reason.SELECT_FIRST, params)
    if isinstance(move, Remove) and public.phase is Phase.BUILD:
        return Refusal(Reason.CAN_BUILD)
    if isinstance(move, Build) and public.phase is Phase.REMOVE:
        return Refusal(Reason.MUST_REMOVE)
    return _block_refusal(public, move) or (
        _build_refusal(public, hand, move) if isinstance(move, Build) else None
    )


def colour_of(public: PublicState, move: Build | Remove) -> Colour:
    """The colour of a move's block: the one it names, or the mover's only one."""
    return move.colour or public.player.colours[0]


def _select_refusal(public: PublicState, move: Select) -> Refusal | None:
    colours = public.player.colours
    if len(move.blocks) != len(colours):
        params = {"needed": len(colours), "given": len(move.blocks)}
        return Refusal(Reason.WRONG_NUMBER_OF_COLOURS, params)
    needed = public.setup.schedule.blocks
    for colour, sizes in zip(colours, move.blocks, strict=True):
        if len(sizes) != needed:
            count = {"needed": needed, "colour": colour.value, "given": len(sizes)}
            return Refusal(Reason.WRONG_NUMBER_OF_BLOCKS, count)
        for size, left, given in zip(SIZES, public.supply(colour), stock_of(sizes), strict=True):
            if given > left:
                shortage = {"colour": colour.value, "size": size, "left": left, "given": given}
                return Refusal(Reason.SUPPLY_TOO_SMALL, shortage)
    return None


def _block_refusal(public: PublicState, move: Build | Remove) -> Refusal | None:
    """Check that the block is on the mover's tableau, and that the move names its colour."""
    for own in public.setup.colours_by_player[public.mover]:
        if move.colour is own.notation:
            if public.tableaus[own.slot][move.size - 1]:
                return None
            params = {"colour": own.colour.value, "size": move.size}
            return Refusal(Reason.NO_SUCH_BLOCK, params)
    first, *second = (colour.letter for colour in public.player.colours)
    if move.colour is None:
        return Refusal(Reason.COLOUR_MISSING, {"first": first, "second": second[0]})
    if not second:
        return Refusal(Reason.COLOUR_NOT_NEEDED, {"letter": move.colour.letter})
    params = {"colour": move.colour.value, "first": first, "second": second[0]}
    return Refusal(Reason.COLOUR_NOT_YOURS, params)


def _build_refusal(public: PublicState, hand: tuple[Card, ...], move: Build) -> Refusal | None:
    site, colour = move.site, colour_of(public, move)
    card = card_for(public.side, site)
    if card not in hand:
        position = CARD_NAMES[card - 1]
        return Refusal(Reason.NO_SUCH_CARD, {"site": str(site), "card": card, "position": position})
    tower = public.board[site]
    if move.size < tower.min_size[colour]:
        assert tower.owner is not None  # an empty site takes any block
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


def placements(public: PublicState, hand: tuple[Card, ...]) -> list[Build]:
    """List the legal placements of the player to move with this hand, by colour, site and size."""
    moves: list[Build] = []
    board, sites = public.board, reachable_sites(public.side, hand)
    for colour, slot, notation in public.setup.colours_by_player[public.mover]:
        builds = builds_by_site(notation, available_sizes(public.tableaus[slot]))
        for site in sites:
            moves += builds[site][board[site].min_size[colour]]
    return moves


def reachable_sites(side: Side, hand: tuple[Card, ...]) -> list[Site]:
    """List the sites that the cards of a hand name from a side of the board."""
    return [site for card in dict.fromkeys(hand) for site in TARGETS[side][card]]


def available_sizes(tableau: Stock) -> Sizes:
    """List the different sizes of the blocks on a tableau, ascending."""
    return tuple([size for size in SIZES if tableau[size - 1]])


def selections(supplies: tuple[Stock, ...], count: int) -> tuple[Select, ...]:
    """List every selection of ``count`` blocks of each colour from the supplies that are left."""
    by_colour = (_colour_selections(supply, count) for supply in supplies)
    return tuple(map(_select, product(*by_colour)))


# The functions below return shared moves from caches, because a turn has up to a hundred moves and
# creating them takes most of a game's time. Without any one of these caches, the engine plays only
# a third to a half as many games a second.


@cache
def builds_by_site(
    notation: Colour | None, sizes: Sizes
) -> tuple[tuple[tuple[Build, ...], ...], ...]:
    """``[site][min_size]``: the placements on a site of those sizes that are large enough."""
    return tuple(
        tuple(
            tuple(Build(site, size, notation) for size in sizes if size >= min_size)
            for min_size in range(NO_BLOCK + 1)
        )
        for site in SITES
    )


@cache
def _colour_selections(supply: Stock, count: int) -> tuple[Sizes, ...]:
    """List every selection of ``count`` blocks from a supply, sizes ascending."""
    return tuple(
        sizes
        for sizes in combinations_with_replacement(SIZES, count)
        if all(given <= left for given, left in zip(stock_of(sizes), supply, strict=True))
    )


@cache
def _select(blocks: tuple[Sizes, ...]) -> Select:
    return Select(blocks)
