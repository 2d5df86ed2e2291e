"""The same records heard in other ways: without FastStream, and with one message a call.

Both do the work of settlement's consumers: decode, hear, note, settle, with the inbox in the same
transaction and the offsets committed after it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer
from faststream import AckPolicy

from services.chassis import bus, topics
from services.chassis.consumer import Ears
from services.chassis.envelope import decode

CONSUMER = "settlement"


async def raw(kafka: bus.Bus, upstreams: Sequence[str], ears: Ears) -> None:
    """Hear batches from a plain consumer until cancelled."""
    consumer = AIOKafkaConsumer(
        *map(topics.topic, upstreams),
        bootstrap_servers=kafka.servers(),
        group_id=_group(),
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    try:
        while True:
            batches = await consumer.getmany(timeout_ms=1_000, max_records=bus.BATCH_RECORDS_MAX)
            records = [
                decode(message.key, message.value, message.headers).record
                for messages in batches.values()
                for message in messages
            ]
            if records:
                await ears.hear(records, CONSUMER)
                await consumer.commit()
    finally:
        await consumer.stop()


async def one_by_one(kafka: bus.Bus, upstreams: Sequence[str], ears: Ears) -> None:
    """Hear through FastStream's handler of single messages until cancelled."""
    broker = bus.make_broker(kafka)

    async def unread(message: Any) -> Any:
        return message.raw_message

    @broker.subscriber(
        *map(topics.topic, upstreams),
        group_id=_group(),
        auto_offset_reset="earliest",
        ack_policy=AckPolicy.NACK_ON_ERROR,
        decoder=unread,
        no_reply=True,
    )
    async def hear(message: Any) -> None:
        record = decode(message.key, message.value, message.headers).record
        await ears.hear([record], CONSUMER)

    await broker.start()
    try:
        await asyncio.Event().wait()
    finally:
        await broker.stop()


def _group() -> str:
    """A group of its own each time: it begins at the beginning."""
    return f"bench-{uuid.uuid4().hex[:8]}"
