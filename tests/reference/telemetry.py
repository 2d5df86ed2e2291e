"""docs/reference/telemetry.md, from the one table of metrics, spans and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from services.chassis.telemetry import ATTRIBUTES, METRICS, RESOURCE, SPANS, Kind
from tests.deploy.settings import definition_of
from tests.reference.pages import NOTICE, cell, table
from tests.reference.settings import SERVICES

HEAD: Final = f"""# Telemetry

{NOTICE}

Every metric, span and attribute that a service sends; what is not declared here cannot be recorded. A test
runs the services against a receiver of OpenTelemetry's protocol and compares
(`tests/e2e/test_telemetry.py`). Where traces go is set by `OTEL_EXPORTER_OTLP_ENDPOINT`
([settings](settings.md)); metrics are read from `SABOT_METRICS_PORT`, or pushed to the same collector with
`SABOT_TRACE_OTLP_METRICS=true`.

Prometheus writes names with underscores and a unit: `sabot.relay.age` is `sabot_relay_age_seconds`, a counter
ends in `_total`, a histogram is `_bucket`, `_count` and `_sum`. The dashboards are in
`k8s/components/monitoring/dashboards`, the alerts in [Runbooks](../operations/runbooks.md).
"""

KINDS: Final = {
    Kind.COUNTER: "counter",
    Kind.TOTAL: "counter",
    Kind.GAUGE: "gauge",
    Kind.OBSERVED: "gauge",
    Kind.UP_DOWN: "gauge",
    Kind.HISTOGRAM: "histogram",
}


def page() -> str:
    """The page."""
    for service in SERVICES:
        definition_of(service)  # declares the metrics of its own
    parts = [HEAD, "## Metrics\n", table(("metric", "kind", "unit", "what", "by"), metrics())]
    parts += ["## Spans\n", table(("name", "kind", "what", "attributes", "made by"), spans())]
    parts += ["## Attributes\n", "An attribute whose values are without number is of no metric.\n"]
    parts.append(table(("attribute", "what", "of metrics"), attributes()))
    parts += ["## Of every process\n", "".join(f"- `{name}`\n" for name in RESOURCE)]
    return "\n".join(parts)


def metrics() -> Iterator[tuple[str, ...]]:
    """One line for each metric."""
    for metric in sorted(METRICS.values(), key=lambda metric: metric.name):
        by = ", ".join(f"`{ATTRIBUTES[key].name}`" for key in metric.attributes)
        yield f"`{metric.name}`", KINDS[metric.kind], f"`{metric.unit}`", metric.description, by


def spans() -> Iterator[tuple[str, ...]]:
    """One line for each kind of span."""
    for row in SPANS:
        named = ", ".join(f"`{name}`" for name in row.attributes)
        yield f"`{row.name}`", row.kind.name.lower(), cell(row.description), named, f"`{row.scope}`"


def attributes() -> Iterator[tuple[str, ...]]:
    """One line for each attribute of ours."""
    for row in ATTRIBUTES.values():
        yield f"`{row.name}`", cell(row.description), "yes" if row.metric else ""
