"""Stores for the suites: one in memory, and one on a copy of a database that was migrated once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from services.chassis.clock import SystemClock
from services.chassis.memory import MemoryStore
from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import Pool, PostgresStore, open_pool
from services.devstack.postgres import PostgresServer
from tests.support.postgres import MakeDatabase

TEMPLATE = "ports_migrated"
CONNECTIONS_MAX = 20


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def migrated(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """The name of a migrated database to copy."""
    await postgres_server.create_databases([TEMPLATE])
    await migrate(postgres_server.dsn(TEMPLATE), [CHASSIS])
    yield TEMPLATE
    connection = await asyncpg.connect(postgres_server.dsn())
    await connection.execute(f'drop database "{TEMPLATE}" with (force)')
    await connection.close()


@pytest_asyncio.fixture(loop_scope="session")
async def pool(migrated: str, make_database: MakeDatabase) -> AsyncIterator[Pool]:
    """Connections to a fresh, migrated database."""
    pool = await open_pool(await make_database(template=migrated), connections_max=CONNECTIONS_MAX)
    yield pool
    pool.terminate()


@pytest.fixture
def postgres_store(pool: Pool) -> PostgresStore:
    return PostgresStore("counter", pool)


@pytest.fixture
def memory_store() -> MemoryStore:
    return MemoryStore("counter", SystemClock())
