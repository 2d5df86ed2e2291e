"""Telemetry: one table of names, providers that end, traces that go on."""

from __future__ import annotations

import ast
import asyncio
import re
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

import services
from services.chassis import app, telemetry
from services.chassis.telemetry import ATTRIBUTES, METRICS, Instruments, Kind, Metric, Telemetry
from services.devstack.brokers import SERVICES
from tests.deploy.settings import definition_of
from tests.support.parsing import parsed

SOURCES = Path(str(services.__file__)).parent
RECORDERS = {"count", "change", "gauge", "record", "observe", "Interval"}
UNITS = re.compile(r"s|By|1|\{[a-z]+\}")


def test_every_declared_metric_is_registered_with_its_unit() -> None:
    """Each metric of the table is exported under its name, unit and description."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    instruments = Instruments(provider.get_meter("test"))
    instruments.histograms.join([reader], Resource.get_empty())
    record: dict[Kind, Any] = {
        Kind.COUNTER: lambda name, **a: instruments.count(name, 1, **a),
        Kind.UP_DOWN: lambda name, **a: instruments.change(name, 1, **a),
        Kind.GAUGE: lambda name, **a: instruments.gauge(name, 1, **a),
        Kind.HISTOGRAM: lambda name, **a: instruments.record(name, 1, **a),
        Kind.OBSERVED: lambda name, **a: instruments.observe(name, lambda: 1),
        Kind.TOTAL: lambda name, **a: instruments.observe(name, lambda: 1),
    }
    for metric in METRICS.values():
        record[metric.kind](metric.name, **dict.fromkeys(metric.attributes, "x"))
    data = reader.get_metrics_data()
    assert data is not None
    exported = {
        metric.name: metric
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert exported.keys() == METRICS.keys()
    for name, metric in METRICS.items():
        assert exported[name].unit == metric.unit
        assert exported[name].description == metric.description
        (point,) = exported[name].data.data_points
        wanted = set() if metric.kind in telemetry._OBSERVED else set(metric.attributes)
        assert set(point.attributes or ()) == {ATTRIBUTES[key].name for key in wanted}


def test_names_units_and_attributes_keep_to_the_rules() -> None:
    """Names are ours, units are UCUM, durations have buckets, nothing unbounded is an attribute."""
    for name, metric in METRICS.items():
        assert re.fullmatch(r"sabot(\.[a-z_]+)+", name), name
        assert UNITS.fullmatch(metric.unit), name
        assert metric.description
        assert bool(metric.buckets) == (metric.kind is Kind.HISTOGRAM), name
        assert all(ATTRIBUTES[key].metric for key in metric.attributes), name


def recorded_names() -> set[str]:
    """Find the metric names in the source, where something is recorded under them."""
    names: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(parsed(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in RECORDERS and isinstance(node.args[0], ast.Constant):
                names.add(str(node.args[0].value))
    return {name for name in names if name.startswith("sabot.")}


def test_every_declared_metric_is_recorded_somewhere() -> None:
    """The table holds no name that nothing is ever recorded under, and none is missing from it."""
    for service in SERVICES:
        definition_of(service)  # declares the metrics of its own
    recorded = recorded_names() | {f"sabot.executor.{name}" for name in app._COUNTED}
    undeclared = recorded - METRICS.keys()
    assert not undeclared
    assert {name for name in METRICS if name not in recorded} == set()


def test_undeclared_names_and_attributes_are_refused() -> None:
    """A typing error is found by the first test that passes there."""
    with pytest.raises(KeyError):
        telemetry.count("sabot.nothing")
    with pytest.raises(AssertionError):
        telemetry.count("sabot.relay.published", table_id="T1")
    with pytest.raises(AssertionError, match="twice"):
        telemetry.declare(METRICS["sabot.relay.published"])
    with pytest.raises(AssertionError):
        telemetry.declare(Metric("sabot.by_table", Kind.COUNTER, "1", "x", ("table_id",)))


def test_a_stored_trace_goes_on() -> None:
    """A traceparent that was kept is parent of what is done later, and comes out as it went in."""
    telemetry.in_memory()
    with telemetry.span("first") as first:
        stored = telemetry.current_traceparent()
    assert telemetry.current_traceparent() == ""
    with telemetry.attached(stored):
        assert telemetry.current_traceparent() == stored
        with telemetry.span("second") as second:
            pass
    assert second.get_span_context().trace_id == first.get_span_context().trace_id
    assert telemetry.current_traceparent() == ""


@pytest.mark.parametrize("malformed", ["", "00-xyz", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"])
def test_a_malformed_trace_begins_a_new_one(malformed: str) -> None:
    """What cannot be read is no parent, and not the current span's child either."""
    telemetry.in_memory()
    with telemetry.span("outer") as outer, telemetry.span("inner", traceparent=malformed) as inner:
        assert inner.get_span_context().is_valid
        assert inner.get_span_context().trace_id != outer.get_span_context().trace_id


class Hanging(SpanExporter):
    """An exporter whose collector does not answer."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def export(self, spans: Any) -> SpanExportResult:
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self.release.wait(10)


class Kept(SpanExporter):
    """An exporter that keeps."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Any) -> SpanExportResult:
        self.spans.extend(spans)
        return SpanExportResult.SUCCESS


def providers(exporter: SpanExporter, *, ratio: float = 1.0, host: str | None = None) -> Telemetry:
    return Telemetry(
        service="test",
        instance="one",
        environment="development",
        sample_ratio=ratio,
        span_exporters=[exporter],
        metric_readers=[],
        metrics_host=host,
        metrics_port=0,
    )


async def test_the_tail_is_exported_at_the_stop() -> None:
    """Spans that ended just before the stop arrive, under the name of the service."""
    kept = Kept()
    made = providers(kept)
    made._tracers.get_tracer("x").start_span("last").end()
    await made.stop(3.0)
    (span,) = kept.spans
    assert span.name == "last"
    assert span.resource.attributes["service.name"] == "sabot-test"


async def test_a_collector_that_hangs_does_not_hold_up_the_end() -> None:
    """The stop gives up in its budget although the exporter's shutdown blocks."""
    hanging = Hanging()
    made = providers(hanging)
    began_s = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await made.stop(0.1)
    assert asyncio.get_running_loop().time() - began_s < 2
    hanging.release.set()


def test_sampling_follows_the_parent() -> None:
    """A chain that was begun elsewhere is kept or dropped as a whole; own ones by the ratio."""
    made = providers(Kept(), ratio=0.0)
    tracer = made._tracers.get_tracer("x")
    sampled = telemetry.parent(f"00-{'a' * 32}-{'b' * 16}-01")
    assert tracer.start_span("child", context=sampled).is_recording()
    assert not tracer.start_span("root", context=telemetry.parent("")).is_recording()


async def test_prometheus_reads_our_names_on_loopback() -> None:
    """The port for scrapes answers with the metrics of this process, units included."""
    made = providers(Kept(), host="127.0.0.1")
    await made.start()
    telemetry.record("sabot.rpc.server.duration", 0.004, method="/x/Scraped", code="OK")
    Instruments(made._meters.get_meter("test")).gauge("sabot.relay.lag", 7)
    url = f"http://127.0.0.1:{made.metrics_port}/metrics"
    text = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
    await made.stop(3.0)
    labels = 'le="0.005",sabot_code="OK",sabot_method="/x/Scraped"'
    assert f"sabot_rpc_server_duration_seconds_bucket{{{labels}}} 1" in text.replace(".0\n", "\n")
    assert "sabot_relay_lag 7" in text
