"""The envelope: byte for byte there and back, and nothing malformed gets through."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.chassis import envelope
from services.chassis.decider import Record
from services.chassis.digest import DIGEST_BYTES, GENESIS, digest_of
from services.chassis.envelope import BadMessage, Message
from services.chassis.relay import _partition_of
from services.contracts.core import Actor, Meta

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
STREAMS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
INT_64 = 2**63 - 1
YEAR_9999_US = 253_402_300_799_999_999
BODIES = st.dictionaries(TEXTS, st.none() | st.integers() | TEXTS | st.lists(TEXTS), max_size=5)


@st.composite
def metas(draw: st.DrawFn) -> bytes:
    meta = Meta(
        table_id=draw(STREAMS),
        occurred_at_us=draw(st.integers(-(2**63), INT_64)),
        actor=Actor(draw(TEXTS), draw(TEXTS)),
        command_id=draw(TEXTS),
        cause=draw(TEXTS),
        depth=draw(st.integers(1, 100)),
        traceparent=draw(st.just("") | TEXTS),
    )
    raw = json.loads(msgspec.json.encode(meta))
    # A later release may write fields that this one does not know: they are bytes all the same.
    raw.update(draw(st.dictionaries(st.just("later"), TEXTS)))
    return json.dumps(raw, ensure_ascii=draw(st.booleans())).encode()


@st.composite
def records(draw: st.DrawFn) -> Record:
    position = draw(st.integers(1, INT_64))
    service, stream, kind = draw(NAMES), draw(STREAMS), draw(NAMES)
    version, schema_version = draw(st.integers(1, 2**31)), draw(st.integers(1, 32_767))
    meta = draw(metas())
    body = json.dumps(draw(BODIES), ensure_ascii=draw(st.booleans())).encode()
    previous_digest = draw(st.just(GENESIS) | st.binary(min_size=32, max_size=32))
    event_id = f"{service}:{stream}:{version}"
    return Record(
        service=service,
        stream=stream,
        version=version,
        position=position,
        previous=draw(st.integers(0, position - 1)),
        type=kind,
        schema_version=schema_version,
        meta=meta,
        body=body,
        previous_digest=previous_digest,
        digest=digest_of(previous_digest, event_id, kind, schema_version, meta, body),
        published=True,
        recorded_at_us=draw(st.integers(0, YEAR_9999_US)),
    )


def message(record: Record, hop: str = "") -> Message:
    return envelope.encode(record, envelope.meta_of(record), hop=hop)


@given(records(), TEXTS)
def test_there_and_back_is_byte_exact(record: Record, hop: str) -> None:
    """Proves that a reader has what was stored, and can compute the digest from the message."""
    sent = message(record, hop)
    received = envelope.decode(sent.key, sent.value, sent.headers)
    assert received.record == record
    assert received.meta == envelope.meta_of(record)
    assert received.hop == hop
    again = received.record
    assert again.digest == digest_of(
        again.previous_digest,
        again.event_id,
        again.type,
        again.schema_version,
        again.meta,
        again.body,
    )


@given(records(), st.data())
def test_no_header_can_be_missing_doubled_or_changed(record: Record, data: st.DataObject) -> None:
    """Proves that every header of ours is checked; only the trace of the sending is free."""
    sent = message(record, "00-1-2-01")
    place = data.draw(st.integers(0, len(sent.headers) - 1))
    name, value = sent.headers[place]
    if name == envelope.HOP_TRACE:
        return
    others = [header for number, header in enumerate(sent.headers) if number != place]
    with pytest.raises(BadMessage):
        envelope.decode(sent.key, sent.value, others)
    with pytest.raises(BadMessage):
        envelope.decode(sent.key, sent.value, [*sent.headers, (name, value)])
    with pytest.raises(BadMessage):
        envelope.decode(sent.key, sent.value, [*others, (name, None)])
    if name == envelope.RECORDED_AT:
        return  # the only thing that is neither said twice nor digested
    changed = data.draw(st.binary(max_size=40).filter(lambda other: other != value))
    if name in {envelope.POSITION, envelope.PREVIOUS_POSITION} and changed.isdigit():
        return  # another place in the log is a lie that only the log can refute
    with pytest.raises(BadMessage):
        envelope.decode(sent.key, sent.value, [*others, (name, changed)])


@given(
    st.none() | st.binary(max_size=40),
    st.none() | st.binary(max_size=200),
    st.lists(
        st.tuples(st.sampled_from(sorted(envelope._OURS)), st.none() | st.binary(max_size=40))
    ),
)
def test_garbage_is_refused_and_nothing_else_happens(
    key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]]
) -> None:
    """Proves that no message can raise anything but `BadMessage`."""
    with pytest.raises(BadMessage):
        envelope.decode(key, value, headers)


@given(records(), st.data())
def test_a_changed_body_or_key_does_not_fit_its_digest(record: Record, data: st.DataObject) -> None:
    """Proves that the parts of a message cannot be exchanged for those of another."""
    sent = message(record)
    body = json.dumps(data.draw(BODIES)).encode()
    if body != sent.value:
        with pytest.raises(BadMessage):
            envelope.decode(sent.key, body, sent.headers)
    stream = data.draw(STREAMS)
    if stream != record.stream:
        with pytest.raises(BadMessage):
            envelope.decode(stream.encode(), sent.value, sent.headers)


def test_the_headers_are_those_of_the_cloudevents_binding() -> None:
    """Proves the names and forms that others rely on; a change here is a change for them."""
    meta = Meta(
        table_id="T1",
        occurred_at_us=1_764_460_800_000_001,
        actor=Actor("d-1", "DEALER"),
        command_id="c-1",
        cause="c-1",
        depth=1,
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    encoded, body = msgspec.json.encode(meta), b'{"amount":7}'
    digest = digest_of(GENESIS, "round:T1:1", "betting-closed", 1, encoded, body)
    record = Record(
        service="round",
        stream="T1",
        version=1,
        position=42,
        previous=0,
        type="betting-closed",
        schema_version=1,
        meta=encoded,
        body=body,
        previous_digest=GENESIS,
        digest=digest,
        published=True,
        recorded_at_us=1_764_460_800_500_000,
    )
    sent = envelope.encode(record, meta, hop="00-0af7651916cd43dd8448eb211c80319c-1-01")
    assert sent.key == b"T1"
    assert sent.value == body
    assert {name: value.decode() for name, value in sent.headers} == {
        "content-type": "application/json",
        "ce_specversion": "1.0",
        "ce_id": "round:T1:1",
        "ce_source": "/sabot/round",
        "ce_type": "sabot.round.betting-closed.v1",
        "ce_time": "2025-11-30T00:00:00.000001Z",
        "ce_subject": "T1",
        "ce_dataschema": "/sabot/schemas/round.betting-closed.v1.json",
        "ce_sequence": "1",
        "ce_position": "42",
        "ce_previousposition": "0",
        "ce_correlationid": "c-1",
        "ce_causationid": "c-1",
        "ce_traceparent": meta.traceparent,
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-1-01",
        "ce_sabotmeta": encoded.decode(),
        "ce_sabotdigest": digest.hex(),
        "ce_sabotpreviousdigest": "00" * DIGEST_BYTES,
        "ce_sabotrecordedat": "2025-11-30T00:00:00.500000Z",
    }


@pytest.mark.parametrize(
    ("key", "murmur2"),
    [
        # From the tests of Apache Kafka's own org.apache.kafka.common.utils.Utils.
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"abc", 479470107),
    ],
)
def test_keys_go_where_every_kafka_client_sends_them(key: bytes, murmur2: int) -> None:
    """Proves that a key's partition is the one that a client in Java would choose."""
    assert _partition_of(key, 12) == (murmur2 & 0x7FFF_FFFF) % 12


def test_a_value_or_an_envelope_that_is_nested_without_end_is_no_message() -> None:
    """A reader that went down with it would read it again for ever."""
    meta = msgspec.json.encode(Meta(table_id="T", occurred_at_us=1, actor=Actor("a", "b"),
                                    command_id="c", cause="c", depth=1))  # fmt: skip
    deep = b'{"x":' * 50_000 + b"1" + b"}" * 50_000
    for raw, body in ((meta, deep), (meta[:-1] + b',"x":' + deep + b"}", b"{}")):
        digest = digest_of(GENESIS, "round:T:1", "x", 1, raw, body)
        record = Record(
            service="round",
            stream="T",
            version=1,
            position=1,
            previous=0,
            type="x",
            schema_version=1,
            meta=raw,
            body=body,
            previous_digest=GENESIS,
            digest=digest,
            published=True,
            recorded_at_us=1,
        )
        sent = envelope.encode(record, msgspec.json.decode(meta, type=Meta), hop="")
        with pytest.raises(BadMessage):
            envelope.decode(sent.key, sent.value, sent.headers)
