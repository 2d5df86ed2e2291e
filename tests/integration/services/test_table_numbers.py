"""The numbers of live tables on a real database: each is borne by one open table at a time."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from services.chassis.decider import Companion
from services.chassis.executor import Executor, Limits, Outcome
from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.registry import Registry
from services.chassis.work import PlainCompanion
from services.contracts.core import Command
from services.round import domain
from services.round.commands import AbandonTable, CloseTable, OpenTable
from services.round.companion import RoundCompanion
from tests.support.spec import AT_US, person
from tests.support.tables import settings

PACKAGE = Package("round", files("services.round.migrations"))
DEALER = person("DEALER")
CLOSED = CloseTable(at_us=AT_US, by=DEALER)

_commands = itertools.count(1)


def opening(table_id: str, number: str = "7", mode: str = "LIVE") -> OpenTable:
    made = replace(settings(mode=mode, table_number=number), table_id=table_id)
    return OpenTable(at_us=AT_US, by=DEALER, settings=made)


@asynccontextmanager
async def replica(url: str, companion: Companion | None = None) -> AsyncIterator[Executor]:
    """One process of the round service, as far as it decides."""
    pool = await open_pool(url, connections_max=3)
    core: Any = domain
    try:
        async with Executor(
            core,
            PostgresStore("round", pool),
            companion or RoundCompanion(),
            Registry("round", domain.EVENTS),
            limits=Limits(linger_s_max=0.0),
            jitter=random.Random(7),
        ) as executor:
            yield executor
    finally:
        pool.terminate()


async def send(executor: Executor, table_id: str, command: Command) -> Outcome:
    return await executor.command(
        table_id, command, command_id=f"c{next(_commands)}", input_hash=b"x"
    )


async def opened(executor: Executor, table_id: str, **others: Any) -> bool:
    """Open the table; whether it was, or else was refused for its number."""
    outcome = await send(executor, table_id, opening(table_id, **others))
    if outcome.refused is not None:
        assert outcome.refused[0] == "DUPLICATE", outcome.refused
    return outcome.refused is None


async def test_a_number_is_free_again_once_its_table_is_closed(database_url: str) -> None:
    """A-12: it is borne from the opening to the closing, and by one table."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with replica(database_url) as executor:
        assert await opened(executor, "A")
        outcome = await send(executor, "B", opening("B"))
        reason, message, clauses = outcome.refused or ("", "", ())
        assert (reason, clauses) == ("DUPLICATE", ("000:1.2.2",))
        assert "table A" in message
        assert await opened(executor, "B", number="8")
        assert (await send(executor, "B", CLOSED)).refused is None
        assert (await send(executor, "A", CLOSED)).refused is None
        assert await opened(executor, "B")
        assert not await opened(executor, "A")


@pytest.mark.parametrize("mode", ["LIVE", "TEST"])
async def test_a_table_that_closes_in_the_group_of_its_opening_bears_no_number(
    database_url: str, mode: str
) -> None:
    """A-12: also where it had one before, and opens once more behind its closing."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with replica(database_url) as executor:
        for number in range(8):
            table_id = f"A{number}"
            for before in (False, True):
                if before:
                    assert await opened(executor, table_id, mode=mode)
                commands = [CLOSED, opening(table_id, mode=mode), CLOSED][not before :]
                outcomes = await asyncio.gather(
                    *(send(executor, table_id, command) for command in commands)
                )
                assert [outcome.refused for outcome in outcomes] == [None] * len(commands)
            assert await opened(executor, "B")
            assert (await send(executor, "B", CLOSED)).refused is None


async def test_tables_in_test_mode_are_not_held_to_a_number(database_url: str) -> None:
    """A-12: a log that is played twice shows one table twice, be the first time finished or not."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with replica(database_url) as executor:
        assert await opened(executor, "run1.T", mode="TEST")
        assert await opened(executor, "run2.T", mode="TEST")
        assert await opened(executor, "A")
        assert await opened(executor, "run3.T", mode="TEST")
        ended = AbandonTable(at_us=AT_US, by=DEALER)
        assert (await send(executor, "run1.T", ended)).refused is None
        assert not await opened(executor, "B")


async def test_a_number_goes_over_within_a_group_of_commands(database_url: str) -> None:
    """A-12: who closes first and who opens behind him are decided in that order, alone or together."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with replica(database_url) as executor:
        assert await opened(executor, "T0")
        for number in range(1, 9):
            before, now = f"T{number - 1}", f"T{number}"
            still, closed, opens = await asyncio.gather(
                opened(executor, "other"),
                send(executor, before, CLOSED),
                opened(executor, now),
            )
            assert (still, closed.refused, opens) == (False, None, True)
        assert executor.counters.commands_alone


async def test_numbers_are_compared_as_people_read_them(database_url: str, tmp_path: Path) -> None:
    """A-12: also with a number that an earlier release wrote into the register as it was given."""
    first = "0001_table_numbers.sql"
    (tmp_path / first).write_bytes((PACKAGE.directory / first).read_bytes())
    await migrate(database_url, [CHASSIS, Package("round", tmp_path)])
    pool = await open_pool(database_url, connections_max=1)
    await pool.executemany(
        "insert into table_numbers (number, table_id) values ($1, $2)",
        [("VIP 7", "A"), ("vip7", "B"), ("Vip 8", "C")],
    )
    await migrate(database_url, [CHASSIS, PACKAGE])
    rows = await pool.fetch("select number, table_id from table_numbers order by number")
    pool.terminate()
    assert [tuple(row) for row in rows] == [("vip7", "A"), ("vip8", "C")]
    async with replica(database_url) as executor:
        assert not await opened(executor, "D", number="vip 8")
        assert await opened(executor, "E", number="Vip 9")
        assert not await opened(executor, "F", number="VIP9")


@pytest.mark.parametrize("replicas", [1, 2])
async def test_of_two_that_open_at_the_same_time_one_is_opened(
    database_url: str, replicas: int
) -> None:
    """A-12: in one group of commands, and in two processes; the other is refused like any later one."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        executors = [
            await stack.enter_async_context(replica(database_url)) for _ in range(replicas)
        ]
        for number in range(20):
            tables = [f"{number}.{name}" for name in range(4)]
            done = await asyncio.gather(
                *(
                    opened(executors[place % replicas], table, number=f"n{number}")
                    for place, table in enumerate(tables)
                )
            )
            states = [(await executors[0].state(table)).open for table in tables]
            assert sorted(states) == [False, False, False, True]
            assert list(done) == states


async def test_tables_that_were_open_before_have_their_numbers(database_url: str) -> None:
    """A-12: those of an earlier release, the first of two with one number, live ones only."""
    await migrate(database_url, [CHASSIS])
    core: Any = domain
    async with replica(database_url, PlainCompanion(core)) as executor:
        for table_id, number, mode in (
            ("Z", "7", "LIVE"), ("A", "7", "LIVE"), ("B", "8", "LIVE"), ("C", "", "LIVE"),
            ("D", "9", "TEST"),
        ):  # fmt: skip
            assert await opened(executor, table_id, number=number, mode=mode)
        assert (await send(executor, "B", CLOSED)).refused is None
    await migrate(database_url, [CHASSIS, PACKAGE])
    pool = await open_pool(database_url, connections_max=1)
    rows = await pool.fetch("select number, table_id from table_numbers order by number")
    pool.terminate()
    assert [tuple(row) for row in rows] == [("7", "Z"), ("c", "C")]
