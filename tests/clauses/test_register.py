"""The register is whole: every clause is there, and what shows it exists and is about it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from services.contracts.common import TableSettings
from services.round.commands import COMMANDS as ROUND_COMMANDS
from services.round.domain import EVENTS as ROUND_EVENTS
from services.round.domain.incidents import RULES as INCIDENTS
from services.rules.fields import FIELDS
from services.rules.roles import ROLES
from services.settlement.domain import EVENTS as SETTLEMENT_EVENTS
from services.shoe import commands as shoe_commands
from services.shoe.domain import EVENTS as SHOE_EVENTS
from tests.clauses.register import (
    CASE,
    DOCUMENT,
    ROOT,
    SHOWN_BY_TESTS,
    TEXTS,
    cases,
    docstrings,
    document,
    named_in,
    open_rows,
    register,
    wanted_rows,
)
from tests.cli.cases import cases_of, not_yet

KINDS = (*SHOWN_BY_TESTS, "physical")
SERVICES = ("shoe", "round", "wager", "settlement")
OPEN_AT_MOST = 0
"""Never raised: what is shown stays shown."""

NUMBERS = {"A": (74, ()), "B": (14, ()), "C": (22, ()), "D": (27, ())}
NUMBERS["F"] = (182, (*range(34, 41), *range(58, 61), 66, 67))


def test_every_clause_of_the_five_texts_has_its_row() -> None:
    rows = register().rows
    assert {name: row.kinds for name, row in rows.items()} == wanted_rows()
    assert list(rows) == [
        f"{letter}-{number:02d}"
        for letter in TEXTS
        for number in range(1, NUMBERS[letter][0] + 1)
        if number not in NUMBERS[letter][1]
    ]


def test_rows_say_what_is_done_and_where() -> None:
    rows = register().rows
    for name, row in rows.items():
        assert row.clause.startswith(TEXTS[name[0]][0]), name
        assert row.title, name
        assert bool(row.does) != bool(row.same), name
        assert not row.same or (row.same in rows and not rows[row.same].same), name
        assert row.kinds, name
        assert set(row.kinds) <= set(KINDS), name
        assert set(row.services) <= set(SERVICES), name
        wrong = [kind for kind in SHOWN_BY_TESTS if row.tests(kind) and kind not in row.kinds]
        assert not wrong, name
        assert not row.reference or "physical" in row.kinds, name


def test_every_row_is_shown_or_listed_as_open() -> None:
    """A row is shown by a test for each of its words; one that is shown is not listed."""
    held = register()
    missing = {name: held.missing(name) for name in held.rows}
    assert {name for name, kinds in missing.items() if kinds} == set(open_rows())


def test_the_list_of_open_rows_gives_reasons_and_only_shrinks() -> None:
    """The bound is the length of the list, so that no row comes onto it unseen."""
    listed = open_rows()
    assert all(reason.strip() for reason in listed.values())
    assert list(listed) == [name for name in register().rows if name in listed]
    assert len(listed) == OPEN_AT_MOST


def test_every_named_test_exists_and_is_about_the_clause() -> None:
    """A test names the clause, or the one that the clause is the same as, in its docstring."""
    wrong = []
    for name, row in register().rows.items():
        about = {name, row.same}
        for test in (test for kind in SHOWN_BY_TESTS for test in row.tests(kind)):
            if test.startswith(CASE):
                continue
            file, _, function = test.partition("::")
            said = docstrings(file).get(function)
            if said is None:
                wrong.append(f"{name}: there is no {test}")
            elif not about & named_in(said):
                wrong.append(f"{name}: {test} does not name it")
    assert not wrong


def test_every_named_case_exists_passes_and_is_listed_for_the_clause() -> None:
    """A case says what it shows in its own words; `cases.toml` lists the clauses."""
    passing = {case.id for case in cases_of("table.jsonl") if case.why} - set(not_yet())
    assert set(cases()) <= passing
    used = {
        (test.removeprefix(CASE), name)
        for name, row in register().rows.items()
        for kind in SHOWN_BY_TESTS
        for test in row.tests(kind)
        if test.startswith(CASE)
    }
    assert used == {(case, name) for case, names in cases().items() for name in names}


def _is_there(place: str) -> bool:
    where, _, what = place.partition(":")
    whole, _, part = what.partition(".")
    if where == "field":
        return what in FIELDS
    if where == "incident":
        return what in INCIDENTS
    if where == "role":
        return what in ROLES
    if where == "setting":
        return what in TableSettings.__struct_fields__
    if where == "command":
        command = ROUND_COMMANDS.get(whole) or getattr(shoe_commands, whole)
        return part in command.__struct_fields__
    if where == "event":
        known = {
            kind.__name__: kind
            for events in (SHOE_EVENTS, ROUND_EVENTS, SETTLEMENT_EVENTS)
            for kind in events.values()
        }
        return part in known[whole].__struct_fields__
    file, _, function = place.partition("::")
    return function in docstrings(file)


def test_physical_rows_have_their_place_in_the_code() -> None:
    wrong = [
        f"{name}: {place}"
        for name, row in register().rows.items()
        for place in row.reference
        if not _is_there(place)
    ]
    assert not wrong


def test_the_document_is_the_one_that_the_register_gives() -> None:
    assert DOCUMENT.read_text() == document(), "make clauses"


def test_ranges_of_clauses_are_written_out() -> None:
    assert named_in("A-09, F-100 and B-03..B-05") == {"A-09", "F-100", "B-03", "B-04", "B-05"}
    assert named_in("UTF-8, SHA-256 and E-01") == set()


def _shared() -> Path | None:
    for place in (os.environ.get("SABOT_SHARED"), ROOT.parent / "shared"):
        if place and (found := Path(place) / "design" / "clauses.md").is_file():
            return found
    return None


def test_ids_and_kinds_are_those_of_the_list_of_clauses() -> None:
    """Where the list that the register was made from is at hand, it still says the same."""
    listed = _shared()
    if listed is None:
        pytest.skip("no design/clauses.md in SABOT_SHARED or beside the checkout")
    rows = {}
    for line in listed.read_text().splitlines():
        if re.match(r"\| [ABCDF]-\d+ \|", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rows[cells[0]] = tuple(kind.strip().lower() for kind in cells[3].split(","))
    assert rows == wanted_rows()
