"""Every case of the table-log format, through `replay` in this process."""

from __future__ import annotations

import importlib.util
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cases import (
    CASES,
    RECORDED,
    Case,
    Printed,
    Replay,
    cases_of,
    first_missing,
    fits,
    json_lines,
    not_yet,
    replayed,
)

needs_replay = pytest.mark.skipif(
    importlib.util.find_spec("services.tablelog.replay") is None,
    reason="services.tablelog.replay is not written yet",
)


@pytest.fixture(scope="module")
def replay() -> Replay:
    from services.tablelog.replay import main

    return main


@needs_replay
def test_all_standard_coups_come_out_as_expected(replay: Replay, tmp_path: Path) -> None:
    outcomes = list(replayed(replay, cases_of("coups.jsonl.gz"), tmp_path))
    missed = {one.case.id: one.misses() for one in outcomes if one.misses()}
    assert not missed


@needs_replay
def test_table_cases_pass_unless_listed_and_fail_if_listed(replay: Replay, tmp_path: Path) -> None:
    """A case that is listed and passes must come off the list; no other case may fail."""
    listed = set(not_yet())
    outcomes = list(replayed(replay, cases_of("table.jsonl"), tmp_path))
    missed = {one.case.id: one.misses() for one in outcomes if one.misses()}
    assert {id_: why for id_, why in missed.items() if id_ not in listed} == {}
    assert sorted(listed - set(missed)) == [], "python -m tests.cli.cases --update"


@needs_replay
@pytest.mark.parametrize("case", json_lines(CASES / "malformed.jsonl"), ids=lambda case: case["id"])
def test_malformed_cases_stop_replay_at_their_line(
    replay: Replay, tmp_path: Path, case: dict[str, Any]
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(f"{line}\n" for line in case["lines"]))
    out, err = StringIO(), StringIO()
    assert replay([str(file)], out, err) == 2
    assert err.getvalue().startswith(f"{file}:{case['error_line']}: ")
    assert err.getvalue().count("\n") == 1
    printed = [json.loads(line) for line in out.getvalue().splitlines()]
    assert all(line["line"] < case["error_line"] for line in printed)


@needs_replay
@pytest.mark.parametrize(
    "path", sorted(RECORDED.glob("*.expect.jsonl.gz")), ids=lambda path: path.name.split(".")[0]
)
def test_recorded_shoes_come_out_as_recorded(replay: Replay, tmp_path: Path, path: Path) -> None:
    name = path.name.removesuffix(".expect.jsonl.gz")
    case = Case(name, "recorded", json_lines(RECORDED / f"{name}.jsonl.gz"), json_lines(path))
    [outcome] = replayed(replay, [case], tmp_path)
    assert outcome.misses() == ""


def test_the_list_of_cases_not_reached_is_sorted_and_names_cases() -> None:
    ids = {case.id for case in cases_of("table.jsonl")}
    listed = not_yet()
    assert listed == sorted(set(listed))
    assert set(listed) <= ids


def test_case_ids_are_unique_over_all_files() -> None:
    ids = [case.id for name in ("coups.jsonl.gz", "table.jsonl") for case in cases_of(name)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("wanted", "found", "fit"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": None}, {}, False),
        ({"a": None}, {"a": None}, True),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 2, 3], False),
        ([1, 2], [2, 1], False),
        ([], [1], False),
        ([1], 1, False),
        ([{"id": "w2", "a": 1}], [{"id": "w1"}, {"id": "w2", "a": 1}], True),
        ([{"id": "w2", "a": 1}], [{"id": "w2", "a": 2}], False),
        ([{"id": "w3"}], [{"id": "w1"}], False),
        ([{"id": "w1"}], [1, {"a": 1}], False),
    ],
)
def test_a_wanted_value_fits_by_its_own_keys(wanted: object, found: object, *, fit: bool) -> None:
    assert fits(wanted, found) is fit


def test_wanted_lines_are_found_in_order_with_others_between() -> None:
    printed: list[Printed] = [{"kind": "a", "n": 1}, {"kind": "b"}, {"kind": "a", "n": 2}]
    assert first_missing([{"n": 1}, {"n": 2}], printed) is None
    assert first_missing([{"n": 2}, {"n": 1}], printed) == {"n": 1}
    assert first_missing([{"kind": "b"}, {"kind": "b"}], printed) == {"kind": "b"}
    assert first_missing([{"absent": {"kind": "c"}}], printed) is None
    assert first_missing([{"absent": {"n": 2}}], printed) == {"absent": {"n": 2}}
    assert first_missing([], []) is None


def test_cases_that_a_broken_one_takes_down_are_judged_by_their_own_run(tmp_path: Path) -> None:
    def replay(files: list[str], out: object, err: object, /) -> int:
        for file in files:
            if Path(file).stem == "broken":
                raise RuntimeError("stop")
            print(f'{{"kind": "summary", "file": "{file}"}}', file=out)  # type: ignore[call-overload]
        return 0

    cases = [Case(name, "", [], [{"kind": "summary"}]) for name in ("first", "broken", "last")]
    found = {one.case.id: one.misses() for one in replayed(replay, cases, tmp_path)}
    assert found["first"] == ""
    assert found["last"] == ""
    assert "RuntimeError: stop" in found["broken"]
