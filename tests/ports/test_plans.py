"""How PostgreSQL plans the statements of a transaction: once, and without reading whole tables."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest_asyncio

from services.chassis.migrations import CHASSIS, migrate
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.store import Batch, InboxMark, StoredAnswer
from services.wager.ledger import Ledger
from services.wager.main import DEFINITION
from services.wager.wallet import CREDIT, DEBIT, Movement

ROUNDS = 8
"""More than the five runs after which the server may keep a plan of its own accord."""

GROWING = ("events", "commands", "inbox", "parked", "accounts", "movements")


@pytest_asyncio.fixture(loop_scope="session")
async def store(database_url: str) -> AsyncIterator[PostgresStore]:
    """The wager service's, with one connection."""
    await migrate(database_url, [CHASSIS, *DEFINITION.migrations])
    pool = await open_pool(database_url, connections_max=1)
    yield PostgresStore(DEFINITION.aggregate.SERVICE, pool)
    await pool.close()


async def _one(store: PostgresStore, number: int) -> None:
    """What a lone command and what is heard need, with arrays of one element."""
    stream, pair = f"table-{number}", ("upstream", f"table-{number}")
    async with store.transaction(lock=[stream]) as tx:
        heads = await tx.heads([stream])
        await tx.standing("wager", [pair])
        assert await tx.answers([f"c{number}"]) == {}
        ledger = Ledger(tx.connection)
        for verb in (CREDIT, DEBIT):
            await ledger.move([_movement(number, verb)])
        batch = Batch(store.service, heads)
        batch.add(
            stream,
            kind="counted",
            schema_version=1,
            published=True,
            coup_id=f"{stream}:1:1",
            command_id=f"c{number}",
            meta=b"{}",
            body=b"{}",
        )
        await tx.put_answers({f"c{number}": StoredAnswer(b"hash", b"{}")})
        await tx.append(batch, handled={pair: InboxMark(1, "upstream:x:1")})


def _movement(number: int, verb: str) -> Movement:
    return Movement(
        verb=verb,
        movement_id=f"{verb}:{number}",
        player=f"p{number}",
        currency="EUR",
        amount_minor=1,
    )


async def _prepared(store: PostgresStore) -> list[tuple[str, str, int, int]]:
    """Name, text, parameters and plans of its own of each statement with an array."""
    async with store.pool.acquire() as connection:
        rows = await connection.fetch(
            "select name, statement, cardinality(parameter_types), custom_plans "
            "from pg_prepared_statements where statement ~ 'unnest|any' and statement !~ ' pg_'"
        )
    assert len(rows) == 9, "heads, standing, answers, those put, append; four of the ledger"
    return [tuple(row) for row in rows]


async def test_statements_with_short_arrays_are_planned_once(store: PostgresStore) -> None:
    """With arrays of one element, as a lone command has them, the server would plan each anew."""
    for number in range(ROUNDS):
        await _one(store, number)
    assert [text for _, text, _, plans in await _prepared(store) if plans] == []


async def test_a_kept_plan_reads_no_whole_table(store: PostgresStore) -> None:
    """A plan that was made while a table was small stays in use while it grows."""
    for number in range(3):
        await _one(store, number)
    async with store.pool.acquire() as connection:
        for table in GROWING:
            await connection.execute(f"analyze {table}")  # from here on they count as small
    await _one(store, 3)
    whole: list[str] = []
    for name, text, parameters, _ in await _prepared(store):
        nothing = ", ".join(["null"] * parameters)
        async with store.transaction() as tx:
            lines = await tx.connection.fetch(f"explain (costs off) execute {name} ({nothing})")
        whole += [f"{scan} in {text}" for scan in _whole([row[0] for row in lines])]
    assert whole == []


def _whole(plan: list[str]) -> list[str]:
    """The scans of a plan that read all of a growing table, by an index or not."""
    found = []
    for line, following in zip(plan, [*plan[1:], ""], strict=True):
        scan = re.search(r"(?:Seq Scan|Index (?:Only )?Scan.* using \w+) on (\w+)", line)
        if scan and scan[1] in GROWING and "Index Cond" not in following:
            found.append(line.strip())
    return found
