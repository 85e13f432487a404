"""Random games abreast: many at once, on the vector units.

Games of one table share the order of play, so a few dozen of them can take each turn together:
every row (``rows.py``) holds one number for each game. It is the same game as everywhere, played
at random from the deal to the end, for whoever needs millions of them.

A colour learns of the last placements only when its turn comes (``catch_up``): one visit to its
rows a turn instead of one for each placement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, below, lowest, nth_bit, popcount, stream
from manhattan.kernel.jit import CHECKED, inlined, never_inlined
from manhattan.kernel.lanes import WIDTH, alike, anywhere, counted, either, load, store
from manhattan.kernel.layout import (
    FITS_HIGH,
    FITS_LOW,
    FULL_SUPPLY,
    ILLEGAL,
    SELECTIONS,
)
from manhattan.kernel.rows import (
    ALL_CARDS,
    GAMES,
    NOWHERE,
    everywhere,
    step_random,
    step_random_of,
    turned,
    turned_back,
)


def _start(r: Any, players: tuple[int, ...], first: int, seed: Any, number: int) -> None:
    """Clear the boards and deal. Games are numbered from ``number`` on."""
    for game in range(GAMES):
        r.random[game] = stream(seed, U64(number + game))
    for colour in range(4):
        r.owner[colour] = r.first_owner[colour]
        for t in range(4):
            r.allowed[colour, t] = r.first_allowed[colour, t]
    for site in range(NOWHERE + 1):
        r.floors[site] = r.first_floors[site]
    r.supply[:] = U64(FULL_SUPPLY)
    r.scores[:] = U64(0)
    r.hand[:] = U64(0)
    r.pile[:] = ALL_CARDS
    r.new_site[:] = U64(0)
    for turn in range(len(players)):
        player = (first + turn) % len(players)
        for left in range(4):
            deal_card(r, player, 45 - 4 * turn - left)


start = never_inlined(_start)


@inlined
def deal_card(r: Any, player: int, pile: int) -> None:
    """A card for one player in every game, of a pile of so many."""
    for at in range(0, GAMES, WIDTH):
        store(r.draw, at, below(step_random(r, at) >> U64(32), alike(U64(pile))))
    for game in range(GAMES):
        r.drawn[game] = nth_bit(r.pile[game], r.draw[game])
    for at in range(0, GAMES, WIDTH):
        drawn = load(r.drawn, at)
        store(r.pile, at, load(r.pile, at) ^ drawn)
        row = GAMES * player + at
        store(r.hand, row, load(r.hand, row) | turned(drawn, r.turned[player]))


def _choose_blocks(r: Any, colour: int) -> None:
    """Any choice of blocks that the colour's supply can give, all alike."""
    for at in range(0, GAMES, WIDTH):
        store(r.draw, at, step_random(r, at))
    for game in range(GAMES):
        have = r.supply[colour, game]
        low = (have & U64(15)) | ((have >> U64(4)) & U64(0x70))
        high = ((have >> U64(16)) & U64(7)) | ((have >> U64(21)) & U64(0x18))
        first = FITS_LOW[r.blocks, low, 0] & FITS_HIGH[r.blocks, high, 0]
        second = FITS_LOW[r.blocks, low, 1] & FITS_HIGH[r.blocks, high, 1]
        count = popcount(first)
        k = below(r.draw[game], count + popcount(second))
        # Without a branch: in which half the choice lies is anybody's guess.
        later = U64(0) - U64(k >= count)
        bits = first ^ (later & (first ^ second))
        choice = (later & U64(64)) + lowest(nth_bit(bits, k - (count & later)))
        r.tableau[colour, game] = U64(SELECTIONS[r.blocks, choice])
    for at in range(GAMES * colour, GAMES * colour + GAMES, WIDTH):
        store(r.supply, at, load(r.supply, at) - load(r.tableau, at))


choose_blocks = never_inlined(_choose_blocks)


@inlined
def catch_up(
    r: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    colour: int,
    since: int,
    count: int,
    at: int,
) -> None:
    """Let a colour learn of so many placements, beginning with that of turn ``since``."""
    row = GAMES * colour + at
    owner = load(r.owner, row)
    rows = 4 * GAMES * colour + at
    one, two = load(r.allowed, rows), load(r.allowed, rows + GAMES)
    three, four = load(r.allowed, rows + 2 * GAMES), load(r.allowed, rows + 3 * GAMES)
    turn, left = since, count
    if len(colours) == 1:  # the first one is its own: whoever builds may build there again
        bit = load(r.new_site, GAMES * turn + at)
        owner, one, two, three, four = owner | bit, one | bit, two | bit, three | bit, four | bit
        turn = 0 if turn + 1 == len(players) else turn + 1
        left -= 1
    for _ in range(left):
        place = GAMES * turn + at
        bit = load(r.new_site, place)
        floors = load(r.new_floors, place)
        builder = load(r.new_owner, place)
        needed = (floors >> (builder << U64(3))) & U64(255)
        mine = (floors >> U64(8 * colour)) & U64(255)
        others = ~bit
        nothing = alike(U64(0))
        one = (one & others) | either(mine + U64(1) >= needed, bit, nothing)
        two = (two & others) | either(mine + U64(2) >= needed, bit, nothing)
        three = (three & others) | either(mine + U64(3) >= needed, bit, nothing)
        four = (four & others) | either(mine + U64(4) >= needed, bit, nothing)
        owner = (owner & others) | either(builder == U64(colour), bit, nothing)
        turn = 0 if turn + 1 == len(players) else turn + 1
    store(r.owner, row, owner)
    store(r.allowed, rows, one)
    store(r.allowed, rows + GAMES, two)
    store(r.allowed, rows + 2 * GAMES, three)
    store(r.allowed, rows + 3 * GAMES, four)


@inlined
def floors_of(kind: Any, first: int) -> Any:
    """The floors that a block adds, in its colour's byte; ``first`` is the first own colour."""
    shift = ((kind >> U64(2)) + U64(first)) << U64(3)
    return ((kind & U64(3)) + U64(1)) << shift


def _choose(
    r: Any, players: tuple[int, ...], colours: tuple[int, ...], player: int, turn: int
) -> Any:
    """Any legal placement, all alike, in every game; and a card of the pile. False if some game
    has none, or no pile."""
    each = len(colours)
    smooth = True
    for at in range(0, GAMES, WIDTH):
        named = everywhere(load(r.hand, GAMES * player + at))
        count = alike(U64(0))
        nothing = alike(U64(0))
        for own in range(each):
            colour = player * each + own
            catch_up(r, players, colours, colour, turn, len(players), at)
            tableau = load(r.tableau, GAMES * colour + at)
            for t in range(4):
                sites = load(r.allowed, GAMES * (4 * colour + t) + at) & named
                sites = either((tableau & U64(255 << (8 * t))) != nothing, sites, nothing)
                store(r.legal, GAMES * (4 * own + t) + at, sites)
                store(r.before, GAMES * (4 * own + t) + at, count)
                count += counted(sites)
        random = step_random(r, at)
        k = below(random, count)
        sites, skipped, kind = load(r.legal, at), nothing, nothing
        for j in range(1, 4 * each):
            before = load(r.before, GAMES * j + at)
            further = k >= before
            sites = either(further, load(r.legal, GAMES * j + at), sites)
            skipped = either(further, before, skipped)
            kind = either(further, alike(U64(j)), kind)
        pile = counted(load(r.pile, at))
        store(r.sites, at, sites)
        store(r.nth, at, k - skipped)
        store(r.kind, at, kind)
        store(r.added, at, floors_of(kind, player * each))
        store(r.draw, at, below(random >> U64(32), pile))
        if anywhere((count == U64(0)) | (pile == U64(0))):
            smooth = False
    return smooth


choose = never_inlined(_choose)


@inlined
def may_build(r: Any, colours: tuple[int, ...], player: int, game: int, bit: Any) -> Any:
    """Is the chosen placement legal? Asked only where every move is checked."""
    kind = np.int64(r.kind[game])
    colour, t = player * len(colours) + kind // 4, kind % 4
    has_block = (r.tableau[colour, game] >> U64(8 * t)) & U64(255) != U64(0)
    named = everywhere(r.hand[player, game]) & bit != U64(0)
    return has_block and named and r.allowed[colour, t, game] & bit != U64(0)


def _build(r: Any, colours: tuple[int, ...], player: int, turn: int) -> None:
    """Put the chosen blocks where they were chosen to go, and take the chosen cards."""
    for game in range(GAMES):
        bit = nth_bit(r.sites[game], r.nth[game])
        site = lowest(bit)
        floors = r.floors[site, game] + np.uint32(r.added[game])
        if CHECKED and bit != U64(0) and not may_build(r, colours, player, game, bit):
            raise RuntimeError(ILLEGAL)
        r.floors[site, game] = floors
        r.new_site[turn, game] = bit
        r.new_floors[turn, game] = U64(floors)
        r.drawn[game] = nth_bit(r.pile[game], r.draw[game])


build = never_inlined(_build)


def _settle(r: Any, colours: tuple[int, ...], player: int, turn: int) -> None:
    """Blocks leave the tableaus; played cards leave the hands, and drawn ones come."""
    each = len(colours)
    for at in range(0, GAMES, WIDTH):
        hand = load(r.hand, GAMES * player + at)
        fitting = hand & everywhere(load(r.new_site, GAMES * turn + at))
        played = fitting & (alike(U64(0)) - fitting)  # any of them
        drawn = load(r.drawn, at)
        store(r.hand, GAMES * player + at, (hand ^ played) | turned(drawn, r.turned[player]))
        store(r.pile, at, load(r.pile, at) ^ drawn)
        kind = load(r.kind, at)
        colour = (kind >> U64(2)) + U64(player * each)
        store(r.new_owner, GAMES * turn + at, colour)
        block = alike(U64(1)) << ((kind & U64(3)) << U64(3))
        for q in range(player * each, player * each + each):
            tableau = load(r.tableau, GAMES * q + at)
            gone = either(colour == U64(q), block, alike(U64(0)))
            store(r.tableau, GAMES * q + at, tableau - gone)


settle = never_inlined(_settle)


@inlined
def held(r: Any, players: tuple[int, ...], game: int) -> Any:
    """The cards in all hands of a game, by their kinds."""
    cards = U64(0)
    for player in range(len(players)):
        cards |= turned_back(r.hand[player, game], r.turned[player])
    return cards


@inlined
def draw_one(r: Any, players: tuple[int, ...], player: int, game: int) -> None:
    """One player draws in one game; a pile that is empty at this moment is made anew first."""
    if r.pile[game] == U64(0):
        r.pile[game] = ALL_CARDS & ~held(r, players, game)
    random = step_random_of(r, game) >> U64(32)
    drawn = nth_bit(r.pile[game], below(random, popcount(r.pile[game])))
    r.pile[game] ^= drawn
    r.hand[player, game] |= turned(drawn, r.turned[player])


@inlined
def count_placements(r: Any, colours: tuple[int, ...], player: int, game: int) -> Any:
    each = len(colours)
    named = everywhere(r.hand[player, game])
    count = U64(0)
    for j in range(4 * each):
        colour = player * each + j // 4
        there = (r.tableau[colour, game] >> U64(8 * (j % 4))) & U64(255)
        sites = r.allowed[colour, j % 4, game] & named if there != U64(0) else U64(0)
        r.legal[j, game] = sites
        r.before[j, game] = count
        count += popcount(sites)
    return count


def _show_hands(r: Any, players: tuple[int, ...], colours: tuple[int, ...], player: int) -> None:
    """Whoever can't build has a new hand; if he can't build then either, a block must go, any
    kind of his alike."""
    each = len(colours)
    for game in range(GAMES):
        if r.sites[game] != U64(0):
            continue
        r.hand[player, game] = U64(0)
        for _ in range(4):
            draw_one(r, players, player, game)
        count = count_placements(r, colours, player, game)
        if count == U64(0):
            for j in range(4 * each):
                colour = player * each + j // 4
                there = (r.tableau[colour, game] >> U64(8 * (j % 4))) & U64(255)
                r.before[j, game] = count
                count += U64(there != U64(0))
        random = step_random_of(r, game)
        k = below(random, count)
        j = 0
        for i in range(1, 4 * each):
            j += 1 if k >= r.before[i, game] else 0
        r.kind[game] = U64(j)
        r.added[game] = floors_of(U64(j), player * each)
        r.sites[game] = r.legal[j, game]
        r.nth[game] = k - r.before[j, game] if r.sites[game] != U64(0) else U64(0)
        r.draw[game] = below(random >> U64(32), popcount(r.pile[game]))


show_hands = never_inlined(_show_hands)


def _draw_again(r: Any, players: tuple[int, ...], player: int, turn: int) -> None:
    """Where the pile is empty the played cards, the last one too, become the new one; where no
    card was played, none is drawn."""
    for game in range(GAMES):
        if r.sites[game] == U64(0):
            r.drawn[game] = U64(0)
        elif r.pile[game] == U64(0):
            hand = r.hand[player, game]
            fitting = hand & everywhere(r.new_site[turn, game])
            r.hand[player, game] = hand ^ (fitting & (~fitting + U64(1)))
            r.pile[game] = ALL_CARDS & ~held(r, players, game)
            r.hand[player, game] = hand
            random = step_random_of(r, game) >> U64(32)
            r.drawn[game] = nth_bit(r.pile[game], below(random, popcount(r.pile[game])))


draw_again = never_inlined(_draw_again)


@inlined
def note_choice(r: Any, colours: tuple[int, ...], player: int, note: Any) -> None:
    """What a player has and may do before a turn, for whoever checks the games."""
    each = len(colours)
    last = 4 * each - 1
    for game in range(GAMES):
        for own in range(each):
            note[own, game] = r.tableau[player * each + own, game]
        note[3, game] = r.hand[player, game]
        note[4, game] = r.before[last, game] + popcount(r.legal[last, game])
        note[5, game] = r.kind[game]


@inlined
def take_turn(
    r: Any, players: tuple[int, ...], colours: tuple[int, ...], player: int, turn: int, note: Any
) -> None:
    """One player's building turn in every game, noted if there is room for a note."""
    if len(note) > 0:
        note[2] = r.hand[player]
    smooth = choose(r, players, colours, player, turn)
    if not smooth:
        show_hands(r, players, colours, player)
    if len(note) > 0:
        note_choice(r, colours, player, note)
    build(r, colours, player, turn)
    if not smooth:
        draw_again(r, players, player, turn)
    settle(r, colours, player, turn)
    if len(note) > 0:
        note[6] = r.new_site[turn]
        note[7] = r.hand[player]
