"""Reads what the services publish, from the broker and nowhere else, as any reporting would."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final, Self

from aiokafka import AIOKafkaConsumer

from services.chassis import envelope, topics
from services.chassis.registry import Registry
from services.cli.demo.floor import Floor
from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book

FETCH_WAIT_MS: Final = 60
POLL_MS: Final = 100

REGISTRIES: Final = {
    module.SERVICE: Registry(module.SERVICE, module.EVENTS)
    for module in (cards, table, book, money)
}


class Broken(Exception):
    """The stream of published events is not as it was promised."""


class Watch:
    """Follows all event topics, and checks their order on the way.

    Each event names the one before it of its table: nothing may be missing. A repeat is allowed
    and counts once.
    """

    def __init__(self, bootstrap_servers: str, floor: Floor) -> None:
        self._consumer = AIOKafkaConsumer(
            *map(topics.topic, REGISTRIES),
            bootstrap_servers=bootstrap_servers,
            client_id="sabot-demo",
            group_id=None,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=FETCH_WAIT_MS,
            check_crcs=True,
        )
        self._floor = floor
        self._last: dict[tuple[str, str], int] = {}
        self.repeats = 0

    async def listen(self) -> None:
        """Read from here on, until cancelled; returns never."""
        consumer = self._consumer
        while True:
            batches = await consumer.getmany(timeout_ms=POLL_MS)
            self._take([message for batch in batches.values() for message in batch])

    async def __aenter__(self) -> Self:
        """Join at the end of each topic: a broker that is not ours may hold older events."""
        await self._consumer.start()
        partitions = self._consumer.assignment()
        for partition, end in (await self._consumer.end_offsets(partitions)).items():
            self._consumer.seek(partition, end)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._consumer.stop()

    def _take(self, messages: list[Any]) -> None:
        try:
            heard = [envelope.decode(m.key, m.value, m.headers) for m in messages]
        except envelope.BadMessage as bad:
            raise Broken(bad.what) from bad
        for each in _in_time(heard):
            record = each.record
            place = (record.service, record.stream)
            last = self._last.get(place, 0)
            if record.position <= last:
                self.repeats += 1
                continue
            if record.previous != last:
                raise Broken(
                    f"{record.event_id} follows position {record.previous}, heard was {last}"
                )
            self._last[place] = record.position
            event = REGISTRIES[record.service].decode(
                record.type, record.schema_version, record.body
            )
            self._floor.tell(record.service, event, each.meta)


def _in_time(heard: list[envelope.Received]) -> list[envelope.Received]:
    """Of several topics, what was recorded first; of one stream, always the order it came in."""
    latest: dict[tuple[str, str], int] = {}
    keyed: list[tuple[int, envelope.Received]] = []
    for each in heard:
        place = (each.record.service, each.record.stream)
        latest[place] = max(latest.get(place, 0), each.record.recorded_at_us)
        keyed.append((latest[place], each))
    return [each for _, each in sorted(keyed, key=lambda pair: pair[0])]
