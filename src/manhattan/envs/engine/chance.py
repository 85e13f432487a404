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
from manhattan.envs.engine.memory import Address, drawing_at, game_at, numbers_at
from manhattan.envs.engine.observing import see
from manhattan.kernel.actions import BUILDS, REMOVALS
from manhattan.kernel.bits import U64, lowest
from manhattan.kernel.jit import inlined, never_inlined
from manhattan.kernel.layout import BUILD, OVER, REMOVE
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import gather_unseen, is_legal, selections_of
from manhattan.kernel.turn import (
    NO_FATE,
    Game,
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

Drawing = Any
"""A record of dtype DRAWING."""


@inlined
def note(t: Drawing, event: int) -> None:
    t.told[t.events] = np.uint16(event)
    t.events += 1


@inlined
def actor(g: Game, t: Drawing) -> int:
    """Who acts next."""
    if t.to_draw > 0:
        return CHANCE
    return TERMINAL if g.phase == OVER else g.mover


def _show_hand(g: Game, t: Drawing) -> None:
    """Nothing can be built with it: the whole hand is shown, put down and drawn anew."""
    player = g.mover
    shown = 0
    for kind in range(CARD_KINDS):
        position = U64(g.names[player, kind])
        for _ in range((g.copies[player] >> (U64(4) * position)) & U64(15)):
            put_down(g, player, position)
            shown = shown * CARD_KINDS + kind
    note(t, SHOWED + A_HAND * player + shown)
    t.drawer, t.to_draw, t.because = player, 4, REDRAWING


show_hand = never_inlined(_show_hand)


def _begin(g: Game, t: Drawing, colours: tuple[int, ...]) -> None:
    """A building turn begins."""
    if count_placements(g, colours, g.mover) == U64(0):
        show_hand(g, t)


begin = never_inlined(_begin)
"""Out of line, like what follows: it stands in several places, and each would be compiled anew."""


def _end_turn(g: Game, t: Drawing, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    g.blocks_left -= 1
    if g.blocks_left == 0:
        score_round(g, players, colours)
    else:
        g.mover = left_of(g.mover, players)
        begin(g, t, colours)


end_turn = never_inlined(_end_turn)


@inlined
def take_card(g: Game, player: int, kind: int) -> bool:
    """Draw a card of this kind; false if there is none in the pile."""
    for i in range(g.pile):
        if g.cards[i] == kind:
            last = g.pile - 1
            g.cards[i] = g.cards[last]
            g.pile = last
            position = U64(g.names[player, kind])
            g.points_at[player] |= U64(1) << position
            g.copies[player] += U64(1) << (U64(4) * position)
            return True
    return False


@inlined
def happen(
    g: Game, t: Drawing, players: tuple[int, ...], colours: tuple[int, ...], outcome: int
) -> bool:
    """An outcome of chance; false, and nothing has changed, if it is impossible."""
    if g.pile == 0:
        if outcome != SHUFFLE:
            return False
        shuffle_played(g, NO_FATE)
        note(t, SHUFFLED)
        return True
    if outcome < 0 or outcome >= CARD_KINDS or not take_card(g, t.drawer, outcome):
        return False
    note(t, DREW + 16 * t.drawer + outcome)
    t.to_draw -= 1
    if t.to_draw > 0:
        return True
    if t.because == DEALING:
        following = left_of(t.drawer, players)
        if following != g.start:
            t.drawer, t.to_draw = following, 4
    elif t.because == BUILT:
        end_turn(g, t, players, colours)
    elif count_placements(g, colours, g.mover) == U64(0):
        g.phase = REMOVE
    return True


@inlined
def decide(
    g: Game, t: Drawing, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> bool:
    """A player's move, up to the next card; false, and nothing has changed, if it is illegal."""
    if not is_legal(g, colours, action):
        return False
    note(t, DECIDED * g.mover + action)
    each = len(colours)
    if action >= (BUILDS + REMOVALS) * each:
        choice = action - (BUILDS + REMOVALS) * each
        if each == 2:
            take_blocks(g, g.mover * each + 1, choice % selections_of(g))
            choice = choice // selections_of(g)
        take_blocks(g, g.mover * each, choice)
        pass_selection(g, players, colours)
        if g.phase == BUILD:
            begin(g, t, colours)
    elif action >= BUILDS * each:
        remove(g, colours, g.mover, (action - BUILDS * each) // REMOVALS, action % 4 + 1)
        end_turn(g, t, players, colours)
    else:
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4 + 1
        colour = g.mover * each + own
        g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
        place(g, players, colours, colour, size, U64(1) << U64(site))
        put_down(g, g.mover, U64(site % 9))
        t.drawer, t.to_draw, t.because = g.mover, 1, BUILT
    return True


def _apply(
    g: Game, t: Drawing, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> bool:
    """Whatever comes next; false, and nothing has changed, if it can't."""
    if t.to_draw > 0:
        return happen(g, t, players, colours, action)
    return g.phase != OVER and decide(g, t, players, colours, action)


apply = never_inlined(_apply)


def _lay_out(g: Game, t: Drawing, players: tuple[int, ...], first: int) -> None:
    """A table before the first card is dealt."""
    start_game(g, players, first, U64(0), np.int64(0))
    gather_unseen(g, players, -1)
    t.drawer, t.to_draw, t.because, t.events = first, 4, DEALING, 0


lay_out = never_inlined(_lay_out)


@compiled
def new_table(where: Address, players: tuple[int, ...], first: int) -> int:
    g, t = game_at(where), drawing_at(where)
    lay_out(g, t, players, first)
    return actor(g, t)


@compiled
def apply_at(
    where: Address, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> int:
    """Let something happen; who acts then."""
    g, t = game_at(where), drawing_at(where)
    return actor(g, t) if apply(g, t, players, colours, action) else ILLEGAL


@compiled
def legal_at(where: Address, colours: tuple[int, ...], out: Address, room: int) -> Any:
    """Write the numbers of the legal actions, ascending; how many there are."""
    g = game_at(where)
    numbers = numbers_at(out, room)
    each = len(colours)
    found: Any = 0
    if g.phase == BUILD:
        for own in range(each):
            ones, twos = g.legal[4 * own], g.legal[4 * own + 1]
            threes, fours = g.legal[4 * own + 2], g.legal[4 * own + 3]
            left = ones | twos | threes | fours
            while left != U64(0):
                site = lowest(left)
                left &= left - U64(1)
                number = BUILDS * own + 4 * np.int64(site)
                for z, sites in enumerate((ones, twos, threes, fours)):
                    numbers[found] = number + z
                    found += np.int64((sites >> site) & U64(1))
    elif g.phase == REMOVE:
        for j in range(4 * each):
            numbers[found] = BUILDS * each + j
            found += 1 if has_block(g, g.mover * each + j // 4, j % 4 + 1) else 0
    else:
        count, base = selections_of(g), (BUILDS + REMOVALS) * each
        for first in range(count):
            if can_take(g, g.mover * each, first):
                if each == 1:
                    numbers[found] = base + first
                    found += 1
                else:
                    for second in range(count):
                        if can_take(g, g.mover * each + 1, second):
                            numbers[found] = base + first * count + second
                            found += 1
    return found


@compiled
def pile_at(where: Address) -> Any:
    """How many cards of each kind are in the pile, 4 bits each; above them how many in all."""
    g = game_at(where)
    counts = g.pile << 36
    for i in range(g.pile):
        counts += 1 << (4 * np.int64(g.cards[i]))
    return counts


@compiled
def see_at(
    where: Address, players: tuple[int, ...], colours: tuple[int, ...], viewer: int, row: Address
) -> None:
    see(where, players, colours, viewer, row)


@compiled
def winners_at(where: Address, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    bits, _ = winners(game_at(where), players, colours)
    return bits
