"""What tests of the bots need compiled, compiled before they are measured.

Measuring the coverage makes the compiler half as fast, too; and this can go on beside tests that
need something else.
"""

from __future__ import annotations

from dataclasses import replace

from manhattan.judgement.mind import Kind
from manhattan.judgement.rehearsal import rehearse_thinking
from manhattan.judgement.speed import measure_trials
from manhattan.judgement.training import Recipe, Training
from manhattan.rules import set_up

if __name__ == "__main__":
    FOUR = set_up(4)
    rehearse_thinking(FOUR)
    Training(Kind.of(FOUR), replace(Recipe().scaled(0), generations=1, courses=1), seed=1).run()
    list(measure_trials(Kind.of(FOUR), 1))
