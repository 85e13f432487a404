"""Benchmark of the environments, beside games of other projects in the same run.

Decisions per second of CPU time on one core, the best of several runs taken in turns: machines are
shared and noisy, so figures can be compared only within a run. All agents choose legal actions at
random. Peers that are not installed are skipped.
"""

from __future__ import annotations

import importlib
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from manhattan.bench.measurement import Measurement

RUNS: Final = 5
_UNIT: Final = "decisions per second"
Run = Callable[[], float]


def _rate(work: Callable[[], int]) -> float:
    """Measure the decisions per second of CPU time."""
    start = time.process_time()
    decisions = work()
    return decisions / (time.process_time() - start)


def best_of(runs: dict[str, Run]) -> dict[str, float]:
    """Return the best of several runs of each, taken in turns so that all meet the same noise."""
    rounds = [{name: run() for name, run in runs.items()} for _ in range(RUNS)]
    return {name: max(rates[name] for rates in rounds) for name in runs}


def openspiel(game: str, decisions: int) -> Run:
    """Random play through OpenSpiel's Python interface; chance outcomes are not counted."""
    import pyspiel

    loaded = pyspiel.load_game(game)

    def play() -> int:
        count = 0
        rng = random.Random(1)  # noqa: S311 - a game
        while count < decisions:
            state = loaded.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(_sample_outcome(state.chance_outcomes(), rng.random()))
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
                    count += 1
        return count

    return lambda: _rate(play)


def _sample_outcome(outcomes: list[tuple[int, float]], u: float) -> int:
    for outcome, probability in outcomes:
        u -= probability
        if u <= 0:
            return outcome
    return outcomes[-1][0]


def pettingzoo(env: Any, decisions: int) -> Run:
    """Random play like that of PettingZoo's own benchmark."""

    def play() -> int:
        count = 0
        rng = random.Random(1)  # noqa: S311 - a game
        env.reset(seed=1)
        while count < decisions:
            for _ in env.agent_iter():
                observation, _, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                source = observation if "action_mask" in observation else info
                env.step(rng.choice(np.flatnonzero(source["action_mask"]).tolist()))
                count += 1
            env.reset()
        return count

    return lambda: _rate(play)


def gymnasium_vector(
    players: int, batch: int, decisions: int, *, with_choice: bool, copy: bool = True
) -> Run:
    """Steps of a batch with its observations and masks, with or without choosing the actions."""
    from manhattan.envs.vector_env import ManhattanVectorEnv

    envs = ManhattanVectorEnv(batch, players=players, copy=copy)
    envs.reset(seed=1)

    def play() -> int:
        for _ in range(decisions // batch):
            envs.step(envs.random_actions())
        return decisions // batch * batch

    def time_steps() -> float:
        elapsed = 0.0
        for _ in range(decisions // batch):
            actions = envs.random_actions()
            start = time.process_time()
            envs.step(actions)
            elapsed += time.process_time() - start
        return decisions // batch * batch / elapsed

    # Reading the clock takes microseconds, so playing with choices is timed as a whole.
    return (lambda: _rate(play)) if with_choice else time_steps


def pgx(game: str, batch: int, decisions: int) -> Run:
    """Random play of pgx, many games at once on one core. Steps and choices are in one compiled
    loop, which is its fastest form."""
    import jax
    import jax.numpy as jnp

    env: Any = importlib.import_module("pgx").make(game)
    steps = 64

    def step_once(state: Any, key: Any) -> Any:
        choose, chance = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choose, logits, axis=1)
        step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)
        return jax.vmap(step)(state, actions, jax.random.split(chance, batch)), None

    def run_steps(state: Any, key: Any) -> Any:
        return jax.lax.scan(step_once, state, jax.random.split(key, steps))[0]

    run = jax.jit(run_steps)

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), batch))
    state = jax.block_until_ready(run(state, jax.random.PRNGKey(2)))

    def play() -> int:
        count, current = 0, state
        while count < decisions:
            current = jax.block_until_ready(run(current, jax.random.PRNGKey(count)))
            count += steps * batch
        return count

    return lambda: _rate(play)


def _is_installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _openspiel_peers(decisions: int) -> dict[str, Run]:
    importlib.import_module("open_spiel.python.games")
    return {
        "openspiel_python_kuhn_poker": openspiel("python_kuhn_poker", decisions // 10),
        "openspiel_python_tic_tac_toe": openspiel("python_tic_tac_toe", decisions // 10),
        "openspiel_backgammon_in_cpp": openspiel("backgammon", decisions),
    }


def _pettingzoo_peers(decisions: int) -> dict[str, Run]:
    peers: dict[str, Run] = {}
    for name, divisor in (("connect_four_v3", 1), ("hanabi_v5", 10)):
        if not _is_installed(f"pettingzoo.classic.{name}"):
            continue
        module = importlib.import_module(f"pettingzoo.classic.{name}")
        for kind in ("raw_env", "env"):
            try:
                env = getattr(module, kind)()
            except Exception:  # noqa: S112 - a broken peer is skipped
                continue
            peers[f"pettingzoo_{name}_{kind}"] = pettingzoo(env, decisions // divisor)
    return peers


def use_one_core() -> None:
    """Keep peers that use several threads on one core."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(
    decisions: int, batch: int, players: Sequence[int] = (4, 3, 2)
) -> Iterator[Measurement]:
    """Yield all figures, one by one as they are measured. ``players`` must include four, which are
    compared with the peers."""
    use_one_core()
    from manhattan.envs import manhattan_v1
    from manhattan.envs.openspiel import NAME

    ours = {f"openspiel_{n}": openspiel(f"{NAME}(players={n})", decisions) for n in players}
    yield from _figures(best_of(ours | _openspiel_peers(decisions)))
    pettingzoo_envs = {
        "pettingzoo_raw": pettingzoo(manhattan_v1.raw_env(), decisions),
        "pettingzoo_wrapped": pettingzoo(manhattan_v1.env(), decisions),
    }
    rates = best_of(pettingzoo_envs | _pettingzoo_peers(decisions))
    yield from _figures(rates)
    for peer, kind in (("connect_four_v3", "raw"), ("hanabi_v5", "raw")):
        if theirs := rates.get(f"pettingzoo_{peer}_{kind}_env"):
            ratio = rates["pettingzoo_raw"] / theirs
            yield Measurement(f"pettingzoo_raw_to_{peer}", 4, ratio, "times the peer")
    vectors: dict[str, Run] = {}
    for n in players:
        vectors[f"vector_{n}"] = gymnasium_vector(n, batch, 200 * batch, with_choice=False)
        vectors[f"vector_choosing_{n}"] = gymnasium_vector(n, batch, 200 * batch, with_choice=True)
    vectors["vector_in_place_4"] = gymnasium_vector(
        4, batch, 200 * batch, with_choice=False, copy=False
    )
    if _is_installed("pgx"):
        vectors["pgx_backgammon"] = pgx("backgammon", batch, 64 * batch)
    rates = best_of(vectors)
    yield from _figures(rates)
    if theirs := rates.get("pgx_backgammon"):
        ratio = rates["vector_choosing_4"] / theirs
        yield Measurement("vector_choosing_to_pgx_backgammon", 4, ratio, "times the peer")


def _figures(rates: dict[str, float]) -> Iterator[Measurement]:
    for name, value in rates.items():
        stem, _, players = name.rpartition("_")
        if players in ("2", "3", "4"):
            yield Measurement(stem, int(players), value, _UNIT)
        else:
            yield Measurement(name, 0, value, _UNIT)
