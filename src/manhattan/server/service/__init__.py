"""Application services: the write path, sessions, scheduling, bots, accounts."""
