"""Nobody who was given a schema is let down: changes that break readers take a new version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.contracts.generate import RELEASED, ROOT, SCHEMAS, schemas
from tests.contracts.compatibility import breaks

PRESENT = schemas()
GIVEN = sorted((ROOT / RELEASED).glob("*.json"))
HINT = """
Raise `schema_version` of the class and add an upcaster in services/chassis/upcast.py; see "Adding
or changing an event" in docs/events.md."""


def test_there_is_something_to_compare_with() -> None:
    """An empty folder would make the other tests pass."""
    assert len(GIVEN) > len(("shoe", "round", "wager", "settlement"))


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.stem)
def test_a_released_schema_is_only_added_to(path: Path) -> None:
    """No field removed, none newly required or newly missing, no type or default changed."""
    given = json.loads(path.read_text(encoding="utf-8"))
    text = PRESENT.get(f"{SCHEMAS}/{path.name}")
    if text is None:  # an older version: its schema stays, its class is gone
        kept = ROOT / SCHEMAS / path.name
        assert kept.is_file(), f"{path.stem} was released and is gone.{HINT}"
        text = kept.read_text(encoding="utf-8")
    now = json.loads(text)
    found = list(breaks(given, now, given, now, path.stem))
    assert not found, "\n".join([*found, HINT])


BEFORE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "seat": {"type": "integer"},
        "note": {"type": "string", "default": ""},
        "limit": {"$ref": "#/$defs/Limit"},
        "cards": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["seat", "limit", "cards"],
    "additionalProperties": True,
    "$defs": {
        "Limit": {
            "type": "object",
            "properties": {"most": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        }
    },
}


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        (("properties", "seat"), None, "x.seat is gone"),
        (("properties", "seat", "type"), "string", "x.seat/type: 'integer' became 'string'"),
        (("properties", "note", "default"), "-", "x.note/default: '' became '-'"),
        (("properties", "cards", "items", "type"), "null", "x.cards/items/type: 'string' became"),
        (("required",), ["seat", "limit", "cards", "note"], "x.note is required now"),
        (("required",), ["limit", "cards"], "x.seat may be missing now"),
        (("additionalProperties",), False, "x/additionalProperties: True became False"),
        (("$defs", "Limit", "properties", "most"), {"type": "integer"}, "x.limit.most/anyOf: ["),
        (
            ("$defs", "Limit", "properties", "most", "anyOf"),
            [{"type": "string"}, {"type": "null"}],
            "x.limit.most/anyOf/type: 'integer' became",
        ),
        (("properties", "note", "description"), "Free text.", ""),
        (("properties", "new"), {"type": "integer", "default": 0}, ""),
    ],
)
def test_the_comparison_sees_what_breaks(path: tuple[str, ...], value: Any, found: str) -> None:
    """Each kind of break is found wherever it is, and what may be added is not one."""
    after = json.loads(json.dumps(BEFORE))
    container = after
    for key in path[:-1]:
        container = container[key]
    if value is None:
        del container[path[-1]]
    else:
        container[path[-1]] = value
    told = list(breaks(BEFORE, after, BEFORE, after, "x"))
    assert any(fault.startswith(found) for fault in told) if found else not told, told
