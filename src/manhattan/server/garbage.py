"""When Python looks for garbage: while nobody plays.

What a move makes goes by itself as soon as nobody needs it. Only things that refer to each other
have to be looked for; connections and requests leave a few. Everybody waits meanwhile, and of a
busy server's things a search takes as long as thirty moves: one move in a hundred was late by it.
"""

from __future__ import annotations

import gc
from typing import Final

from manhattan.server.clocks import Milliseconds

_WORTH_A_LOOK: Final = 20_000
"""New things that are looked through as soon as nobody plays."""
_TOO_MANY: Final = 500_000
"""New things that are looked through even if somebody does."""
QUIET: Final[Milliseconds] = 1_000
"""So long nobody has done anything: probably nobody will in this very moment."""
_EVERYTHING: Final[Milliseconds] = 600_000
"""So seldom the older things are looked through, too."""


class Garbage:
    """Looks for garbage at the right moments."""

    def __init__(self, now: Milliseconds) -> None:
        """What was loaded until now stays, and is never looked through again."""
        self._looked_at_all = now
        gc.collect()
        gc.freeze()
        gc.set_threshold(_TOO_MANY, 5, 5)

    def look(self, last_played: Milliseconds, now: Milliseconds) -> None:
        """Look for garbage, if there may be some and nobody plays."""
        if now - last_played < QUIET or gc.get_count()[0] < _WORTH_A_LOOK:
            return
        if now - self._looked_at_all > _EVERYTHING:
            self._looked_at_all = now
            gc.collect()
        else:
            gc.collect(0)
