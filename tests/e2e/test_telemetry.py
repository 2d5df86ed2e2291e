"""What is declared is sent, and what is sent is declared: the services against a receiver of OTLP."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
import pytest_asyncio

from services.chassis import telemetry
from services.chassis.telemetry import ATTRIBUTES, METRICS, RESOURCE, SPANS, Kind
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.deploy.settings import definition_of
from tests.e2e.support import COMMAND_S, fresh, played, sabot, short_table, written
from tests.support.broker import chosen_kind
from tests.support.otlp import Receiver, points, receiving

pytestmark = [pytest.mark.once, pytest.mark.timeout(COMMAND_S * 2)]

RARE: Final[Mapping[str, str]] = {
    "sabot.rpc.errors": "a call that fails",
    "sabot.relay.failures": "a broker that is away",
    "sabot.relay.rewinds": "a broker that lost its data",
    "sabot.consumer.dead_letters": "a record that is not ours",
    "sabot.consumer.gaps": "a record that was lost",
    "sabot.consumer.standstills": "a client library that has stopped",
    "sabot.settlement.money": "a live table",
    "sabot.results.drift": "a look some time after the start",
    "sabot.wallet.breaker": "an operator's wallet",
    "sabot.wallet.calls": "an operator's wallet",
    "sabot.wallet.duration": "an operator's wallet",
    "sabot.wallet.late": "an operator's wallet",
    "sabot.wallet.open": "an operator's wallet",
}
"""Metrics that a table in TEST mode without any fault does not move, and what does."""

MEANT: Final = {
    Kind.COUNTER: "sum",
    Kind.TOTAL: "sum",
    Kind.UP_DOWN: "sum",
    Kind.GAUGE: "gauge",
    Kind.OBSERVED: "gauge",
    Kind.HISTOGRAM: "histogram",
}


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """All that the four services sent, from their start to their end, while a table was played."""
    if chosen_kind() == "apache":
        pytest.skip("the broker changes nothing about what is sent")
    with receiving() as receiver:
        yield receiver


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def sent(received: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Receiver:
    """The receiver after the services have ended, so that nothing is under way."""
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": received.target,
        "SABOT_TRACE_OTLP_METRICS": "true",
    }
    log = written(tmp_path_factory.mktemp("telemetry"), "table", short_table())
    run = fresh("telemetry")
    with Stack(broker=chosen_kind(), environment=environment) as stack:
        await played(stack, log, run)
        assert sabot(stack, "rebuild", f"{run}.1.T1:1:1").returncode == 0
        async with Services(stack.targets) as services:
            await services.progress(f"{run}.1.T1")
    return received


def _declared() -> None:
    for service in ("shoe", "round", "wager", "settlement"):
        definition_of(service)


async def test_every_metric_that_is_sent_is_declared(sent: Receiver) -> None:
    """Name, unit, kind, and no attribute beyond those of the table."""
    _declared()
    assert sent.metrics
    for service, scope, metric in sent.metrics:
        assert scope == telemetry.SCOPE, f"{service} sends {scope} {metric.name}"
        row = METRICS[metric.name]
        assert metric.unit == row.unit, metric.name
        assert metric.WhichOneof("data") == MEANT[row.kind], metric.name
        allowed = {ATTRIBUTES[key].name for key in row.attributes}
        for point in points(metric):
            assert {a.key for a in point.attributes} == allowed, metric.name


async def test_every_metric_that_is_declared_is_sent(sent: Receiver) -> None:
    """But for those of faults, which are named with what moves them."""
    _declared()
    seen = {metric.name for _, _, metric in sent.metrics}
    assert {name for name in METRICS if name not in seen} <= set(RARE)


def _fits(pattern: str, name: str) -> bool:
    parts = (re.escape(part) for part in re.split(r"<[^>]+>", pattern))
    return re.fullmatch(r"[^\s/]+".join(parts), name) is not None


async def test_every_span_that_is_sent_is_declared_and_the_reverse(sent: Receiver) -> None:
    """Scope, name, kind and attributes; what is exported with every span names the process."""
    met: defaultdict[int, set[str]] = defaultdict(set)
    for service, scope, span in sent.spans:
        kind = span.kind - 1  # the protocol counts from "unspecified"
        (place,) = [
            place
            for place, row in enumerate(SPANS)
            if row.scope == scope and row.kind.value == kind and _fits(row.name, span.name)
        ] or pytest.fail(f"{service} sends the span {scope} {span.name} of kind {kind}")
        held = {attribute.key for attribute in span.attributes}
        assert held <= set(SPANS[place].attributes), span.name
        met[place] |= held
    assert {place: set(row.attributes) for place, row in enumerate(SPANS)} == dict(met)
    assert {name for names in sent.processes.values() for name in names} >= set(RESOURCE)


async def test_one_trace_goes_from_the_wager_to_its_settlement(sent: Receiver) -> None:
    """The call, its sending, its hearing, and that it is settled and paid; the dealing is linked."""
    by_id = {span.span_id: span for _, _, span in sent.spans}

    def root(span: Any) -> Any:
        while span.parent_span_id in by_id:
            span = by_id[span.parent_span_id]
        return span

    wager = [s for _, _, s in sent.spans if s.name == "hear wager.wager-accepted"]
    assert wager
    assert {root(span).name for span in wager} == {"sabot.wager.v1.WagerService/PlaceWager"}
    settled = [s for _, _, s in sent.spans if s.name == "publish settlement.wager-settled"]
    assert settled
    assert {root(span).name for span in settled} == {"sabot.wager.v1.WagerService/PlaceWager"}
    assert {span.trace_id for span in settled} == {span.trace_id for span in wager}
    linked = {root(by_id[link.span_id]).name for span in settled for link in span.links}
    assert linked == {"sabot.round.v1.RoundService/DealCoup"}
    paid = [s for _, _, s in sent.spans if s.name == "sabot.wager.v1.WalletService/CreditAccount"]
    assert paid
    assert {span.trace_id for span in paid} <= {span.trace_id for span in settled}
    coup = [s for _, _, s in sent.spans if s.name == "publish settlement.coup-settled"]
    assert {root(span).name for span in coup} == {"sabot.round.v1.RoundService/DealCoup"}
