"""CPU of PostgreSQL's driver for a group of wagers: the statements of G1's executor, and nothing else."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from services.chassis import migrations, postgres
from services.chassis.store import Batch, StoredAnswer
from services.contracts.wager import DebitRequested, WagerAccepted
from services.devstack.stack import Stack
from services.wager import domain
from services.wager.bars import Bars
from services.wager.main import DEFINITION
from tests.bench import databases

WAGERS: Final = 64
"""Each at a table and of a player of its own."""

GROUPS: Final = 100
TABLES: Final = [f"bench-{number}" for number in range(WAGERS)]
PLAYERS: Final = [f"p{number}" for number in range(WAGERS)]
META: Final = b"{%b}" % (b" " * 380)
BODY: Final = b"{%b}" % (b" " * 220)
"""As long as those of such a wager's two events."""

ANSWER: Final = StoredAnswer(b"h" * 32, b'{"refused":null,"answer":{"status":"ACCEPTED"}}')


async def group_us(stack: Stack) -> float:
    """Of one group, in a database of its own; from the first statement to the commit."""
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=2)
    store = postgres.PostgresStore(domain.SERVICE, pool)
    try:
        spent = _Spent()
        for number in range(GROUPS):
            await _group(store, number, spent)
        return spent.cpu_s / GROUPS * 1e6
    finally:
        await pool.close()


class _Spent:
    """CPU time of this process, but for what is left out."""

    def __init__(self) -> None:
        self.cpu_s = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        began_s = time.process_time()
        yield
        self.cpu_s += time.process_time() - began_s


async def _group(store: postgres.PostgresStore, group: int, spent: _Spent) -> None:
    names = [f"{table}/w{group}" for table in TABLES]
    # The executor asks for the key of each wager, and for that of its sender.
    keys = list(itertools.chain.from_iterable((name, f"{name}\n{group}") for name in names))
    with spent.counted():
        async with store.transaction(lock=TABLES) as tx:
            batch = Batch(domain.SERVICE, await tx.heads(TABLES))
            await tx.answers(keys)
            bars = Bars(tx.connection)
            await bars.hold(PLAYERS, ())
            await bars.stops(PLAYERS, ())
            await bars.among(PLAYERS)
            await tx.put_answers(dict.fromkeys(names, ANSWER))
            deciding_s = time.process_time()
            for table in TABLES:
                for event in (DebitRequested, WagerAccepted):
                    _add(batch, table, event, group)
            spent.cpu_s -= time.process_time() - deciding_s  # the row core has that
            await tx.append(batch)


def _add(batch: Batch, table: str, event: Any, group: int) -> None:
    batch.add(
        table,
        kind=event.type,
        schema_version=1,
        published=True,
        coup_id=f"{table}:1:1",
        command_id=f"c{group}",
        meta=META,
        body=BODY,
    )
