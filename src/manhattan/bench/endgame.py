"""Endgame benchmark: how much of a win a bot's last placements lose against near-exact play.

Near-exact play looks at every end of the game: the last player makes the best placement, which is
exact; earlier players try their most likely placements on deals of the cards that they can't see,
and expect the others to do the same. What a placement loses is estimated on other deals than those
by which near-exact play chose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from manhattan.ai.endgame import pick_last_placement, result_value, win_share
from manhattan.ai.jit import compiled, never_inlined
from manhattan.ai.model import Kind
from manhattan.ai.networks import load_networks
from manhattan.ai.playout_policy import end_turn
from manhattan.ai.policy_network import new_policy_buffers, packed, score_actions, score_placements
from manhattan.ai.search import POINT_VALUE
from manhattan.bench.measurement import Measurement
from manhattan.bots import Budget, bot, warm_up
from manhattan.game import Game
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, stream_start, trailing_zeros
from manhattan.kernel.determinization import determinize
from manhattan.kernel.layout import OVER, REMOVE, table_shape
from manhattan.kernel.policies import pick_removal
from manhattan.kernel.position import Position
from manhattan.kernel.transition import apply_build, list_placements, remove_block
from manhattan.parallel import map_processes
from manhattan.rules import Phase
from manhattan.view import view_of

LAST: Final = 4
"""The placements of a game that are judged."""
OPENING: Final = "expert"
"""The bot that plays the games until then."""
_MOST_JUDGED: Final = 12
"""The most likely placements among which the best is looked for."""
_MOST_TRIED: Final = 5
"""The most likely placements that the players try who come after."""
_DEALS: Final = np.array([0, 0, 6, 4])
"""The deals on which they try each, by the number of placements left in the game."""
_JUDGED_DEALS: Final = 24
"""The deals by which the best placement is chosen, and as many by which the loss is estimated."""


@never_inlined
def list_likely(g: Any, colours: Any, scores: Any, blocks: Any, bits: Any) -> Any:
    """Fill in the most likely of the listed placements, the likeliest first; return how many."""
    for count in range(len(blocks)):
        best = np.float32(-1e9)
        for block in range(4 * len(colours)):
            sites = g.legal[block]
            while sites != U64(0):
                bit = sites & (~sites + U64(1))
                sites ^= bit
                score = scores[block, np.int64(trailing_zeros(bit))]
                if score > best:
                    best, blocks[count], bits[count] = score, block, bit
        if best == np.float32(-1e9):
            return count
        g.legal[blocks[count]] &= ~bits[count]
    return len(blocks)


class Judge(NamedTuple):
    """How thorough near-exact play is, and its working memory. A level is a record of the game:
    each player who compares placements plays them out on the next level."""

    deals: Any
    """The deals on which players try each placement, by the number of placements left."""
    games: Any
    blocks: Any
    """``[level, try]``: the placements that are compared; their number is a limit."""
    bits: Any
    counters: Any
    """``[level]``: the mover, how many placements are compared, the current one, the current deal,
    and the best one so far."""
    values: Any
    """``[level]``: the sum of the values of the current placement, and that of the best one."""
    final: Any
    """A record to try last placements on."""
    net: Any
    buffers: Any


_MOVER, _COUNT, _TRIED, _DEAL, _BEST = range(5)
_TOTAL, _GREATEST = range(2)


@never_inlined
def place(g: Any, players: Any, colours: Any, block: Any, bit: Any) -> None:
    """Make a placement and go on to the next one, or to the end of the game."""
    apply_build(g, players, colours, block // 4, block % 4 + 1, bit)
    end_turn(g, players, colours, True)
    while g.phase == REMOVE:
        removed = pick_removal(g, colours, g.mover)
        remove_block(g, colours, removed // 4, removed % 4 + 1)
        end_turn(g, players, colours, False)


@never_inlined
def begin_comparison(players: Any, colours: Any, level: int, judge: Judge) -> None:
    """List the placements that the mover of a level compares."""
    g, counters = judge.games[level], judge.counters[level]
    score_placements(g, players, colours, g.mover, judge.net[0], judge.buffers[0])
    count = list_likely(g, colours, judge.buffers[0].scores, judge.blocks[level], judge.bits[level])
    counters[_MOVER], counters[_COUNT] = g.mover, count
    counters[_TRIED], counters[_DEAL], counters[_BEST] = 0, 0, 0
    judge.values[level, _TOTAL], judge.values[level, _GREATEST] = 0.0, -1e9


@never_inlined
def next_trial(players: Any, colours: Any, level: int, judge: Judge) -> Any:
    """Begin the next trial on the level after this one; or, if all placements of this level have
    been compared, make the best one. Return the level on which the game goes on."""
    g, counters, values = judge.games[level], judge.counters[level], judge.values[level]
    if counters[_DEAL] == judge.deals[g.blocks_left]:
        if values[_TOTAL] > values[_GREATEST]:
            counters[_BEST], values[_GREATEST] = counters[_TRIED], values[_TOTAL]
        counters[_TRIED] += 1
        counters[_DEAL], values[_TOTAL] = 0, 0.0
    if counters[_TRIED] == counters[_COUNT]:
        best = counters[_BEST]
        place(g, players, colours, judge.blocks[level, best], judge.bits[level, best])
        return level
    judge.games[level + 1] = judge.games[level]
    after, tried = judge.games[level + 1], counters[_TRIED]
    after.random = stream_start(g.random, U64(counters[_DEAL]))
    determinize(after, players, colours, counters[_MOVER])
    place(after, players, colours, judge.blocks[level, tried], judge.bits[level, tried])
    return level + 1


@compiled
def play_near_exactly(players: Any, colours: Any, judge: Judge) -> None:
    """Finish the game of level 1 by near-exact play."""
    level = 1
    while level > 1 or judge.games[1].phase != OVER:
        g = judge.games[level]
        if g.phase == OVER:
            level -= 1
            mover = judge.counters[level, _MOVER]
            value = result_value(g, players, colours, mover, POINT_VALUE)
            judge.values[level, _TOTAL] += value
            judge.counters[level, _DEAL] += 1
            level = next_trial(players, colours, level, judge)
            continue
        list_placements(g, colours, g.mover)
        if g.blocks_left == 1:
            block, bit = pick_last_placement(g, players, colours, POINT_VALUE, judge.final)
            place(g, players, colours, block, bit)
        else:
            begin_comparison(players, colours, level, judge)
            level = next_trial(players, colours, level, judge)


@compiled
def near_exact_shares(players: Any, colours: Any, actions: Any, judge: Judge, shares: Any) -> None:
    """Write the share of the win of the mover of level 0 after each placement (``shares[action,
    deal]``) if all go on with near-exact play; the deals are the same for all placements."""
    player = judge.games[0].mover
    for i in range(len(actions)):
        action = np.int64(actions[i])
        block, bit = action // BUILDS * 4 + action % 4, U64(1) << U64(action % BUILDS // 4)
        for number in range(shares.shape[1]):
            judge.games[1] = judge.games[0]
            after = judge.games[1]
            after.random = stream_start(U64(77), U64(number))
            determinize(after, players, colours, player)
            place(after, players, colours, block, bit)
            play_near_exactly(players, colours, judge)
            shares[i, number] = win_share(after, players, colours, player)


@dataclass(frozen=True, slots=True)
class Task:
    """One game."""

    bot: str
    players: int
    number: int
    rollouts: int


@dataclass(frozen=True, slots=True)
class Loss:
    """What one placement lost."""

    placements_left: int
    share: float
    """Of the win."""


def placements_left(game: Game) -> int:
    """Return how many placements the game has left; before the last round, many."""
    if game.public.phase is Phase.SELECT or game.public.round < game.setup.schedule.rounds:
        return 1000
    return sum(map(sum, game.public.tableaus))


def play(task: Task) -> list[Loss]:
    """Play a game, and judge the bot's placements at its end, except those without a choice."""
    game = Game.new(task.players, seed=task.number.to_bytes(32, "big"))
    warm_up(game.setup)
    rng, budget = Random(task.number), Budget(rollouts=task.rollouts)  # noqa: S311 - a game
    losses: list[Loss] = []
    while not game.is_over:
        view = view_of(game, game.public.mover)
        left = placements_left(game)
        move = bot(task.bot if left <= LAST else OPENING)(view, rng, budget)
        if game.public.phase is Phase.BUILD and left <= LAST:
            at = Position.from_state(game.state)
            if len(at.legal_actions()) > 1:
                losses.append(Loss(left, judge(at, at.encode(move))))
        game.play(move)
    return losses


def judge(at: Position, action: int) -> float:
    """Return the share of the win that a placement loses against the near-exact one."""
    kind = Kind.of(at.setup)
    players, colours = table_shape(kind.players, kind.schedule.colours)
    memory = Judge(
        deals=_DEALS,
        games=np.repeat(at.data, LAST + 1).view(np.recarray),
        blocks=np.zeros((LAST, _MOST_TRIED), np.int64),
        bits=np.zeros((LAST, _MOST_TRIED), np.uint64),
        counters=np.zeros((LAST, 5), np.int64),
        values=np.zeros((LAST, 2)),
        final=at.data.copy(),
        net=packed(load_networks(kind).policy),
        buffers=new_policy_buffers(),
    )
    scores = np.full(BUILDS * len(colours), -np.inf, np.float32)
    score_actions(at.data, players, colours, memory.net, memory.buffers, scores)
    likely = [int(n) for n in np.argsort(-scores)[:_MOST_JUDGED] if scores[n] > -np.inf]
    actions = [action, *(other for other in likely if other != action)]
    if at.data[0].blocks_left == 1:
        actions = [action, *(other for other in at.legal_actions() if other != action)]
    shares = np.zeros((len(actions), 2 * _JUDGED_DEALS))
    near_exact_shares(players, colours, np.array(actions, np.int64), memory, shares)
    best = int(np.argmax(shares[:, :_JUDGED_DEALS].mean(axis=1)))
    estimated = shares[:, _JUDGED_DEALS:].mean(axis=1)
    return float(estimated[best] - estimated[0])


def collect(
    name: str, players: int, games: int, rollouts: int, workers: int | None = None
) -> Iterator[list[Loss]]:
    """Yield the losses of each game."""
    tasks = [Task(name, players, number, rollouts) for number in range(games)]
    return map_processes(play, tasks, workers)


def summarize(players: int, losses: list[Loss]) -> Iterator[Measurement]:
    """Yield the mean loss of all placements, its 95 % interval, and the mean of each."""
    shares = np.array([loss.share for loss in losses])
    yield Measurement("endgame_placements", players, len(shares), "placements")
    yield Measurement("endgame_loss", players, float(shares.mean()), "share of the win")
    half = 1.96 * float(shares.std()) / len(shares) ** 0.5
    yield Measurement("endgame_loss_interval", players, half, "on either side")
    for left in range(1, LAST + 1):
        part = [loss.share for loss in losses if loss.placements_left == left]
        if part:
            unit = "share of the win"
            yield Measurement(f"endgame_loss_{left}_left", players, float(np.mean(part)), unit)
