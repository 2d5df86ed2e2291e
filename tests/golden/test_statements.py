"""The statements of a released version on today's schema: its processes run on while a database is migrated.

`statements.json` holds what the services of that version asked of their databases while its tests played,
without the statements on schemas of projections, which every version makes for itself.
"""

from __future__ import annotations

import json

import asyncpg
import pytest

from services.chassis.migrations import CHASSIS, migrate
from tests.deploy.settings import definition_of
from tests.golden.recorder import GOLDEN

KEPT = {file.parent.name: json.loads(file.read_text()) for file in GOLDEN.glob("*/statements.json")}
"""Statements by version and service."""

SERVICES = ("shoe", "round", "wager", "settlement")
Broken = list[tuple[str, str]]


def test_there_is_a_recording() -> None:
    """At least one released version is held on to, with all of its services."""
    assert KEPT
    for statements in KEPT.values():
        assert set(statements) == set(SERVICES)


async def unfit(dsn: str, statements: list[str]) -> Broken:
    """The statements that the schema does not take, and what it says."""
    connection = await asyncpg.connect(dsn)
    found: Broken = []
    try:
        for statement in statements:
            try:
                await connection.prepare(statement)
            except asyncpg.PostgresError as error:
                found.append((statement, str(error)))
    finally:
        await connection.close()
    return found


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("version", KEPT)
async def test_a_releases_statements_fit_todays_schema(
    database_url: str, version: str, service: str
) -> None:
    """Tables, columns, types and constraints that they name are there as they were."""
    await migrate(database_url, [CHASSIS, *definition_of(service).migrations])
    assert await unfit(database_url, KEPT[version][service]) == []


async def test_a_column_that_a_release_still_names_is_missed(database_url: str) -> None:
    """Planted: the reads and the writes that name it are found."""
    await migrate(database_url, [CHASSIS])
    connection = await asyncpg.connect(database_url)
    await connection.execute("alter table inbox rename column event_id to heard_id")
    await connection.close()
    statements = KEPT["v0.1.0"]["round"]
    found = dict(await unfit(database_url, statements))
    assert [s for s in statements if s.startswith("insert into inbox")] == list(found)
