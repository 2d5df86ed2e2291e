"""What settlement measures: the money of settled coups, how long a settlement takes, what is owed.

Tables in TEST mode move no money, so only their coups are counted and not their sums.
"""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import Any, Final, NoReturn

from services.chassis import telemetry
from services.chassis.decider import Staged
from services.chassis.measures import Interval
from services.chassis.telemetry import Kind, Metric
from services.contracts import settlement as events
from services.contracts.settlement import CoupSettled
from services.settlement.reading import OWN

LATENCY_BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
LOOK_S: Final = 15.0
BATCH_MAX: Final = 500

telemetry.declare(
    Metric(
        "sabot.settlement.duration",
        Kind.HISTOGRAM,
        "s",
        "from a coup's result to its settlement",
        (),
        LATENCY_BUCKETS_S,
    ),
    Metric(
        "sabot.settlement.money",
        Kind.COUNTER,
        "{minor}",
        "money of settled coups at live tables, minor units, before corrections",
        ("currency", "flow"),
    ),
    Metric(
        "sabot.settlement.outstanding",
        Kind.GAUGE,
        "{movement}",
        "movements that the wallet refused and has not taken since",
        ("verb",),
    ),
    Metric(
        "sabot.settlement.rebuilds",
        Kind.COUNTER,
        "{coup}",
        "coups rebuilt from the log, by whether that equals what is stored",
        ("outcome",),
    ),
)

SETTLING: Final = (
    Interval("sabot.settlement.duration", "round.coup-resulted", "settlement.coup-settled"),
)


def measure(staged: Staged) -> None:
    """Add up the money of a coup that was settled for the first time."""
    event = staged.event
    if not isinstance(event, CoupSettled) or event.revision != 1 or staged.meta.test:
        return
    for currency, money in event.totals.items():
        for flow, amount in (
            ("STAKED", money.staked_minor),
            ("RETURNED", money.returned_minor),
            ("LOST", money.lost_minor + money.forfeited_minor),
            ("WINNINGS", money.winnings_minor),
            ("COMMISSION", float(Fraction(money.commission_exact))),
        ):
            if amount:
                telemetry.count("sabot.settlement.money", amount, currency=currency, flow=flow)


_BEGIN: Final = {
    events.CreditOutstanding.type: "CREDIT",
    events.ReversalOutstanding.type: "REVERSAL",
}
_END: Final = {events.CreditDelivered.type, events.ReversalCollected.type}
_NEXT: Final = (
    "select position, type, schema_version, body from events where type in ("  # noqa: S608
    + ", ".join(f"'{kind}'" for kind in (*_BEGIN, *sorted(_END)))
    + ") and position > $1 order by position limit $2"
)
"""The types stand in the statement, so that the partial index is used."""


class Owing:
    """Follows the few events that say what the wallet refused, and what it took later."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._position = 0
        self._open: dict[str, str] = {}

    async def look(self) -> None:
        """Read on to the end of the log, and measure."""
        while rows := await self._pool.fetch(_NEXT, self._position, BATCH_MAX):
            for position, kind, version, body in rows:
                event: Any = OWN.decode(kind, version, body)
                if kind in _END:
                    self._open.pop(event.movement_id, None)
                else:
                    self._open[event.movement_id] = _BEGIN[kind]
                self._position = position
        for verb in _BEGIN.values():
            count = sum(each == verb for each in self._open.values())
            telemetry.gauge("sabot.settlement.outstanding", count, verb=verb)

    async def run(self) -> NoReturn:
        """Look for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)
