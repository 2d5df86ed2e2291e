"""What was ever stored is read by today's code, and today's code writes the same bytes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from services.chassis.registry import Registry, check_registries, decode_meta, encode_meta
from services.contracts import generate, models
from services.contracts.asyncapi import schema_name
from services.contracts.core import Event, Meta
from tests.contracts.cases import HINT, STORED, name_of

FILES = sorted((generate.ROOT / generate.GOLDEN).glob("*.json"))
REGISTRIES = {service: Registry(service, events) for service, events in models.SERVICES.items()}


@dataclasses.dataclass(frozen=True)
class Example:
    """One stored body."""

    service: str
    kind: str
    version: int
    body: bytes


def bytes_of(path: Path) -> bytes:
    text = path.read_bytes()
    assert text.endswith(b"\n"), f"{path.name} has lost its last newline"
    return text.removesuffix(b"\n")


def example_in(path: Path) -> Example:
    found = generate.NAME.fullmatch(path.stem.partition("+")[0])
    assert found is not None, f"{path.name} is no example: <service>.<type>.v<version>.json"
    return Example(found["service"], found["kind"], int(found["version"]), bytes_of(path))


EVENT_FILES = [path for path in FILES if path.stem.partition("+")[0] != generate.ENVELOPE]


@pytest.mark.parametrize("path", EVENT_FILES, ids=lambda path: path.stem)
def test_a_stored_event_is_read_and_written_again(path: Path) -> None:
    """Every example ever added decodes today; one of the present version gives the same bytes."""
    example = example_in(path)
    registry = REGISTRIES[example.service]
    event = registry.decode(example.kind, example.version, example.body)
    again = registry.encode(event)
    if event.schema_version == example.version:
        assert again == example.body
    else:
        assert registry.decode(example.kind, event.schema_version, again) == event


def test_a_stored_envelope_is_read_and_written_again() -> None:
    """Its bytes are covered by digests, as those of the event are."""
    files = generate.golden_of(generate.ENVELOPE)
    assert files, HINT
    for path in files:
        assert encode_meta(decode_meta(bytes_of(path))) == bytes_of(path)


@pytest.mark.parametrize("case", STORED, ids=name_of)
def test_every_version_of_every_event_has_an_example(case: tuple[str, type[Event]]) -> None:
    """From the first version on; examples of old versions stay when a new one comes."""
    service, event = case
    for version in range(1, event.schema_version + 1):
        name = schema_name(service, event.type, version)
        assert generate.golden_of(name), f"no example of {name}: {HINT}"


def test_every_field_is_in_an_example() -> None:
    """A field that was added later, at any depth, gets an example of its own."""
    assert not generate.missing_golden(), HINT


def test_every_stored_version_leads_to_the_present_one() -> None:
    """Upcasters are there for each step, and none of them is left over."""
    check_registries(REGISTRIES.values())


def test_a_changed_class_would_be_noticed() -> None:
    """A renamed field, a changed type and a removed field do not survive their example."""

    class Before(Event, frozen=True, kw_only=True):
        type = "proof"
        seat: int
        note: str = ""

    class Renamed(Event, frozen=True, kw_only=True):
        type = "proof"
        place: int
        note: str = ""

    class Retyped(Event, frozen=True, kw_only=True):
        type = "proof"
        seat: str
        note: str = ""

    class Removed(Event, frozen=True, kw_only=True):
        type = "proof"
        seat: int

    stored = Registry("proof", {"proof": Before}).encode(generate.example(Before))
    for changed in (Renamed, Retyped):
        with pytest.raises(msgspec.ValidationError):
            Registry("proof", {"proof": changed}).decode("proof", 1, stored)
    registry = Registry("proof", {"proof": Removed})
    assert registry.encode(registry.decode("proof", 1, stored)) != stored


def test_a_grown_class_would_need_an_example(tmp_path: Path) -> None:
    """The count of shown fields sees a new one, also inside of another struct."""
    meta = generate.example(Meta)
    less = msgspec.structs.replace(meta, second=None)
    assert generate.shown(meta) - generate.shown(less) == {"Meta.second"}
