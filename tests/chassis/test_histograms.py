"""Histograms of our own: collected, they are what the library would have made of the same values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry

from services.chassis.histograms import Histograms

BOUNDS = (0.1, 1.0, 5.0)
VALUES = (0.0, 0.05, 0.1, 0.3, 1.0, 4.0, 5.0, 70.0)


def made() -> Histograms:
    found = Histograms("ours", lambda _, attributes: {f"x.{k}": v for k, v in attributes.items()})
    found.declare("x.time", "s", "how long", BOUNDS)
    return found


def told(point: Any) -> dict[str, Any]:
    names = ("attributes", "count", "sum", "bucket_counts", "explicit_bounds", "min", "max")
    return {name: getattr(point, name) for name in names}


def collected(reader: InMemoryMetricReader) -> dict[str, Any]:
    data = reader.get_metrics_data()
    assert data is not None
    (resource,) = data.resource_metrics
    metrics = [metric for scope in resource.scope_metrics for metric in scope.metrics]
    return {metric.name: metric for metric in metrics}


def test_they_are_collected_as_the_library_would_tell_them() -> None:
    """Bounds belong to the bucket below; sums, extremes, unit and temporality are the library's."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    theirs = provider.get_meter("theirs").create_histogram(
        "x.theirs", "s", "how long", explicit_bucket_boundaries_advisory=BOUNDS
    )
    ours = made()
    ours.join([reader], Resource.get_empty())
    for value in VALUES:
        theirs.record(value, {"x.code": "OK"})
        ours.record("x.time", value, code="OK")
    for _ in range(2):  # cumulative: collected again they are the same
        found = collected(reader)
        assert {**told(found["x.time"].data.data_points[0])} == told(
            found["x.theirs"].data.data_points[0]
        )
        assert found["x.time"].unit == found["x.theirs"].unit
        assert found["x.time"].description == found["x.theirs"].description
        temporality = found["x.theirs"].data.aggregation_temporality
        assert found["x.time"].data.aggregation_temporality == temporality


@pytest.mark.parametrize("version", [None, ""])
def test_with_the_rest_of_their_scope_they_are_one_group(version: str | None) -> None:
    """Of two equal groups the encoder of OTLP keeps the last, and the rest would be lost."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    for scope in ("before", "ours", "theirs"):
        provider.get_meter(scope, version).create_counter(f"{scope}.calls").add(1)
    ours = made()
    ours.join([reader], Resource.get_empty())
    ours.record("x.time", 1.0)
    data = reader.get_metrics_data()
    assert data is not None
    (resource,) = encode_metrics(data).resource_metrics
    sent = [(each.scope.name, [m.name for m in each.metrics]) for each in resource.scope_metrics]
    assert sorted(sent) == [
        ("before", ["before.calls"]),
        ("ours", ["ours.calls", "x.time"]),
        ("theirs", ["theirs.calls"]),
    ]


def test_the_order_of_attributes_says_nothing() -> None:
    """Values under the same attributes are one point, however a caller orders them."""
    reader = InMemoryMetricReader()
    MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    ours = made()
    ours.join([reader], Resource.get_empty())
    ours.record("x.time", 1.0, method="A", code="OK")
    ours.record("x.time", 2.0, code="OK", method="A")
    ours.record("x.time", 4.0, code="NO", method="A")
    points = collected(reader)["x.time"].data.data_points
    assert {(point.attributes["x.code"], point.count) for point in points} == {("OK", 2), ("NO", 1)}


def test_prometheus_is_told_buckets_that_add_up() -> None:
    """A scrape shows cumulative buckets, and nothing before the first value."""
    from opentelemetry.exporter.prometheus import PrometheusMetricReader

    registry = CollectorRegistry(auto_describe=False)
    reader = PrometheusMetricReader(scope_info_enabled=False, registry=registry)
    MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    ours = made()
    ours.join([reader], Resource.get_empty())
    assert registry.get_sample_value("x_time_seconds_count", {"x_code": "OK"}) is None
    for value in VALUES:
        ours.record("x.time", value, code="OK")
    buckets = {
        bound: registry.get_sample_value("x_time_seconds_bucket", {"x_code": "OK", "le": bound})
        for bound in ("0.1", "1.0", "5.0", "+Inf")
    }
    assert buckets == {"0.1": 3, "1.0": 5, "5.0": 7, "+Inf": 8}
    total = registry.get_sample_value("x_time_seconds_sum", {"x_code": "OK"})
    assert total == pytest.approx(math.fsum(VALUES))


def test_a_reader_without_a_provider_is_refused() -> None:
    """Joined too early, the provider would take its place, and nobody would notice."""
    with pytest.raises(AssertionError, match="provider"):
        made().join([InMemoryMetricReader()], Resource.get_empty())
