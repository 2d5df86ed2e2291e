"""A stand-in for a service: it migrates, becomes ready, and stops on SIGTERM like the real ones."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc


def main() -> int:
    """Serve the health protocol until told to stop."""
    failure = os.environ.get("FAKE_FAILURE", "")
    if "--migrate" in sys.argv:
        print("migrated", os.environ["SABOT_DATABASE_URL"])
        return 7 if failure == "migrate" else 0
    if failure == "start":
        print("the fake service cannot start")
        return 9
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
    servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(f"127.0.0.1:{os.environ['SABOT_HEALTH_PORT']}")
    server.start()
    servicer.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    time.sleep(0.2)
    servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    print("serving", os.environ.get("SABOT_WALLET_TARGET", "no wallet"))
    stop.wait()
    server.stop(1).wait()
    print("stopped in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
