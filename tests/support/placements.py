"""The placements of a message, one by one."""

from __future__ import annotations

from typing import Any


def placement_gains(groups: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Each placement that a message lists in groups, and the gains of all players."""
    return {
        f"{site}+{block}": gains
        for group in groups
        for site in group["sites"]
        for block, gains in zip(group["blocks"], group["gains"], strict=True)
    }
