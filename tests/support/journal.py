"""Settlement's log of a random table, as the database would hold it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from msgspec import Raw
from msgspec.structs import replace

from services.chassis.decider import Record
from services.chassis.registry import Registry, encode_meta
from services.contracts.core import Event, Heard, Meta, Noted
from services.settlement import domain
from services.settlement.reading import UPSTREAMS
from tests.property.rough import RoughTable

OWN = Registry(domain.SERVICE, domain.EVENTS)
EPOCH_US = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z, where the clocks of random tables begin or later."""


def journal(table: RoughTable, *, slower: int = 1) -> list[Record]:
    """What settlement decided and heard, in its order.

    `slower` stretches time since the first event, so that a table lasts for days.
    """
    own = iter([sent for sent in table.sent if sent.service == domain.SERVICE])
    records: list[Record] = []
    begin: int | None = None
    for each in table.streams[domain.SERVICE]:
        told = _told(each, own)
        if begin is None:
            begin = told.meta.occurred_at_us
        at_us = begin + (told.meta.occurred_at_us - begin) * slower
        meta = replace(told.meta, occurred_at_us=at_us)
        records.append(_record(len(records) + 1, told.event, meta, told.service, told.event_id))
    return records


def _told(each: Event | Heard, own: Iterator[Heard]) -> Heard:
    if isinstance(each, Heard):
        return each
    told = next(own)
    assert told.event is each
    return told


def _record(place: int, event: Event, meta: Meta, service: str, event_id: str) -> Record:
    stored = event
    if service != domain.SERVICE:
        body = UPSTREAMS[service].encode(event)
        stored = Noted(
            service=service,
            event_id=event_id,
            position=place,
            event_type=event.type,
            event_version=event.schema_version,
            meta=Raw(encode_meta(meta)),
            body=Raw(body),
            previous_digest="",
            digest="",
            recorded_at_us=meta.occurred_at_us,
        )
    body = OWN.encode(stored)
    return Record(
        service=domain.SERVICE,
        stream=meta.table_id,
        version=place,
        position=place,
        previous=place - 1,
        type=stored.type,
        schema_version=stored.schema_version,
        meta=encode_meta(meta),
        body=body,
        previous_digest=b"",
        digest=b"",
        published=not isinstance(stored, Noted),
        recorded_at_us=meta.occurred_at_us,
    )


class Kept:
    """Records as a source for a projector."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.changed = asyncio.Event()
        self._records = records

    async def read(self, *, after_position: int, limit: int) -> Sequence[Record]:
        """The next records behind a position."""
        return self._records[after_position : after_position + limit]

    async def end(self) -> int:
        """The position of the last record."""
        return len(self._records)
