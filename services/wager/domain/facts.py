"""What the service looks up for a command beside the table's own log. Pure values.

They come with the command and are gone after it: what was decided by them is in the events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from services.contracts.common import Limits, PlayerContext


class OperatorLimits(Struct, frozen=True, kw_only=True):
    """What an operator lets players of one limit set stake in one currency, minor units."""

    areas: Limits = {}
    """By area; "*" stands for every area without limits of its own, and there may be none."""

    coup_maximum_minor: int | None = None
    """All of a player's stakes in a coup."""

    maximum_win_minor: int | None = None
    """What they could win together."""


class Stop(Struct, frozen=True, kw_only=True):
    """An order to take no new wagers of something."""

    of: str
    """PLAYER, SESSION, AREA, TABLE or RULEBOOK."""

    value: str = ""
    operator: str = ""


LimitSets = Callable[[PlayerContext | None], Mapping[str, OperatorLimits] | None]
"""Finds the limit set that a player's token names, by currency."""


class Facts(Struct, frozen=True, kw_only=True):
    """What was looked up."""

    barred: frozenset[str] | None = None
    """Players whom any live table barred from the casino, where that was looked up: then it is what
    counts, since another table may have lifted a bar that this one gave."""

    stops: tuple[Stop, ...] = ()
    """Stops at all live tables that may bind the command, or that it is about."""

    limits: Mapping[str, OperatorLimits] | None = None
    """Of the limit set that the player's token names, by currency; None where nobody knows it."""


NOTHING = Facts()
