"""A receiver of OpenTelemetry's protocol inside the test: it keeps what services send."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from services.devstack.ports import LOOPBACK


class Receiver:
    """Everything that was received, as the protocol has it."""

    def __init__(self) -> None:
        self.target = ""
        self.spans: list[tuple[str, str, Any]] = []
        """The service's name, the scope, the span."""

        self.metrics: list[tuple[str, str, Any]] = []
        """The service's name, the scope, the metric."""

        self.processes: dict[str, set[str]] = {}
        """What each service says of its process: the names of these attributes."""

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """Take traces or metrics; the two requests differ only in the names of their parts."""
        del context
        if isinstance(request, trace_service_pb2.ExportTraceServiceRequest):
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    name = self._service(resource.resource)
                    self.spans += ((name, scope.scope.name, span) for span in scope.spans)
            return trace_service_pb2.ExportTraceServiceResponse()
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                name = self._service(resource.resource)
                self.metrics += ((name, scope.scope.name, metric) for metric in scope.metrics)
        return metrics_service_pb2.ExportMetricsServiceResponse()

    def _service(self, resource: Any) -> str:
        said = {a.key: a.value.string_value for a in resource.attributes}
        name = str(said["service.name"])
        self.processes[name] = set(said)
        return name


def points(metric: Any) -> list[Any]:
    """The points of a metric of whatever kind."""
    return list(getattr(metric, metric.WhichOneof("data")).data_points)


@contextlib.contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on a free port of the loopback address."""
    receiver = Receiver()
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    add: tuple[Any, ...] = (
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server,
        metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server,
    )
    for each in add:
        each(receiver, server)
    port = server.add_insecure_port(f"{LOOPBACK}:0")
    server.start()
    receiver.target = f"http://{LOOPBACK}:{port}"
    try:
        yield receiver
    finally:
        server.stop(grace=1.0).wait()
