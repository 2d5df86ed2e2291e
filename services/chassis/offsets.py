"""Offsets of what was handled: told to the broker a little later, and many batches at once.

A commit of offsets is a question to the broker that nothing waits for: what was handled stands in the
inbox, in the transaction of its effects. Where the broker hears of it too late, records are read once
more and skipped. So batches do not wait for it; it is told in time, before partitions go to somebody
else, and before the consumer ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Final

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError, ConsumerStoppedError, IllegalStateError, KafkaError

log = logging.getLogger(__name__)

COMMIT_S: Final = 0.5
"""How often offsets are committed. A crash has records of that time read again."""

COMMIT_TIMEOUT_S: Final = 5.0
"""A commit of offsets may take so long."""


class Offsets(ConsumerRebalanceListener):  # type: ignore[misc]
    """What one consumer has handled and not committed."""

    def __init__(self) -> None:
        self._due: dict[TopicPartition, int] = {}
        self._consumer: Any = None

    def handled(self, consumer: Any, records: Iterable[Any]) -> None:
        """These records of the consumer need not be read again."""
        if consumer is not self._consumer:
            self._consumer, self._due = consumer, {}
        for record in records:
            partition = TopicPartition(record.topic, record.partition)
            self._due[partition] = max(self._due.get(partition, 0), record.offset + 1)

    async def commit(self) -> None:
        """Commit what is due and still ours. What fails is due again, or read once more."""
        due, self._due = self._due, {}
        assigned = self._consumer.assignment() if due else ()
        ours = {partition: offset for partition, offset in due.items() if partition in assigned}
        if not ours:
            return
        try:
            async with asyncio.timeout(COMMIT_TIMEOUT_S):
                await self._consumer.commit(ours)
        except (CommitFailedError, ConsumerStoppedError, IllegalStateError) as error:
            log.info("not committed, somebody else will handle it again: %s", error)
        except (KafkaError, TimeoutError) as error:
            log.warning("offsets could not be committed: %r", error)
            self._due = {**ours, **self._due}

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:  # noqa: ARG002
        """Whoever reads on begins where this consumer ends."""
        await self.commit()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Nothing is due of what was just given."""
