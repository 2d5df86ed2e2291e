"""The check of all logs: each against itself, against what others heard of it, and its anchors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Raw, Struct

from services.audit.anchors import BEGINNING, Anchor, BookWriter, chained
from services.audit.findings import Finding, Kind
from services.audit.log_check import LogCheck, is_intact
from services.audit.logs import Log
from services.chassis.decider import Record
from services.chassis.digest import digest_of

READ_AT_ONCE: Final = 2_000
NOTED: Final = "noted"
SERVICES: Final = frozenset({"shoe", "round", "wager", "settlement"})

Hexadecimal = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

Progress = Callable[[str, int, int], None]
"""Is told a service, how far its log is read, and its end."""


class Heard(Struct, frozen=True):
    """What an event of the type `noted` keeps of another service's."""

    service: str
    event_id: str
    position: Annotated[int, Meta(ge=1, le=2**63 - 1)]
    event_type: str
    event_version: int
    meta: Raw
    body: Raw
    previous_digest: Hexadecimal
    digest: Hexadecimal

    def is_intact(self) -> bool:
        """Whether the digest covers what is kept."""
        return self.digest == published_digest(self).hex()


class Summary(Struct):
    """What was read of one log."""

    service: str
    events: int = 0
    heard: int = 0
    """Events of others that it keeps, each compared with its source."""

    anchored: int = 0
    """The last position that an anchor covers."""

    findings: int = 0


class _Following:
    """One log on its way through the check."""

    def __init__(self, service: str, anchors: Sequence[Anchor]) -> None:
        self.check = LogCheck(service)
        self.summary = Summary(service)
        self._service = service
        self._anchors = [anchor for anchor in anchors if anchor.service == service][::-1]
        self._chain = BEGINNING
        self._compared = 0
        """The last position that an anchor was compared at."""

    def anchored(self, record: Record) -> list[Finding]:
        """Compare with the anchors of this position. The chain tells of one rewriting only once."""
        while self._anchors and self._anchors[-1].position < record.position:
            # Its event is missing, which the check of the log says.
            self._chain = bytes.fromhex(self._anchors.pop().chain)
        self._chain = chained(self._chain, record.position, record.digest)
        if not self._anchors or self._anchors[-1].position > record.position:
            return []
        chain = self._anchors.pop().chain
        first, self._compared = self._compared + 1, record.position
        if chain == self._chain.hex():
            self.summary.anchored = record.position
            return []
        # What follows is judged by its own anchors, which go on from the true chain.
        self._chain = bytes.fromhex(chain)
        what = f"positions {first} to {record.position} are not the events that were anchored"
        return [Finding(Kind.REWRITTEN, self._service, record.position, record.event_id, what)]

    def ended(self) -> list[Finding]:
        """Anchors of events that are not there."""
        beyond = [anchor.position for anchor in self._anchors]
        if not beyond:
            return []
        what = f"position {max(beyond)} was anchored, the log ends at {self.check.position}"
        return [Finding(Kind.MISSING, self._service, self.check.position + 1, "", what)]


async def verify(
    logs: Mapping[str, Log], anchors: Sequence[Anchor], *, progress: Progress
) -> AsyncIterator[Finding | Summary]:
    """Read every log from its beginning; give each finding, and a summary after each log."""
    for service, log in logs.items():
        following = _Following(service, anchors)
        summary = following.summary
        said, last = await log.end()
        if said != last:
            kind = Kind.ADDED if last > said else Kind.MISSING
            what = f"the log says that it ends at {said}, its last event is {last}"
            summary.findings += 1
            yield Finding(kind, service, min(said, last) + 1, "", what)
        end = max(said, last)
        while rows := await log.read(after=following.check.position, limit=READ_AT_ONCE):
            heard: list[tuple[Record, Heard]] = []
            for row in rows:
                findings = [*following.check.take(row), *following.anchored(row.record)]
                if row.record.type == NOTED and is_intact(row.record):
                    kept = _heard(row.record)
                    if isinstance(kept, Finding):
                        findings.append(kept)
                    else:
                        heard.append((row.record, kept))
                for finding in findings:
                    summary.findings += 1
                    yield finding
            async for finding in _compared(logs, heard):
                summary.findings += 1
                yield finding
            summary.events += len(rows)
            summary.heard += len(heard)
            progress(service, following.check.position, max(end, following.check.position))
        for finding in following.ended():
            summary.findings += 1
            yield finding
        yield summary


def published_digest(heard: Heard) -> bytes:
    """Return the digest that the source gave what is kept, if it is kept as it was published."""
    return digest_of(
        bytes.fromhex(heard.previous_digest),
        heard.event_id,
        heard.event_type,
        heard.event_version,
        bytes(heard.meta),
        bytes(heard.body),
    )


def _heard(record: Record) -> Heard | Finding:
    """What the event keeps, or that it keeps nothing that was ever published."""
    try:
        heard = msgspec.json.decode(record.body, type=Heard)
    except msgspec.DecodeError as error:
        what = f"what it keeps of another service is not readable: {error}"
    else:
        if heard.is_intact():
            return heard
        what = f"what it keeps of {heard.event_id} is not what the digest beside it covers"
    return Finding(Kind.EDITED, record.service, record.position, record.event_id, what)


async def _compared(
    logs: Mapping[str, Log], heard: Sequence[tuple[Record, Heard]]
) -> AsyncIterator[Finding]:
    """Hold what a service heard against the source's log."""
    by_source: dict[str, list[tuple[Record, Heard]]] = {}
    for pair in heard:
        by_source.setdefault(pair[1].service, []).append(pair)
    for source, pairs in by_source.items():
        if source not in logs:
            if source not in SERVICES:
                for record, said in pairs:
                    what = f"it keeps {said.event_id}, of a service that does not exist"
                    yield Finding(
                        Kind.DIFFERS, record.service, record.position, record.event_id, what
                    )
            continue
        stored = await logs[source].digests([said.position for _, said in pairs])
        for record, said in pairs:
            there = stored.get(said.position)
            if there is None:
                what = f"{record.service} heard of it ({record.event_id}), and it is not in the log"
                yield Finding(Kind.MISSING, source, said.position, said.event_id, what)
            elif (there[0], there[1].hex()) != (said.event_id, said.digest):
                what = f"{record.service} heard it otherwise ({record.event_id}); {there[0]} stands here"
                yield Finding(Kind.DIFFERS, source, said.position, said.event_id, what)


class Refused(Exception):
    """A log is not anchored, because what it holds does not fit what was anchored before."""


async def anchor_log(
    service: str,
    log: Log,
    book: BookWriter,
    anchors: Sequence[Anchor],
    *,
    every: int,
    now_us: Callable[[], int],
    progress: Progress,
) -> int:
    """Sign how the log went on since its last anchor, every so many events and at its end.

    Returns the number of anchors written. Raises `Refused` for a log that ends before its last
    anchor, and at an event whose bytes do not fit its digest: nothing that is wrong is signed.
    """
    own = [anchor for anchor in anchors if anchor.service == service]
    position = own[-1].position if own else 0
    chain = bytes.fromhex(own[-1].chain) if own else BEGINNING
    end, _ = await log.end()
    if end < position:
        raise Refused(f"{service}: anchored up to {position}, the log ends at {end}")
    written = 0
    while position < end:
        rows = await log.read(after=position, limit=min(READ_AT_ONCE, end - position))
        if not rows:
            raise Refused(f"{service}: position {position + 1} is not in the log")
        for record in (row.record for row in rows):
            if record.position != position + 1:
                raise Refused(f"{service}: position {position + 1} is not in the log")
            if not is_intact(record):
                raise Refused(f"{service} {record.position} {record.event_id}: edited")
            position = record.position
            chain = chained(chain, position, record.digest)
            if position % every == 0 or position == end:
                book.add(service=service, position=position, chain=chain, at_us=now_us())
                written += 1
        progress(service, position, end)
    return written
