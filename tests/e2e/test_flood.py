"""Ten times as many wagers as can be taken: the rest is told so in time, and play goes on beside it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, DECKS, Desk, betting
from tests.e2e.flooding import PLAYERS
from tests.e2e.support import ROOT, environment, fresh, rows, until

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

CALLS_MAX: Final = 64
"""What the wager service takes at a time: set low, so that ten times as many fit on one machine."""

DEADLINE_S: Final = 10.0
"""Of every call, as clients have it."""

MEASURE_S: Final = 1.0
FLOOD_S: Final = 3.0
COUP_S_MAX: Final = 20.0
MEMORY_MB_MAX: Final = 384
"""What a pod may have."""


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    """The stack with a wager service that takes few calls at a time."""

    async def begin(calls: int) -> None:
        await asyncio.to_thread(stack.stop_service, "wager")
        stack.services["wager"].tell({"SABOT_GRPC_IN_FLIGHT_MAX": str(calls)})
        await asyncio.to_thread(stack.start_service, "wager")

    await begin(CALLS_MAX)
    try:
        async with Services(stack.targets) as connected:
            yield connected
    finally:
        await begin(1_024)


async def table(services: Services, word: str) -> Desk:
    """A table that deals by itself once betting is closed."""
    desk = Desk(services, fresh(word))
    await desk.open("nsw-mini", mode="TEST", decks=DECKS)
    shoe: dict[str, Any] = {"source": "GENERATED", "stands_for_preparation": True}
    await desk.act("shoe", "LoadShoe", DEALER, shoe_id=f"{desk.table_id}-1", **shoe)
    await desk.waits_for("")
    return desk


async def flooded(stack: Stack, desk: Desk, word: str, callers: int, seconds: float) -> Any:
    """What became of the wagers of so many callers; see `tests.e2e.flooding`."""
    arguments = (stack.targets["wager"], desk.table_id, word, callers, seconds, DEADLINE_S)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.flooding", *map(str, arguments)),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment(stack),
    )
    said, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(said)


async def dealt(desk: Desk) -> float:
    """Deal a coup; returns how long it took until everybody was paid and it was closed."""
    began = time.monotonic()
    await desk.act("round", "CallNoMoreBets", DEALER)
    await desk.act("round", "DealCoup", DEALER)
    await desk.coup_over()
    return time.monotonic() - began


def memory_mb(stack: Stack, name: str) -> float:
    """The most memory that a service has had."""
    process = stack.services[name].process
    assert process is not None
    status = Path(f"/proc/{process.pid}/status").read_text()
    (peak,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peak.split()[1]) / 1024


async def decided(stack: Stack, service: str, kind: str, desk: Desk) -> Counter[str]:
    """How often the log has this event of each wager."""
    query = "select body from events where stream_id = $1 and type = $2"
    found = await rows(stack, service, query, desk.table_id, kind)
    return Counter(json.loads(body)["wager_id"] for (body,) in found)


async def test_a_flood_of_wagers_is_told_to_wait_while_another_table_is_dealt_and_paid(
    stack: Stack, services: Services
) -> None:
    """No call runs into its deadline, what was taken is settled once, and memory is bounded."""
    desk, beside = await table(services, "flood"), await table(services, "beside")
    await asyncio.gather(*(desk.fund(f"p{n}", 10_000_000) for n in range(PLAYERS)))
    await beside.fund("a", 1_000)
    await betting(desk)
    await betting(beside)
    assert (await beside.wager("w", "a", "PLAYER", 1_000)).status == "ACCEPTED"
    usual = await flooded(stack, desk, "usual", CALLS_MAX, MEASURE_S)
    assert set(usual["codes"]) == {"ACCEPTED"}, usual["codes"]
    flooding = asyncio.create_task(flooded(stack, desk, "flood", 10 * CALLS_MAX, FLOOD_S))

    async def begun() -> bool:
        return len(await decided(stack, "wager", "wager-accepted", desk)) > len(usual["accepted"])

    await until(begun, what="the flood to begin")
    took_s = await dealt(beside)
    assert took_s < COUP_S_MAX
    flood = await flooding
    assert set(flood["codes"]) == {"ACCEPTED", "RESOURCE_EXHAUSTED"}, flood["codes"]
    assert flood["codes"]["RESOURCE_EXHAUSTED"] > CALLS_MAX
    assert max(flood["longest_s"].values()) < DEADLINE_S
    acknowledged = [*usual["accepted"], *flood["accepted"]]
    took_s = await dealt(desk)
    assert took_s < COUP_S_MAX
    for service, kind in (("wager", "wager-accepted"), ("settlement", "wager-settled")):
        assert await decided(stack, service, kind, desk) == Counter(acknowledged), service
    assert await decided(stack, "settlement", "wager-settled", beside) == Counter(["w"])
    for name in ("wager", "settlement", "round", "shoe"):
        assert memory_mb(stack, name) < MEMORY_MB_MAX, name
