"""Stores and a rig for the tests of messaging."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from services.chassis.migrations import CHASSIS, migrate
from services.devstack.postgres import PostgresServer
from tests.integration.messaging.rig import Rig, memory_store, postgres_store
from tests.support.postgres import MakeDatabase

TEMPLATE = "messaging_template"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def template(postgres_server: PostgresServer) -> str:
    """A migrated database that is only copied."""
    await postgres_server.create_databases([TEMPLATE])
    await migrate(postgres_server.dsn(TEMPLATE), [CHASSIS])
    return TEMPLATE


@pytest_asyncio.fixture(loop_scope="session")
async def rig(
    bootstrap_servers: str, make_database: MakeDatabase, template: str
) -> AsyncIterator[Rig]:
    """Services on PostgreSQL."""

    async def make_store(service: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return await postgres_store(service, await make_database(template=template), made.stack)

    made = Rig(bootstrap_servers, make_store)
    async with made.stack:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def memory_rig(bootstrap_servers: str) -> AsyncIterator[Rig]:
    """Services whose stores are in memory, where the database is not what is tested."""
    made = Rig(bootstrap_servers, memory_store)
    async with made.stack:
        yield made


@pytest.fixture(autouse=True)
def quiet_aiokafka(caplog: pytest.LogCaptureFixture) -> None:
    """The client reports every refused connection while a test has its broker down."""
    caplog.set_level("CRITICAL", logger="aiokafka")
