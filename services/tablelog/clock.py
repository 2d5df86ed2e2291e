"""Instants of a table log: RFC 3339 in UTC outside, microseconds since 1970 inside.

A table log has its own time: what a line says, or the line before plus a step. Nothing here looks
at the clock of the machine.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

FIRST_LINE_US: Final = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z, the time of a first line that gives none."""

SECOND_US: Final = 1_000_000

STEP_US: Final = SECOND_US
"""From one line to the next, where the next gives no time."""

STEPS_US: Final = {"wager": SECOND_US // 10, "open_betting": 10 * SECOND_US}
"""Actions whose default step is another one."""

LAST_US: Final = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999Z. RFC 3339 has no later year, so no line is later."""

_INSTANT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|[+-]00:00)", re.ASCII
)


def instant_us(text: str) -> int:
    """Microseconds since 1970 of an RFC 3339 instant in UTC; finer digits are cut off.

    Raises `ValueError` where the text is no instant, or names an offset other than UTC.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is none")
    day, time, fraction = found.groups()
    moment = datetime.fromisoformat(f"{day}T{time}+00:00")
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    return (moment - EPOCH) // timedelta(microseconds=1) + micros


def rfc3339(at_us: int) -> str:
    """The instant as RFC 3339 text in UTC, with no more digits than it needs."""
    seconds, micros = divmod(at_us, SECOND_US)
    text = (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    fraction = f".{micros:06d}".rstrip("0") if micros else ""
    return f"{text}{fraction}Z"
