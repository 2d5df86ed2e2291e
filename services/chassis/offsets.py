"""Offsets of what was handled: told to the broker a little later, and many batches at once.

A commit of offsets is a question to the broker that nothing waits for: what was handled stands in the
inbox, in the transaction of its effects. Where the broker hears of it too late, records are read once
more and skipped. So batches do not wait for it; it is told in time, before partitions go to somebody
else, and before the consumer ends.

An offset means something in one life of a topic only. In a topic that was deleted and made anew it may
lie beyond records that nobody has heard, so with every offset the life of its partition is committed,
as it was before the consumer began to read, and an offset of another life is none: the consumer begins
at the start, and skips what it knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError, ConsumerStoppedError, IllegalStateError, KafkaError
from aiokafka.structs import OffsetAndMetadata

from services.chassis import bus

log = logging.getLogger(__name__)

COMMIT_S: Final = 0.5
"""How often offsets are committed. A crash has records of that time read again."""

COMMIT_TIMEOUT_S: Final = 5.0
"""A commit of offsets may take so long."""


class Offsets(ConsumerRebalanceListener):  # type: ignore[misc]
    """Where one consumer begins, and what it has handled and not committed."""

    def __init__(self, consumer: Callable[[], Any], lives: Mapping[TopicPartition, str]) -> None:
        """`lives` are those of all partitions, from before the consumer is opened.

        A partition that is replaced afterwards gets offsets with the life that it had before, and
        whoever sees its present one begins at its start.
        """
        self._consumer = consumer
        self._lives = dict(lives)
        self._due: dict[TopicPartition, int] = {}

    def handled(self, records: Iterable[Any]) -> None:
        """These records of the consumer need not be read again."""
        for record in records:
            partition = TopicPartition(record.topic, record.partition)
            self._due[partition] = max(self._due.get(partition, 0), record.offset + 1)
            if record.offset == 0 and not self._lives.get(partition):
                self._lives[partition] = bus.life_since(record.timestamp)  # it was empty before

    def replaced(self, lives: Mapping[TopicPartition, str]) -> set[str]:
        """The topics that were made anew, by the present lives of their partitions."""
        return {
            partition.topic
            for partition, life in lives.items()
            if (known := self._lives.get(partition)) and life != known
        }

    async def commit(self) -> None:
        """Commit what is due and still ours. What fails is due again, or read once more."""
        due, self._due = self._due, {}
        consumer = self._consumer()
        assigned = consumer.assignment() if due and consumer is not None else ()
        ours = {partition: offset for partition, offset in due.items() if partition in assigned}
        if not ours:
            return
        told = {
            partition: OffsetAndMetadata(offset, self._lives.get(partition, ""))
            for partition, offset in ours.items()
        }
        try:
            async with asyncio.timeout(COMMIT_TIMEOUT_S):
                await consumer.commit(told)
        except (CommitFailedError, ConsumerStoppedError, IllegalStateError) as error:
            log.info("not committed, somebody else will handle it again: %s", error)
        except (KafkaError, TimeoutError) as error:
            log.warning("offsets could not be committed: %r", error)
            self._due = {**ours, **self._due}

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:  # noqa: ARG002
        """Whoever reads on begins where this consumer ends."""
        await self.commit()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Begin at what was committed in the life that a partition has, and at its start otherwise.

        Where that cannot be found out nothing is read, and the consumer is made anew for standing
        still.
        """
        consumer, partitions = self._consumer(), list(assigned)
        consumer.pause(*partitions)
        committed = await bus.committed(consumer, partitions)
        for partition in partitions:
            # What is no offset any more, as at the start of a topic whose first records are gone,
            # has the library begin at the earliest.
            begin, life = 0, self._lives.get(partition)
            if life and (at := committed.get(partition)) is not None and at.metadata == life:
                begin = at.offset
            consumer.seek(partition, begin)
        consumer.resume(*partitions)
