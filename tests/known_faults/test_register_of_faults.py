"""The register of known faults: each has a kind, a sentence, and tests that there are."""

from __future__ import annotations

import ast
import json
import os
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.parsing import parsed

ROOT = Path(__file__).resolve().parents[2]
FAULTS: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "faults.toml").read_text(encoding="utf-8")
)
PLACE = re.compile(r"(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)(?:\[(?P<case>[\w-]+)\])?")
KINDS_MIN = 20


@cache
def functions(file: str) -> frozenset[str]:
    """The names of a module's functions, of classes too."""
    tree = parsed((ROOT / file).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def wrong(fault: str, entry: dict[str, Any]) -> list[str]:
    """What is wrong with an entry."""
    found = [f"{fault} has no {key}" for key in ("kind", "fault", "tests") if not entry.get(key)]
    if entry.get("kind", "").replace("_", "-") != fault.rpartition("-")[0]:
        found.append(f"{fault} is of another kind than its name says")
    for place in entry.get("tests", ()):
        match = PLACE.fullmatch(place)
        if match is None or not (ROOT / match["file"]).is_file():
            found.append(f"{fault}: {place} is no place of a test")
        elif match["name"] not in functions(match["file"]):
            found.append(f"{fault}: there is no {place}")
        elif match["case"] and f'"{match["case"]}"' not in (ROOT / match["file"]).read_text():
            found.append(f"{fault}: {place} has no such case")
    return found


def test_every_known_fault_is_shown_by_tests_that_there_are() -> None:
    assert [line for fault, entry in FAULTS.items() for line in wrong(fault, entry)] == []
    assert len({entry["kind"] for entry in FAULTS.values()}) >= KINDS_MIN


@pytest.mark.parametrize(
    "tests",
    [
        [],
        ["tests/rules/test_known_faults.py::test_that_never_was"],
        ["tests/rules/test_never_was.py::test_a"],
        ["tests/rules/test_known_faults.py::test_a_wager_is_paid_what_it_is_due[payout-99]"],
    ],
)
def test_an_entry_without_its_test_is_found(tests: list[str]) -> None:
    entry = {"kind": "payout", "fault": "x", "tests": tests}
    assert len(wrong("payout-01", entry)) == 1


def test_every_fault_that_was_collected_has_an_entry() -> None:
    """Where the collection that the register was made from is at hand, none of it is missing."""
    places = (os.environ.get("SABOT_SHARED"), ROOT.parent / "shared")
    files = [Path(place) / "cases" / "bugs.jsonl" for place in places if place]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        pytest.skip("no cases/bugs.jsonl in SABOT_SHARED or beside the checkout")
    cases = [json.loads(line) for line in found.read_text().splitlines()]
    assert {case["id"]: case["kind"] for case in cases} == {
        fault: entry["kind"] for fault, entry in FAULTS.items()
    }
