"""Databases for tests: one server per run, one fresh database per test.

Fixtures, made known by `tests/conftest.py`:

- `postgres_server`: the server of this run, fast and unsafe settings;
- `database_url`: the address of an empty database of this test's own;
- `make_database`: `await make_database()` or `await make_database(template="migrated_shoe")`, for
  several databases or copies of one that was migrated once.

A test of durability starts its own `PostgresServer(durable=True)`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from typing import Protocol

import asyncpg
import pytest
import pytest_asyncio

from services.devstack import leftovers
from services.devstack.postgres import PostgresServer

_numbers = itertools.count(1)


class MakeDatabase(Protocol):
    """Create a database, empty or as a copy, and return its address."""

    async def __call__(self, name: str | None = None, *, template: str | None = None) -> str: ...


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The PostgreSQL of this run."""
    leftovers.sweep()
    with PostgresServer() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def make_database(postgres_server: PostgresServer) -> AsyncIterator[MakeDatabase]:
    """Make databases that are dropped after the test."""
    created: list[str] = []

    async def make(name: str | None = None, *, template: str | None = None) -> str:
        chosen = name or f"test_{os.getpid()}_{next(_numbers)}"
        await postgres_server.create_databases([chosen], template=template)
        created.append(chosen)
        return postgres_server.dsn(chosen)

    yield make
    connection = await asyncpg.connect(postgres_server.dsn())
    try:
        for name in created:
            await connection.execute(f'drop database if exists "{name}" with (force)')
    finally:
        await connection.close()


@pytest_asyncio.fixture(loop_scope="session")
async def database_url(make_database: MakeDatabase) -> str:
    """The address of an empty database."""
    return await make_database()
