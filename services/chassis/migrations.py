"""Brings a database to the schema of this release: numbered SQL files, each in one transaction.

Several packages of files share a database: the chassis' own and the service's. They are applied in
the order in which they are given, forward only. A file that was applied is final: changing it would
make two databases of one release differ, so a changed one is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib.abc import Traversable
from importlib.resources import files
from typing import Any, Final

import asyncpg
from msgspec import Struct

from services.chassis import grants

FILE_NAME: Final = re.compile(r"([0-9]{4})_([a-z0-9_]+)\.sql")
LOCK_KEY: Final = 5_360_102
"""Any number will do, as long as every release uses the same one."""

LOCK_TIMEOUT_S: Final = 120.0
"""How long a migration waits for one that runs already."""

TABLE_LOCK_TIMEOUT_MS: Final = 10_000
"""How long a file waits for a table in use. While it waits, everybody who comes later waits for the
table too; better to fail and to try again at a quieter moment."""

STATEMENT_TIMEOUT_S: Final = 3600.0
"""How long one file may take."""

_TABLE: Final = """
create table if not exists schema_version (
    package text not null,
    version integer not null,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp(),
    primary key (package, version)
)
"""


class Package(Struct, frozen=True):
    """A folder of migration files under a name that never changes."""

    name: str
    directory: Traversable


class Migration(Struct, frozen=True, kw_only=True):
    """One file."""

    package: str
    version: int
    name: str
    sql: str
    sha256: str


class BadMigrations(Exception):
    """The files contradict each other, or what the database remembers of them."""


class SchemaBehind(Exception):
    """The database lacks migrations of this release; `missing` names them."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(f"not applied: {', '.join(missing)}")
        self.missing = tuple(missing)


CHASSIS: Final = Package("chassis", files("services.chassis") / "schema")
"""The log and what is committed with it: the first package of every service."""


def read_package(package: Package) -> list[Migration]:
    """The files of a package in order. Raises `BadMigrations` unless numbered from 1 without holes."""
    found = []
    for file in package.directory.iterdir():
        if not file.name.endswith(".sql"):
            continue
        match = FILE_NAME.fullmatch(file.name)
        if match is None:
            raise BadMigrations(f"{package.name}: {file.name} is not like 0001_name.sql")
        sql = file.read_text(encoding="utf-8")
        digest = hashlib.sha256(sql.encode()).hexdigest()
        found.append(
            Migration(
                package=package.name, version=int(match[1]), name=match[2], sql=sql, sha256=digest
            )
        )
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise BadMigrations(f"{package.name}: the numbers are not 1 to {len(found)}")
    return found


async def migrate(
    dsn: str, packages: Sequence[Package], *, service_role: str = ""
) -> list[Migration]:
    """Apply what is missing and return it. One runs at a time; the others wait and find nothing.

    `service_role` is the database user that is then given the rights of the running service; without
    one the service logs in as the owner.
    """
    wanted = [migration for package in packages for migration in read_package(package)]
    connection = await asyncpg.connect(dsn, command_timeout=STATEMENT_TIMEOUT_S)
    try:
        # The lock belongs to this connection and ends with it, however this function ends.
        await connection.execute("select pg_advisory_lock($1)", LOCK_KEY, timeout=LOCK_TIMEOUT_S)
        await connection.execute(f"set lock_timeout = {TABLE_LOCK_TIMEOUT_MS}")
        await connection.execute(_TABLE)
        missing = await _missing(connection, wanted)
        for migration in missing:
            async with connection.transaction(isolation="read_committed"):
                await connection.execute(migration.sql)
                await connection.execute(
                    "insert into schema_version (package, version, name, sha256) "
                    "values ($1, $2, $3, $4)",
                    migration.package,
                    migration.version,
                    migration.name,
                    migration.sha256,
                )
        if service_role:
            async with connection.transaction(isolation="read_committed"):
                await grants.grant(connection, service_role)
        return missing
    finally:
        await connection.close()


async def check(connection: Any, packages: Sequence[Package]) -> None:
    """Raise `SchemaBehind` unless the database has every migration of this release.

    A database that has more is all right: a later release has migrated it already, and migrations
    only add while an older release still runs.
    """
    wanted = [migration for package in packages for migration in read_package(package)]
    try:
        missing = await _missing(connection, wanted)
    except asyncpg.UndefinedTableError:
        missing = wanted
    if missing:
        raise SchemaBehind([f"{migration.package} {migration.version}" for migration in missing])


async def _missing(connection: Any, wanted: Sequence[Migration]) -> list[Migration]:
    rows = await connection.fetch("select package, version, sha256 from schema_version")
    applied = {(package, version): sha256 for package, version, sha256 in rows}
    for migration in wanted:
        known = applied.get((migration.package, migration.version), migration.sha256)
        if known != migration.sha256:
            raise BadMigrations(
                f"{migration.package}: {migration.version:04}_{migration.name}.sql was changed "
                "after it had been applied; put the change into a new file"
            )
    return [m for m in wanted if (m.package, m.version) not in applied]
