"""The users that services log in as play a table, and can neither change a log nor see another's."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.audit.logs import PostgresLog
from services.audit.verify import Summary, verify
from services.chassis import grants
from services.devstack.brokers import SERVICES
from services.devstack.stack import Stack, database_name
from services.settlement.reports import views
from tests.e2e.support import database, fresh, played, replayed, rows, short_table, value, written

pytestmark = [pytest.mark.once, pytest.mark.timeout(120), pytest.mark.usefixtures("mended")]

FORBIDDEN = (
    "update events set body = 'x' where position = 1",
    "delete from events where position = 1",
    "truncate events",
    "alter table events disable trigger all",
    "drop trigger events_are_final on events",
    "drop function refuse_to_edit_events() cascade",
    "create rule quiet as on insert to events do instead nothing",
    "alter table events add column x int",
    "drop table events",
    "set session_replication_role = replica",
    "insert into log_head (only_row, position) values (false, 1)",
    "delete from log_head",
    "truncate log_head",
    "insert into schema_version (package, version, name, sha256) values ('x', 1, 'x', 'x')",
    "update schema_version set sha256 = 'x'",
    "create table public.events_2 ()",
    "create role somebody",
    "grant postgres to current_user",
)
"""What would let somebody change what was recorded, or hide that he did."""

ONLY_READS = (
    "insert into events select * from events limit 1",
    "insert into log_head select * from log_head",
    "update log_head set position = 0",
    "create schema mine",
    "create temporary table mine ()",
)
"""What a service may do, or could, and who proves the log may not."""


@asynccontextmanager
async def logged_in(stack: Stack, user: str, name: str) -> AsyncIterator[Any]:
    """A connection of a service's own user, or of who proves the logs."""
    connection = await asyncpg.connect(address(stack, user, name))
    try:
        yield connection
    finally:
        await connection.close()


def address(stack: Stack, user: str, name: str) -> str:
    """Where a user logs in at the database of a service."""
    login = user if user == grants.ANCHORS else database_name(user)
    return stack.postgres.dsn(database_name(name), login)


async def undone(connection: Any, statement: str) -> None:
    """Try a statement; where it is allowed, it has no effect on the tests after this one."""
    attempt = connection.transaction()
    await attempt.start()
    try:
        await connection.execute(statement)
    finally:
        await attempt.rollback()


async def test_services_play_a_table_as_users_who_own_nothing(stack: Stack, tmp_path: Path) -> None:
    """Whoever is connected for a service is its own user; tables of the log belong to another."""
    path = written(tmp_path, "short", short_table())
    assert await played(stack, path, fresh("least")) == replayed(path)
    for service in SERVICES:
        found = await rows(
            stack,
            service,
            "select distinct usename from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid() and usename is not null",
        )
        assert [row[0] for row in found] == [database_name(service)]
        owner = await value(
            stack, service, "select tableowner from pg_tables where tablename = 'events'"
        )
        assert owner == "postgres"


@pytest.mark.parametrize("service", SERVICES)
async def test_what_would_change_a_log_is_refused(stack: Stack, service: str) -> None:
    """Refused for lack of a right, each of them; after it the log is as it was."""
    before = await value(stack, service, "select count(*) from events")
    async with logged_in(stack, service, service) as connection:
        for statement in FORBIDDEN:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await undone(connection, statement)
    assert await value(stack, service, "select count(*) from events") >= before


@pytest.mark.parametrize("service", SERVICES)
async def test_who_proves_the_logs_reads_them_and_nothing_else(stack: Stack, service: str) -> None:
    """Every other table and view of a service is closed to him, and whatever writes is refused."""
    async with logged_in(stack, grants.ANCHORS, service) as connection:
        for statement in (*FORBIDDEN, *ONLY_READS):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await undone(connection, statement)
        readable = await connection.fetch(
            "select relname from pg_class join pg_namespace n on n.oid = relnamespace "
            "where relkind in ('r', 'p', 'v', 'm') and nspname !~ '^pg_|^information_schema$' "
            "and has_any_column_privilege(pg_class.oid, 'select') "
            "and has_schema_privilege(n.oid, 'usage')"
        )
    assert {row[0] for row in readable} == grants.PROVED


async def test_the_logs_are_proved_with_no_more_rights_than_that(stack: Stack) -> None:
    """What `sabot verify` does, as the user who may only read."""
    logs = {
        service: await PostgresLog.open(service, address(stack, grants.ANCHORS, service))
        for service in SERVICES
    }
    try:
        told = [each async for each in verify(logs, (), progress=lambda *_: None)]
    finally:
        for log in logs.values():
            await log.close()
    assert [each.service for each in told if isinstance(each, Summary)] == list(SERVICES)
    assert all(isinstance(each, Summary) and each.events for each in told), told


@pytest.mark.parametrize(
    "statement",
    ["update movements set amount_minor = 0", "delete from movements", "truncate movements"],
)
async def test_movements_of_money_are_kept_as_the_log_is(stack: Stack, statement: str) -> None:
    """The ledger's books refuse by a trigger, and their service has no right to try."""
    async with logged_in(stack, "wager", "wager") as connection:
        assert await connection.fetchval("select count(*) from postings")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await undone(connection, statement)


async def test_a_reader_of_reports_who_is_made_later_gets_his_rights(stack: Stack) -> None:
    """The service passes on the right to connect; the reader sees views and no log."""
    async with database(stack, "settlement") as owner:
        await owner.execute(f"create role {views.ROLE} login")
        try:
            async with logged_in(stack, "settlement", "settlement") as service:
                await views.grant(service)
            dsn = stack.postgres.dsn(database_name("settlement"), views.ROLE)
            reader = await asyncpg.connect(dsn)
            try:
                assert await reader.fetchval("select count(*) from reporting.freshness_v1") == 1
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await reader.fetch("select * from events")
            finally:
                await reader.close()
        finally:
            async with logged_in(stack, "settlement", "settlement") as service:
                name = database_name("settlement")
                await service.execute(f"revoke connect on database {name} from {views.ROLE}")
            await owner.execute(f"drop owned by {views.ROLE}")
            await owner.execute(f"drop role {views.ROLE}")


@pytest.mark.parametrize(("user", "other"), list(itertools.permutations(SERVICES, 2)))
async def test_no_service_reads_the_database_of_another(
    stack: Stack, user: str, other: str
) -> None:
    """It cannot even connect."""
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
        async with logged_in(stack, user, other):
            pass


@pytest.mark.parametrize(
    "statement",
    [
        "update events set body = body",
        "delete from events",
        "truncate events",
    ],
)
async def test_the_log_is_final_for_its_owner_too(stack: Stack, statement: str) -> None:
    """A hand at the owner's console is stopped by the triggers."""
    async with database(stack, "round") as connection:
        assert await connection.fetchval("select count(*) from events")
        with pytest.raises(asyncpg.RaiseError, match="stored events are never edited"):
            await connection.execute(statement)


async def test_a_database_that_its_owner_served_is_handed_over(stack: Stack) -> None:
    """What his projections made belongs to the service's user from the next migration on."""
    user = database_name("settlement")
    async with database(stack, "settlement") as connection:
        held = connection.transaction()
        await held.start()
        await connection.execute("create schema p_old_g1")
        await connection.execute("create table p_old_g1.t as select 1 as x")
        await connection.execute("grant update on events to public")
        await connection.execute(f"grant insert on events to {grants.ANCHORS}")
        await grants.grant(connection, user)
        owners = await connection.fetch(
            "select nspowner::regrole::text, relowner::regrole::text from pg_class "
            "join pg_namespace n on n.oid = relnamespace where nspname = 'p_old_g1'"
        )
        assert [tuple(row) for row in owners] == [(user, user)]
        assert not await connection.fetchval(
            "select has_table_privilege($1, 'events', 'update')", user
        )
        assert not await connection.fetchval(
            "select has_table_privilege($1, 'events', 'insert')", grants.ANCHORS
        )
        await held.rollback()


async def test_a_user_that_does_not_exist_is_named(stack: Stack) -> None:
    """And nothing has changed: the rights are one transaction."""
    async with database(stack, "shoe") as connection:
        with pytest.raises(asyncpg.UndefinedObjectError, match="nobody-here"):
            async with connection.transaction():
                await grants.grant(connection, "nobody-here")
    async with logged_in(stack, "shoe", "shoe") as connection:
        assert await connection.fetchval("select position from log_head") >= 0
