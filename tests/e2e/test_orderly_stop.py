"""A service that is told to stop while it works: in its time, with status 0, and nothing is lost."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from services.chassis.config import Settings
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, Desk
from tests.e2e.support import (
    fresh,
    log_lines,
    movements,
    played,
    replayed,
    rows,
    short_table,
    until,
    value,
    written,
)

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

TABLES = 3
SECONDS_USUAL = 15.0
"""What a stop takes at most when nothing is wrong, on a busy machine."""

MAY_BE_REPEATED = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,  # the library's word for a call that lay there when the server closed
}

assert Settings.model_fields["grace_period_s"].default > SECONDS_USUAL


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


async def stopped(stack: Stack, name: str) -> float:
    """Stop a service in order and check how it ended; returns how long it took."""
    began = time.monotonic()
    in_order = await asyncio.to_thread(stack.stop_service, name)
    took_s = time.monotonic() - began
    process = stack.services[name].process
    assert process is not None
    assert in_order, stack.services[name].log_tail()
    assert process.exit_code == 0, stack.services[name].log_tail()
    ends = [line for line in log_lines(stack, name) if line.get("event") == "stopped"]
    assert ends[-1]["clean"] is True
    assert took_s < SECONDS_USUAL
    return took_s


@pytest.mark.parametrize("name", ["shoe", "round", "wager", "settlement"])
async def test_a_service_that_stops_under_load_ends_well_and_loses_nothing(
    stack: Stack, tmp_path: Path, name: str
) -> None:
    """Three tables play while it goes and comes back: their lines are those of `replay`."""
    path = written(tmp_path, "table", short_table())
    runs = [fresh(f"stop-{name}") for _ in range(TABLES)]
    playing = [asyncio.create_task(played(stack, path, run)) for run in runs]
    coups = "select count(*) from events where type = 'coup-settled' and starts_with(stream_id, $1)"

    async def under_way() -> bool:
        return bool(await value(stack, "settlement", coups, runs[0]))

    await until(under_way, what="a first coup")
    await stopped(stack, name)
    await asyncio.to_thread(stack.start_service, name)
    expected = replayed(path)
    for lines in await asyncio.gather(*playing):
        assert lines == expected
    assert len({tuple(await movements(stack, run)) for run in runs}) == 1


async def test_every_acknowledged_wager_is_in_the_book_though_wager_stopped_meanwhile(
    stack: Stack, services: Services
) -> None:
    """Callers get an answer or an error that says: try again. Tried again, each stakes once."""
    desk = Desk(services, fresh("flood"))
    await desk.open("live-lobby", mode="TEST")
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=desk.table_id,
        source="SCANNED",
        stands_for_preparation=True,
    )
    await desk.waits_for("")
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
    acknowledged: set[str] = set()
    failed: dict[str, grpc.StatusCode] = {}
    stopping = asyncio.Event()

    async def stake(name: int) -> None:
        number = 0
        while not stopping.is_set():
            number += 1
            wager_id = f"w{name}-{number}"
            try:
                await desk.fund(wager_id, 1_000)
                answer = await desk.wager(wager_id, wager_id, "PLAYER", 100)
            except grpc.aio.AioRpcError as error:
                failed[wager_id] = error.code()
                await asyncio.sleep(0.05)
            else:
                assert answer.status == "ACCEPTED", answer
                acknowledged.add(wager_id)

    stakes = [asyncio.create_task(stake(name)) for name in range(8)]

    async def under_way() -> bool:
        return len(acknowledged) > 50 or any(task.done() for task in stakes)

    await until(under_way, what="wagers to be accepted")
    await stopped(stack, "wager")
    stopping.set()
    await asyncio.gather(*stakes)
    await asyncio.to_thread(stack.start_service, "wager")
    assert len(acknowledged) > 50
    accepted = "select body from events where stream_id = $1 and type = 'wager-accepted'"
    stored = b"".join(row[0] for row in await rows(stack, "wager", accepted, desk.table_id))
    assert [w for w in acknowledged if f'"{w}"'.encode() not in stored] == []
    assert set(failed.values()) <= MAY_BE_REPEATED

    async def tried_again(wager_id: str) -> bool:
        try:
            await desk.fund(wager_id, 1_000)
            answer = await desk.wager(wager_id, wager_id, "PLAYER", 100)
        except grpc.aio.AioRpcError as error:
            if error.code() not in MAY_BE_REPEATED:
                raise
            return False  # the channel has not found the server again yet
        return bool(answer.status == "ACCEPTED")

    for wager_id in list(failed)[:5]:
        await until(functools.partial(tried_again, wager_id), what=f"{wager_id} to be taken")
    debits = "select count(*) from movements where kind = 'DEBIT' and table_id = $1"
    wagers = await rows(stack, "wager", accepted, desk.table_id)
    assert await value(stack, "wager", debits, desk.table_id) == len(wagers)
