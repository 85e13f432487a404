"""The kernel on other processors, and on none in particular: always the same games."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import whole_games
from manhattan.kernel.bits import nth_bit, nth_bit_by_bytes
from manhattan.kernel.jit import CACHE, _cache_home, compiled, has_feature

FOUR = pytest.mark.xdist_group("4-1")


def play_elsewhere(**env: str) -> dict[str, Any]:
    """The same games in another process, for another processor."""
    command = [sys.executable, "-W", "error", whole_games.__file__]
    done = subprocess.run(
        command, env=os.environ | env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@FOUR
@pytest.mark.compiled
def test_without_the_compiler_the_same_games_are_played() -> None:
    assert play_elsewhere(NUMBA_DISABLE_JIT="1")["endings"] == whole_games.endings()


@FOUR
@pytest.mark.compiled
def test_a_processor_without_extras_plays_the_same_games(tmp_path: Path) -> None:
    """Neither BMI2 nor vector units of any width: the least of its kind that there is."""
    told = play_elsewhere(
        NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", MANHATTAN_CACHE=str(tmp_path)
    )
    assert not told["pdep"]
    assert told["cache"] != CACHE.name
    assert [folder.name for folder in tmp_path.iterdir()] == [told["cache"]]
    assert told["endings"] == whole_games.endings()


def test_who_has_no_cache_folder_gets_one_that_only_he_may_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service's user, say, has no home. Code is read from there: nobody else may put it in."""
    monkeypatch.setenv("MANHATTAN_CACHE", "/dev/null/nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = _cache_home()
    assert (found, found.stat().st_mode & 0o777) == (tmp_path / f"manhattan-{os.getuid()}", 0o700)
    assert _cache_home() == found
    found.chmod(0o777)  # somebody else may have made it
    other = _cache_home()
    assert other != found
    assert other.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("MANHATTAN_CACHE", str(tmp_path / "mine"))
    assert _cache_home() == tmp_path / "mine"


@pytest.mark.parametrize(
    ("machine", "features", "there"),
    [
        ("x86_64-unknown-linux-gnu", "+avx,+bmi2,-sha", True),
        ("x86_64-apple-darwin", "+bmi2", True),
        ("x86_64-unknown-linux-gnu", "+avx,-bmi2", False),
        ("x86_64-unknown-linux-gnu", "+bmi2,-bmi2", False),
        ("x86_64-unknown-linux-gnu", "+bmi,+avx512vbmi2", False),
        ("x86_64-unknown-linux-gnu", "", False),
        ("i686-pc-windows-msvc", "+bmi2", False),
        ("aarch64-unknown-linux-gnu", "+neon", False),
        ("arm64-apple-darwin", "", False),
    ],
)
def test_only_what_the_target_has_is_relied_on(machine: str, features: str, there: bool) -> None:
    assert has_feature((machine, "any", features), "x86_64", "bmi2") is there


@compiled
def both_ways(bits: Any, n: Any) -> Any:
    return nth_bit(bits, n), nth_bit_by_bytes(bits, n)


def test_a_set_s_nth_bit_is_found_the_portable_way_too() -> None:
    rng = Random(1)
    sets = [0, 1, 1 << 53, 1 << 63, 2**54 - 1, 2**64 - 1]
    sets += [rng.getrandbits(54) & rng.getrandbits(54) for _ in range(300)]
    for bits in sets:
        ones = [1 << i for i in range(64) if bits >> i & 1] or [0]
        for n, one in enumerate(ones):
            assert both_ways(np.uint64(bits), np.uint64(n)) == (one, one)
