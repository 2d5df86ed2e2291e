"""A database for facts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import open_pool
from services.devstack.postgres import PostgresServer
from tests.support.facts import DATABASE, Facts


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def facts(postgres_server: PostgresServer) -> AsyncIterator[Facts]:
    await postgres_server.create_databases([DATABASE])
    dsn = postgres_server.dsn(DATABASE)
    await migrate(dsn, [CHASSIS])
    pool = await open_pool(dsn, connections_max=4)
    yield Facts(pool)
    await pool.close()
