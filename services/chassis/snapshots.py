"""States written down, so that a long stream need not be read from its beginning.

A snapshot is a shortcut and nothing else: it carries the schema of its state, and one of another
schema, or one that cannot be read, is passed over as if it were not there.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

SNAPSHOT_EVENTS: Final = 1_000
"""A snapshot is taken when a stream has passed another multiple of so many events. A state is written
whole: the fewer the events, the more of their cost is that of snapshots, where a coup has many wagers."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """The state of a stream after the event of `version`."""

    stream: str
    version: int
    state_schema: int
    state: bytes


class UnfitState(Exception):
    """The state cannot be written and read back as the same value; it must not be a snapshot."""


class StateCodec:
    """Writes and reads the states of one service."""

    def __init__(self, state_type: type[Any], state_schema: int) -> None:
        self.state_schema = state_schema
        self._decoder: msgspec.msgpack.Decoder[Any] | None = None
        self._type = state_type

    def encode(self, stream: str, version: int, state: Any) -> Snapshot:
        """Write a state, and read it back at once: a snapshot that differs would poison a table."""
        try:
            written = msgspec.msgpack.encode(state)
            back = self._decode(written)
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
            raise UnfitState(f"{self._type.__name__} of {stream}: {error}") from error
        if back != state:
            raise UnfitState(f"{self._type.__name__} of {stream} reads back as another value")
        return Snapshot(
            stream=stream, version=version, state_schema=self.state_schema, state=written
        )

    def decode(self, snapshot: Snapshot) -> Any:
        """Read a state of our schema."""
        assert snapshot.state_schema == self.state_schema, "another schema is never read"
        return self._decode(snapshot.state)

    def _decode(self, written: bytes) -> Any:
        # Made on first use: some states can be kept in memory and not be written at all.
        if self._decoder is None:
            self._decoder = msgspec.msgpack.Decoder(self._type)
        return self._decoder.decode(written)


def is_due(version_before: int, version_after: int) -> bool:
    """Whether a stream that grew from one version to the other has earned a snapshot."""
    return version_after // SNAPSHOT_EVENTS > version_before // SNAPSHOT_EVENTS
