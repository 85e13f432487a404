"""What tests of the bots and the environments need compiled, compiled before they are measured.

Measuring the coverage makes the compiler half as fast, too; and this can go on beside tests that
need something else.
"""

from __future__ import annotations

from dataclasses import replace

from manhattan.envs.deck import new_deck
from manhattan.envs.play import Play
from manhattan.envs.seats import seats
from manhattan.envs.utility import AT_THE_END, WIN_SHARE
from manhattan.envs.vector import ManhattanVectorEnv
from manhattan.judgement.mind import Kind
from manhattan.judgement.rehearsal import rehearse_thinking
from manhattan.judgement.speed import measure_trials
from manhattan.judgement.training import Recipe, Training
from manhattan.rules import set_up
from manhattan.rules.editions import DEFAULT_EDITION

if __name__ == "__main__":
    FOUR = set_up(4)
    rehearse_thinking(FOUR)
    Training(Kind.of(FOUR), replace(Recipe().scaled(0), generations=1, courses=1), seed=1).run()
    list(measure_trials(Kind.of(FOUR), 1))
    for players in (4, 3, 2):
        Play(seats(players), WIN_SHARE, AT_THE_END)
        new_deck(players, DEFAULT_EDITION)
        ManhattanVectorEnv(2, players=players)
    Play(seats(2, house_rules={"two_players": "6x4-one-colour"}), WIN_SHARE, AT_THE_END)
