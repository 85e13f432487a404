"""The kernel plays the same games on every processor, and without the compiler."""

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

from manhattan.kernel.bits import nth_bit, nth_bit_portable
from manhattan.kernel.jit import CACHE, _cache_home, compiled, has_feature
from support import kernel_games

FOUR = pytest.mark.xdist_group("4-1")


def play_elsewhere(**env: str) -> dict[str, Any]:
    """Play the same games in another process, compiled for another processor."""
    command = [sys.executable, "-W", "error", kernel_games.__file__]
    done = subprocess.run(
        command, env=os.environ | env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@FOUR
@pytest.mark.compiled
def test_without_the_compiler_the_same_games_are_played() -> None:
    assert play_elsewhere(NUMBA_DISABLE_JIT="1")["endings"] == kernel_games.endings()


@FOUR
@pytest.mark.compiled
def test_a_processor_without_extras_plays_the_same_games(tmp_path: Path) -> None:
    """The least processor of its kind, without BMI2 and wide vector units."""
    result = play_elsewhere(
        NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", MANHATTAN_CACHE=str(tmp_path)
    )
    assert not result["pdep"]
    assert result["cache"] != CACHE.name
    assert [folder.name for folder in tmp_path.iterdir()] == [result["cache"]]
    assert result["endings"] == kernel_games.endings()


def test_a_user_without_a_cache_folder_gets_a_private_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user of a service, say, has no home. Code is loaded from the folder, so no other user may
    write to it."""
    monkeypatch.setenv("MANHATTAN_CACHE", "/dev/null/nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = _cache_home()
    assert (folder, folder.stat().st_mode & 0o777) == (tmp_path / f"manhattan-{os.getuid()}", 0o700)
    assert _cache_home() == folder
    folder.chmod(0o777)  # another user may have made it
    other = _cache_home()
    assert other != folder
    assert other.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("MANHATTAN_CACHE", str(tmp_path / "mine"))
    assert _cache_home() == tmp_path / "mine"


@pytest.mark.parametrize(
    ("architecture", "features", "expected"),
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
def test_only_features_of_the_target_are_used(
    architecture: str, features: str, expected: bool
) -> None:
    assert has_feature((architecture, "any", features), "x86_64", "bmi2") is expected


@compiled
def nth_bit_both_ways(bits: Any, n: Any) -> Any:
    return nth_bit(bits, n), nth_bit_portable(bits, n)


def test_the_portable_nth_bit_equals_the_fast_one() -> None:
    rng = Random(1)
    sets = [0, 1, 1 << 53, 1 << 63, 2**54 - 1, 2**64 - 1]
    sets += [rng.getrandbits(54) & rng.getrandbits(54) for _ in range(300)]
    for bits in sets:
        ones = [1 << i for i in range(64) if bits >> i & 1] or [0]
        for n, one in enumerate(ones):
            assert nth_bit_both_ways(np.uint64(bits), np.uint64(n)) == (one, one)
