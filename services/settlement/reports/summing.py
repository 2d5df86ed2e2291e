"""Reports that add facts up: hold, commission, what went back, funds at stake, dealers' errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from services.rules.odds import odds
from services.rules.rulebook import rulebook_of
from services.settlement.reports.listing import (
    ACTOR,
    AREA,
    COUP,
    COUP_DAY,
    CURRENCY,
    DAY,
    DEALER,
    FORMULA,
    MONEY_CHECKS,
    MONEY_SUMS,
    REASON,
    ROLE,
    RULEBOOK,
    SECOND,
    TABLE,
)
from services.settlement.reports.reader import Reader
from services.settlement.reports.report import Column, Kind, Report, Row, Rows

_N, _M = Kind.COUNT, Kind.MINOR
_SUMS: Final = tuple(column.name for column in MONEY_SUMS)
_EXACT: Final = ("commission_num", "rounding_num")
_DECIDED: Final = "f.kind not in ('ACCEPTED', 'CHANGED', 'REFUSED')"
_KEPT_EDGES_MAX: Final = 512

HOLD_FORMULA: Final = (
    f"{FORMULA}; theoretical win = turnover x the exact house edge of area, rulebook and decks; "
    "win rate = win / turnover; hold = win / drop, where a drop was counted"
)

_HOLD: Final = (
    CURRENCY,
    Column("coups", _N, "on which something was decided, corrected ones on both days"),
    *MONEY_SUMS,
    Column("commission_exact", Kind.EXACT, "commission before rounding", total=True),
    Column("rounding_exact", Kind.EXACT, "paid less exact winnings", total=True),
    Column("theoretical_win", Kind.MONEY_DECIMAL, "what the odds give the house", total=True),
    Column("win_rate", Kind.RATE, "win / turnover"),
    Column("theoretical_rate", Kind.RATE, "theoretical win / turnover"),
    Column("drop_minor", _M, "counted in drop boxes", total=True),
    Column("hold", Kind.RATE, "win / drop"),
)


@lru_cache(maxsize=_KEPT_EDGES_MAX)
def edges(document: bytes, decks: int) -> dict[str, Fraction]:
    """The exact house edge of every area of a rulebook."""
    told = odds(rulebook_of(json.loads(document)), decks)
    return {area: each.house_edge for area, each in told.areas.items()}


class _Held:
    """What a group holds."""

    def __init__(self) -> None:
        self.sums = dict.fromkeys((*_SUMS, "drop_minor"), 0)
        self.commission = self.rounding = self.theoretical = Fraction()
        self.coups = 0

    async def take(self, group: Any, reader: Reader) -> None:
        for name in self.sums:
            self.sums[name] += group[name]
        self.commission += Fraction(group["commission_num"], group["exact_den"])
        self.rounding += Fraction(group["rounding_num"], group["exact_den"])
        if group["turnover_minor"]:
            document = await reader.rulebook(group["rulebook_hash"])
            edge = edges(bytes(document), group["decks"])[group["area"]]
            self.theoretical += group["turnover_minor"] * edge

    def told(self) -> list[Any]:
        turnover, drop = self.sums["turnover_minor"], self.sums["drop_minor"]
        return [
            self.coups,
            *(self.sums[name] for name in _SUMS),
            self.commission,
            self.rounding,
            self.theoretical,
            Fraction(self.sums["win_minor"], turnover) if turnover else None,
            self.theoretical / turnover if turnover else None,
            drop,
            Fraction(self.sums["win_minor"], drop) if drop else None,
        ]


def _hold_rows(by: Sequence[str], where: str) -> Rows:
    async def rows(reader: Reader) -> AsyncIterator[Row]:
        keys = (*by, "currency")
        parts = tuple(name for name in ("rulebook_hash", "decks", "area") if name not in keys)
        found: dict[tuple[Any, ...], _Held] = {}
        for group in await reader.grouped(
            "money",
            (*keys, *parts, "exact_den"),
            (*_SUMS, "drop_minor", *_EXACT),
            where=where,
        ):
            held = found.setdefault(tuple(group[name] for name in keys), _Held())
            await held.take(group, reader)
        decided = "count(distinct f.coup_id) filter (where f.turnover_minor <> 0) as coups"
        for group in await reader.grouped("money", keys, (), counts=[decided], where=where):
            found[tuple(group[name] for name in keys)].coups = group["coups"]
        for key in sorted(found):
            yield [*key, *found[key].told()]

    return rows


def _hold(name: str, title: str, by: Column, *, drop: bool) -> Report:
    return Report(
        name=f"hold-by-{name}",
        title=f"Turnover, win and theoretical win by {title}",
        version=2,
        about=f"The money of the house by {title} and currency.",
        columns=(by, *_HOLD),
        filters=("table_id", "rulebook_id", "dealer", "area", "currency"),
        formula=HOLD_FORMULA,
        checks=MONEY_CHECKS,
        rows=_hold_rows((by.name,), _DECIDED if drop else f"{_DECIDED} and f.kind <> 'DROP'"),
    )


_DAYS: Final = (
    DAY,
    COUP_DAY,
    TABLE,
    CURRENCY,
    Column("coups", _N, "on which something was decided"),
    Column("reversed", _N, "settlements that were taken back", total=True),
    *MONEY_SUMS,
)


async def _days(reader: Reader) -> AsyncIterator[Row]:
    keys = ("gaming_day", "coup_day", "table_id", "currency")
    counts = (
        "count(distinct f.coup_id) filter (where f.turnover_minor <> 0) as coups",
        "count(*) filter (where f.kind = 'REVERSED') as reversed",
    )
    where = f"{_DECIDED} and f.kind <> 'DROP'"
    groups = await reader.grouped("money", keys, _SUMS, counts=counts, where=where)
    wanted = (*keys, "coups", "reversed", *_SUMS)
    for row in sorted([group[name] for name in wanted] for group in groups):
        yield row


DAYS: Final = Report(
    name="day-close",
    title="Gaming days, and corrections of earlier ones",
    version=2,
    about="What was booked on a gaming day, by the day that it is about: a day that is over keeps its "
    "rows, and what corrects it, or was decided late, stands on the day on which that was done.",
    columns=_DAYS,
    filters=("table_id", "currency"),
    formula=FORMULA,
    checks=MONEY_CHECKS,
    rows=_days,
)

_COMMISSIONS: Final = (
    TABLE,
    RULEBOOK,
    AREA,
    CURRENCY,
    Column("wagers", _N, "that won", total=True),
    Column("winnings_minor", _M, "paid after commission and rounding", total=True),
    Column("commission_exact", Kind.EXACT, "commission before rounding", total=True),
    Column("rounding_exact", Kind.EXACT, "paid less exact winnings", total=True),
)


async def _commissions(reader: Reader) -> AsyncIterator[Row]:
    keys = ("table_id", "rulebook_id", "area", "currency")
    found: dict[tuple[Any, ...], list[Any]] = {}
    wagers = (
        "sum(case when f.winnings_minor > 0 then 1 when f.winnings_minor < 0 then -1 else 0 end)"
        "::bigint as wagers"
    )
    for group in await reader.grouped(
        "money",
        (*keys, "exact_den"),
        ("winnings_minor", *_EXACT),
        counts=[wagers],
        where="f.winnings_minor <> 0 or f.commission_num <> 0",
    ):
        sums = found.setdefault(tuple(group[name] for name in keys), [0, 0, Fraction(), Fraction()])
        sums[0] += group["wagers"]
        sums[1] += group["winnings_minor"]
        sums[2] += Fraction(group["commission_num"], group["exact_den"])
        sums[3] += Fraction(group["rounding_num"], group["exact_den"])
    for key in sorted(found):
        yield [*key, *found[key]]


COMMISSION: Final = Report(
    name="commission",
    title="Commission",
    version=2,
    about="Winnings and the commission on them, exactly and as rounded.",
    columns=_COMMISSIONS,
    filters=("table_id", "rulebook_id", "area", "currency"),
    rows=_commissions,
)

_BACK: Final = (
    Column("kind", Kind.TEXT, "VOIDED, REFUNDED, FORFEITED, REVERSED, RESETTLED and so on"),
    REASON,
    ACTOR,
    ROLE,
    SECOND,
    CURRENCY,
    Column("records", _N, "such events of wagers", total=True),
    Column("refunded_minor", _M, "stakes that went back undecided", total=True),
    Column("forfeited_minor", _M, "stakes kept", total=True),
    Column("winnings_minor", _M, "paid, or taken back", total=True),
    Column("win_minor", _M, "of the house, by it", total=True),
)


async def _gone_back(reader: Reader) -> AsyncIterator[Row]:
    keys = ("kind", "reason", "actor", "role", "second", "currency")
    sums = ("refunded_minor", "forfeited_minor", "winnings_minor", "win_minor")
    groups = await reader.grouped(
        "money",
        keys,
        sums,
        counts=["count(*) as records"],
        where=f"{_DECIDED} and f.kind not in ('SETTLED', 'DROP')",
    )
    rows = [
        [*(group[n] for n in keys), group["records"], *(group[n] for n in sums)] for group in groups
    ]
    for row in sorted(rows):
        yield row


GONE_BACK: Final = Report(
    name="voids",
    title="Voids, refunds, forfeits and corrections",
    version=2,
    about="What went back, was kept or was corrected, by reason and by who did it.",
    columns=_BACK,
    filters=("table_id", "rulebook_id", "dealer", "area", "currency"),
    rows=_gone_back,
)

_OPEN: Final = (
    TABLE,
    COUP,
    CURRENCY,
    Column("wagers", _N, "that stand", total=True),
    Column("open_minor", _M, "cash at stake", total=True),
)


async def _open_funds(reader: Reader) -> AsyncIterator[Row]:
    keys = ("table_id", "coup_id", "currency")
    standing = (
        "sum(case when f.kind = 'ACCEPTED' then 1 when f.kind <> 'CHANGED' and f.open_minor < 0 "
        "and f.kind <> 'REDUCED' then -1 else 0 end)::bigint as wagers"
    )
    groups = await reader.grouped(
        "money", keys, ("open_minor",), counts=[standing], where="f.funding = 'CASH'"
    )
    for row in sorted(
        [*(group[name] for name in keys), group["wagers"], group["open_minor"]]
        for group in groups
        if group["open_minor"]
    ):
        yield row


OPEN_FUNDS: Final = Report(
    name="open-funds",
    title="Funds in open coups",
    version=1,
    about="Cash at stake in coups that are not decided at this position: what is owed to players.",
    columns=_OPEN,
    filters=("table_id", "currency"),
    rows=_open_funds,
    period=False,
)

_ERRORS: Final = (
    DEALER,
    Column("code", Kind.TEXT, "what happened"),
    Column("errors", _N, "of this kind", total=True),
    Column("coups", _N, "that he dealt in the period"),
    Column("rate", Kind.RATE, "errors / coups"),
)


async def _dealer_errors(reader: Reader) -> AsyncIterator[Row]:
    coups = {
        group["dealer"]: group["coups"]
        for group in await reader.grouped(
            "coups",
            ("dealer",),
            (),
            counts=["count(*) as coups"],
            last_of=("coup_id",),
            day="coup_day",
            where="not f.backfilled",
        )
    }
    groups = await reader.grouped(
        "notes", ("dealer", "code"), (), counts=["count(*) as errors"], where="f.list = 'ERROR'"
    )
    for dealer, code, errors in sorted((g["dealer"], g["code"], g["errors"]) for g in groups):
        dealt = coups.get(dealer, 0)
        yield [dealer, code, errors, dealt, Fraction(errors, dealt) if dealt else None]


DEALER_ERRORS: Final = Report(
    name="dealer-errors",
    title="Errors by dealer",
    version=2,
    about="Misdeals, burns for errors, held coups and incidents, by who dealt.",
    columns=_ERRORS,
    filters=("table_id", "dealer"),
    rows=_dealer_errors,
)

REPORTS: Final = (
    _hold("table", "table", TABLE, drop=True),
    _hold("dealer", "dealer", DEALER, drop=False),
    _hold("rulebook", "rulebook", RULEBOOK, drop=False),
    _hold("area", "area", AREA, drop=False),
    _hold("day", "gaming day", DAY, drop=True),
    DAYS,
    COMMISSION,
    GONE_BACK,
    OPEN_FUNDS,
    DEALER_ERRORS,
)
