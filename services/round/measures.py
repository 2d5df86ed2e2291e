"""What round measures: how long a book takes to close, and a coup from its betting to its end."""

from __future__ import annotations

from typing import Final

from services.chassis import telemetry
from services.chassis.measures import Interval
from services.chassis.telemetry import Kind, Metric

COUP_BUCKETS_S: Final = (0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 300.0)

telemetry.declare(
    Metric(
        "sabot.round.book_close.duration",
        Kind.HISTOGRAM,
        "s",
        "from no more bets to a book that is heard as closed: how long the first card waits",
        (),
        telemetry.DURATION_BUCKETS_S,
    ),
    Metric(
        "sabot.round.coup.duration",
        Kind.HISTOGRAM,
        "s",
        "from betting opened to a coup closed, its money included",
        (),
        COUP_BUCKETS_S,
    ),
)

BOOK: Final = Interval(
    "sabot.round.book_close.duration", "round.book-close-requested", "wager.book-closed"
)
COUP: Final = Interval("sabot.round.coup.duration", "round.betting-opened", "round.coup-closed")
