"""When a relay or a service stands still, `play` says who waits for whom, and goes on afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from services.chassis.relay import AdvisoryLock, checkpoint_name
from services.devstack.stack import Stack
from services.tablelog import calls, rest
from services.tablelog.rest import Stalled
from tests.e2e.support import (
    database,
    fresh,
    played,
    replayed,
    short_table,
    until,
    value,
    written,
)

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]


@asynccontextmanager
async def without_relay(stack: Stack, service: str) -> AsyncIterator[None]:
    """Hold the lock that makes a process the one that publishes, as a second replica would."""
    name = checkpoint_name(service)
    lock = AdvisoryLock(lambda: asyncpg.connect(stack.database_url(service)), name=name)
    holders = "select pid from pg_locks where locktype = 'advisory' and objsubid = 1 and granted"
    asking = (
        "select count(*) from pg_stat_activity where query like '%pg_try_advisory_lock%' "
        "and pid not in ($1, pg_backend_pid()) and datname = current_database()"
    )
    async with database(stack, service) as connection:
        while not await lock.acquire():
            await connection.execute(
                f"select pg_terminate_backend(pid) from ({holders} and database = "
                "(select oid from pg_database where datname = current_database())) as holder"
            )
        mine = lock._connection.get_server_pid()

        async def stands_by() -> bool:
            return bool(await connection.fetchval(asking, mine))

        await until(stands_by, what=f"the relay of {service} to stand by")
    try:
        yield
    finally:
        await lock.release()


@pytest.mark.parametrize("service", ["round", "wager"])
async def test_play_says_whose_relay_it_waits_for_and_goes_on_when_that_runs(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    """Nothing is lost and nothing is printed wrongly, however long it takes."""
    monkeypatch.setattr(rest, "REPORT_S", 0.3)
    path = written(tmp_path, "stalled", short_table())
    said: list[str] = []
    async with without_relay(stack, service):
        playing = asyncio.create_task(played(stack, path, fresh("stalled"), said=said))

        async def told() -> bool:
            return bool(said) or playing.done()

        await until(told, what="somebody to be told")
        await asyncio.sleep(0.5)
        assert not playing.done()
    assert await playing == replayed(path)
    assert said[0].startswith("waiting: ")
    assert f"has handled {service} up to" in said[0]
    assert f"does the relay of {service} run" in said[0]


async def test_a_stall_without_end_is_an_error_and_the_run_goes_on_later(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`play` gives up with a sentence that names both; the same run again gives the whole output."""
    path = written(tmp_path, "given-up", short_table())
    run = fresh("given-up")
    async with without_relay(stack, "round"):
        monkeypatch.setattr(rest, "STALL_S_MAX", 1.0)
        with pytest.raises(Stalled, match=r"wager has handled round up to \d+ of \d+"):
            await played(stack, path, run)
        monkeypatch.undo()
    opened = "select count(*) from events where stream_id = $1 and type = 'table-closed'"
    assert await value(stack, "round", opened, f"{run}.1.T1") == 0
    assert await played(stack, path, run) == replayed(path)


@pytest.mark.parametrize("service", ["shoe", "settlement"])
async def test_play_names_a_service_that_does_not_answer_and_goes_on_when_it_does(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    """A frozen process holds its connections and says nothing, like a machine that swaps."""
    monkeypatch.setattr(rest, "REPORT_S", 0.3)
    monkeypatch.setattr(calls, "CALL_DEADLINE_S", 1.0)
    path = written(tmp_path, "frozen", short_table())
    said: list[str] = []
    stack.pause_service(service)
    playing = asyncio.create_task(played(stack, path, fresh("frozen"), said=said))

    async def told() -> bool:
        return bool(said) or playing.done()

    await until(told, what="somebody to be told")
    assert not playing.done()
    stack.resume_service(service)
    monkeypatch.setattr(calls, "CALL_DEADLINE_S", 10.0)
    assert await playing == replayed(path)
    assert said[0].startswith(f"waiting: {service} does not answer")
