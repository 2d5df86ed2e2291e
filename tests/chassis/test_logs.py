"""Logs: one JSON object a line, with the trace, without secrets."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from services.chassis import logs, telemetry
from services.chassis.clock import SECOND_US, ManualClock


class Page:
    """What was logged."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def page() -> Iterator[Page]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    page = Page()
    logs.configure(
        service="round",
        level="info",
        clock=ManualClock(1_800_000_000 * SECOND_US + 5),
        stream=page.stream,
        secret_keys=frozenset({"Order"}),
    )
    yield page
    root.handlers[:], root.level = handlers, level


def test_a_line_says_when_who_and_what(page: Page) -> None:
    """Time comes from the clock, and own and foreign lines have one form."""
    logs.logger("own").info("dealt", number=1)
    logging.getLogger("foreign").warning("hello %s", "you")
    own, foreign = page.lines()
    at = "2027-01-15T08:00:00.000005Z"
    assert own == {
        "event": "dealt",
        "number": 1,
        "level": "info",
        "logger": "own",
        "service": "round",
        "at": at,
    }
    assert foreign == {
        "event": "hello you",
        "level": "warning",
        "logger": "foreign",
        "service": "round",
        "at": at,
    }


def test_lines_carry_trace_and_table(page: Page) -> None:
    """Inside a span and a binding every line, also of libraries, names trace and table."""
    telemetry.in_memory()
    with telemetry.span("work") as span, logs.bound(table_id="T1"):
        logs.logger("own").info("inside")
        logging.getLogger("foreign").warning("inside too")
    logs.logger("own").info("outside")
    context = span.get_span_context()
    *inside, outside = page.lines()
    for line in inside:
        assert line["trace_id"] == f"{context.trace_id:032x}"
        assert line["span_id"] == f"{context.span_id:016x}"
        assert line["table_id"] == "T1"
    assert not {"trace_id", "span_id", "table_id"} & outside.keys()


def test_secrets_are_taken_out_wherever_they_stand(page: Page) -> None:
    """Keys in any case and depth, passwords in addresses, tokens in texts, exceptions, objects."""

    class Holder:
        def __repr__(self) -> str:
            return "Holder(postgresql://u:geheim@h)"

    log = logs.logger("own")
    log.info(
        "postgresql://u:geheim@h/d",
        password="geheim",
        nested={"Token": "geheim", "list": [{"order": "geheim"}]},
        header="Bearer geheim.geheim.geheim",
        holder=Holder(),
        raw=b"x",
    )
    logging.getLogger("foreign").info("x", extra={"authorization": "geheim"})
    log.error("failed", exc_info=ValueError("https://u:geheim@h"))
    assert "geheim" not in page.stream.getvalue()
    first = page.lines()[0]
    assert first["password"] == first["nested"]["Token"] == logs.REDACTED
    assert first["nested"]["list"] == [{"order": logs.REDACTED}]
    assert first["raw"] == "b'x'"
    assert "ValueError" in page.lines()[2]["exception"]


def test_a_line_is_bounded(page: Page) -> None:
    """Long texts, long lists and deep nesting are cut."""
    deep: Any = "bottom"
    for _ in range(10):
        deep = {"in": deep}
    logs.logger("own").info("x" * 20_000, many=list(range(1_000)), deep=deep)
    (line,) = page.lines()
    assert len(line["event"]) < 9_000
    assert len(line["many"]) == logs.ITEMS_MAX
    assert "[too deep]" in json.dumps(line["deep"])
    assert "bottom" not in json.dumps(line["deep"])


def test_the_level_holds(page: Page) -> None:
    """Lines below the configured level are not written."""
    logs.logger("own").debug("no")
    logging.getLogger("foreign").debug("no")
    assert page.lines() == []
