"""The event types of one service, between values in memory and bytes in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

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


class Encoded(Struct, frozen=True):
    """An event as it is stored."""

    type: str
    schema_version: int
    body: bytes


# Dictionaries and sets are written in one order, so that equal events are equal bytes.
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode_object = msgspec.json.Decoder(dict).decode
_decode_meta = msgspec.json.Decoder(Meta).decode


def encode_meta(meta: Meta) -> bytes:
    """The envelope of an event as it is stored."""
    return _encode(meta)


def decode_meta(meta: bytes) -> Meta:
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
        self._decoders = {name: msgspec.json.Decoder(event) for name, event in events.items()}

    def __contains__(self, kind: str) -> bool:
        return kind in self._events

    def versions(self) -> dict[tuple[str, str], int]:
        """The present schema version of every type, for `check_paths`."""
        return {(self.service, name): cls.schema_version for name, cls in self._events.items()}

    def encode(self, event: Event) -> Encoded:
        """Write an event of this service. Raises `UnknownType` and `BodyTooLarge`."""
        kind = event.type
        if self._events.get(kind) is not type(event):
            raise UnknownType(f"{self.service} does not know {type(event).__name__} as {kind!r}")
        body = _encode(event)
        if event.published and len(body) > BODY_BYTES_MAX:
            raise BodyTooLarge(
                f"{self.service}.{kind}: {len(body)} bytes, {BODY_BYTES_MAX} at most"
            )
        return Encoded(kind, event.schema_version, body)

    def decode(self, kind: str, schema_version: int, body: bytes) -> Event:
        """Read a stored event, upcast to the present version of its class where it is older.

        Raises `UnknownType`, `NewerVersion`, `BrokenUpcastPath` for a version that never was, and
        `msgspec.MsgspecError` for a body that is none of its type.
        """
        decoder = self._decoders.get(kind)
        if decoder is None:
            raise UnknownType(f"{self.service} has no event {kind!r}")
        now = self._events[kind].schema_version
        if schema_version == now:
            try:
                return decoder.decode(body)
            except RecursionError:
                raise _too_deep() from None
        if schema_version > now:
            raise NewerVersion(f"{self.service}.{kind}.v{schema_version}; v{now} is known here")
        raw = _read(_decode_object, body)
        key = (self.service, kind, schema_version)
        present = upcast(self._upcasters, key, raw, schema_version_now=now)
        return msgspec.convert(present, self._events[kind])


def _read(decode: Callable[[bytes], T], body: bytes) -> T:
    """What the parser makes of a body; one that is nested without end is none."""
    try:
        return decode(body)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> msgspec.DecodeError:
    return msgspec.DecodeError("nested too deeply")


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
