"""What a person is told of a rebuilt coup."""

from __future__ import annotations

from typing import Any

from services.cli.telling import story_lines
from services.settlement.rebuild import Evidence
from services.settlement.story import Line, Story


def told(*events: tuple[int, str, dict[str, Any]]) -> list[str]:
    """The lines of what happened, without their times."""
    evidence = Evidence(
        story=Story("T1:1:1"),
        lines=tuple(Line(at_us, "round", f"round:T1:{at_us}", what) for at_us, what, _ in events),
        rulebook={},
        events=tuple({"event": event} for _, _, event in events),
        findings=(),
    )
    return [line.split(maxsplit=2)[2] for line in story_lines(evidence)[2:]]


def test_it_is_told_in_the_order_of_time_and_of_the_log_where_that_is_one() -> None:
    """Settlement hears of the services in an order of its own; a reader wants what came first."""
    assert told((5, "late", {}), (2, "first", {}), (5, "behind", {}), (3, "second", {})) == [
        "first",
        "second",
        "late",
        "behind",
    ]


def test_an_exact_amount_is_told_where_it_is_another_than_the_rounded_one() -> None:
    """One word for one amount."""
    commission = {"currency": "EUR", "amount_minor": 125, "amount_exact": "125"}
    assert told((1, "commission-collected", commission)) == [
        "commission collected: amount 1.25 EUR"
    ]
    commission["amount_exact"] = "249/2"
    assert told((1, "commission-collected", commission)) == [
        "commission collected: amount 1.25 EUR, exactly 1.245 EUR"
    ]
    alone = {"currency": "EUR", "commission_exact": "5/2"}
    assert told((1, "wager-settled", alone)) == ["wager settled: commission 0.025 EUR"]
