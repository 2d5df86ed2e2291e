"""Making a report: one engine for all of them. Rows, control totals, and what they have to fulfil."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from fractions import Fraction
from importlib import metadata
from typing import Any, Final

from msgspec import Struct

from services.contracts.gaming_day import zones_version
from services.settlement.reports.asked import FILTERS, Asked
from services.settlement.reports.reader import Connections, Reader
from services.settlement.reports.report import Kind, Report, written

NO_ACTIVITY: Final = "No activity"
OVERALL: Final = ""
"""Of totals that are drawn over all rows, and not by currency."""


class WrongAsked(ValueError):
    """The report cannot be had in this way; `field` says which of the words is wrong."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class Header(Struct, frozen=True, kw_only=True):
    """What stands above the rows. The time of the making is not in it: it changes no row."""

    name: str
    title: str
    version: int
    software: str
    zones: str
    """Release of the time zones by which days were counted."""

    as_of: int
    from_day: str
    to_day: str
    filters: Mapping[str, str]
    formula: str

    @property
    def period(self) -> str:
        """The days, in words."""
        if not self.from_day and not self.to_day:
            return "all days"
        if self.from_day == self.to_day:
            return self.from_day
        return f"{self.from_day or 'the first day'} to {self.to_day or 'the last day'}"


class Totals(Struct, frozen=True, kw_only=True):
    """Control totals of one currency, or of all rows where the report has no money."""

    currency: str
    rows: int
    sums: Mapping[str, str]
    """By column."""

    reconciliation: Mapping[str, bool]
    """By equation, whether the sums fulfil it."""


class Ending(Struct, frozen=True, kw_only=True):
    """What stands below the rows."""

    rows: int
    totals: tuple[Totals, ...]
    digest: str
    """SHA-256 over header, rows and totals: equal where the report is."""

    @property
    def reconciles(self) -> bool:
        return all(all(each.reconciliation.values()) for each in self.totals)


def header(report: Report, asked: Asked) -> Header:
    """What stands above the rows. Raises `WrongAsked` for what the report cannot be cut by."""
    for name in FILTERS:
        if getattr(asked, name) and name not in report.filters:
            raise WrongAsked(name, f"the report {report.name} cannot be cut by it")
    if not report.period and (asked.from_day or asked.to_day):
        raise WrongAsked("from_day", f"the report {report.name} is of a position, not of days")
    if asked.from_day and asked.to_day and asked.from_day > asked.to_day:
        raise WrongAsked("from_day", "comes after to_day")
    return Header(
        name=report.name,
        title=report.title,
        version=report.version,
        software=f"sabot {metadata.version('sabot')}",
        zones=zones_version(),
        as_of=asked.as_of,
        from_day=_day(asked.from_day),
        to_day=_day(asked.to_day),
        filters=asked.filters(),
        formula=report.formula,
    )


def _day(day: dt.date | None) -> str:
    return "" if day is None else day.isoformat()


async def made(
    report: Report, asked: Asked, connections: Connections, schema: str
) -> AsyncIterator[Header | tuple[str, ...] | Ending]:
    """The header, each row as texts, and the ending, in this order."""
    above = header(report, asked)
    yield above
    summing = _Summing(report, above)
    async for values in report.rows(Reader(connections, schema, asked)):
        row = tuple(
            written(column.kind, value)
            for column, value in zip(report.columns, values, strict=True)
        )
        summing.take(values, row)
        yield row
    yield summing.ending()


class _Summing:
    """Adds up as rows go by."""

    def __init__(self, report: Report, above: Header) -> None:
        names = [column.name for column in report.columns]
        self._report = report
        self._summed = [place for place, column in enumerate(report.columns) if column.total]
        self._currency = names.index("currency") if report.by_currency else None
        self._sums: dict[str, list[Any]] = {}
        self._rows: dict[str, int] = {}
        self._digest = hashlib.sha256()
        self._add(repr((above.name, above.version, above.as_of, above.from_day, above.to_day)))
        self._add(repr(sorted(above.filters.items())))
        self._add(repr(names))

    def _add(self, text: str) -> None:
        self._digest.update(text.encode() + b"\n")

    def take(self, values: Sequence[Any], row: tuple[str, ...]) -> None:
        self._add(repr(row))
        key = OVERALL if self._currency is None else row[self._currency]
        self._rows[key] = self._rows.get(key, 0) + 1
        sums = self._sums.setdefault(key, [0] * len(self._summed))
        for number, place in enumerate(self._summed):
            sums[number] += values[place] or 0

    def ending(self) -> Ending:
        totals = tuple(self._total(key) for key in sorted(self._rows))
        self._add(repr([(each.currency, each.rows, sorted(each.sums.items())) for each in totals]))
        rows = sum(self._rows.values())
        return Ending(rows=rows, totals=totals, digest=self._digest.hexdigest())

    def _total(self, key: str) -> Totals:
        columns = [self._report.columns[place] for place in self._summed]
        exact = dict(zip((column.name for column in columns), self._sums[key], strict=True))
        kinds = {column.name: column.kind for column in columns}
        return Totals(
            currency=key,
            rows=self._rows[key],
            sums={name: written(kinds[name], value) for name, value in exact.items()},
            reconciliation={
                check.text: _sum(exact, (check.left,))
                == _sum(exact, check.plus) - _sum(exact, check.minus)
                for check in self._report.checks
            },
        )


def _sum(sums: Mapping[str, Any], names: Sequence[str]) -> Fraction:
    return sum((Fraction(sums[name]) for name in names), Fraction())


SUMMED: Final = frozenset({Kind.COUNT, Kind.MINOR, Kind.EXACT, Kind.MONEY_DECIMAL})
"""Kinds of which a total means anything."""
