"""CPU of what surrounds the handler of a call: who calls, form, bounds, trace, measurements; without gRPC.

`python -m tests.bench.surrounding` prints it in µs. A process of its own, because a process has one set
of providers for telemetry, and the other rows are measured without.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any, Final

import uvloop

from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis import auth, rpc
from services.chassis.app import spare_the_collector
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import GrpcSettings
from services.chassis.telemetry import Telemetry
from services.contracts.access import ACCESS
from services.rules.roles import ROLES
from services.wager.inputs import INPUTS
from tests.bench.calling import DEALERS, numbered
from tests.bench.figures import Row

SERVICE: Final = "sabot.wager.v1.WagerService"
CALLS: Final = 2_000
TRIES: Final = 8


class Context:
    """What gRPC tells a handler of its call."""

    def invocation_metadata(self) -> Any:
        """The caller's."""
        return tuple(DEALERS)

    def time_remaining(self) -> float | None:
        """The caller waits as long as it takes."""
        return None

    def peer(self) -> str:
        """A caller on this machine."""
        return "ipv4:127.0.0.1:50000"

    def code(self) -> None:
        """No status was set."""


async def accept(request: Any, context: Any) -> pb.PlaceWagerResponse:
    """Say yes, whatever the wager."""
    del context
    return pb.PlaceWagerResponse(status="ACCEPTED", stake_minor=request.amount_minor)


def measure(rounds: int) -> Row:
    """The least of some tries in every round."""
    command = (sys.executable, "-m", "tests.bench.surrounding")
    told = [subprocess.run(command, check=True, capture_output=True) for _ in range(rounds)]
    return Row(
        name="edge",
        what="CPU of what surrounds the handler of a call, without gRPC",
        unit="µs",
        rates=tuple(float(each.stdout) for each in told),
    )


async def _measured() -> float:
    settings = GrpcSettings(port=0)
    edge = rpc.Edge(
        service="wager",
        authenticator=auth.DevelopmentAuthenticator(
            environment="development", roles=frozenset(ROLES)
        ),
        settings=settings,
        clock=SYSTEM_CLOCK,
        access=ACCESS,
        inputs={SERVICE: INPUTS},
    )
    telemetry = Telemetry(
        service="wager",
        instance="bench",
        environment="development",
        sample_ratio=0.0,
        span_exporters=(),
        metric_readers=(),
        metrics_host="127.0.0.1",
        metrics_port=0,
    )
    await telemetry.start()
    answer = edge._unary(f"/{SERVICE}/PlaceWager", accept)
    request, context = numbered(0), Context()
    least_s = float("inf")
    for _ in range(TRIES):
        began_s = time.process_time()
        for _ in range(CALLS):
            await answer(request, context)
        least_s = min(least_s, time.process_time() - began_s)
    await telemetry.stop(5.0)
    return least_s / CALLS * 1e6


if __name__ == "__main__":
    spare_the_collector()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.write(f"{runner.run(_measured())}\n")
