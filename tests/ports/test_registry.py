"""Events between values and bytes: stable names, old forms, digests. Needs no store."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import DecodeError, Raw, Struct

from services.chassis.digest import GENESIS, digest_of
from services.chassis.registry import (
    BODY_BYTES_MAX,
    BodyTooLarge,
    NewerVersion,
    Note,
    Registry,
    UnknownType,
    check_registries,
    decode_meta,
    encode_meta,
)
from services.chassis.snapshots import SNAPSHOT_EVENTS, StateCodec, UnfitState, is_due
from services.chassis.upcast import BrokenUpcastPath, Key, Upcaster
from services.contracts import round as round_events
from services.contracts import settlement, shoe, wager
from services.contracts.core import Actor, Event, Meta, Noted


class Moved(Event, frozen=True, kw_only=True):
    """Version 1 had `where`; version 2 called it `place`; version 3 has `steps` as well."""

    type = "moved"
    schema_version = 3
    place: str
    steps: int


class Filled(Event, frozen=True, kw_only=True):
    type = "filled"
    text: str = ""
    labels: frozenset[str] = frozenset()


class Hidden(Event, frozen=True, kw_only=True):
    type = "hidden"
    published = False
    text: str = ""


def rename(body: dict[str, Any]) -> dict[str, Any]:
    return {"place": body["where"]}


def count(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "steps": 1}


STEPS: dict[Key, Upcaster] = {("s", "moved", 1): rename, ("s", "moved", 2): count}
SERVICES = (shoe, round_events, wager, settlement)
EVENTS: dict[str, type[Event]] = {"moved": Moved, "filled": Filled, "hidden": Hidden}
REGISTRY = Registry("s", EVENTS, upcasters=STEPS)


def test_an_event_reads_back_as_it_was_written() -> None:
    """Type and version come from the class, so that renaming the class changes nothing stored."""
    event = Moved(place="a", steps=2)
    assert (event.type, event.schema_version) == ("moved", 3)
    assert REGISTRY.encode(event) == b'{"place":"a","steps":2}'
    assert REGISTRY.decode("moved", 3, REGISTRY.encode(event)) == event


@pytest.mark.parametrize(
    ("version", "body", "steps"),
    [(1, b'{"where":"a"}', 1), (2, b'{"place":"a"}', 1), (3, b'{"place":"a","steps":4}', 4)],
)
def test_old_forms_go_through_every_step(version: int, body: bytes, steps: int) -> None:
    """A body of any version becomes the event of today."""
    assert REGISTRY.decode("moved", version, body) == Moved(place="a", steps=steps)


def test_what_cannot_be_known_is_not_guessed() -> None:
    """An unknown type and a later version are told apart, because they end differently."""
    with pytest.raises(UnknownType):
        REGISTRY.decode("gone", 1, b"{}")
    with pytest.raises(NewerVersion):
        REGISTRY.decode("moved", 4, b'{"place":"a","steps":2}')
    with pytest.raises(UnknownType):
        Registry("s", {"filled": Filled}).encode(Moved(place="a", steps=1))


def test_every_registry_knows_what_was_noted() -> None:
    """Events heard from others are kept in every service's own stream."""
    assert Noted.type in REGISTRY


def test_a_note_is_what_was_noted() -> None:
    """A fold reads less of it, and nothing else."""
    noted = Noted(
        service="shoe",
        event_id="shoe:t:1",
        position=1,
        event_type="moved",
        event_version=3,
        meta=Raw(b'{"table_id":"t"}'),
        body=Raw(b'{"place":"a","steps":2}'),
        previous_digest="00",
        digest="01",
        recorded_at_us=5,
    )
    body = REGISTRY.encode(noted)
    note = REGISTRY.note(1, body)
    assert all(getattr(note, name) == getattr(noted, name) for name in Note.__struct_fields__)
    with pytest.raises(NewerVersion):
        REGISTRY.note(2, body)
    with pytest.raises(DecodeError, match="nested too deeply"):
        REGISTRY.note(1, b'{"body":' + b"[" * 100_000)


def test_a_published_event_fits_into_a_message() -> None:
    """What a broker would refuse must not get into the log, where it would stop the relay."""
    text = "x" * BODY_BYTES_MAX
    with pytest.raises(BodyTooLarge):
        REGISTRY.encode(Filled(text=text))
    assert len(REGISTRY.encode(Hidden(text=text))) > BODY_BYTES_MAX


def test_equal_events_are_equal_bytes() -> None:
    """Sets have no order of their own; the bytes and the digest have."""
    names = [f"n{n}" for n in range(50)]
    one = REGISTRY.encode(Filled(labels=frozenset(names)))
    other = REGISTRY.encode(Filled(labels=frozenset(reversed(names))))
    assert one == other


def test_a_class_must_carry_its_name() -> None:
    """A wrong table of names is found when the program starts."""
    with pytest.raises(ValueError, match="well-formed"):
        Registry("s", {"other": Moved})


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ({("s", "moved", 1): rename}, "no step from s.moved.v2"),
        ({**STEPS, ("s", "moved", 3): count}, "s.moved.v3, which nothing needs"),
        ({**STEPS, ("s", "mvoed", 1): count}, "s.mvoed.v1, which nothing needs"),
    ],
)
def test_broken_upcast_paths_are_found(steps: dict[Key, Upcaster], fault: str) -> None:
    """A missing step and a misspelt one both fail the check that runs over all services."""
    check_registries([REGISTRY], STEPS)
    with pytest.raises(BrokenUpcastPath, match=fault):
        check_registries([REGISTRY], steps)


def test_a_process_minds_no_step_of_events_that_it_does_not_hear() -> None:
    """Steps stand in one table for all services; most of them hear only some of the others."""
    steps = {**STEPS, ("far", "moved", 1): rename}
    check_registries([REGISTRY], steps, of_all=False)
    with pytest.raises(BrokenUpcastPath, match=r"s\.moved\.v3, which nothing needs"):
        check_registries([REGISTRY], {**steps, ("s", "moved", 3): count}, of_all=False)


def test_every_stored_event_of_the_services_can_be_read() -> None:
    """No release forgets a step: old tables are opened for as long as there are any."""
    check_registries([Registry(module.SERVICE, module.EVENTS) for module in SERVICES])


def test_a_missing_step_is_named_when_reading() -> None:
    """Should the check not have run, reading says what is missing."""
    with pytest.raises(BrokenUpcastPath, match=r"s\.moved\.v1"):
        Registry("s", EVENTS, upcasters={}).decode("moved", 1, b'{"where":"a"}')


def test_an_envelope_reads_back() -> None:
    """Nothing of the envelope is lost."""
    meta = Meta(
        table_id="t",
        occurred_at_us=1,
        actor=Actor("p", "PIT"),
        command_id="c",
        cause="c",
        depth=1,
        test=True,
    )
    assert decode_meta(encode_meta(meta)) == meta


def test_the_digest_is_what_it_was() -> None:
    """Its form never changes, or old logs could not be checked any more."""
    fields = [b"sabot-event-digest-1", bytes(32), b"s:t:1", b"moved", b"3", b"{}", b'{"a":1}']
    framed = b"".join(len(field).to_bytes(8, "big") + field for field in fields)
    digest = digest_of(GENESIS, "s:t:1", "moved", 3, b"{}", b'{"a":1}')
    assert digest == hashlib.sha256(framed).digest()
    assert digest.hex() == "0596c6abf07bcc485b1dc800f51f378fa042d48903e935ba1cdda6d474611bf5"


texts = st.text(max_size=4)
blobs = st.binary(max_size=4)
fields = st.tuples(blobs, texts, texts, st.integers(1, 12), blobs, blobs)


@given(fields, fields)
def test_different_events_have_different_digests(
    one: tuple[bytes, str, str, int, bytes, bytes],
    other: tuple[bytes, str, str, int, bytes, bytes],
) -> None:
    """Bytes cannot wander from one field to the next."""
    assert (digest_of(*one) == digest_of(*other)) == (one == other)


class State(Struct, frozen=True):
    total: int
    seats: dict[int, str] = {}
    note: Any = None


class Forgetful:
    """Not a value: two that look the same are not equal."""


def test_a_state_is_a_snapshot_only_if_it_reads_back() -> None:
    """What would be loaded as something else is refused when it is written."""
    codec = StateCodec(State, 3)
    snapshot = codec.encode("t", 7, State(1, {2: "p"}))
    assert (snapshot.version, snapshot.state_schema) == (7, 3)
    assert codec.decode(snapshot) == State(1, {2: "p"})
    wrong_type = State(1, {2: 3})  # type: ignore[dict-item]
    another_value = State(1, note=("a", "b"))  # would come back as a list
    for unfit in (State(2**70), wrong_type, another_value, Forgetful()):
        with pytest.raises(UnfitState):
            codec.encode("t", 7, unfit)


@pytest.mark.parametrize(
    ("before", "after", "due"),
    [
        (0, SNAPSHOT_EVENTS - 1, False),
        (SNAPSHOT_EVENTS - 1, SNAPSHOT_EVENTS, True),
        (SNAPSHOT_EVENTS, SNAPSHOT_EVENTS + 1, False),
        (SNAPSHOT_EVENTS + 1, 3 * SNAPSHOT_EVENTS + 1, True),
    ],
)
def test_a_snapshot_is_due_now_and_then(before: int, after: int, due: bool) -> None:
    """Once for every so many events, wherever a batch begins and ends."""
    assert is_due(before, after) is due
