"""The table as a decider: commands, events, state, ``decide`` and ``evolve``. Pure, no I/O."""
