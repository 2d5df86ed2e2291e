"""A stored record as a Kafka message, and back: CloudEvents 1.0 in binary mode.

The value is the event's body as it is in the log, and one header holds the envelope (`meta`) as it
is in the log, so that a reader gets back the very bytes that were digested. The remaining headers
say the same again for everybody else: for routers, for people with a console consumer, for
libraries that know CloudEvents and not us. Reading is strict: a header that is missing, malformed
or contradicts the rest makes the message bad, because a record that is half believed is worse than
one that is put aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.digest import DIGEST_BYTES, digest_of
from services.contracts.core import Meta

Header = tuple[str, bytes]

CONTENT_TYPE: Final = "content-type"
SPEC_VERSION: Final = "ce_specversion"
ID: Final = "ce_id"
SOURCE: Final = "ce_source"
TYPE: Final = "ce_type"
TIME: Final = "ce_time"
SUBJECT: Final = "ce_subject"
DATA_SCHEMA: Final = "ce_dataschema"
SEQUENCE: Final = "ce_sequence"
POSITION: Final = "ce_position"
PREVIOUS_POSITION: Final = "ce_previousposition"
CORRELATION_ID: Final = "ce_correlationid"
CAUSATION_ID: Final = "ce_causationid"
STARTING_TRACE: Final = "ce_traceparent"
"""The trace in which the chain of events began. CloudEvents wants the extension to keep the start;
what changes with every hop is the plain `traceparent`."""

HOP_TRACE: Final = "traceparent"
META: Final = "ce_sabotmeta"
DIGEST: Final = "ce_sabotdigest"
PREVIOUS_DIGEST: Final = "ce_sabotpreviousdigest"
RECORDED_AT: Final = "ce_sabotrecordedat"

DEAD_LETTER_REASON: Final = "dlq-reason"
DEAD_LETTER_ORIGIN: Final = "dlq-origin"
DEAD_LETTER_CONSUMER: Final = "dlq-consumer"
DEAD_LETTER_WHAT: Final = "dlq-what"

JSON_CONTENT: Final = b"application/json"
SPEC: Final = b"1.0"
DIGITS_MAX: Final = 19
"""Digits of a 64-bit integer: a longer number cannot come from the log."""

KINDS_KEPT: Final = 1_024
SECONDS_KEPT: Final = 4_096

EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - naive: always UTC, written with a Z
MICROSECOND: Final = timedelta(microseconds=1)
RFC_3339: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")

_OURS: Final = frozenset(
    {
        CONTENT_TYPE, SPEC_VERSION, ID, SOURCE, TYPE, TIME, SUBJECT, DATA_SCHEMA, SEQUENCE,
        POSITION, PREVIOUS_POSITION, CORRELATION_ID, CAUSATION_ID, STARTING_TRACE, HOP_TRACE,
        META, DIGEST, PREVIOUS_DIGEST, RECORDED_AT,
    }
)  # fmt: skip


class BadMessage(Exception):
    """The message is not one of ours, or it was damaged. `what` says where, for a person."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Message(Struct, frozen=True):
    """What goes to the broker, without a topic and a partition."""

    key: bytes
    value: bytes
    headers: Sequence[Header]


class Received(Struct, frozen=True):
    """A record out of a message, with what else the message told."""

    record: Record
    meta: Meta
    hop: str
    """The trace context of the sending; empty where it was not traced."""


class _AnyObject(Struct):
    """Decodes any JSON object by walking over it, without building anything."""


_read_meta = msgspec.json.Decoder(Meta).decode
_read_object = msgspec.json.Decoder(_AnyObject).decode


def meta_of(record: Record) -> Meta:
    """The envelope of a stored record as a value."""
    return _read_meta(record.meta)


def encode(record: Record, meta: Meta, *, hop: str) -> Message:
    """The message for a record; `meta` is its envelope decoded, `hop` the trace of this sending.

    An empty `hop` means that the sending is not traced.
    """
    assert record.published, "an unpublished record never leaves its service"
    service = record.service
    names = _names(service, record.type, record.schema_version)
    headers = [
        (CONTENT_TYPE, JSON_CONTENT),
        (SPEC_VERSION, SPEC),
        (ID, record.event_id.encode()),
        (SOURCE, names.source),
        (TYPE, names.type),
        (SUBJECT, record.stream.encode()),
        (DATA_SCHEMA, names.schema),
        (SEQUENCE, b"%d" % record.version),
        (POSITION, b"%d" % record.position),
        (PREVIOUS_POSITION, b"%d" % record.previous),
        (CORRELATION_ID, meta.command_id.encode()),
        (CAUSATION_ID, meta.cause.encode()),
        (META, record.meta),
        (DIGEST, record.digest.hex().encode()),
        (PREVIOUS_DIGEST, record.previous_digest.hex().encode()),
        (RECORDED_AT, _instant(record.recorded_at_us).encode()),
    ]
    if occurred := _instant_or_nothing(meta.occurred_at_us):
        headers.append((TIME, occurred.encode()))
    if meta.traceparent:
        headers.append((STARTING_TRACE, meta.traceparent.encode()))
    if hop:
        headers.append((HOP_TRACE, hop.encode()))
    return Message(key=record.stream.encode(), value=record.body, headers=headers)


def data_schema(service: str, kind: str, schema_version: int) -> str:
    """The reference of the JSON Schema of an event's body."""
    return f"/sabot/schemas/{service}.{kind}.v{schema_version}.json"


class _Names(Struct, frozen=True):
    source: bytes
    type: bytes
    schema: bytes


@lru_cache(maxsize=KINDS_KEPT)
def _names(service: str, kind: str, schema_version: int) -> _Names:
    """What is the same in the headers of all events of a type."""
    return _Names(
        f"/sabot/{service}".encode(),
        f"sabot.{service}.{kind}.v{schema_version}".encode(),
        data_schema(service, kind, schema_version).encode(),
    )


def decode(
    key: bytes | None, value: bytes | None, headers: Iterable[tuple[str, bytes | None]]
) -> Received:
    """The record in a message, byte for byte as it was stored. Raises `BadMessage`."""
    stream = read_key(key)
    if not value:
        raise BadMessage("the message has no value")
    fields = _fields(headers)
    _expect(fields, CONTENT_TYPE, JSON_CONTENT)
    _expect(fields, SPEC_VERSION, SPEC)
    source = _text(fields, SOURCE)
    service = source.removeprefix("/sabot/")
    if not service or service == source:
        raise BadMessage(f"{SOURCE} is {source!r}, not /sabot/ and a service")
    kind, schema_version = _kind(_text(fields, TYPE), service)
    record = Record(
        service=service,
        stream=stream,
        version=_number(fields, SEQUENCE),
        position=_number(fields, POSITION),
        previous=_number(fields, PREVIOUS_POSITION),
        type=kind,
        schema_version=schema_version,
        meta=_bytes(fields, META),
        body=value,
        previous_digest=_digest(fields, PREVIOUS_DIGEST),
        digest=_digest(fields, DIGEST),
        published=True,
        recorded_at_us=_microseconds(_text(fields, RECORDED_AT)),
    )
    meta = _check(record, fields)
    hop = fields.get(HOP_TRACE, b"").decode(errors="replace")
    return Received(record, meta, hop)


def read_key(key: bytes | None) -> str:
    """The stream that a message is about. Raises `BadMessage` where nobody can tell."""
    if not key:
        raise BadMessage("the message has no key")
    try:
        return key.decode()
    except UnicodeDecodeError:
        raise BadMessage("the key is not UTF-8") from None


def _check(record: Record, fields: dict[str, bytes]) -> Meta:
    """What is said twice must agree: then every reader of a message believes the same thing."""
    if record.version < 1 or record.position < 1 or record.previous >= record.position:
        raise BadMessage("version and positions cannot be those of a stored record")
    try:
        meta = _read_meta(record.meta)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadMessage(f"{META} is no envelope: {error}") from None
    try:
        _read_object(record.body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadMessage(f"the value is no JSON object: {error}") from None
    _expect(fields, ID, record.event_id.encode())
    _expect(fields, SUBJECT, record.stream.encode())
    names = _names(record.service, record.type, record.schema_version)
    _expect(fields, DATA_SCHEMA, names.schema)
    _expect(fields, CORRELATION_ID, meta.command_id.encode())
    _expect(fields, CAUSATION_ID, meta.cause.encode())
    _expect_or_none(fields, TIME, _instant_or_nothing(meta.occurred_at_us))
    _expect_or_none(fields, STARTING_TRACE, meta.traceparent)
    digest = digest_of(
        record.previous_digest,
        record.event_id,
        record.type,
        record.schema_version,
        record.meta,
        record.body,
    )
    if digest != record.digest:
        raise BadMessage(f"{DIGEST} is not the digest of this event")
    return meta


def _fields(headers: Iterable[tuple[str, bytes | None]]) -> dict[str, bytes]:
    fields: dict[str, bytes] = {}
    for name, value in headers:
        if name not in _OURS:
            continue
        if value is None:
            raise BadMessage(f"{name} has no value")
        if name in fields:
            raise BadMessage(f"{name} occurs twice")
        fields[name] = value
    return fields


def _bytes(fields: dict[str, bytes], name: str) -> bytes:
    try:
        return fields[name]
    except KeyError:
        raise BadMessage(f"{name} is missing") from None


def _text(fields: dict[str, bytes], name: str) -> str:
    try:
        return _bytes(fields, name).decode()
    except UnicodeDecodeError:
        raise BadMessage(f"{name} is not UTF-8") from None


def _expect(fields: dict[str, bytes], name: str, expected: bytes) -> None:
    value = _bytes(fields, name)
    if value != expected:
        raise BadMessage(f"{name} is {value!r}, expected {expected!r}")


def _expect_or_none(fields: dict[str, bytes], name: str, expected: str) -> None:
    if expected:
        _expect(fields, name, expected.encode())
    elif name in fields:
        raise BadMessage(f"{name} is there, and the envelope has none")


def _number(fields: dict[str, bytes], name: str) -> int:
    """A non-negative integer in the one way that we write it: no sign, no leading zero."""
    digits = _bytes(fields, name)
    canonical = digits.isdigit() and (digits == b"0" or digits[:1] != b"0")
    if not canonical or len(digits) > DIGITS_MAX:
        raise BadMessage(f"{name} is {digits[:40]!r}, not a number")
    return int(digits)


def _digest(fields: dict[str, bytes], name: str) -> bytes:
    text = _text(fields, name)
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        raise BadMessage(f"{name} is not hexadecimal") from None
    if len(digest) != DIGEST_BYTES or digest.hex() != text:
        raise BadMessage(f"{name} is not a SHA-256 digest in lower case")
    return digest


@lru_cache(maxsize=KINDS_KEPT)
def _kind(text: str, service: str) -> tuple[str, int]:
    """Type and schema version out of `sabot.<service>.<type>.v<n>`."""
    name, dot_v, digits = text.removeprefix(f"sabot.{service}.").rpartition(".v")
    canonical = digits.isascii() and digits.isdigit() and digits[0] != "0"
    well_formed = dot_v and canonical and len(digits) <= DIGITS_MAX
    if not name or not well_formed or text != f"sabot.{service}.{name}.v{digits}":
        raise BadMessage(f"{TYPE} is {text!r}, not sabot.{service}.<type>.v<version>")
    return name, int(digits)


@lru_cache(maxsize=SECONDS_KEPT)
def _instant(us: int) -> str:
    """Microseconds since 1970 in RFC 3339, always with six digits, so that there is one spelling.

    Events that were committed together have the same instant.
    """
    second, rest = divmod(us, 1_000_000)
    return f"{_second(second)}.{rest:06d}Z"


@lru_cache(maxsize=SECONDS_KEPT)
def _second(second: int) -> str:
    """Written once for all events of it."""
    return (EPOCH + timedelta(seconds=second)).isoformat(timespec="seconds")


def _instant_or_nothing(us: int) -> str:
    """Nothing where the calendar ends: an absurd instant in a command must not stop a topic."""
    try:
        return _instant(us)
    except OverflowError:
        return ""


def _microseconds(text: str) -> int:
    if RFC_3339.fullmatch(text) is None:
        raise BadMessage(f"{RECORDED_AT} is {text!r}, not an instant in UTC with microseconds")
    try:
        return (datetime.fromisoformat(text.removesuffix("Z")) - EPOCH) // MICROSECOND
    except ValueError:
        raise BadMessage(f"{RECORDED_AT} is {text!r}, which is no date") from None
