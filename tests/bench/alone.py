"""Settlement's executor on a store, without the process around it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from services.chassis.decider import Record
from services.chassis.executor import Executor, Limits
from services.chassis.registry import Registry
from services.chassis.store import Store
from services.chassis.work import PlainCompanion
from services.settlement import domain

HEARD_AT_ONCE: Final = 500


@asynccontextmanager
async def settlement(store: Store) -> AsyncIterator[Executor]:
    """The executor, at work."""
    executor = Executor(
        domain,
        store,
        PlainCompanion(domain),
        Registry(domain.SERVICE, domain.EVENTS),
        limits=Limits(),
        jitter=random.Random(1),
    )
    async with executor:
        yield executor


async def hear(executor: Executor, records: Sequence[Record]) -> None:
    """It hears these records, many in a transaction."""
    for at in range(0, len(records), HEARD_AT_ONCE):
        await executor.hear(records[at : at + HEARD_AT_ONCE], domain.SERVICE)
