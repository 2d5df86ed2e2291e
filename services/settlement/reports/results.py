"""Results against exact probabilities: how far what came differs from what the odds say.

Numbers are exact fractions and decimals of fixed precision, so that a report has the same bytes on
every machine.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from services.rules.odds import events, joint
from services.settlement.reports.asked import Asked
from services.settlement.reports.listing import DEALER, RULEBOOK, TABLE
from services.settlement.reports.reader import Connections, Reader
from services.settlement.reports.report import Column, Kind, Report, Row, Rows

WINNERS: Final = {"BANKER": "banker_wins", "PLAYER": "player_wins", "TIE": "ties"}
PAIRS: Final = {"PLAYER_PAIR": "player_pair", "BANKER_PAIR": "banker_pair"}
"""What is counted, with the name of the event in the exact odds."""

CHANCE_OF_95: Final = Decimal("0.05")
CHANCE_OF_5_SIGMA: Final = Decimal("5.733031e-7")
"""That a sound game lies outside: in one of twenty looks, and practically never."""

SIGMAS_95: Final = Decimal("1.959964")
SIGMAS_OF_ALARM: Final = 5

WITHIN, OUTSIDE, DRIFT = "WITHIN_95", "OUTSIDE_95", "DRIFT"
COUPS_MIN: Final = 100
"""Below so many the approximation by chi-square is no judgement: too few ties are expected."""

DRIFT_DAYS: Final = 92
"""Gaming days that the alarm looks back: what drifted is noticed, and years are not read each time."""

TOO_FEW: Final = "TOO_FEW"
_EXACTLY: Final = Context(prec=40, rounding=ROUND_HALF_EVEN)


class Counted(Struct, kw_only=True):
    """Coups of a group: how many with how many decks, and what came."""

    coups: dict[int, int]
    """By number of decks."""

    seen: dict[str, int]
    """By name of the event in the exact odds."""


class Comparison(Struct, frozen=True, kw_only=True):
    """What came, against what was to be expected."""

    coups: int
    seen: Mapping[str, int]
    expected: Mapping[str, Fraction]
    sigmas: Mapping[str, Decimal]
    """By event, how many standard deviations more came than expected."""

    chi_square: Fraction
    """Over the three winners: two degrees of freedom."""

    chance: Decimal
    """That a sound game differs as much or more."""

    verdict: str

    def band(self, event: str) -> tuple[Decimal, Decimal]:
        """The share of the coups that lies within 95% around the expected one."""
        share = _decimal(self.expected[event] / self.coups)
        around = SIGMAS_95 * (share * (1 - share) / self.coups).sqrt(_EXACTLY)
        return share - around, share + around


@lru_cache(maxsize=12)
def _chances(decks: int) -> dict[str, Fraction]:
    total = sum(joint(decks).values())
    counted = events(decks)
    return {name: Fraction(counted[name], total) for name in (*WINNERS.values(), *PAIRS.values())}


def compared(counted: Counted) -> Comparison:
    """Hold what came against the exact odds of the decks that it came from."""
    expected = dict.fromkeys((*WINNERS.values(), *PAIRS.values()), Fraction())
    spread = dict(expected)
    for decks, coups in counted.coups.items():
        for name, share in _chances(decks).items():
            expected[name] += coups * share
            spread[name] += coups * share * (1 - share)
    sigmas = {
        name: _decimal(counted.seen.get(name, 0) - expected[name])
        / _decimal(spread[name]).sqrt(_EXACTLY)
        for name in expected
    }
    chi_square = sum(
        ((counted.seen.get(n, 0) - expected[n]) ** 2 / expected[n] for n in WINNERS.values()),
        Fraction(),
    )
    # With two degrees of freedom the tail is e to the minus half.
    chance = _EXACTLY.exp(-_decimal(chi_square) / 2)
    coups = sum(counted.coups.values())
    return Comparison(
        coups=coups,
        seen=counted.seen,
        expected=expected,
        sigmas=sigmas,
        chi_square=chi_square,
        chance=chance,
        verdict=_verdict(coups, chance, max(abs(each) for each in sigmas.values())),
    )


def _verdict(coups: int, chance: Decimal, most: Decimal) -> str:
    if coups < COUPS_MIN:
        return TOO_FEW
    if chance < CHANCE_OF_5_SIGMA or most > SIGMAS_OF_ALARM:
        return DRIFT
    return OUTSIDE if chance < CHANCE_OF_95 else WITHIN


def _decimal(value: Fraction) -> Decimal:
    return _EXACTLY.divide(Decimal(value.numerator), Decimal(value.denominator))


async def groups_of(reader: Reader, by: str) -> dict[str, Counted]:
    """What came, by table, dealer or rulebook; coups entered after an outage are not in it."""
    counts = [
        "count(*) as coups",
        *(f"count(*) filter (where f.winner = '{w}') as {name}" for w, name in WINNERS.items()),
        *(f"count(*) filter (where f.{name}) as {name}" for name in PAIRS.values()),
    ]
    found: dict[str, Counted] = {}
    for group in await reader.grouped(
        "coups",
        (by, "decks"),
        (),
        counts=counts,
        last_of=("coup_id",),
        day="coup_day",
        where="f.winner <> '' and f.status in ('RESULTED', 'SETTLED', 'NO_BET') "
        "and not f.backfilled",
    ):
        held = found.setdefault(group[by], Counted(coups={}, seen={}))
        held.coups[group["decks"]] = group["coups"]
        for name in (*WINNERS.values(), *PAIRS.values()):
            held.seen[name] = held.seen.get(name, 0) + group[name]
    return found


def _columns(by: Column) -> tuple[Column, ...]:
    columns = [by, Column("coups", Kind.COUNT, "with a result", total=True)]
    for word in (*WINNERS, *PAIRS):
        told = word.lower()
        what = f"{word} came" if word in WINNERS else f"a {told.replace('_', ' ')} came"
        columns += [
            Column(told, Kind.COUNT, f"coups in which {what}", total=True),
            Column(f"{told}_expected", Kind.NUMBER, "by the exact odds"),
            Column(f"{told}_sigmas", Kind.NUMBER, "standard deviations away from that"),
            Column(f"{told}_low", Kind.RATE, "lower end of the 95% band of its share"),
            Column(f"{told}_high", Kind.RATE, "upper end"),
        ]
    return (
        *columns,
        Column("chi_square", Kind.NUMBER, "over banker, player and tie; 2 degrees of freedom"),
        Column("chance", Kind.PROBABILITY, "that a sound game differs as much or more"),
        Column(
            "verdict",
            Kind.TEXT,
            f"{WITHIN}, {OUTSIDE}, {DRIFT} outside 5 sigma, {TOO_FEW} below {COUPS_MIN} coups",
        ),
    )


def _row(key: str, compare: Comparison) -> Row:
    row: list[Any] = [key, compare.coups]
    for name in (*WINNERS.values(), *PAIRS.values()):
        band = compare.band(name)
        row += [compare.seen.get(name, 0), compare.expected[name], compare.sigmas[name], *band]
    return [*row, compare.chi_square, compare.chance, compare.verdict]


def _rows(by: str) -> Rows:
    async def rows(reader: Reader) -> AsyncIterator[Row]:
        found = await groups_of(reader, by)
        for key in sorted(found):
            yield _row(key, compared(found[key]))

    return rows


def _report(name: str, by: Column) -> Report:
    return Report(
        name=f"results-by-{name}",
        title=f"Results against exact probabilities by {name}",
        version=1,
        about="What came, what the exact odds of the decks give, and whether that fits.",
        columns=_columns(by),
        filters=("table_id", "rulebook_id", "dealer"),
        rows=_rows(by.name),
    )


REPORTS: Final = (
    _report("table", TABLE),
    _report("rulebook", RULEBOOK),
    _report("dealer", DEALER),
)

KEYS: Final = {"table": "table_id", "rulebook": "rulebook_id", "dealer": "dealer"}


async def drifting(connections: Connections, schema: str, as_of: int) -> dict[str, int]:
    """How many live tables, rulebooks and dealers lie outside 5 sigma, over the last days played."""
    whole = Reader(connections, schema, Asked(as_of=as_of))
    (last,) = await whole.grouped("coups", (), (), counts=["max(f.coup_day) as day"])
    if last["day"] is None:
        return dict.fromkeys(KEYS, 0)
    first = last["day"] - dt.timedelta(days=DRIFT_DAYS - 1)
    reader = Reader(connections, schema, Asked(as_of=as_of, from_day=first))
    found: dict[str, int] = {}
    for told, key in KEYS.items():
        groups: Sequence[Counted] = list((await groups_of(reader, key)).values())
        found[told] = sum(compared(each).verdict == DRIFT for each in groups)
    return found
