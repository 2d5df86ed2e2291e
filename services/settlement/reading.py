"""Reading the settlement service's own stream: what it heard and what it said, as typed events."""

from __future__ import annotations

from collections.abc import Container

from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.digest import digest_of
from services.chassis.registry import Registry, decode_meta
from services.contracts.core import Event, Meta, Noted
from services.settlement import domain

OWN = Registry(domain.SERVICE, domain.EVENTS)
UNREADABLE = "not readable"
"""In the word on a record that cannot be read at all."""

UPSTREAMS = {service: Registry(service, events) for service, events in domain.HEARS.items()}


class Read(Struct, frozen=True):
    """One event with its envelope and where it came from."""

    service: str
    event_id: str
    event: Event
    meta: Meta
    recorded_at_us: int
    digest: bytes
    """As published by the service that it came from."""


def read(record: Record, wanted: Container[str] | None = None) -> Read | None:
    """The event in a record of the own log; None for a type that nobody here listens to any more.

    Of types that are not `wanted` nothing is decoded, where that is said.
    """
    if wanted is not None and record.type != Noted.type and record.type not in wanted:
        return None
    event = OWN.decode(record.type, record.schema_version, record.body)
    if not isinstance(event, Noted):
        return Read(
            record.service,
            record.event_id,
            event,
            decode_meta(record.meta),
            record.recorded_at_us,
            record.digest,
        )
    upstream = UPSTREAMS[event.service]
    if event.event_type not in upstream or (wanted is not None and event.event_type not in wanted):
        return None
    return Read(
        event.service,
        event.event_id,
        upstream.decode(event.event_type, event.event_version, bytes(event.body)),
        decode_meta(bytes(event.meta)),
        event.recorded_at_us,
        bytes.fromhex(event.digest),
    )


def faults(record: Record) -> list[str]:
    """What is wrong with a stored record: digests that do not fit what they are over."""
    found: list[str] = []
    own = digest_of(
        record.previous_digest,
        record.event_id,
        record.type,
        record.schema_version,
        record.meta,
        record.body,
    )
    if own != record.digest:
        found.append(f"{record.event_id}: the stored event does not fit its digest")
    try:
        read(record)
        event = OWN.decode(record.type, record.schema_version, record.body)
    except Exception as error:  # noqa: BLE001 - whatever is unreadable is a finding
        return [*found, f"{record.event_id}: {UNREADABLE} ({type(error).__name__})"]
    if isinstance(event, Noted):
        published = digest_of(
            bytes.fromhex(event.previous_digest),
            event.event_id,
            event.event_type,
            event.event_version,
            bytes(event.meta),
            bytes(event.body),
        )
        if published.hex() != event.digest:
            found.append(f"{event.event_id}: not as the {event.service} service published it")
    return found
