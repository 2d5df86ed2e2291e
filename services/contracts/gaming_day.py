"""The gaming day of an instant: the house's day, in the table's time zone and from its own hour.

Zones come from the pinned package `tzdata` and never from the machine, so that an instant is on the
same day wherever it is asked.
"""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from importlib import metadata, resources
from typing import Final
from zoneinfo import ZoneInfo

UTC: Final = "UTC"
FIRST_S: Final = int(dt.datetime(1, 1, 4, tzinfo=dt.UTC).timestamp())
LAST_S: Final = int(dt.datetime(9999, 12, 28, tzinfo=dt.UTC).timestamp())
"""Between these every zone has a date for every instant, and for the day's beginning and end."""

_ZONES_MAX: Final = 64


class UnknownZone(ValueError):
    """There is no time zone of that name."""


@lru_cache(maxsize=_ZONES_MAX)
def zone(name: str) -> ZoneInfo:
    """The time zone of an IANA name such as Australia/Sydney. Raises `UnknownZone`."""
    parts = name.split("/")
    wrong = UnknownZone(f"{name!r} is no time zone; one is, for example, Europe/Amsterdam")
    if not all(part and part[0] != "." and "\\" not in part for part in parts):
        raise wrong
    try:
        file = resources.files("tzdata").joinpath("zoneinfo", *parts)
        with file.open("rb") as content:
            return ZoneInfo.from_file(content, key=name)
    except (OSError, ValueError):
        raise wrong from None


def zones_version() -> str:
    """The release of the time zones, such as 2026.6."""
    return metadata.version("tzdata")


def gaming_day(at_us: int, time_zone: str, day_starts_minute: int) -> dt.date:
    """The day that an instant counts to; microseconds since 1970-01-01T00:00:00Z.

    Zone and minute are those of the table's settings. Raises `UnknownZone`.

    The day that begins at 06:00 lasts until 05:59:59 of the next date by the clock on the wall, be
    it 23, 24 or 25 hours. Where the clock goes back over its beginning, it begins the first time: a day
    that is over does not come again.

    Instants at the ends of the calendar count to its first and last days: a recording may say any
    instant, and what is folded from the log must not end with it.
    """
    bounded_s = min(max(at_us // 1_000_000, FIRST_S), LAST_S)
    at = dt.datetime.fromtimestamp(bounded_s, tz=dt.UTC)
    local = at.astimezone(zone(time_zone))
    starts = dt.timedelta(minutes=day_starts_minute)
    day = (local.replace(tzinfo=None) - starts).date()
    if not local.fold:
        return day
    after = day + dt.timedelta(days=1)
    began = dt.datetime.combine(after, dt.time(), tzinfo=local.tzinfo) + starts  # the first time
    return after if began.astimezone(dt.UTC) <= at else day
