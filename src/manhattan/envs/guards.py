"""PettingZoo's three usual guards, nearer to the game.

A guard hands on every question that is not its own: whose turn it is, who has lost. PettingZoo's
ask the next guard, which asks the next: three lookups that fail before one finds the game, two
dozen times a decision. These are the same guards with the same checks, none of them written anew;
only what is asked most often they ask the game itself.
"""

from __future__ import annotations

from typing import Any, Final

from pettingzoo.utils import wrappers


class _OfTheGame:
    """An attribute of the game behind a guard.

    It only reads, so a guard can still be given one of its own. If the game can't be asked yet,
    Python turns to the guard's ``__getattr__``, and that says why.
    """

    def __set_name__(self, guard: type, name: str) -> None:
        self._name = name

    def __get__(self, guard: Any, kind: type) -> Any:
        return self if guard is None else getattr(guard._game, self._name)  # noqa: SLF001 - our own guards


class _Near:
    """Asks the game itself, once it knows it."""

    _game: Any
    agents: Final = _OfTheGame()
    agent_selection: Final = _OfTheGame()
    rewards: Final = _OfTheGame()
    terminations: Final = _OfTheGame()
    truncations: Final = _OfTheGame()
    infos: Final = _OfTheGame()
    _cumulative_rewards: Final = _OfTheGame()


# PettingZoo has no types: hence what mypy is told of the next three.


class TerminateIllegal(_Near, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    """Whoever makes an illegal move loses."""

    def __init__(self, env: Any, illegal_reward: float) -> None:
        super().__init__(env, illegal_reward)
        self._game = env.unwrapped


class AssertOutOfBounds(_Near, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]
    """What is no action at all is an error."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._game = env.unwrapped


class OrderEnforcing(_Near, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """Nothing is asked before the first reset: so the game is known from then on."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._game = self.env.unwrapped
        super().reset(seed=seed, options=options)

    def __str__(self) -> str:
        return str(self.env)
