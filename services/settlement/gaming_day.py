"""The day that something belongs to in the books. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

CUT_OVER_HOUR: Final = 6
"""Play after midnight belongs to the day before, up to this hour (UTC)."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def gaming_day(at_us: int) -> str:
    """The gaming day of an instant (microseconds since 1970, UTC), as YYYY-MM-DD."""
    begins = _EPOCH + timedelta(microseconds=at_us) - timedelta(hours=CUT_OVER_HOUR)
    return begins.date().isoformat()
