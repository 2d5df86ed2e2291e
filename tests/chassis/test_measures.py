"""Committed events are counted by type, and the time between two of them is measured."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw

from services.chassis import measures, telemetry
from services.chassis.clock import ManualClock
from services.chassis.decider import Staged
from services.chassis.measures import Interval, Measures
from services.contracts.common import MoneyTotals
from services.contracts.core import SYSTEM, Event, Meta, Noted
from services.contracts.round import BookCloseRequested
from services.contracts.settlement import (
    CoupSettled,
    CreditOutstanding,
    ReversalCollected,
    ReversalOutstanding,
)
from services.settlement import measures as settlement
from services.settlement.reading import OWN

Recorded = list[tuple[str, float, dict[str, str]]]
BOOK = Interval(
    "sabot.round.book_close.duration", "round.book-close-requested", "wager.book-closed"
)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """What is recorded, in order."""
    found: Recorded = []

    def keep(name: str, value: float = 1, /, **attributes: str) -> None:
        found.append((name, value, attributes))

    for name in ("count", "record", "gauge"):
        monkeypatch.setattr(telemetry, name, keep)
    return found


def staged(event: Event, table_id: str = "T1", *, test: bool = False) -> Staged:
    meta = Meta(
        table_id=table_id,
        occurred_at_us=0,
        actor=SYSTEM,
        command_id="c",
        cause="c",
        depth=1,
        test=test,
    )
    return Staged(table_id, event, meta)


def noted(service: str, kind: str, at_us: int) -> Noted:
    return Noted(
        service=service,
        event_id=f"{service}:T1:1",
        position=1,
        event_type=kind,
        event_version=1,
        meta=Raw(b"{}"),
        body=Raw(b"{}"),
        previous_digest="",
        digest="",
        recorded_at_us=at_us,
    )


def request() -> BookCloseRequested:
    return BookCloseRequested(coup_id="c1", reason="TIMER")


def test_own_events_are_counted_and_those_of_others_are_not(recorded: Recorded) -> None:
    """An event of another service is counted where it is decided."""
    Measures("round", ManualClock(0)).committed([staged(request()), staged(noted("shoe", "x", 0))])
    assert recorded == [("sabot.events", 1, {"type": "book-close-requested"})]


def test_the_time_from_one_event_to_another_is_measured_at_each_table(recorded: Recorded) -> None:
    """From the commit of the one to that of the other, here; other tables are not mixed up."""
    clock = ManualClock(0)
    measured = Measures("round", clock, [BOOK])
    measured.committed([staged(request(), "T1")])
    clock.advance(0.25)
    measured.committed([staged(request(), "T2")])
    clock.advance(0.25)
    measured.committed([staged(noted("wager", "book-closed", 0), "T1")])
    measured.committed([staged(noted("wager", "book-closed", 0), "T1")])
    durations = [value for name, value, _ in recorded if name == BOOK.metric]
    assert durations == [0.5]


def test_what_began_elsewhere_began_when_it_was_committed_there(recorded: Recorded) -> None:
    """And a clock that is behind makes no negative time."""
    interval = Interval(
        "sabot.settlement.duration", "round.coup-resulted", "settlement.coup-settled"
    )
    clock = ManualClock(2_000_000)
    measured = Measures("settlement", clock, [interval])
    for at_us in (500_000, 9_000_000):
        measured.committed([staged(noted("round", "coup-resulted", at_us)), staged(settled())])
    assert [v for name, v, _ in recorded if name == interval.metric] == [1.5, 0]


def test_an_end_whose_beginning_was_not_seen_is_not_measured(recorded: Recorded) -> None:
    """After a start in between; and beginnings are not kept without bound."""
    measured = Measures("round", ManualClock(0), [BOOK])
    measured.committed([staged(noted("wager", "book-closed", 0))])
    assert recorded == []
    for number in range(measures.BEGUN_MAX + 1):
        measured.committed([staged(request(), f"T{number}")])
    recorded.clear()
    for name in ("T0", "T1"):
        measured.committed([staged(noted("wager", "book-closed", 0), name)])
    assert len(recorded) == 1


def settled(**more: Any) -> CoupSettled:
    totals = MoneyTotals(
        staked_minor=300, returned_minor=200, lost_minor=90, forfeited_minor=10,
        winnings_minor=190, commission_exact="19/2",
    )  # fmt: skip
    return CoupSettled(
        coup_id="c1", coup=1, status="SETTLED", wagers=2, book_revision=1, book_digest="",
        totals={"EUR": totals}, **more,
    )  # fmt: skip


def test_the_money_of_a_coup_is_added_up_once_and_only_at_live_tables(recorded: Recorded) -> None:
    """Not of tests, and not again when a coup is settled anew after a correction."""
    settlement.measure(staged(settled(), test=True))
    settlement.measure(staged(settled(revision=2)))
    assert recorded == []
    settlement.measure(staged(settled()))
    assert {a["flow"]: value for _, value, a in recorded} == {
        "STAKED": 300, "RETURNED": 200, "LOST": 100, "WINNINGS": 190, "COMMISSION": 9.5,
    }  # fmt: skip
    assert {a["currency"] for _, _, a in recorded} == {"EUR"}


class Rows:
    """A log that answers the only statement asked of it."""

    def __init__(self, *found: Event) -> None:
        self.rows = [
            (position, event.type, 1, OWN.encode(event))
            for position, event in enumerate(found, start=1)
        ]

    async def fetch(self, _statement: str, after: int, limit: int) -> list[Any]:
        return [row for row in self.rows if row[0] > after][:limit]


async def test_what_the_wallet_refused_is_outstanding_until_it_takes_it(recorded: Recorded) -> None:
    """A second refusal of the same movement is the same item; what is taken later is none."""
    held: dict[str, Any] = {
        "coup_id": "c", "wager_id": "w", "player": "p", "currency": "EUR", "amount_minor": 5,
        "reason": "ACCOUNT_CLOSED",
    }  # fmt: skip
    log = Rows(
        ReversalOutstanding(movement_id="a", attempts=1, **held),
        ReversalOutstanding(movement_id="a", attempts=2, **held),
        ReversalOutstanding(movement_id="b", attempts=1, **held),
        CreditOutstanding(movement_id="c", attempts=1, **held),
    )
    owing = settlement.Owing(log)
    await owing.look()
    assert [(value, a["verb"]) for _, value, a in recorded] == [(1, "CREDIT"), (2, "REVERSAL")]
    recorded.clear()
    taken = ReversalCollected(movement_id="a", player="p", currency="EUR", amount_minor=5)
    log.rows.append((5, taken.type, 1, OWN.encode(taken)))
    await owing.look()
    assert [(value, a["verb"]) for _, value, a in recorded] == [(1, "CREDIT"), (1, "REVERSAL")]
