"""What a report is: its columns with their units, what it may be cut by, and where rows come from."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Callable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct

from services.settlement.reports.reader import Reader

Row = Sequence[Any]
"""Values in the order of the columns."""

Rows = Callable[[Reader], AsyncIterator[Row]]

_DIGITS: Final = 50


class Kind(Enum):
    """What a column holds, and so how it is written."""

    TEXT = "text"
    COUNT = "count"
    """A whole number of things."""

    MINOR = "minor units"
    """Of the row's currency."""

    EXACT = "minor units, exact"
    """A whole number or a fraction such as 5/2."""

    MONEY_DECIMAL = "minor units, 2 decimals"
    RATE = "fraction of 1, 6 decimals"
    NUMBER = "number, 4 decimals"
    PROBABILITY = "probability, 8 decimals"
    DATE = "gaming day"
    INSTANT = "instant, UTC"
    FLAG = "true or false"


_DECIMALS: Final = {Kind.MONEY_DECIMAL: 2, Kind.RATE: 6, Kind.NUMBER: 4, Kind.PROBABILITY: 8}


class Column(Struct, frozen=True):
    """One column. A total is drawn where `total` says so."""

    name: str
    kind: Kind
    about: str
    total: bool = False


class Check(Struct, frozen=True):
    """What totals have to fulfil: `left` is the sum of `plus` less that of `minus`."""

    left: str
    plus: tuple[str, ...]
    minus: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.left} = {' + '.join(self.plus)}" + "".join(
            f" - {name}" for name in self.minus
        )


class Report(Struct, frozen=True, kw_only=True):
    """One report. What its rows are made from is one function; all else follows from here."""

    name: str
    title: str
    version: int
    """Raised with every change of what a column means, or of which rows there are."""

    about: str
    columns: tuple[Column, ...]
    filters: tuple[str, ...]
    """Names of fields of `Asked` that it can be cut by, beside the mode of the tables."""

    rows: Rows
    period: bool = True
    """False where it is of one position and not of days."""

    formula: str = ""
    checks: tuple[Check, ...] = ()

    @property
    def by_currency(self) -> bool:
        """Whether totals are drawn by currency: nothing is converted."""
        return any(column.name == "currency" for column in self.columns)


def written(kind: Kind, value: Any) -> str:
    """A value as it stands in a report, the same everywhere; nothing for what is not known."""
    if value is None:
        return ""
    if kind is Kind.FLAG:
        return "true" if value else "false"
    if kind is Kind.DATE:
        day: dt.date = value
        return day.isoformat()
    if kind is Kind.INSTANT:
        return instant(value) if value else ""
    if kind in _DECIMALS:
        return decimal(value, _DECIMALS[kind])
    return str(value)


def instant(at_us: int) -> str:
    """Microseconds since 1970-01-01T00:00:00Z as RFC 3339 in UTC."""
    seconds, micros = divmod(at_us, 1_000_000)
    at = dt.datetime.fromtimestamp(seconds, tz=dt.UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{micros:06d}Z"


def decimal(value: Fraction | Decimal | int, places: int) -> str:
    """An exact number with so many decimals, half to even; never by way of a float."""
    context = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
    if isinstance(value, Decimal):
        return f"{value.quantize(Decimal(1).scaleb(-places), context=context):f}"
    scaled = round(Fraction(value) * 10**places)  # half to even
    return f"{Decimal(scaled).scaleb(-places, context=context):.{places}f}"
