"""A game whose cards are drawn from outside: every card is an outcome of chance of its own.

The kernel draws when it makes a move. Here a move stops before the draw, and goes on when the
card is told. A shuffled pile is the same as one of which each draw takes any card, so chance has
nothing to say about a shuffle but that it takes place; that is an outcome, too, for everybody
sees it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import (
    A_HAND,
    BUILT,
    CARD_KINDS,
    DEALING,
    DECIDED,
    DREW,
    REDRAWING,
    SHOWED,
    SHUFFLE,
    SHUFFLED,
)
from manhattan.envs.engine.memory import Address, numbers_at, seen_at, table_at
from manhattan.envs.engine.observing import see, selections_of
from manhattan.kernel.bits import U64, lowest
from manhattan.kernel.jit import inlined, never_inlined
from manhattan.kernel.layout import BUILD, OVER, REMOVE
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import gather_unseen, is_legal
from manhattan.kernel.turn import (
    NO_FATE,
    can_take,
    count_placements,
    has_block,
    left_of,
    pass_selection,
    place,
    put_down,
    remove,
    shuffle_played,
    take_blocks,
)

CHANCE, TERMINAL, ILLEGAL = -1, -4, -9
"""Who is to act if nobody is: as OpenSpiel numbers them; and what an illegal action leads to."""

Table = Any
"""A record of dtype TABLE."""


@inlined
def note(t: Table, event: int) -> None:
    t.told[t.events] = np.uint16(event)
    t.events += 1


@inlined
def actor(t: Table) -> int:
    """Who acts next."""
    if t.to_draw > 0:
        return CHANCE
    return TERMINAL if t.phase == OVER else t.mover


def _show_hand(t: Table) -> None:
    """Nothing can be built with it: the whole hand is shown, put down and drawn anew."""
    player = t.mover
    shown = 0
    for kind in range(CARD_KINDS):
        position = U64(t.names[player, kind])
        for _ in range((t.copies[player] >> (U64(4) * position)) & U64(15)):
            put_down(t, player, position)
            shown = shown * CARD_KINDS + kind
    note(t, SHOWED + A_HAND * player + shown)
    t.drawer, t.to_draw, t.because = player, 4, REDRAWING


show_hand = never_inlined(_show_hand)


@inlined
def begin(t: Table, colours: tuple[int, ...]) -> None:
    """A building turn begins."""
    if count_placements(t, colours, t.mover) == U64(0):
        show_hand(t)


def _end_turn(t: Table, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    t.blocks_left -= 1
    if t.blocks_left == 0:
        score_round(t, players, colours)
    else:
        t.mover = left_of(t.mover, players)
        begin(t, colours)


end_turn = never_inlined(_end_turn)
"""Out of line: it stands in several places here, and each would be compiled anew."""


@inlined
def take_card(t: Table, kind: int) -> bool:
    """Draw a card of this kind; false if there is none in the pile."""
    for i in range(t.pile):
        if t.cards[i] == kind:
            last = t.pile - 1
            t.cards[i] = t.cards[last]
            t.pile = last
            position = U64(t.names[t.drawer, kind])
            t.points_at[t.drawer] |= U64(1) << position
            t.copies[t.drawer] += U64(1) << (U64(4) * position)
            return True
    return False


@inlined
def happen(t: Table, players: tuple[int, ...], colours: tuple[int, ...], outcome: int) -> bool:
    """An outcome of chance; false, and nothing has changed, if it is impossible."""
    if t.pile == 0:
        if outcome != SHUFFLE:
            return False
        shuffle_played(t, NO_FATE)
        note(t, SHUFFLED)
        return True
    if outcome < 0 or outcome >= CARD_KINDS or not take_card(t, outcome):
        return False
    note(t, DREW + 16 * t.drawer + outcome)
    t.to_draw -= 1
    if t.to_draw > 0:
        return True
    if t.because == DEALING:
        following = left_of(t.drawer, players)
        if following != t.start:
            t.drawer, t.to_draw = following, 4
    elif t.because == BUILT:
        end_turn(t, players, colours)
    elif count_placements(t, colours, t.mover) == U64(0):
        t.phase = REMOVE
    return True


@inlined
def decide(t: Table, players: tuple[int, ...], colours: tuple[int, ...], action: int) -> bool:
    """A player's move, up to the next card; false, and nothing has changed, if it is illegal."""
    if not is_legal(t, colours, action):
        return False
    note(t, DECIDED * t.mover + action)
    each = len(colours)
    if action >= 220 * each:
        choice = action - 220 * each
        if each == 2:
            take_blocks(t, t.mover * each + 1, choice % selections_of(t))
            choice = choice // selections_of(t)
        take_blocks(t, t.mover * each, choice)
        pass_selection(t, players, colours)
        if t.phase == BUILD:
            begin(t, colours)
    elif action >= 216 * each:
        remove(t, colours, t.mover, (action - 216 * each) // 4, action % 4 + 1)
        end_turn(t, players, colours)
    else:
        own, site, size = action // 216, action % 216 // 4, action % 4 + 1
        colour = t.mover * each + own
        t.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
        place(t, players, colours, colour, size, U64(1) << U64(site))
        put_down(t, t.mover, U64(site % 9))
        t.drawer, t.to_draw, t.because = t.mover, 1, BUILT
    return True


def _apply(t: Table, players: tuple[int, ...], colours: tuple[int, ...], action: int) -> bool:
    """Whatever comes next; false, and nothing has changed, if it can't."""
    if t.to_draw > 0:
        return happen(t, players, colours, action)
    return t.phase != OVER and decide(t, players, colours, action)


apply = never_inlined(_apply)


@inlined
def lay_out(t: Table, players: tuple[int, ...], first: int) -> None:
    """A table before the first card is dealt."""
    start_game(t, players, first, U64(0), U64(0))
    gather_unseen(t, players, -1)
    t.drawer, t.to_draw, t.because, t.events = first, 4, DEALING, 0


@compiled
def new_table(where: Address, players: tuple[int, ...], first: int) -> int:
    lay_out(table_at(where), players, first)
    return actor(table_at(where))


@compiled
def apply_at(
    where: Address, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> int:
    """Let something happen; who acts then."""
    t = table_at(where)
    return actor(t) if apply(t, players, colours, action) else ILLEGAL


@compiled
def legal_at(where: Address, colours: tuple[int, ...], out: Address, room: int) -> Any:
    """Write the numbers of the legal actions, ascending; how many there are."""
    t = table_at(where)
    numbers = numbers_at(out, room)
    each = len(colours)
    found: Any = 0
    if t.phase == BUILD:
        for own in range(each):
            ones, twos = t.legal[4 * own], t.legal[4 * own + 1]
            threes, fours = t.legal[4 * own + 2], t.legal[4 * own + 3]
            left = ones | twos | threes | fours
            while left != U64(0):
                site = lowest(left)
                left &= left - U64(1)
                number = 216 * own + 4 * np.int64(site)
                for z, sites in enumerate((ones, twos, threes, fours)):
                    numbers[found] = number + z
                    found += np.int64((sites >> site) & U64(1))
    elif t.phase == REMOVE:
        for j in range(4 * each):
            numbers[found] = 216 * each + j
            found += 1 if has_block(t, t.mover * each + j // 4, j % 4 + 1) else 0
    else:
        count = selections_of(t)
        for first in range(count):
            if can_take(t, t.mover * each, first):
                if each == 1:
                    numbers[found] = 220 + first
                    found += 1
                else:
                    for second in range(count):
                        if can_take(t, t.mover * each + 1, second):
                            numbers[found] = 440 + first * count + second
                            found += 1
    return found


@compiled
def pile_at(where: Address) -> Any:
    """How many cards of each kind are in the pile, 4 bits each; above them how many in all."""
    t = table_at(where)
    counts = t.pile << 36
    for i in range(t.pile):
        counts += 1 << (4 * np.int64(t.cards[i]))
    return counts


@compiled
def see_at(
    where: Address, players: tuple[int, ...], colours: tuple[int, ...], viewer: int, seen: Address
) -> None:
    see(table_at(where), seen_at(seen), players, colours, viewer)


@compiled
def winners_at(where: Address, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    bits, _ = winners(table_at(where), players, colours)
    return bits
