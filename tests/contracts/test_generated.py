"""What is committed is what would be generated now, here and anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.chassis import envelope
from services.contracts import asyncapi, generate
from services.contracts.core import Event
from services.devstack import asyncapi as tool
from tests.contracts.cases import HINT, PUBLISHED, name_of
from tests.contracts.json_schema import Schema, faults, faults_of_schema


def differing(files: dict[str, str]) -> list[str]:
    """Names of files that are missing or hold something else."""
    return [
        name
        for name, text in files.items()
        if not (path := generate.ROOT / name).is_file() or path.read_text(encoding="utf-8") != text
    ]


def test_the_schemas_are_those_of_the_classes() -> None:
    """Every published event has its schema, and none is left of what is not published."""
    assert not differing(generate.schemas()), HINT
    assert not generate.stale_schemas(), HINT


@pytest.mark.parametrize("case", PUBLISHED, ids=name_of)
def test_every_version_keeps_its_schema(case: tuple[str, type[Event]]) -> None:
    """Stored messages of old versions name theirs for ever."""
    service, event = case
    for version in range(1, event.schema_version + 1):
        name = asyncapi.schema_name(service, event.type, version)
        assert (generate.ROOT / generate.SCHEMAS / f"{name}.json").is_file(), f"{name}: {HINT}"


def test_the_documents_are_those_of_the_services() -> None:
    """The AsyncAPI documents follow from the events, what is heard, and how it is heard."""
    files = tool.documents()
    assert not differing(files), HINT
    present = (generate.ROOT / tool.DOCUMENTS).glob("*")
    assert {f"{tool.DOCUMENTS}/{path.name}" for path in present} == set(files)


def test_the_tables_of_the_page_are_those_of_the_classes() -> None:
    """The page for listeners names every event."""
    text = (generate.ROOT / generate.DOCUMENT).read_text(encoding="utf-8")
    assert generate.document(text) == text, HINT
    for _, event in PUBLISHED:
        assert f"| `{event.type}` |" in text


def test_a_page_without_markers_is_refused() -> None:
    """Rather than writing the tables nowhere."""
    with pytest.raises(ValueError, match="lost the marker"):
        generate.document("# Events\n")


@pytest.mark.parametrize("case", PUBLISHED, ids=name_of)
def test_a_schema_is_one_and_has_its_name(case: tuple[str, type[Event]]) -> None:
    """It is well-formed, takes the example, and is found by the header `ce_dataschema`."""
    service, event = case
    schema = generate.schema_of(service, event)
    assert not list(faults_of_schema(schema, schema))
    named = envelope.data_schema(service, event.type, event.schema_version)
    assert schema["$id"] == asyncapi.data_schema(service, event) == named
    assert named.endswith(f"/{name_of(case)}.json")
    assert schema["title"] == event.__name__
    assert schema["description"], f"{event.__name__} has no docstring"


def test_the_validator_refuses_what_it_cannot_read() -> None:
    """A keyword that it does not know must not count as fulfilled."""
    bad: list[Schema] = [
        {"minLength": 3},
        {"type": "text"},
        {"$ref": "#/$defs/Nobody"},
        {"required": ["a"], "properties": {"b": {}}},
        {"anyOf": []},
    ]
    for schema in bad:
        assert list(faults_of_schema(schema, schema)), schema
    closed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    assert list(faults({"b": 1}, closed, closed)) == ["$.b is not allowed"]
    assert list(faults(True, {"type": "integer"}, {})) == ["$ is no integer"]


@pytest.mark.slow
def test_another_machine_writes_the_same(tmp_path: Path) -> None:
    """Neither the hash seed nor folder, language, zone or name of a machine gets into the files."""
    program = (
        "import hashlib; from services.contracts import generate as g; "
        "from services.devstack import asyncapi as a; files = {**g.schemas(), **a.documents()}; "
        "print(hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest())"
    )
    seen = set()
    for seed, zone, language in (("1", "UTC", "C"), ("4711", "Australia/Sydney", "de_DE.UTF-8")):
        environment = {
            "PATH": os.defpath,
            "PYTHONPATH": f"{generate.ROOT}{os.pathsep}{generate.ROOT / 'proto/gen'}",
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LANG": language,
            "HOSTNAME": f"host-{seed}",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
        )
        seen.add(done.stdout)
    assert len(seen) == 1
