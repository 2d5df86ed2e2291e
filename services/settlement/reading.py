"""Reading the settlement service's own stream: what it heard and what it said, as typed events."""

from __future__ import annotations

from collections.abc import Container

import msgspec
from msgspec import Raw, Struct

from services.chassis.decider import Entry, Record
from services.chassis.digest import digest_of
from services.chassis.registry import Registry, decode_meta
from services.contracts.common import TableSettings
from services.contracts.core import Event, Meta, Noted
from services.contracts.settlement import EvidenceExported
from services.settlement import domain

OWN = Registry(domain.SERVICE, domain.EVENTS)
UNREADABLE = "not readable"
"""In the word on a record that cannot be read at all."""

SETTINGS = frozenset(
    kind.type
    for events in (domain.EVENTS, *domain.HEARS.values())
    for kind in events.values()
    if "settings" in kind.__struct_fields__
)
"""Types of events that put the settings of a table in force, a rulebook among them."""

UPSTREAMS = {service: Registry(service, events) for service, events in domain.HEARS.items()}


_KNOWN = {
    (service, kind, version): registry
    for service, registry in UPSTREAMS.items()
    for (_, kind), present in registry.versions().items()
    for version in range(1, present + 1)
}
"""Who reads an event of which service, type and schema version."""


class _OfCoup(Struct):
    """Of an event no more than its coup."""

    coup_id: str | None = ""


_read_coup = msgspec.json.Decoder(_OfCoup).decode


class Read(Struct, eq=False):
    """One event with its envelope and where it came from.

    Event and envelope are decoded when somebody looks at them: most readers look at few.
    """

    service: str
    event_id: str
    kind: str
    """The type of the event, as the service that it came from names it."""

    recorded_at_us: int
    """When the service that it came from recorded it."""

    kept_at_us: int
    """When settlement recorded it in its own log, microseconds since 1970."""

    _registry: Registry
    _version: int
    _body: bytes | Raw
    _meta: bytes | Raw | Meta
    _event: Event | None = None

    @property
    def event(self) -> Event:
        """The event. Raises what `Registry.decode` raises where it cannot be read."""
        if self._event is None:
            self._event = self._registry.decode(self.kind, self._version, self._body)
        return self._event

    @property
    def meta(self) -> Meta:
        """The envelope of the event."""
        if not isinstance(self._meta, Meta):
            self._meta = decode_meta(self._meta)
        return self._meta

    @property
    def coup_id(self) -> str:
        """The coup that the event belongs to; empty for one of the table, or of a coup's file.

        Nothing else of the event is decoded.
        """
        if self.kind == EvidenceExported.type:
            return ""
        return _read_coup(self._body).coup_id or ""


def booked_at_us(meta: Meta, kept_at_us: int) -> int:
    """The instant whose gaming day an event counts to, microseconds since 1970 (N-7, ADR 12).

    What settlement recorded after a day was over changes that day no more, whenever it happened. The
    instants of a table in TEST mode are those of its recording, which nobody's clock has to do with.
    """
    happened = meta.occurred_at_us
    return happened if meta.test else max(happened, kept_at_us)


def read(record: Entry, wanted: Container[str] | None = None) -> Read | None:
    """The event in a record of the own log; None for a type that nobody here listens to any more.

    Of types that are not `wanted` there is nothing, where that is said. What this release cannot
    read raises `UnknownType` or `NewerVersion`, wanted or not: no fold goes on without it.
    """
    if record.type != Noted.type:
        OWN.check(record.type, record.schema_version)
        if wanted is not None and record.type not in wanted:
            return None
        return Read(
            record.service,
            record.event_id,
            record.type,
            record.recorded_at_us,
            record.recorded_at_us,
            OWN,
            record.schema_version,
            record.body,
            record.meta,
        )
    noted = OWN.note(record.schema_version, record.body)
    kind = noted.event_type
    upstream = _KNOWN.get((noted.service, kind, noted.event_version))
    if upstream is None:
        upstream = UPSTREAMS[noted.service]
        if kind not in upstream:
            return None
        upstream.check(kind, noted.event_version)
    if wanted is not None and kind not in wanted:
        return None
    return Read(
        noted.service,
        noted.event_id,
        kind,
        noted.recorded_at_us,
        record.recorded_at_us,
        upstream,
        noted.event_version,
        noted.body,
        noted.meta,
    )


def settings_of(each: Read) -> TableSettings | None:
    """The settings that an event puts in force at its table; None where it does nothing like it."""
    if each.kind not in SETTINGS:
        return None
    found: TableSettings | None = getattr(each.event, "settings", None)
    return found


def published_digest(record: Record) -> str:
    """The digest of the event in a record, as the service published it that it came from."""
    if record.type != Noted.type:
        return record.digest.hex()
    noted = OWN.decode(record.type, record.schema_version, record.body)
    assert isinstance(noted, Noted)
    return noted.digest


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
        each = read(record)
        if each is not None:
            _ = each.event, each.meta  # decoded only when looked at
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
