"""Warm-up: one search compiles everything, once."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.ai import opponent_model, search, warmup
from manhattan.ai.warmup import COMPILED_PARTS, warm_up, warm_up_if_needed
from manhattan.kernel.compile_notice import setup_for_shape
from manhattan.rules import Setup, set_up
from support.random_models import random_model, random_networks

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

COMPILED_FUNCTIONS = ("evaluate_placements", "infer_policies", "run_rollouts", "score_actions")


@pytest.mark.parametrize(("players", "colours"), [(3, 1), (2, 2)])
def test_a_warm_up_calls_every_compiled_function_of_a_search(
    players: int, colours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block has been placed before, so the opponent model has something to infer from."""
    monkeypatch.setattr(search, "load_model", random_model)
    monkeypatch.setattr(search, "load_networks", random_networks)
    monkeypatch.setattr(search, "MAX_CANDIDATES", 1)
    monkeypatch.setattr(opponent_model, "HAND_SAMPLES", 1)
    called: set[str] = set()

    def record_calls(name: str) -> None:
        original = getattr(search, name)

        def recorded(*arguments: Any) -> None:
            called.add(name)
            original(*arguments)

        monkeypatch.setattr(search, name, recorded)

    for name in COMPILED_FUNCTIONS:
        record_calls(name)
    warm_up(setup_for_shape(players, colours))
    assert called == set(COMPILED_FUNCTIONS)


@pytest.mark.parametrize("compiled", [(), ("values",), COMPILED_PARTS])
def test_compiled_code_is_not_compiled_again(
    compiled: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed_up: list[Setup] = []
    monkeypatch.setattr(warmup, "is_compiled", lambda setup, part, cache: part in compiled)
    monkeypatch.setattr(warmup, "warm_up", warmed_up.append)
    setup = set_up(3)
    warm_up_if_needed(setup)
    assert warmed_up == ([] if compiled == COMPILED_PARTS else [setup])
