"""What settlement needs for a wager as the wagers of its coup become many: hears it, and keeps it for queries.

Settlement's core, its log and its three projections, without a broker: what an event costs on its way
there does not depend on the coup.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

from services.chassis import migrations, postgres
from services.chassis.decider import Record
from services.chassis.executor import Executor
from services.chassis.projection import OwnLog, Projector
from services.chassis.registry import Registry, encode_meta
from services.chassis.store import EMPTY_HEAD, Batch, Head
from services.contracts import wager as book
from services.contracts.core import Actor, Meta
from services.devstack.stack import Stack
from services.settlement import domain
from services.settlement.main import DEFINITION
from services.settlement.projections import PROJECTIONS
from tests.bench import alone, databases
from tests.bench.figures import Goal, Row, cpu_s

FEW: Final = 100
MANY: Final = 5_000
MEASURED: Final = 500
AT_ONCE: Final = 50
"""Wagers that are heard in a transaction, and then taken up by each projection: a moment of a busy table."""

START_US: Final = 1_790_000_000_000_000
REGISTRY: Final = Registry(book.SERVICE, book.EVENTS)


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """Few wagers in the coup, then many, a new coup in each round."""
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=4)
    few: list[float] = []
    many: list[float] = []
    try:
        store = postgres.PostgresStore(domain.SERVICE, pool)
        projectors = [Projector(kind(), OwnLog(store), pool) for kind in PROJECTIONS]
        for projector in projectors:
            await projector.prepare()
        async with alone.settlement(store) as executor:
            for number in range(rounds):
                wagers = _published(f"crowd-{number}")
                taken = _Taken(executor, projectors, wagers)
                await taken.go_on(FEW)
                few.append(await taken.go_on(MEASURED))
                await taken.go_on(MANY - FEW - MEASURED)
                many.append(await taken.go_on(MEASURED))
    finally:
        await pool.close()
    return [
        Row(
            name="crowd",
            what=f"CPU of settlement and PostgreSQL for a wager of a coup that has {MANY:,} and more",
            unit="µs",
            rates=tuple(many),
            beside=f"that has {FEW} and more",
            beside_rates=tuple(few),
            goal=Goal(1.25, 1.25, 1.1, less=True),
        )
    ]


class _Taken:
    """A coup's wagers, as far as settlement has them."""

    def __init__(
        self,
        executor: Executor,
        projectors: Sequence[Projector[Any]],
        wagers: Iterator[Record],
    ) -> None:
        self._executor = executor
        self._projectors = projectors
        self._wagers = wagers

    async def go_on(self, wagers: int) -> float:
        """CPU of each of so many more, in µs."""
        began_s = cpu_s()
        for _ in range(wagers // AT_ONCE):
            heard = [next(self._wagers) for _ in range(AT_ONCE)]
            await self._executor.hear(heard, domain.SERVICE)
            for projector in self._projectors:
                taken = await projector.step()
                assert taken == AT_ONCE, "a projection takes up what was heard"
        return (cpu_s() - began_s) / wagers * 1e6


def _published(table_id: str) -> Iterator[Record]:
    """Wagers of a coup of the table, as the wager service publishes them."""
    coup_id, head = f"{table_id}:1:1", EMPTY_HEAD
    for number in itertools.count(1):
        event = book.WagerAccepted(
            coup_id=coup_id,
            wager_id=f"w{number}",
            player=f"p{number % 1_000}",
            area="BANKER",
            currency="EUR",
            stake_minor=1_000,
            channel="electronic",
            limits_version=1,
        )
        meta = Meta(
            table_id=table_id,
            occurred_at_us=START_US + number,
            actor=Actor(event.player, "PLAYER"),
            command_id=f"c{number}",
            cause=f"c{number}",
            depth=1,
            rulebook_id="nsw-mini",
            rulebook_hash="a" * 64,
            coup_id=coup_id,
        )
        batch = Batch(book.SERVICE, {table_id: head})
        batch.add(
            table_id,
            kind=event.type,
            schema_version=event.schema_version,
            published=True,
            coup_id=coup_id,
            command_id=meta.command_id,
            meta=encode_meta(meta),
            body=REGISTRY.encode(event),
        )
        (record,) = batch.records(start=head.position, recorded_at_us=START_US)
        head = Head(record.version, record.position, record.position, record.digest)
        yield record
