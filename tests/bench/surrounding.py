"""CPU of what surrounds the handler of a call: who calls, form, bounds, trace, measurements; without gRPC.

And that of a single wager with all that is around and in it, but for gRPC, PostgreSQL's driver and Kafka's
client. `python -m tests.bench.surrounding` prints both in µs. A process of its own, because a process has one set
of providers for telemetry, and the other rows are measured without.
"""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import time
from collections.abc import Callable
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
from tests.bench.calling import CREDENTIALS, DEALERS, numbered, player_of
from tests.bench.deciding import Forgetful, served
from tests.bench.figures import Row

SERVICE: Final = "sabot.wager.v1.WagerService"
CALLS: Final = 2_000
TRIES: Final = 8
CALLERS: Final = 64
GROUPS: Final = 100
"""So that books are as new as those of the row core."""


class Context:
    """What gRPC tells a handler of its call."""

    def __init__(self, credentials: Any = DEALERS) -> None:
        """Take what the caller says of himself."""
        self._credentials = tuple(credentials)

    def invocation_metadata(self) -> Any:
        """The caller's."""
        return self._credentials

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


def measure(rounds: int) -> list[Row]:
    """The least of some tries in every round."""
    command = (sys.executable, "-m", "tests.bench.surrounding")
    printed = [subprocess.run(command, check=True, capture_output=True) for _ in range(rounds)]
    around, single = zip(*(map(float, each.stdout.split()) for each in printed), strict=True)
    whole = (
        f"{CALLERS} callers: a single wager without gRPC, PostgreSQL's driver and Kafka's client"
    )
    return [
        Row(
            name="edge",
            what="CPU of what surrounds the handler of a call, without gRPC",
            unit="µs",
            rates=around,
        ),
        Row(name="edge", what=f"the same and the handler, {whole}", unit="µs", rates=single),
    ]


async def _measured() -> tuple[float, float]:
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
    around_us = await _around(lambda handler: edge._unary(f"/{SERVICE}/PlaceWager", handler))
    single_us = await _single(lambda handler: edge._unary(f"/{SERVICE}/PlaceWager", handler))
    await telemetry.stop(5.0)
    return around_us, single_us


async def _around(surround: Callable[[Any], Any]) -> float:
    answer = surround(accept)
    request, context = numbered(0), Context()
    least_s = float("inf")
    for _ in range(TRIES):
        began_s = time.process_time()
        for _ in range(CALLS):
            await answer(request, context)
        least_s = min(least_s, time.process_time() - began_s)
    return least_s / CALLS * 1e6


async def _single(surround: Callable[[Any], Any]) -> float:
    """From the bytes of the call to those of the answer, each caller with one call at a time."""
    executor, service = served(Forgetful())
    answer, ids = surround(service.PlaceWager), itertools.count()
    least_s = float("inf")

    async def call(request: bytes, context: Context) -> None:
        response = await answer(pb.PlaceWagerRequest.FromString(request), context)
        assert response.status == "ACCEPTED", response
        response.SerializeToString()

    async with executor:
        for _ in range(GROUPS):
            numbers = [next(ids) for _ in range(CALLERS)]
            requests = [numbered(number).SerializeToString() for number in numbers]
            contexts = [Context(CREDENTIALS[player_of(number)]) for number in numbers]
            began_s = time.process_time()
            await asyncio.gather(*map(call, requests, contexts))
            least_s = min(least_s, time.process_time() - began_s)
    return least_s / CALLERS * 1e6


if __name__ == "__main__":
    spare_the_collector()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.stdout.write("{} {}\n".format(*runner.run(_measured())))
