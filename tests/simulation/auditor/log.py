"""The form of the logs: positions, versions, digests, causes, and what was heard of others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored event as it lies in a service's log."""

    service: str
    table: str
    version: int
    position: int
    previous: int
    kind: str
    schema: int
    meta: bytes
    body: bytes
    previous_digest: str
    digest: str
    published: bool

    @property
    def name(self) -> str:
        """`service:table:version`."""
        return f"{self.service}:{self.table}:{self.version}"


def chained(entry: Entry) -> str:
    """The digest that the event must have: SHA-256 over its fields, each behind its length."""
    fields = (
        b"sabot-event-digest-1",
        bytes.fromhex(entry.previous_digest),
        entry.name.encode(),
        entry.kind.encode(),
        b"%d" % entry.schema,
        entry.meta,
        entry.body,
    )
    whole = hashlib.sha256()
    for field in fields:
        whole.update(len(field).to_bytes(8, "big"))
        whole.update(field)
    return whole.hexdigest()


class Logs:
    """Every log so far, checked as it grows."""

    def __init__(self, breach: Callable[[str], None]) -> None:
        self.entries: dict[str, Entry] = {}
        self._breach = breach
        self._ends: dict[str, int] = {}
        self._streams: dict[tuple[str, str], Entry] = {}
        self._published: dict[tuple[str, str], int] = {}
        self._heard: dict[tuple[str, str, str], int] = {}

    def take(self, entry: Entry) -> tuple[Any, Any]:
        """Check an event's place; returns its envelope and its body."""
        self._check_place(entry)
        meta, body = self._parsed(entry, entry.meta), self._parsed(entry, entry.body)
        cause = meta["cause"]
        event = cause.partition(":")[0] in ("shoe", "round", "wager", "settlement")
        if event and cause not in self.entries:
            self._breach(f"{entry.name} is caused by {cause}, which is in no log")
        if entry.kind == "noted":
            self._noted(entry, body)
        self.entries[entry.name] = entry
        return meta, body

    def _parsed(self, entry: Entry, text: bytes) -> Any:
        def no_float(number: str) -> float:
            self._breach(f"{entry.name} has the number {number}, which is not whole")
            return float(number)

        return json.loads(text, parse_float=no_float)

    def _check_place(self, entry: Entry) -> None:
        stream = entry.service, entry.table
        if entry.position != self._ends.get(entry.service, 0) + 1:
            self._breach(f"{entry.name}: position {entry.position} leaves a hole")
        self._ends[entry.service] = entry.position
        before = self._streams.get(stream)
        if entry.version != (before.version if before else 0) + 1:
            self._breach(f"{entry.name}: the version before it is missing")
        if entry.previous_digest != (before.digest if before else "00" * 32):
            self._breach(f"{entry.name} does not rest on the event before it")
        if entry.digest != chained(entry):
            self._breach(f"{entry.name} does not have the digest of what it says")
        if entry.previous != self._published.get(stream, 0):
            self._breach(f"{entry.name} points to {entry.previous} as the one before it")
        self._streams[stream] = entry
        if entry.published:
            self._published[stream] = entry.position

    def _noted(self, entry: Entry, body: Any) -> None:
        """What a service heard was said, is what was said, and is heard once and in order."""
        source = self.entries.get(body["event_id"])
        if source is None:
            self._breach(f"{entry.name} heard {body['event_id']}, which nobody said")
            return
        if (source.digest, source.position) != (body["digest"], body["position"]):
            self._breach(f"{entry.name} heard {source.name} otherwise than it was said")
        pair = entry.service, source.service, entry.table
        last = self._heard.get(pair, 0)
        if source.position <= last:
            self._breach(f"{entry.service} hears {source.name} again, after position {last}")
        # Settlement keeps everything that the others publish, so nothing may be missing there.
        if entry.service == "settlement" and source.previous > last:
            self._breach(f"settlement hears {source.name} and missed position {source.previous}")
        self._heard[pair] = source.position

    def last_published(self, service: str, table: str) -> int:
        return self._published.get((service, table), 0)

    def heard_by_settlement(self, upstream: str, table: str) -> int:
        return self._heard.get(("settlement", upstream, table), 0)

    def tables(self) -> list[str]:
        return sorted({table for _, table in self._streams})
