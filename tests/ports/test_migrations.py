"""The migration runner: in order, once, and never a changed file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import pytest

from services.chassis.migrations import (
    CHASSIS,
    BadMigrations,
    Package,
    SchemaBehind,
    check,
    migrate,
    read_package,
)


def package(folder: Path, name: str, *files: str) -> Package:
    """A package of files, numbered from 1; each holds the given SQL."""
    directory = folder / name
    directory.mkdir(exist_ok=True)
    for number, sql in enumerate(files, start=1):
        (directory / f"{number:04}_step.sql").write_text(sql)
    return Package(name, directory)


async def tables(dsn: str) -> set[str]:
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
    await connection.close()
    return {row[0] for row in rows}


async def check_at(dsn: str, *packages: Package) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await check(connection, packages)
    finally:
        await connection.close()


class TestRunner:
    async def test_packages_are_applied_in_order_and_once(
        self, database_url: str, tmp_path: Path
    ) -> None:
        """The service's files build on the chassis'; a second run finds nothing to do."""
        own = package(tmp_path, "own", "create table a (position bigint references events)")
        applied = await migrate(database_url, [CHASSIS, own])
        assert [(one.package, one.version) for one in applied] == [("chassis", 1), ("own", 1)]
        assert await migrate(database_url, [CHASSIS, own]) == []
        await check_at(database_url, CHASSIS, own)
        created = await tables(database_url)
        assert {"events", "log_head", "schema_version", "a"} <= created

    async def test_replicas_that_start_together_migrate_once(
        self, database_url: str, tmp_path: Path
    ) -> None:
        """One does it, the others wait for it."""
        own = package(tmp_path, "own", "create table a (); select pg_sleep(0.05)")
        applied = await asyncio.gather(*(migrate(database_url, [CHASSIS, own]) for _ in range(4)))
        assert sorted(len(one) for one in applied) == [0, 0, 0, 2]

    async def test_a_failing_file_leaves_no_part_of_itself(
        self, database_url: str, tmp_path: Path
    ) -> None:
        """Files before it stay applied, and the mended file goes on from there."""
        own = package(tmp_path, "own", "create table a ()", "create table b (); select 1 / 0")
        with pytest.raises(asyncpg.DivisionByZeroError):
            await migrate(database_url, [own])
        assert await tables(database_url) == {"a", "schema_version"}
        with pytest.raises(SchemaBehind) as behind:
            await check_at(database_url, own)
        assert behind.value.missing == ("own 2",)
        own = package(tmp_path, "own", "create table a ()", "create table b ()")
        assert [one.version for one in await migrate(database_url, [own])] == [2]

    async def test_a_changed_file_is_refused(self, database_url: str, tmp_path: Path) -> None:
        """Or two databases of one release would differ without anybody knowing."""
        own = package(tmp_path, "own", "create table a ()")
        await migrate(database_url, [own])
        own = package(tmp_path, "own", "create table a (x integer)", "create table b ()")
        with pytest.raises(BadMigrations, match="was changed after"):
            await migrate(database_url, [own])
        with pytest.raises(BadMigrations):
            await check_at(database_url, own)
        assert await tables(database_url) == {"a", "schema_version"}

    async def test_an_untouched_database_is_behind(self, database_url: str) -> None:
        """Readiness can be asked before anything was migrated."""
        with pytest.raises(SchemaBehind) as behind:
            await check_at(database_url, CHASSIS)
        assert behind.value.missing == ("chassis 1",)

    async def test_a_database_of_a_later_release_is_ready(
        self, database_url: str, tmp_path: Path
    ) -> None:
        """During a rollout the older release goes on."""
        await migrate(database_url, [package(tmp_path, "own", "select 1", "select 2")])
        (tmp_path / "own" / "0002_step.sql").unlink()
        await check_at(database_url, Package("own", tmp_path / "own"))


@pytest.mark.parametrize("name", ["0003_gap.sql", "0002_Upper.sql", "2_short.sql", "0001_twin.sql"])
def test_files_must_be_numbered_without_holes(tmp_path: Path, name: str) -> None:
    """The order of the files is never a matter of opinion."""
    own = package(tmp_path, "own", "select 1")
    (tmp_path / "own" / name).write_text("select 2")
    with pytest.raises(BadMigrations):
        read_package(own)
