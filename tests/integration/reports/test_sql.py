"""The schema `reporting`: what its role may read, that it may do nothing else, and what views say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from services.chassis.decider import Record
from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import Pool, open_pool
from services.chassis.projection import Projector
from services.devstack.postgres import PostgresServer
from services.settlement.reports.projection import ReportFacts
from services.settlement.reports.upkeep import looked
from services.settlement.reports.views import ROLE, VIEWS
from tests.property.play import wander
from tests.support.journal import Kept, journal
from tests.support.recount import recounted

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="session")]

DATABASE = "reporting_views"
DENIED = asyncpg.InsufficientPrivilegeError


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return journal(wander("nsw-baccarat", 5).table)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def pool(postgres_server: PostgresServer, records: list[Record]) -> AsyncIterator[Pool]:
    """A database with the role, and the facts of a table in it by way of the projector."""
    await postgres_server.create_databases([DATABASE])
    dsn = postgres_server.dsn(DATABASE)
    await migrate(dsn, [CHASSIS])
    pool = await open_pool(dsn, connections_max=4)
    async with pool.acquire() as connection:
        await connection.execute(f"create role {ROLE} login")
    projector = Projector(ReportFacts(), Kept(records), pool)
    await projector.prepare()
    while await projector.step():
        pass
    yield pool
    await pool.execute(f"drop owned by {ROLE}")
    await pool.execute(f"drop role {ROLE}")
    await pool.close()


@pytest_asyncio.fixture(loop_scope="session")
async def reader(pool: Pool) -> AsyncIterator[Any]:
    """Somebody in the role."""
    async with pool.acquire() as connection:
        await connection.execute(f"set role {ROLE}")
        yield connection
        await connection.execute("reset role")


async def test_the_role_reads_every_view(reader: Any) -> None:
    for name, view in VIEWS.items():
        statement = await reader.prepare(f"select * from reporting.{name}")
        assert tuple(column.name for column in statement.get_attributes()) == view.columns
        await statement.fetch()


async def test_the_role_reads_nothing_else(reader: Any) -> None:
    """Neither the facts themselves nor anything of the service: the log least of all."""
    tables = await reader.fetch(
        "select quote_ident(n.nspname) || '.' || quote_ident(c.relname) from pg_class c "
        "join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'm', 'S') "
        "and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')"
    )
    names = [row[0] for row in tables]
    assert "public.events" in names
    assert len(names) > 15
    for name in names:
        with pytest.raises(DENIED):
            await reader.fetch(f"select * from {name}")


async def test_the_role_writes_nothing(reader: Any) -> None:
    for name in VIEWS:
        for statement in (
            f"insert into reporting.{name} default values",
            f"delete from reporting.{name}",
            f"drop view reporting.{name}",
        ):
            with pytest.raises((DENIED, asyncpg.ObjectNotInPrerequisiteStateError)):
                await reader.execute(statement)
    for statement in (
        "create table reporting.mine (n integer)",
        "create schema mine",
        "create table public.mine (n integer)",
    ):
        with pytest.raises(DENIED):
            await reader.execute(statement)


async def test_days_of_tables_add_up_to_the_log(reader: Any, records: list[Record]) -> None:
    count = recounted(records)
    rows = await reader.fetch(
        "select currency, sum(turnover_minor)::bigint as turnover, sum(win_minor)::bigint as win, "
        "sum(refunded_minor)::bigint as refunded from reporting.daily_table_v1 group by currency"
    )
    found = {row["currency"]: row for row in rows}
    for currency, row in found.items():
        assert row["turnover"] == count.turnover[currency]
        assert row["refunded"] == count.refunded[currency]
        assert row["win"] == count.house[currency]
    register = await reader.fetch("select coup_id, status from reporting.coup_v1")
    assert {row["coup_id"]: row["status"] for row in register} == count.coups
    position = await reader.fetchval("select position from reporting.freshness_v1")
    assert position == records[-1].position


async def test_sql_can_ask_as_of_a_position(reader: Any, records: list[Record]) -> None:
    """The history of coups and the deltas of money answer for any position."""
    half = len(records) // 2
    count = recounted(records[:half])
    rows = await reader.fetch(
        "select distinct on (coup_id) coup_id, status from reporting.coup_history_v1 "
        "where position <= $1 order by coup_id, position desc, ordinal desc",
        half,
    )
    assert {row["coup_id"]: row["status"] for row in rows} == count.coups
    turnover = await reader.fetchval(
        "select sum(turnover_minor)::bigint from reporting.settlement_v1 where position <= $1", half
    )
    assert turnover == sum(count.turnover.values())


async def test_a_rebuild_leaves_views_and_rights_in_place(
    pool: Pool, reader: Any, records: list[Record]
) -> None:
    """The views move to the new tables in the switch; who reads them notices nothing."""
    before = await reader.fetch("select * from reporting.settlement_v1 order by position, ordinal")
    live = await Projector(ReportFacts(), Kept(records), pool).rebuild(progress=lambda *_: None)
    assert live.schema == "p_reports_g2"
    after = await reader.fetch("select * from reporting.settlement_v1 order by position, ordinal")
    assert after == before
    async with pool.acquire() as connection:
        used = await connection.fetch(
            "select distinct view_name from information_schema.view_table_usage "
            "where view_schema = 'reporting' and table_schema = 'p_reports_g1'"
        )
    assert used == []


async def test_the_role_gets_its_rights_also_where_it_comes_late(
    pool: Pool, records: list[Record]
) -> None:
    """The database may make the role after the views: a look every few minutes sees to it."""
    await pool.execute(f"drop owned by {ROLE}")
    await pool.execute(f"revoke all on database {DATABASE} from public")  # as a migration does
    async with pool.acquire() as connection:
        await connection.execute(f"set role {ROLE}")
        with pytest.raises(DENIED):
            await connection.fetch("select * from reporting.coup_v1")
        await connection.execute("reset role")
    await looked(pool)
    assert await pool.fetchval(
        "select has_database_privilege($1, current_database(), 'connect')", ROLE
    )
    async with pool.acquire() as connection:
        await connection.execute(f"set role {ROLE}")
        assert await connection.fetch("select * from reporting.coup_v1")
        await connection.execute("reset role")
