"""CPU of an event in settlement without servers: the part of G3 that its own code is to blame for.

The message is checked and decoded, the event heard and noted, and its coup settled, on the store in
memory; PostgreSQL's driver and Kafka's client are not in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from services.chassis import envelope
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.decider import Record
from services.chassis.memory import MemoryStore
from services.chassis.registry import decode_meta
from services.settlement import domain
from tests.bench import alone
from tests.bench.figures import Row
from tests.bench.settling import published


def measure(rounds: int) -> list[Row]:
    """The two parts, round by round."""
    return asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> list[Row]:
    records = await published()
    messages = [envelope.encode(record, decode_meta(record.meta), hop="") for record in records]
    parts: dict[str, list[float]] = {"its message decoded and checked": [], "heard and settled": []}
    decoded, heard = parts.values()
    for _ in range(rounds):
        began_s = time.process_time()
        for message in messages:
            envelope.decode(message.key, message.value, message.headers)
        decoded.append((time.process_time() - began_s) / len(records) * 1e6)
        heard.append(await _heard_us(records))
    return [
        Row(
            name="core",
            what=f"an event in settlement without servers: {what}",
            unit="µs",
            rates=tuple(rates),
        )
        for what, rates in parts.items()
    ]


async def _heard_us(records: Sequence[Record]) -> float:
    """CPU of an event from the record to what follows from it."""
    async with alone.settlement(MemoryStore(domain.SERVICE, SYSTEM_CLOCK)) as executor:
        began_s = time.process_time()
        await alone.hear(executor, records)
        return (time.process_time() - began_s) / len(records) * 1e6
