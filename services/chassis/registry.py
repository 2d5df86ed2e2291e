"""The event types of one service, between values in memory and bytes in the log."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

import msgspec
from msgspec import Raw

from services.chassis.upcast import UPCASTERS, Key, Upcaster, check_paths, upcast
from services.contracts.core import Event, Meta, Noted

T = TypeVar("T")

BODY_BYTES_MAX: Final = 900_000
"""Bytes of one event body. A Kafka broker takes messages of a million bytes, headers included; an
event above that would stand in the log and could never be published."""


class UnknownType(Exception):
    """This service publishes no event of that type, as far as this release knows."""


class NewerVersion(Exception):
    """The body was written by a later release: guessing what it means would be worse than waiting."""


class BodyTooLarge(Exception):
    """The event does not fit into one message."""


class Note(msgspec.Struct):
    """Of a `Noted` event what folds ask for; the rest proves where it came from."""

    service: str
    event_id: str
    event_type: str
    event_version: int
    meta: Raw
    body: Raw
    recorded_at_us: int


# Dictionaries and sets are written in one order, so that equal events are equal bytes.
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_object = msgspec.json.Decoder(dict).decode
_decode_note = msgspec.json.Decoder(Note).decode
_decode_meta = msgspec.json.Decoder(Meta).decode


def encode_meta(meta: Meta) -> bytes:
    """The envelope of an event as it is stored."""
    return _encode(meta)


def decode_meta(meta: bytes | Raw) -> Meta:
    """The envelope of a stored event."""
    return _decode_meta(meta)


class Registry:
    """The events of one service by their stable names."""

    def __init__(
        self,
        service: str,
        events: Mapping[str, type[Event]],
        *,
        upcasters: Mapping[Key, Upcaster] = UPCASTERS,
    ) -> None:
        for name, event in events.items():
            if event.type != name or event.schema_version < 1:
                raise ValueError(f"{service}: {event.__name__} is not well-formed as {name!r}")
        self.service = service
        events = {**events, Noted.type: Noted}
        self._events = events
        self._upcasters = upcasters
        self._present = {
            (name, event.schema_version): msgspec.json.Decoder(event).decode
            for name, event in events.items()
        }
        self._bytes_max = {
            event: BODY_BYTES_MAX if event.published else sys.maxsize for event in events.values()
        }

    def __contains__(self, kind: str) -> bool:
        return kind in self._events

    def versions(self) -> dict[tuple[str, str], int]:
        """The present schema version of every type, for `check_paths`."""
        return {(self.service, name): cls.schema_version for name, cls in self._events.items()}

    def encode(self, event: Event) -> bytes:
        """The body of an event of this service. Raises `UnknownType` and `BodyTooLarge`."""
        kind = type(event)
        bytes_max = self._bytes_max.get(kind)
        if bytes_max is None:
            raise UnknownType(f"{self.service} does not know {kind.__name__} as {kind.type!r}")
        body = _encode(event)
        if len(body) > bytes_max:
            size = f"{len(body)} bytes, {bytes_max} at most"
            raise BodyTooLarge(f"{self.service}.{kind.type}: {size}")
        return body

    def check(self, kind: str, schema_version: int) -> None:
        """Raise `UnknownType` or `NewerVersion` for what this release cannot read, without a look at it."""
        event = self._events.get(kind)
        if event is None:
            raise UnknownType(f"{self.service} has no event {kind!r}")
        if schema_version > event.schema_version:
            now = event.schema_version
            raise NewerVersion(f"{self.service}.{kind}.v{schema_version}; v{now} is known here")

    def decode(self, kind: str, schema_version: int, body: bytes | Raw) -> Event:
        """Read a stored event, upcast to the present version of its class where it is older.

        Raises `UnknownType`, `NewerVersion`, `BrokenUpcastPath` for a version that never was, and
        `msgspec.MsgspecError` for a body that is none of its type.
        """
        read = self._present.get((kind, schema_version))
        try:
            if read is not None:
                return read(body)
            return self._of_other_version(kind, schema_version, body)
        except RecursionError:  # what is nested without end is none of ours
            raise msgspec.DecodeError("nested too deeply") from None

    def note(self, schema_version: int, body: bytes) -> Note | Noted:
        """Of a stored `Noted` event no more than a fold asks for. Raises what `decode` does."""
        if schema_version != Noted.schema_version:
            noted = self.decode(Noted.type, schema_version, body)
            assert isinstance(noted, Noted)
            return noted
        try:
            return _decode_note(body)
        except RecursionError:
            raise msgspec.DecodeError("nested too deeply") from None

    def _of_other_version(self, kind: str, schema_version: int, body: bytes | Raw) -> Event:
        self.check(kind, schema_version)
        event = self._events[kind]
        key = (self.service, kind, schema_version)
        raw = _decode_object(body)
        present = upcast(self._upcasters, key, raw, schema_version_now=event.schema_version)
        return msgspec.convert(present, event)


def check_registries(
    registries: Iterable[Registry],
    upcasters: Mapping[Key, Upcaster] = UPCASTERS,
    *,
    of_all: bool = True,
) -> None:
    """Raise `BrokenUpcastPath` unless every version of every stored event can be read.

    A process has the registries of what it stores and hears, not `of_all` services.
    """
    versions: dict[tuple[str, str], int] = {}
    for registry in registries:
        versions.update(registry.versions())
    check_paths(versions, upcasters, of_all=of_all)
