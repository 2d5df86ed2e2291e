"""Histograms that cost next to nothing to record in, and are the library's for whoever collects them.

A histogram of the library makes a measurement of every value, cleans and hashes its attributes, and asks
whether to keep an example: for two values a call that is a tenth of the edge. Here a value is counted,
and the readers of metrics are handed the counts when they collect, in the library's own form. They are
cumulative, whatever an exporter prefers, and hold no examples.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricReader,
    MetricsData,
    ResourceMetrics,
    ScopeMetrics,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

Attributes = tuple[tuple[str, str], ...]
"""Short names and values, in the order in which a caller gives them."""

TIMEOUT_MS: Final = 10_000.0
"""How long the library collects, unless it is said otherwise."""


class _Tally:
    """The values of one histogram with the same attributes."""

    __slots__ = ("attributes", "bounds", "counts", "least", "most", "since_ns", "sum")

    def __init__(self, bounds: tuple[float, ...], attributes: dict[str, str]) -> None:
        self.bounds = bounds
        self.attributes = attributes
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0
        self.least = float("inf")
        self.most = float("-inf")
        self.since_ns = time.time_ns()

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value
        self.least = min(self.least, value)
        self.most = max(self.most, value)

    def point(self, now_ns: int) -> HistogramDataPoint:
        counts = tuple(self.counts)
        return HistogramDataPoint(
            attributes=self.attributes,
            start_time_unix_nano=self.since_ns,
            time_unix_nano=now_ns,
            count=sum(counts),
            sum=self.sum,
            bucket_counts=counts,
            explicit_bounds=self.bounds,
            min=self.least,
            max=self.most,
        )


class _Declared(Struct, frozen=True):
    name: str
    unit: str
    description: str
    bounds: tuple[float, ...]
    tallies: dict[Attributes, _Tally]
    """By attributes, in any order that callers use."""


class Histograms:
    """The histograms of a process. Recorded in by one thread, collected by any."""

    def __init__(self, scope: str, named: Callable[[str, dict[str, str]], dict[str, str]]) -> None:
        """`named` gives the attributes of a metric the names under which they are exported."""
        self._scope = InstrumentationScope(scope)
        self._named = named
        self._declared: dict[str, _Declared] = {}

    def declare(self, name: str, unit: str, description: str, bounds: tuple[float, ...]) -> None:
        """Add a histogram; it is exported from its first value on."""
        self._declared[name] = _Declared(name, unit, description, bounds, {})

    def record(self, name: str, value: float, /, **attributes: str) -> None:
        """Count a value, which is not below 0."""
        tallies = self._declared[name].tallies
        key = tuple(attributes.items())
        tally = tallies.get(key)
        if tally is None:
            named = self._named(name, attributes)
            fresh = _Tally(self._declared[name].bounds, named)
            tally = tallies[key] = tallies.setdefault(tuple(sorted(key)), fresh)
        tally.add(value)

    def join(self, readers: Iterable[MetricReader], resource: Resource) -> None:
        """Have readers collect these beside what their provider has; it must have them by now."""
        for each in readers:
            reader: Any = each  # the library types these as what they are not
            assert reader._collect is not None, "the reader has a provider"  # noqa: SLF001
            collected = partial(self._collected, reader._collect, resource)  # noqa: SLF001
            reader._set_collect_callback(collected)  # noqa: SLF001 - there is no other way in

    def _collected(
        self,
        collect: Callable[..., MetricsData | None],
        resource: Resource,
        reader: MetricReader,
        timeout_millis: float = TIMEOUT_MS,
    ) -> MetricsData | None:
        theirs = collect(reader, timeout_millis=timeout_millis)
        ours = self._metrics()
        if not ours:
            return theirs
        if theirs is None:
            scope = ScopeMetrics(scope=self._scope, metrics=ours, schema_url="")
            return MetricsData([ResourceMetrics(resource, [scope], resource.schema_url)])
        (first, *others) = theirs.resource_metrics
        scopes = self._among(first.scope_metrics, ours)
        return MetricsData([ResourceMetrics(first.resource, scopes, first.schema_url), *others])

    def _among(self, scopes: Sequence[ScopeMetrics], ours: Sequence[Metric]) -> list[ScopeMetrics]:
        """Ours in the library's group of our scope: of two that are equal OTLP's encoder keeps one.

        The name tells: the library has an empty version of a meter's scope for none, or none.
        """
        own = next((each for each in scopes if each.scope.name == self._scope.name), None)
        if own is None:
            return [*scopes, ScopeMetrics(self._scope, ours, "")]
        joined = ScopeMetrics(own.scope, [*own.metrics, *ours], own.schema_url)
        return [*(each for each in scopes if each is not own), joined]

    def _metrics(self) -> Sequence[Metric]:
        now_ns = time.time_ns()
        return [
            Metric(
                name=each.name,
                description=each.description,
                unit=each.unit,
                data=Histogram(
                    # The same values may be kept under two orders of their attributes.
                    data_points=[
                        tally.point(now_ns)
                        for key, tally in list(each.tallies.items())
                        if key == tuple(sorted(key))
                    ],
                    aggregation_temporality=AggregationTemporality.CUMULATIVE,
                ),
            )
            for each in list(self._declared.values())
            if each.tallies
        ]
