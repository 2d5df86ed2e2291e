"""Putting the chain of one command behind that of another, for lines of several commands."""

from __future__ import annotations

from services.tablelog.render import Told


def behind(before: list[Told], after: list[Told]) -> list[Told]:
    """Put one chain behind another: its depths begin where the other's end."""
    if not before:
        return after
    deepest = max(each.depth for each in before)
    return [
        *before,
        *(Told(e.service, e.version, e.depth + deepest, e.event) for e in after),
    ]
