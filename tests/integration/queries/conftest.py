"""One database with the resources of many tables in it, and one of its own for whoever changes it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from services.chassis.decider import Record
from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import Pool, open_pool
from services.devstack.postgres import PostgresServer
from tests.support.postgres import MakeDatabase
from tests.support.queried import Log, kept, projector, settled

QUERIED, EMPTY = "queried", "queried_empty"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def records() -> list[Record]:
    """Settlement's log of all recorded cases."""
    return await settled(lambda _: True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def queried(postgres_server: PostgresServer, records: list[Record]) -> AsyncIterator[Pool]:
    """All of them, for reading only."""
    await postgres_server.create_databases([QUERIED, EMPTY])
    for name in (QUERIED, EMPTY):
        await migrate(postgres_server.dsn(name), [CHASSIS])
    pool = await open_pool(postgres_server.dsn(QUERIED), connections_max=5)
    await kept(pool, records)
    filling = projector(Log(records), pool)
    await filling.prepare()
    while await filling.step():
        pass
    yield pool
    pool.terminate()


@pytest_asyncio.fixture(loop_scope="session")
async def own(
    queried: Pool, make_database: MakeDatabase, postgres_server: PostgresServer
) -> AsyncIterator[Pool]:
    """Empty tables, for one test."""
    del queried  # it made the template
    address = await make_database(template=EMPTY)
    pool = await open_pool(address, connections_max=5)
    yield pool
    pool.terminate()
