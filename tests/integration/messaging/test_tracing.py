"""Traces: a chain that began in one service goes on in the next, record by record."""

from __future__ import annotations

import secrets

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from services.chassis import telemetry
from tests.integration.messaging.rig import Added, Faults, Rig, until

BROKEN = 1_000_000


def new_trace() -> tuple[int, int, str]:
    trace_id, span_id = secrets.randbits(128) | 1, secrets.randbits(64) | 1
    return trace_id, span_id, f"00-{trace_id:032x}-{span_id:016x}-01"


def spans_of(event_id: str) -> dict[SpanKind, ReadableSpan]:
    return {
        span.kind: span
        for span in telemetry.in_memory().spans.get_finished_spans()
        if (span.attributes or {}).get("sabot.event_id") == event_id
    }


@pytest.mark.parametrize("flags", ["01", "03"])
async def test_each_record_of_a_batch_goes_on_in_its_own_trace(memory_rig: Rig, flags: str) -> None:
    """Proves the parentage: stored trace to publishing and to hearing, linked to each other.

    The lowest flag alone says that a trace is kept; a random trace id has the second one too.
    """
    telemetry.in_memory()
    source = await memory_rig.source(start=False)
    sink = await memory_rig.sink(source, faults=Faults(broken={BROKEN}))
    traces = [new_trace() for _ in range(5)]
    records = []
    for number, (_, _, traceparent) in enumerate(traces):
        event = Added(amount=BROKEN) if number == 3 else None
        records += await source.append(
            [f"T{number}"], traceparent=traceparent[:-2] + flags, event=event
        )
    await source.relay.start()
    await sink.has(4)
    await sink.parked("T3")
    await until(
        lambda: all(len(spans_of(record.event_id)) == 2 for record in records),
        what="two spans for each record",
    )
    for record, (trace_id, span_id, _) in zip(records, traces, strict=True):
        spans = spans_of(record.event_id)
        sent, heard = spans[SpanKind.PRODUCER], spans[SpanKind.CONSUMER]
        for span in (sent, heard):
            assert span.context is not None
            assert span.context.trace_id == trace_id
            assert span.parent is not None
            assert span.parent.span_id == span_id
        assert sent.context is not None
        assert [link.context.span_id for link in heard.links] == [sent.context.span_id]
        assert heard.name == f"hear {source.service}.added"
    failed = spans_of(records[3].event_id)[SpanKind.CONSUMER]
    assert failed.status.status_code is StatusCode.ERROR
    assert (failed.attributes or {})["sabot.outcome"] == "failed"
    done = spans_of(records[0].event_id)[SpanKind.CONSUMER]
    assert (done.attributes or {})["sabot.outcome"] == "done"


async def test_an_event_in_another_trace_is_sent_there_with_a_link_to_its_chain(
    memory_rig: Rig,
) -> None:
    """A settled wager: its placing is the trace, the dealing is what is linked."""
    telemetry.in_memory()
    source = await memory_rig.source()
    placed, span_id, traceparent = new_trace()
    _, dealing, chain = new_trace()
    (record,) = await source.append(["T0"], traceparent=traceparent, chain_traceparent=chain)
    await until(lambda: bool(spans_of(record.event_id)), what="the span of the sending")
    sent = spans_of(record.event_id)[SpanKind.PRODUCER]
    assert sent.context is not None
    assert sent.parent is not None
    assert (sent.context.trace_id, sent.parent.span_id) == (placed, span_id)
    assert [link.context.span_id for link in sent.links] == [dealing]


@pytest.mark.parametrize("flags", ["00", "02"])
async def test_what_is_not_sampled_costs_no_span(memory_rig: Rig, flags: str) -> None:
    """Proves that the decision made at the beginning of a chain is kept."""
    telemetry.in_memory()
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    trace_id, span_id, _ = new_trace()
    records = await source.append(["T0"], traceparent=f"00-{trace_id:032x}-{span_id:016x}-{flags}")
    await sink.has(1)
    assert spans_of(records[0].event_id) == {}
