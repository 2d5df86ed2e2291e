"""The check of one log against itself, event by event, in the order of positions."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from services.audit.findings import Finding, Kind
from services.audit.logs import Row
from services.chassis.decider import Record
from services.chassis.digest import GENESIS, digest_of


class Tail(Struct, frozen=True):
    """The end of a stream as far as it was read."""

    version: int = 0
    digest: bytes = GENESIS
    published: int = 0
    """Position of its last published event."""


_NOTHING_YET = Tail()


def is_intact(record: Record) -> bool:
    """Whether an event's digest covers the bytes that stand beside it."""
    return record.digest == digest_of(
        record.previous_digest,
        record.event_id,
        record.type,
        record.schema_version,
        record.meta,
        record.body,
    )


class _Names(Struct, frozen=True):
    """What the envelope says of the two columns by which events are looked up."""

    coup_id: str = ""
    command_id: str = ""


def _named_in(record: Record) -> tuple[str, str] | None:
    """Coup and command in the envelope; None where it is none."""
    try:
        names = msgspec.json.decode(record.meta, type=_Names)
    except msgspec.DecodeError:
        return None
    return names.coup_id, names.command_id


class LogCheck:
    """Follows a log from its beginning. One fault gives one finding: it goes on with what stands there."""

    def __init__(self, service: str) -> None:
        """`service` is the name under which the findings are given."""
        self.position = 0
        """The last position that was seen."""

        self._service = service
        self._tails: dict[str, Tail] = {}

    def take(self, row: Row) -> Iterator[Finding]:
        """Look at the next event. Call in the order of positions."""
        record = row.record
        if record.position != self.position + 1:
            first, last = self.position + 1, record.position - 1
            span = f"position {first} is" if first == last else f"positions {first} to {last} are"
            yield Finding(Kind.MISSING, self._service, first, "", f"{span} not in the log")
        self.position = record.position
        yield from self._in_stream(record)
        if not is_intact(record):
            yield self._of(record, Kind.EDITED, "its digest is of other bytes")
        elif (row.coup_id, row.command_id) != _named_in(record):
            what = f"it is filed under coup {row.coup_id!r} and command {row.command_id!r}, not its own"
            yield self._of(record, Kind.EDITED, what)
        self._tails[record.stream] = Tail(
            version=record.version,
            digest=record.digest,
            published=record.position
            if record.published
            else self._tails.get(record.stream, _NOTHING_YET).published,
        )

    def _in_stream(self, record: Record) -> Iterator[Finding]:
        tail = self._tails.get(record.stream, _NOTHING_YET)
        if record.version != tail.version + 1:
            what = f"its stream went from version {tail.version} to {record.version}"
            later = record.version > tail.version
            yield self._of(record, Kind.MISSING if later else Kind.UNCHAINED, what)
        elif record.previous_digest != tail.digest:
            before = (
                f"{record.service}:{record.stream}:{tail.version}" if tail.version else "nothing"
            )
            yield self._of(
                record, Kind.UNCHAINED, f"it was not written after {before} as it stands"
            )
        if record.version == tail.version + 1 and record.previous != tail.published:
            what = (
                f"it names {record.previous} as the last published one, which is {tail.published}"
            )
            yield self._of(record, Kind.UNCHAINED, what)

    def _of(self, record: Record, kind: Kind, what: str) -> Finding:
        return Finding(kind, self._service, record.position, record.event_id, what)
