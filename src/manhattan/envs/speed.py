"""How fast the environments are, beside games that others made: measured in one run.

Decisions a second on one core by the processor's clock, the best of several runs taken in turns:
machines are shared and noisy, so figures mean something only beside others of the same run. Every
agent moves at random among what is legal. Peers that are not installed are left out.
"""

from __future__ import annotations

import importlib
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from manhattan.figure import Figure

RUNS: Final = 5
_UNIT: Final = "decisions a second"
Measurement = Callable[[], float]


def _rate(work: Callable[[], int]) -> float:
    """How many decisions a second some work is."""
    begin = time.process_time()
    decisions = work()
    return decisions / (time.process_time() - begin)


def best_of(measurements: dict[str, Measurement]) -> dict[str, float]:
    """The best of several runs of each, taken in turns: so what is compared has met the same
    noise."""
    rounds = [{name: run() for name, run in measurements.items()} for _ in range(RUNS)]
    return {name: max(one[name] for one in rounds) for name in measurements}


def openspiel(game: str, decisions: int) -> Measurement:
    """Random play through OpenSpiel's Python interface; outcomes of chance are not counted."""
    import pyspiel

    loaded = pyspiel.load_game(game)

    def play() -> int:
        count = 0
        dice = random.Random(1)  # noqa: S311 - a game
        while count < decisions:
            state = loaded.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(_drawn(state.chance_outcomes(), dice.random()))
                else:
                    state.apply_action(dice.choice(state.legal_actions()))
                    count += 1
        return count

    return lambda: _rate(play)


def _drawn(outcomes: list[tuple[int, float]], luck: float) -> int:
    for outcome, chance in outcomes:
        luck -= chance
        if luck <= 0:
            return outcome
    return outcomes[-1][0]


def pettingzoo(env: Any, decisions: int) -> Measurement:
    """Random play as PettingZoo's own benchmark does it."""

    def play() -> int:
        count = 0
        dice = random.Random(1)  # noqa: S311 - a game
        env.reset(seed=1)
        while count < decisions:
            for _ in env.agent_iter():
                observed, _, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                told = observed if "action_mask" in observed else info
                env.step(dice.choice(np.flatnonzero(told["action_mask"]).tolist()))
                count += 1
            env.reset()
        return count

    return lambda: _rate(play)


def gymnasium_vector(
    players: int, batch: int, decisions: int, *, choosing: bool, copy: bool = True
) -> Measurement:
    """Steps of a batch, what is seen and may be done included; with or without choosing."""
    from manhattan.envs.vector import ManhattanVectorEnv

    envs = ManhattanVectorEnv(batch, players=players, copy=copy)
    envs.reset(seed=1)

    def play() -> int:
        for _ in range(decisions // batch):
            envs.step(envs.random_actions())
        return decisions // batch * batch

    def step_alone() -> float:
        spent = 0.0
        for _ in range(decisions // batch):
            actions = envs.random_actions()
            begin = time.process_time()
            envs.step(actions)
            spent += time.process_time() - begin
        return decisions // batch * batch / spent

    # The clock is read as seldom as can be: that takes microseconds, too.
    return (lambda: _rate(play)) if choosing else step_alone


def pgx(game: str, batch: int, decisions: int) -> Measurement:
    """Random play of pgx, many games at once on one core: steps and choices in one compiled
    loop, which is how it is fastest."""
    import jax
    import jax.numpy as jnp

    env: Any = importlib.import_module("pgx").make(game)
    steps = 64

    def one(state: Any, key: Any) -> Any:
        choose, chance = jax.random.split(key)
        odds = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choose, odds, axis=1)
        step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)
        return jax.vmap(step)(state, actions, jax.random.split(chance, batch)), None

    def roll_once(state: Any, key: Any) -> Any:
        return jax.lax.scan(one, state, jax.random.split(key, steps))[0]

    roll = jax.jit(roll_once)

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), batch))
    state = jax.block_until_ready(roll(state, jax.random.PRNGKey(2)))

    def play() -> int:
        count, now = 0, state
        while count < decisions:
            now = jax.block_until_ready(roll(now, jax.random.PRNGKey(count)))
            count += steps * batch
        return count

    return lambda: _rate(play)


def _there(module: str) -> bool:
    """Is a peer installed?"""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _peers_of_openspiel(decisions: int) -> dict[str, Measurement]:
    importlib.import_module("open_spiel.python.games")
    return {
        "openspiel_python_kuhn_poker": openspiel("python_kuhn_poker", decisions // 10),
        "openspiel_python_tic_tac_toe": openspiel("python_tic_tac_toe", decisions // 10),
        "openspiel_backgammon_in_cpp": openspiel("backgammon", decisions),
    }


def _peers_of_pettingzoo(decisions: int) -> dict[str, Measurement]:
    peers: dict[str, Measurement] = {}
    for name, share in (("connect_four_v3", 1), ("hanabi_v5", 10)):
        if not _there(f"pettingzoo.classic.{name}"):
            continue
        module = importlib.import_module(f"pettingzoo.classic.{name}")
        for kind in ("raw_env", "env"):
            try:
                env = getattr(module, kind)()
            except Exception:  # noqa: S112 - a peer that can't be made is left out
                continue
            peers[f"pettingzoo_{name}_{kind}"] = pettingzoo(env, decisions // share)
    return peers


def use_one_core() -> None:
    """For those who would take more."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(decisions: int, batch: int, players: Sequence[int] = (4, 3, 2)) -> Iterator[Figure]:
    """All figures, one by one as they are measured, for tables of so many players: four must be
    among them, for they are compared with others' games."""
    use_one_core()
    from manhattan.envs import manhattan_v1
    from manhattan.envs.openspiel import NAME

    ours = {f"openspiel_{n}": openspiel(f"{NAME}(players={n})", decisions) for n in players}
    yield from _figures(best_of(ours | _peers_of_openspiel(decisions)))
    zoo = {
        "pettingzoo_raw": pettingzoo(manhattan_v1.raw_env(), decisions),
        "pettingzoo_wrapped": pettingzoo(manhattan_v1.env(), decisions),
    }
    found = best_of(zoo | _peers_of_pettingzoo(decisions))
    yield from _figures(found)
    for peer, kind in (("connect_four_v3", "raw"), ("hanabi_v5", "raw")):
        if theirs := found.get(f"pettingzoo_{peer}_{kind}_env"):
            ratio = found["pettingzoo_raw"] / theirs
            yield Figure(f"pettingzoo_raw_to_{peer}", 4, ratio, "times as many")
    vectors: dict[str, Measurement] = {}
    for n in players:
        vectors[f"vector_{n}"] = gymnasium_vector(n, batch, 200 * batch, choosing=False)
        vectors[f"vector_choosing_{n}"] = gymnasium_vector(n, batch, 200 * batch, choosing=True)
    vectors["vector_in_place_4"] = gymnasium_vector(
        4, batch, 200 * batch, choosing=False, copy=False
    )
    if _there("pgx"):
        vectors["pgx_backgammon"] = pgx("backgammon", batch, 64 * batch)
    found = best_of(vectors)
    yield from _figures(found)
    if theirs := found.get("pgx_backgammon"):
        ratio = found["vector_choosing_4"] / theirs
        yield Figure("vector_choosing_to_pgx_backgammon", 4, ratio, "times as many")


def _figures(found: dict[str, float]) -> Iterator[Figure]:
    for name, value in found.items():
        stem, _, players = name.rpartition("_")
        if players in ("2", "3", "4"):
            yield Figure(stem, int(players), value, _UNIT)
        else:
            yield Figure(name, 0, value, _UNIT)
