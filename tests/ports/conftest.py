"""Stores for the suites: one in memory, and one on a database that is emptied for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from services.chassis.clock import SystemClock
from services.chassis.memory import MemoryStore
from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import Pool, PostgresStore, open_pool
from services.devstack.postgres import PostgresServer

DATABASE = "ports"
CONNECTIONS_MAX = 20

TABLES = (
    "events", "commands", "inbox", "parked", "parked_records", "dead_letters", "checkpoints",
    "projections", "snapshots",
)  # fmt: skip


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def ports_database(postgres_server: PostgresServer) -> str:
    """The address of a migrated database, one for all these tests."""
    await postgres_server.create_databases([DATABASE])
    dsn = postgres_server.dsn(DATABASE)
    await migrate(dsn, [CHASSIS])
    return dsn


@pytest_asyncio.fixture(loop_scope="session")
async def pool(ports_database: str) -> AsyncIterator[Pool]:
    """Connections to the database, emptied: ten times as fast as a new one for every test."""
    pool = await open_pool(ports_database, connections_max=CONNECTIONS_MAX)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local session_replication_role = replica")  # no triggers
        for table in TABLES:
            await connection.execute(f"delete from {table}")
        await connection.execute("update log_head set position = 0")
        for row in await connection.fetch("select nspname from pg_namespace where nspname ~ '^p_'"):
            await connection.execute(f'drop schema "{row[0]}" cascade')
    yield pool
    pool.terminate()


@pytest.fixture
def postgres_store(pool: Pool) -> PostgresStore:
    return PostgresStore("counter", pool)


@pytest.fixture
def memory_store() -> MemoryStore:
    return MemoryStore("counter", SystemClock())
