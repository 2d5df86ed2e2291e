"""The digest that chains the events of a stream, so that a changed or missing event shows.

It covers the event and its stream's previous digest, but neither the position nor the recorded
time: it is known before the head of the log is locked, and an event keeps it wherever it is copied.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

DIGEST_BYTES: Final = 32
"""Length of a SHA-256 digest."""

GENESIS: Final = bytes(DIGEST_BYTES)
"""Stands for the digest before the first event of a stream."""

_FORM: Final = b"sabot-event-digest-1"
"""Names the framing: a later one could never be mistaken for this one."""

_LENGTH_BYTES: Final = 8
KINDS_KEPT: Final = 1_024
_FRAMED_FORM: Final = len(_FORM).to_bytes(_LENGTH_BYTES, "big") + _FORM


def digest_of(  # noqa: PLR0917 - in the order in which they are digested
    previous: bytes,
    event_id: str,
    type: str,  # noqa: A002 - named like the field of the record
    schema_version: int,
    meta: bytes,
    body: bytes,
) -> bytes:
    """Return the digest of an event; `previous` is the digest of the event before it.

    Every field is preceded by its length: without that, bytes could move from one field to the
    next and leave the digest as it was.
    """
    identity = event_id.encode()
    framed = b"".join(
        (
            _FRAMED_FORM,
            len(previous).to_bytes(_LENGTH_BYTES, "big"),
            previous,
            len(identity).to_bytes(_LENGTH_BYTES, "big"),
            identity,
            _framed_kind(type, schema_version),
            len(meta).to_bytes(_LENGTH_BYTES, "big"),
            meta,
            len(body).to_bytes(_LENGTH_BYTES, "big"),
            body,
        )
    )
    return hashlib.sha256(framed).digest()


@lru_cache(maxsize=KINDS_KEPT)
def _framed_kind(kind: str, schema_version: int) -> bytes:
    """The same in all events of a type."""
    return b"".join(
        len(part).to_bytes(_LENGTH_BYTES, "big") + part
        for part in (kind.encode(), b"%d" % schema_version)
    )
