"""Traces and metrics: every name in one table, the providers, and the thread between stored traces.

Dashboards and alerts rest on our own `sabot.*` names, because the conventions for messaging and
RPC are still moving. A name that is not in the table cannot be recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from http.server import HTTPServer
from importlib import metadata
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from opentelemetry import context as otel_context
from opentelemetry import metrics, trace
from opentelemetry.metrics import (
    CallbackOptions,
    Meter,
    Observation,
    UpDownCounter,
)
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from services.chassis.histograms import Attributes, Histograms

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import _Gauge as Gauge
    from opentelemetry.trace import Span

SCOPE = "sabot"
DURATION_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SPAN_QUEUE_MAX = 4096
"""Finished spans that wait for export; beyond it they are dropped, never the work they describe."""
SPAN_EXPORT_DELAY_MS = 2000


class Kind(Enum):
    """The instruments we use.

    Lags are gauges that are set where the lag is known. What somebody holds as a number anyway is
    observed, because then it costs nothing until it is read.
    """

    COUNTER = "counter"
    UP_DOWN = "up_down"
    GAUGE = "gauge"
    OBSERVED = "observed"
    TOTAL = "total"
    """Observed too, and it only grows."""

    HISTOGRAM = "histogram"


_OBSERVED = frozenset({Kind.OBSERVED, Kind.TOTAL})


class Metric(Struct, frozen=True):
    """One metric: what it counts, in which unit (UCUM), and by which attributes."""

    name: str
    kind: Kind
    unit: str
    description: str
    attributes: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


class Attribute(Struct, frozen=True):
    """One attribute. `metric` is false where the values are too many for a metric."""

    name: str
    description: str
    metric: bool


class SpanRow(Struct, frozen=True):
    """One kind of span. What stands in `<>` in its name is another thing each time."""

    name: str
    kind: SpanKind
    description: str
    attributes: tuple[str, ...]
    scope: str = "sabot"
    """Who makes it: the instrumentation's name."""


def _table(*rows: Attribute) -> dict[str, Attribute]:
    return {row.name.removeprefix("sabot."): row for row in rows}


ATTRIBUTES: Mapping[str, Attribute] = _table(
    Attribute("sabot.method", "full name of a gRPC method", metric=True),
    Attribute("sabot.code", "gRPC status code by name", metric=True),
    Attribute("sabot.command", "type of a command", metric=True),
    Attribute("sabot.verb", "what the wallet is asked for", metric=True),
    Attribute("sabot.outcome", "what became of it, from a short list", metric=True),
    Attribute("sabot.upstream", "service whose events are heard", metric=True),
    Attribute("sabot.consumer", "who hears or follows: a consumer or a projection", metric=True),
    Attribute("sabot.reason", "stable code of an error or refusal", metric=True),
    Attribute("sabot.by", "what is grouped by, from a short list", metric=True),
    Attribute("sabot.check", "name of a health check", metric=True),
    Attribute("sabot.part", "name of a part of the process", metric=True),
    Attribute("sabot.phase", "start or stop", metric=True),
    Attribute("sabot.type", "type of an event", metric=True),
    Attribute("sabot.currency", "ISO 4217 code", metric=True),
    Attribute("sabot.flow", "which sum of a settlement", metric=True),
    Attribute("sabot.table_id", "the stream", metric=False),
    Attribute("sabot.command_id", "the outside command that began the chain", metric=False),
    Attribute("sabot.event_id", "service:stream:version", metric=False),
    Attribute("sabot.position", "place in a service's log", metric=False),
    Attribute("sabot.actor", "id of who acts", metric=False),
    Attribute("sabot.role", "role under which somebody acts", metric=False),
)
"""Attributes by their short name, which is the keyword that `count` and its siblings take."""

_RPC = "<package.Service>/<Method>"
_CODE = "rpc.grpc.status_code"
SPANS: tuple[SpanRow, ...] = (
    SpanRow(
        _RPC,
        SpanKind.SERVER,
        "a call that is answered",
        ("rpc.system", "rpc.service", "rpc.method", _CODE, "sabot.role"),
    ),
    SpanRow(_RPC, SpanKind.CLIENT, "a call that a service makes", (_CODE,)),
    SpanRow(
        "publish <service>.<type>",
        SpanKind.PRODUCER,
        "an event, from the log to the broker's acknowledgement; that a wager is settled lies in the "
        "trace of its placing, linked to that of the dealing",
        ("sabot.event_id", "sabot.position"),
    ),
    SpanRow(
        "hear <service>.<type>",
        SpanKind.CONSUMER,
        "an event of another service, with everything that follows from it; linked to its sending",
        ("sabot.event_id", "sabot.position", "sabot.table_id", "sabot.command_id", "sabot.outcome"),
    ),
    SpanRow(
        "<first word of the statement>",
        SpanKind.CLIENT,
        "a statement, its parameters left out; only where traces are exported",
        (
            *("db.name", "db.statement", "db.system", "db.user"),
            *("net.peer.name", "net.peer.port", "net.transport"),
        ),
        scope="opentelemetry.instrumentation.asyncpg",
    ),
)
"""Every span of the platform."""

RESOURCE: tuple[str, ...] = (
    "service.name",
    "service.namespace",
    "service.version",
    "service.instance.id",
    "deployment.environment.name",
)
"""What is said of the process with every span and metric, beside the SDK's `telemetry.sdk.*`."""

_S = DURATION_BUCKETS_S
_C, _G, _H, _O, _T = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM, Kind.OBSERVED, Kind.TOTAL

_DECLARED = (
    # The edge
    Metric("sabot.rpc.server.duration", _H, "s", "calls answered", ("method", "code"), _S),
    Metric("sabot.rpc.server.in_flight", _O, "{call}", "calls being answered"),
    Metric("sabot.rpc.client.duration", _H, "s", "calls made", ("method", "code"), _S),
    Metric(
        "sabot.rpc.errors", _C, "{error}", "errors by their reason", ("method", "code", "reason")
    ),
    # Commands and the log
    Metric("sabot.commands", _C, "{command}", "commands answered", ("command", "outcome")),
    Metric("sabot.command.duration", _H, "s", "from call to commit", ("command",), _S),
    Metric("sabot.executor.commands", _T, "{command}", "commands carried out in groups"),
    Metric("sabot.executor.commits", _T, "{commit}", "groups committed"),
    Metric("sabot.executor.failures", _T, "{attempt}", "attempts at a commit that failed"),
    Metric("sabot.executor.alone", _T, "{command}", "commands whose group had to be split"),
    Metric("sabot.executor.overloads", _T, "{command}", "commands that found no room to wait"),
    Metric("sabot.executor.waiting", _O, "{command}", "commands that wait for a commit"),
    # Log to broker
    Metric("sabot.relay.published", _C, "{event}", "events acknowledged by the broker"),
    Metric("sabot.relay.lag", _G, "{event}", "events of the log that are not published yet"),
    Metric("sabot.relay.duration", _H, "s", "one batch, read to checkpoint", (), _S),
    Metric("sabot.relay.failures", _C, "{failure}", "batches that failed", ("reason",)),
    Metric("sabot.relay.rewinds", _C, "{rewind}", "returns to an earlier position", ("reason",)),
    # Broker to reactions
    Metric(
        "sabot.consumer.records",
        _C,
        "{record}",
        "records by what became of them",
        ("consumer", "upstream", "outcome"),
    ),
    Metric("sabot.consumer.lag", _G, "{record}", "records not yet handled", ("upstream",)),
    Metric("sabot.consumer.duration", _H, "s", "one batch, poll to commit", ("consumer",), _S),
    Metric("sabot.consumer.delay", _H, "s", "from commit there to commit here", ("upstream",), _S),
    Metric(
        "sabot.consumer.dead_letters", _C, "{record}", "records set aside", ("consumer", "reason")
    ),
    Metric("sabot.consumer.parked", _G, "{table}", "tables that wait for a person", ("consumer",)),
    Metric("sabot.consumer.gaps", _C, "{gap}", "missing predecessors", ("consumer", "upstream")),
    Metric("sabot.consumer.standstills", _C, "{standstill}", "consumers made anew", ("consumer",)),
    Metric("sabot.consumer.poll_age", _G, "s", "time since the last poll", ("consumer",)),
    # Database
    Metric("sabot.database.connections", _O, "{connection}", "connections of the pool"),
    Metric("sabot.database.idle", _O, "{connection}", "connections nobody uses"),
    # The process
    Metric("sabot.health", _G, "1", "1 where a check passes, else 0", ("check",)),
    Metric("sabot.lifecycle.duration", _H, "s", "one step of start or stop", ("part", "phase"), _S),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _DECLARED}
"""Every metric of the platform by name; `declare` adds those of one service."""

_PROPAGATOR = TraceContextTextMapPropagator()
TRACER = trace.get_tracer(SCOPE)
"""Resolved when the provider is set, so it can be taken at import."""


class Instruments:
    """The instruments of one meter provider, by metric name."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._totals: dict[str, dict[Attributes, list[float]]] = {}
        """By counter and attributes, in any order that callers use, what was counted so far."""

        self._up_downs: dict[str, UpDownCounter] = {}
        self._gauges: dict[str, Gauge] = {}
        self.histograms = Histograms(SCOPE, _named)
        """Not of the meter: readers have to be joined to them."""

        self.record = self.histograms.record
        self._observed: dict[str, Callable[[], float]] = {}
        for metric in METRICS.values():
            self.register(metric)

    def register(self, metric: Metric) -> None:
        """Create the instrument; it is exported from its first value on."""
        name, unit, description = metric.name, metric.unit, metric.description
        if metric.kind is Kind.COUNTER:
            self._totals[name] = {}
            look = [functools.partial(self._total, name)]
            self._meter.create_observable_counter(name, look, unit, description)
        elif metric.kind is Kind.UP_DOWN:
            self._up_downs[name] = self._meter.create_up_down_counter(name, unit, description)
        elif metric.kind is Kind.GAUGE:
            self._gauges[name] = self._meter.create_gauge(name, unit, description)
        elif metric.kind in _OBSERVED:
            look = [functools.partial(self._look, name)]
            if metric.kind is Kind.TOTAL:
                self._meter.create_observable_counter(name, look, unit, description)
            else:
                self._meter.create_observable_gauge(name, look, unit, description)
        else:
            self.histograms.declare(name, unit, description, metric.buckets)

    def _look(self, name: str, _options: CallbackOptions) -> Iterable[Observation]:
        read = self._observed.get(name)
        return () if read is None else (Observation(read()),)

    def observe(self, name: str, read: Callable[[], float]) -> None:
        """Ask `read` for the value whenever metrics are collected. The last reader counts."""
        assert METRICS[name].kind in _OBSERVED, name
        self._observed[name] = read

    def count(self, name: str, amount: float = 1, /, **attributes: str) -> None:
        # A counter of the library costs ten times as much, and this runs for every command.
        totals = self._totals[name]
        key = tuple(attributes.items())
        total = totals.get(key)
        if total is None:
            _named(name, attributes)
            total = totals[key] = totals.setdefault(tuple(sorted(key)), [0])
        total[0] += amount

    def _total(self, name: str, _options: CallbackOptions) -> Iterable[Observation]:
        return [
            Observation(total[0], _named(name, dict(key)))
            for key, total in list(self._totals[name].items())
            if key == tuple(sorted(key))
        ]

    def change(self, name: str, amount: int, /, **attributes: str) -> None:
        self._up_downs[name].add(amount, _named(name, attributes))

    def gauge(self, name: str, value: float, /, **attributes: str) -> None:
        self._gauges[name].set(value, _named(name, attributes))


def _named(metric: str, attributes: dict[str, str]) -> dict[str, str]:
    """Give attributes their full names, and keep everything undeclared out of the exporter."""
    declared = METRICS[metric].attributes
    assert all(key in declared for key in attributes), f"{metric} takes {declared}"
    return {ATTRIBUTES[key].name: value for key, value in attributes.items()}


INSTRUMENTS = Instruments(metrics.get_meter(SCOPE))
"""Of the process-wide provider; what is recorded before that is set is dropped."""

count = INSTRUMENTS.count
change = INSTRUMENTS.change
gauge = INSTRUMENTS.gauge
record = INSTRUMENTS.record
observe = INSTRUMENTS.observe


def declare(*added: Metric) -> None:
    """Add the metrics of one service to the table. Called at import, once for each name."""
    for metric in added:
        assert metric.name.startswith("sabot."), metric.name
        assert metric.name not in METRICS, f"{metric.name} is declared twice"
        assert all(ATTRIBUTES[key].metric for key in metric.attributes), metric.name
        METRICS[metric.name] = metric
        INSTRUMENTS.register(metric)


def span_attributes(**attributes: str | int) -> dict[str, str | int]:
    """Give span attributes their full names from the table."""
    return {ATTRIBUTES[key].name: value for key, value in attributes.items()}


def current_traceparent() -> str:
    """Return the present trace context in the W3C form in which events store it; empty if none."""
    of = trace.get_current_span().get_span_context()
    if not of.is_valid:
        return ""
    return f"00-{of.trace_id:032x}-{of.span_id:016x}-{of.trace_flags:02x}"


def parent(traceparent: str) -> Context:
    """Read a stored or received trace context; an empty or malformed one begins a new trace."""
    if not traceparent:
        return otel_context.Context()
    return _PROPAGATOR.extract({"traceparent": traceparent}, context=otel_context.Context())


def links(traceparent: str) -> list[Link]:
    """A link to a stored or received trace context; none where that is empty or malformed."""
    if not traceparent:
        return []
    linked = trace.get_current_span(parent(traceparent)).get_span_context()
    return [Link(linked)] if linked.is_valid else []


_ODD_DIGITS = frozenset("13579bdf")


def is_sampled(traceparent: str) -> bool:
    """Say whether spans of this chain are kept. One bit says so; the other flags say other things."""
    return traceparent[-1:] in _ODD_DIGITS


@contextlib.contextmanager
def attached(traceparent: str) -> Iterator[None]:
    """Make a stored trace context current, so that what is published inside continues it.

    A header passed to FastStream's `publish` would be overwritten by its telemetry.
    Do not `yield` to an async caller inside: the context would be detached in another task.
    """
    token = otel_context.attach(parent(traceparent))
    try:
        yield
    finally:
        otel_context.detach(token)


@contextlib.contextmanager
def span(
    name: str,
    *,
    traceparent: str | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
    **attributes: str | int,
) -> Iterator[Span]:
    """Open a span under the stored `traceparent`, or under the current one where it is None."""
    context = None if traceparent is None else parent(traceparent)
    with TRACER.start_as_current_span(
        name, context=context, kind=kind, attributes=span_attributes(**attributes)
    ) as opened:
        yield opened


class Telemetry:
    """The providers of one process, as a part with a start and a stop."""

    def __init__(
        self,
        *,
        service: str,
        instance: str,
        environment: str,
        sample_ratio: float,
        span_exporters: Sequence[SpanExporter],
        metric_readers: Sequence[MetricReader],
        metrics_host: str | None,
        metrics_port: int,
    ) -> None:
        """Build the providers. `metrics_host` is None where no Prometheus port is wanted."""
        self._address = None if metrics_host is None else (metrics_host, metrics_port)
        self._scrape: tuple[HTTPServer, threading.Thread] | None = None
        self._registry: Any = None
        resource = Resource.create(
            {
                "service.name": f"sabot-{service}",
                "service.namespace": "sabot",
                "service.version": metadata.version("sabot"),
                "service.instance.id": instance,
                "deployment.environment.name": environment,
            }
        )
        self._tracers = TracerProvider(
            resource=resource,
            # Without an exporter nobody would see a span: ids are given all the same, for logs.
            sampler=ParentBased(TraceIdRatioBased(sample_ratio) if span_exporters else ALWAYS_OFF),
            shutdown_on_exit=False,
        )
        for exporter in span_exporters:
            self._tracers.add_span_processor(
                BatchSpanProcessor(
                    exporter,
                    max_queue_size=SPAN_QUEUE_MAX,
                    schedule_delay_millis=SPAN_EXPORT_DELAY_MS,
                )
            )
        readers = [*metric_readers]
        if self._address is not None:
            readers.append(self._prometheus())
        self._meters = MeterProvider(
            metric_readers=readers, resource=resource, shutdown_on_exit=False
        )
        INSTRUMENTS.histograms.join(readers, resource)

    def _prometheus(self) -> MetricReader:
        # A registry of its own: the library's global one also holds the interpreter's metrics
        # under names that other libraries in the process may take.
        from opentelemetry.exporter.prometheus import PrometheusMetricReader  # noqa: PLC0415
        from prometheus_client import CollectorRegistry  # noqa: PLC0415

        self._registry = CollectorRegistry(auto_describe=False)
        return PrometheusMetricReader(scope_info_enabled=False, registry=self._registry)

    async def start(self) -> None:
        """Make the providers the process's own and open the port for scrapes."""
        trace.set_tracer_provider(self._tracers)
        metrics.set_meter_provider(self._meters)
        if self._address is not None:
            from prometheus_client import start_http_server  # noqa: PLC0415

            host, port = self._address
            self._scrape = start_http_server(port, addr=host, registry=self._registry)

    @property
    def metrics_port(self) -> int:
        """The port for scrapes that was really bound; 0 without one."""
        return 0 if self._scrape is None else int(self._scrape[0].server_port)

    async def stop(self, timeout_s: float) -> None:
        """Export the tail. The exporters' shutdown blocks, so it runs aside and is not waited for.

        A daemon thread and not the loop's executor: the end of the loop would wait for the latter.
        """
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def shut_down() -> None:
            with contextlib.suppress(Exception):
                self._shutdown()
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=shut_down, name="telemetry-stop", daemon=True).start()
        async with asyncio.timeout(timeout_s):
            await done.wait()

    def _shutdown(self) -> None:
        if self._scrape is not None:
            server, thread = self._scrape
            server.shutdown()
            server.server_close()
            thread.join(timeout=1.0)
        self._tracers.shutdown()
        self._meters.shutdown()


def otlp_span_exporter(protocol: str) -> SpanExporter:
    """Make the exporter; it reads the standard `OTEL_EXPORTER_OTLP_*` variables by itself."""
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc import trace_exporter as grpc_exporter  # noqa: PLC0415

        return grpc_exporter.OTLPSpanExporter()
    from opentelemetry.exporter.otlp.proto.http import trace_exporter as http_exporter  # noqa: PLC0415

    return http_exporter.OTLPSpanExporter()


def otlp_metric_reader(protocol: str) -> MetricReader:
    """Push metrics to the same collector, for platforms that do not scrape."""
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415

    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc import metric_exporter as grpc_exporter  # noqa: PLC0415

        return PeriodicExportingMetricReader(grpc_exporter.OTLPMetricExporter())
    from opentelemetry.exporter.otlp.proto.http import metric_exporter as http_exporter  # noqa: PLC0415

    return PeriodicExportingMetricReader(http_exporter.OTLPMetricExporter())


class InMemory(Struct, frozen=True):
    """What a test run recorded."""

    spans: InMemorySpanExporter
    reader: InMemoryMetricReader


@functools.cache
def in_memory() -> InMemory:
    """Install providers that keep everything, for tests; the process can have only one set."""
    memory = InMemory(InMemorySpanExporter(), InMemoryMetricReader())
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(memory.spans))
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(
        MeterProvider(metric_readers=[memory.reader], shutdown_on_exit=False)
    )
    INSTRUMENTS.histograms.join([memory.reader], Resource.get_empty())
    return memory


def instance_name() -> str:
    """Name this process for people: the machine's name, which is the pod's name on Kubernetes."""
    return socket.gethostname()
