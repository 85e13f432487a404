"""Resampling from an information state, by a particle filter over hidden cards.

The result is another game that the viewer can't distinguish from this one. The viewer knows more
than which cards are hidden: when the pile runs out, all hidden cards are in the other hands, and a
player who plays a card held it. So the draws of the other players are sampled along the whole
game: when a player plays a card, the sampler chooses which of the cards they held it was, in
proportion to the probability that each is of its kind.

Such a choice ignores later moves: of the cards from two piles, those of one pile may fit better to
what is played later. Therefore the filter samples several particles in parallel. Each is weighted
by the probability of the cards that it had to explain, and when the weights are too uneven, copies
of particles with a high weight replace those with a low one. With more particles, the probability
of a sampled game comes closer to the exact one (under the assumption that a player builds with any
card of the hand, each with equal probability); the tests compare it with exact computation. The
result is replayed and compared with the history, so it never is a game that the viewer could
distinguish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.chance import apply, start
from manhattan.envs.engine.history import (
    ACTION_STRIDE,
    CARD_KINDS,
    SHUFFLE,
    SHUFFLED,
    ChanceState,
    is_build,
    is_draw,
    is_reveal,
    played_card,
    player_of,
    revealed_card,
)
from manhattan.envs.engine.jit import compiled
from manhattan.kernel.bits import U64, advance_counter, below, mix64, stream_start
from manhattan.kernel.jit import COMPILED, inlined, never_inlined
from manhattan.kernel.layout import GameRecord
from manhattan.rules.board import HAND_SIZE

MAX_PILES = 24
MAX_HELD = 8
"""Cards of one player: four, and more while cards are drawn."""
PARTICLES = 32 if COMPILED else 4
"""With 16, 3,000 samples each showed no difference from the exact probabilities either."""


@never_inlined
def hidden_piles(g: GameRecord, c: ChanceState, per_player: int, viewer: int) -> Any:
    """Return ``[pile, kind]``: the cards of each pile that the viewer did not draw."""
    piles: Any = np.zeros((MAX_PILES + 1, CARD_KINDS), np.int64)
    piles[0, :] = 5
    pile = 0
    for i in range(c.event_count):
        event: Any = np.int64(c.events[i])
        if event == SHUFFLED:
            pile += 1
        elif is_draw(event):
            if player_of(event) == viewer:
                piles[pile, event % 16] -= 1
        elif is_reveal(event):
            for place in range(HAND_SIZE):
                piles[pile + 1, revealed_card(event, place)] += 1
        elif is_build(event, per_player):
            piles[pile + 1, played_card(g, event)] += 1
    return piles


@inlined
def next_random_number(random: Any) -> Any:
    random[0] = advance_counter(random[0])
    return mix64(random[0])


@inlined
def next_random_float(random: Any) -> Any:
    """Return a random number from 0 to 1."""
    return np.float64(next_random_number(random) >> U64(11)) / 2.0**53


@never_inlined
def assign_card(
    kind: int,
    first: int,
    end: int,
    held: Any,
    pile_of_draw: Any,
    piles: Any,
    pile_sizes: Any,
    drawn: Any,
    random: Any,
) -> float:
    """Sample which of the draws ``held[first:end]`` of a player was the card that they played;
    return the probability that they held such a card, times the size of the hand."""
    total = 0.0
    for j in range(first, end):
        pile = pile_of_draw[held[j]]
        total += piles[CARD_KINDS * pile + kind] / pile_sizes[pile]
    rest = total * next_random_float(random)
    chosen = -1
    for j in range(first, end):
        pile = pile_of_draw[held[j]]
        count = piles[CARD_KINDS * pile + kind]
        if count > 0 and (chosen < 0 or rest >= 0.0):
            chosen = j
        rest -= count / pile_sizes[pile]
    if chosen >= 0:
        draw = held[chosen]
        pile = pile_of_draw[draw]
        drawn[draw] = kind
        piles[CARD_KINDS * pile + kind] -= 1
        pile_sizes[pile] -= 1
        held[chosen] = held[end - 1]
    return total


@inlined
def last_possible(weights: Any) -> int:
    """Return the last particle with a weight."""
    last = 0
    for k in range(len(weights)):
        if weights[k] > 0.0:
            last = k
    return last


@inlined
def sum_of(weights: Any) -> float:
    total = 0.0
    for k in range(len(weights)):
        total += weights[k]
    return total


@inlined
def copy_row(rows: Any, target: int, source: int) -> None:
    for j in range(rows.shape[1]):
        rows[target, j] = rows[source, j]


@never_inlined
def resample_particles(
    weights: Any, held: Any, piles: Any, pile_sizes: Any, drawn: Any, random: Any
) -> None:
    """Replace particles of low weight by copies of those of high weight (systematic resampling);
    afterwards all have the same weight."""
    n = len(weights)
    mean, offset = sum_of(weights) / n, next_random_float(random)
    copies = np.zeros(n, np.int64)
    last = last_possible(weights)
    k, passed = 0, 0.0
    for i in range(n):
        while k < last and passed + weights[k] <= mean * (i + offset):
            passed += weights[k]
            k += 1
        copies[k] += 1
    free = 0
    for k in range(n):
        for _ in range(copies[k] - 1):
            while copies[free] > 0:
                free += 1
            copies[free] = 1
            copy_row(held, free, k)
            copy_row(piles, free, k)
            copy_row(pile_sizes, free, k)
            copy_row(drawn, free, k)
    for k in range(n):
        weights[k] = 1.0


@inlined
def is_degenerate(weights: Any) -> bool:
    """Return whether the effective sample size is less than half of the particles."""
    total, squares = 0.0, 0.0
    for k in range(len(weights)):
        total += weights[k]
        squares += weights[k] * weights[k]
    return 0.0 < 2.0 * total * total < len(weights) * squares


@never_inlined
def assign_remaining(
    held: Any,
    held_count: Any,
    pile_of_draw: Any,
    piles: Any,
    pile_sizes: Any,
    drawn: Any,
    random: Any,
) -> None:
    """Sample the cards that the players still hold from what is left of their piles."""
    for player in range(4):
        for j in range(MAX_HELD * player, MAX_HELD * player + held_count[player]):
            pile = pile_of_draw[held[j]]
            k = np.int64(below(next_random_number(random), U64(pile_sizes[pile])))
            kind = 0
            while k >= piles[CARD_KINDS * pile + kind]:
                k -= piles[CARD_KINDS * pile + kind]
                kind += 1
            piles[CARD_KINDS * pile + kind] -= 1
            pile_sizes[pile] -= 1
            drawn[held[j]] = kind


@never_inlined
def sample_draws(
    g: GameRecord, c: ChanceState, per_player: int, viewer: int, hidden: Any, random: Any, out: Any
) -> bool:
    """Sample the other players' draws, such that they could play what they played; return False
    if no particle survives."""
    # One row per particle. (Loops over rows instead of expressions of whole arrays, which would
    # take ten seconds longer to compile.)
    weights = np.zeros(PARTICLES)
    held = np.zeros((PARTICLES, 4 * MAX_HELD), np.int16)
    piles = np.zeros((PARTICLES, hidden.size), np.int8)
    pile_sizes = np.zeros((PARTICLES, len(hidden)), np.int16)
    drawn = np.zeros((PARTICLES, c.event_count), np.int8)
    weights[0] = 1.0
    for pile in range(len(hidden)):
        for kind in range(CARD_KINDS):
            piles[0, CARD_KINDS * pile + kind] = hidden[pile, kind]
            pile_sizes[0, pile] += hidden[pile, kind]
    held_count = np.zeros(4, np.int64)
    pile_of_draw = np.zeros(c.event_count, np.int8)
    pile_number, particles = 0, 1
    for i in range(c.event_count):
        event: Any = np.int64(c.events[i])
        player = player_of(event)
        if event == SHUFFLED:
            pile_number += 1
            if particles == 1:  # with a single pile all particles would be equally good
                particles = PARTICLES
                resample_particles(weights, held, piles, pile_sizes, drawn, random)
        elif is_draw(event):
            if player == viewer:
                for k in range(PARTICLES):
                    drawn[k, i] = event % 16
            else:
                pile_of_draw[i] = pile_number
                for k in range(PARTICLES):
                    held[k, MAX_HELD * player + held_count[player]] = i
                held_count[player] += 1
        elif player != viewer and (is_reveal(event) or is_build(event, per_player)):
            first = MAX_HELD * player
            for place in range(HAND_SIZE if is_reveal(event) else 1):
                kind = revealed_card(event, place) if is_reveal(event) else played_card(g, event)
                end = first + held_count[player]
                for k in range(particles):
                    weights[k] *= assign_card(
                        kind,
                        first,
                        end,
                        held[k],
                        pile_of_draw,
                        piles[k],
                        pile_sizes[k],
                        drawn[k],
                        random,
                    )
                held_count[player] -= 1
            if particles > 1 and is_degenerate(weights):
                resample_particles(weights, held, piles, pile_sizes, drawn, random)
    total = sum_of(weights)
    if total == 0.0:
        return False
    rest, chosen, last = total * next_random_float(random), 0, last_possible(weights)
    while chosen < last and rest >= weights[chosen]:
        rest -= weights[chosen]
        chosen += 1
    assign_remaining(
        held[chosen],
        held_count,
        pile_of_draw,
        piles[chosen],
        pile_sizes[chosen],
        drawn[chosen],
        random,
    )
    for i in range(c.event_count):
        out[i] = drawn[chosen, i]
    return True


@inlined
def is_same_history(viewer: int, c: ChanceState, other: ChanceState) -> bool:
    """Return whether the viewer has seen the same in both games."""
    if c.event_count != other.event_count or c.to_draw != other.to_draw:
        return False
    for i in range(c.event_count):
        event: Any = np.int64(c.events[i])
        is_hidden = is_draw(event) and player_of(event) != viewer
        if not is_hidden and c.events[i] != other.events[i]:
            return False
    return True


@inlined
def replay(
    c: ChanceState,
    other_game: GameRecord,
    other: ChanceState,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    drawn: Any,
    out: Any,
) -> int:
    """Replay a game with other cards; return the number of actions and outcomes written to
    ``out``, or -1 if one is impossible."""
    start(
        other_game, other, player_of(np.int64(c.events[0]))
    )  # the first card is the first player's
    count = 0
    for i in range(c.event_count):
        event: Any = np.int64(c.events[i])
        if is_reveal(event):
            continue  # it follows from the action before
        if event == SHUFFLED:
            event = SHUFFLE
        elif is_draw(event):
            event = drawn[i]
        else:
            event %= ACTION_STRIDE
        if not apply(other_game, other, players, colours, event):
            return -1
        out[count] = event
        count += 1
    return count


@compiled
def resample(
    games: Any,
    chances: Any,
    other_games: Any,
    other_chances: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    viewer: int,
    seed: Any,
    out: Any,
    tries: int,
) -> int:
    """Write the actions and outcomes of another game that the viewer can't distinguish from this
    one; return their number, or -1 if no try found one. The other game is a copy of this one, and
    becomes that game."""
    g, c = games[0], chances[0]
    other_game, other = other_games[0], other_chances[0]
    if c.event_count == 0:
        return 0
    hidden = hidden_piles(g, c, len(colours), viewer)
    drawn = np.zeros(len(c.events), np.int64)
    random = np.zeros(1, np.uint64)
    random[0] = stream_start(seed, U64(viewer))
    for _ in range(tries):
        if sample_draws(g, c, len(colours), viewer, hidden, random, drawn):
            count = replay(c, other_game, other, players, colours, drawn, out)
            if count >= 0 and g.phase == other_game.phase and is_same_history(viewer, c, other):
                return count
    return -1
