"""What a check of a log can find."""

from __future__ import annotations

import enum

from msgspec import Struct


class Kind(enum.StrEnum):
    """What is wrong, in one word."""

    EDITED = "EDITED"
    """The event's bytes and its digest do not belong together."""

    UNCHAINED = "UNCHAINED"
    """The event was not written after the one that stands before it in its stream."""

    MISSING = "MISSING"
    """An event that was there is not there any more."""

    ADDED = "ADDED"
    """An event stands where the end of the log does not know of it."""

    DIFFERS = "DIFFERS"
    """Another service heard of another event than the one that stands here."""

    REWRITTEN = "REWRITTEN"
    """The log up to an anchor is not the log that was anchored."""

    BOOK = "BOOK"
    """The book of anchors itself is not what was written."""


class Finding(Struct, frozen=True):
    """One fault, with its place."""

    kind: Kind
    service: str
    position: int
    """Position in the service's log; 0 where the fault has none."""

    event_id: str
    what: str

    def __str__(self) -> str:
        """One line for a person."""
        place = f"{self.service} {self.position}" if self.position else self.service
        return f"{self.kind} {place} {self.event_id or '-'}: {self.what}"
