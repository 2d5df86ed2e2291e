"""What somebody asks of a report: as of when, of which days, and what it is cut by."""

from __future__ import annotations

import datetime as dt
from typing import Final

from msgspec import Struct


class Asked(Struct, frozen=True, kw_only=True):
    """What somebody wants to see of a report."""

    as_of: int
    """Position of settlement's log."""

    from_day: dt.date | None = None
    to_day: dt.date | None = None
    """First and last gaming day; none: without a bound."""

    test: bool = False
    """Tables in TEST mode instead of live ones; never both in one report."""

    table_id: str = ""
    rulebook_id: str = ""
    dealer: str = ""
    area: str = ""
    currency: str = ""
    player: str = ""
    threshold_minor: int = 0
    """What counts as large; 0: as the report has it."""

    def filters(self) -> dict[str, str]:
        """What is cut by, in words; the mode always."""
        said = {name: str(value) for name in FILTERS if (value := getattr(self, name))}
        return {"mode": "TEST" if self.test else "LIVE", **said}


FILTERS: Final = (
    "table_id",
    "rulebook_id",
    "dealer",
    "area",
    "currency",
    "player",
    "threshold_minor",
)


def month_to(day: dt.date) -> tuple[dt.date, dt.date]:
    """The month of a day up to it."""
    return day.replace(day=1), day


def year_to(day: dt.date) -> tuple[dt.date, dt.date]:
    """The year of a day up to it."""
    return day.replace(month=1, day=1), day
