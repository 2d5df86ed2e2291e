"""Reports as files: what they say of themselves, safe cells, equal bytes, and the manifest."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pytest
from msgspec.structs import replace

from services.settlement.reports import files
from services.settlement.reports.report import Kind

HEAD = files.Head(
    name="voids",
    title="Voids",
    version=1,
    columns=(
        ("reason", Kind.TEXT.value),
        ("win_minor", Kind.MINOR.value),
        ("rounding_exact", Kind.EXACT.value),
        ("hold", Kind.RATE.value),
        ("natural", Kind.FLAG.value),
    ),
    software="sabot 0.1.0",
    zones="2026.6",
    as_of_position=17,
    as_of_token="abc",
    period="2026-03-01 to 2026-03-31",
    filters={"mode": "LIVE"},
    formula="win = lost - paid",
    generated_at_us=1_767_225_600_000_000,
)
FOOT = files.Foot(
    rows=2,
    totals=(files.Sums(currency="EUR", rows=2, sums={"win_minor": "-5"}, checks={"a = b": True}),),
    digest="d" * 64,
)
ROWS = (
    ("=HYPERLINK(A1)", "-5", "-1/3", "-0.500000", "true"),
    ('two, "of"\nthem', "", "", "", "false"),
)


def text(head: files.Head = HEAD, rows: tuple[tuple[str, ...], ...] = ROWS) -> str:
    return "".join((*files.csv_lines(head, rows), *files.csv_ending(FOOT)))


def cells(content: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content, newline="")))


def test_a_file_says_what_it_is_and_ends_with_its_totals() -> None:
    """R-10: title, version, period, cuts and totals are in the document."""
    lines = text().splitlines()
    assert lines[:6] == [
        "# Voids",
        "# report voids version 1, sabot 0.1.0, time zones 2026.6",
        "# period 2026-03-01 to 2026-03-31",
        "# as of position 17, token abc",
        "# cut by mode LIVE",
        "# win = lost - paid",
    ]
    assert lines[6] == "reason,win_minor,rounding_exact,hold,natural"
    assert lines[-3:] == [
        "# total EUR: rows 2, win_minor -5",
        "# total EUR: a = b: holds",
        f"# rows 2, digest {'d' * 64}",
    ]


def test_an_empty_report_says_so() -> None:
    """R-10: No activity is an answer."""
    empty = files.Foot(rows=0, totals=(), digest="e")
    lines = [*files.csv_lines(HEAD, ()), *files.csv_ending(empty)]
    assert lines[-2:] == ["# No activity\n", "# rows 0, digest e\n"]
    assert empty.reconciles


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "|", "%"])
def test_no_cell_with_words_is_a_formula(sign: str) -> None:
    """What somebody typed as a reason is shown, and never run, by whoever opens the file."""
    evil = f"{sign}cmd|' /C calc'!A0"
    (row,) = [c for c in cells(text(rows=((evil, "-5", "-1/3", "-0.5", "true"),))) if len(c) == 5][
        1:
    ]
    assert row == [f"'{evil}", "-5", "-1/3", "-0.5", "true"]


@pytest.mark.parametrize("before", [",", ", ", ";", "\t"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "|", "%"])
def test_no_line_about_the_report_has_a_formula(before: str, sign: str) -> None:
    """A player's name that a report is cut by stands in a line without quotes around it."""
    evil = replace(HEAD, filters={"mode": "LIVE", "player": f"p{before}{sign}cmd|' /C calc'!A0"})
    lines = [line for line in text(evil).splitlines() if line.startswith("#")]
    for separator in ",;\t":
        for line in lines:
            for part in line.split(separator):
                assert not part.strip().startswith(files.FORMULA_SIGNS), part
    assert text().splitlines()[-3] == "# total EUR: rows 2, win_minor -5"


def test_numbers_stay_numbers_and_commas_and_quotes_come_back() -> None:
    found = [c for c in cells(text()) if len(c) == 5][1:]
    assert found == [["'=HYPERLINK(A1)", "-5", "-1/3", "-0.500000", "true"], list(ROWS[1])]


def test_the_same_report_made_later_is_the_same_bytes() -> None:
    """Only the manifest says when it was made."""
    later = replace(HEAD, generated_at_us=HEAD.generated_at_us + 1)
    assert text(later) == text()
    assert files.manifest(later, FOOT, {}) != files.manifest(HEAD, FOOT, {})


def test_the_manifest_has_counts_sums_and_hashes() -> None:
    content = text().encode()
    told = json.loads(files.manifest(HEAD, FOOT, {"voids.csv": content}))
    assert told["rows"] == 2
    assert told["totals"][0]["sums"] == {"win_minor": "-5"}
    assert told["files"] == [{"name": "voids.csv", "sha256": files.sha256(content)}]
    assert told["generated_at"] == "2026-01-01T00:00:00.000000Z"
    assert (told["digest"], told["as_of_position"]) == ("d" * 64, 17)


def test_parquet_has_types_and_the_same_values() -> None:
    """Whole numbers, decimals and flags are such; an exact fraction stays a text."""
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra export is not installed")
    content = files.parquet(HEAD, ROWS)
    table = pq.read_table(io.BytesIO(content))
    assert table.column("win_minor").to_pylist() == [-5, None]
    assert table.column("hold").to_pylist() == [Decimal("-0.500000"), None]
    assert table.column("natural").to_pylist() == [True, False]
    assert table.column("rounding_exact").to_pylist() == ["-1/3", None]
    assert b"as of position 17" in table.schema.metadata[b"sabot"]
    assert files.parquet(HEAD, ROWS) == content


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "|", "%"])
@pytest.mark.parametrize("parts", [";", "; ", "\t", "\n", "\r\n"])
def test_no_part_of_a_cell_with_words_is_a_formula(parts: str, sign: str) -> None:
    """A spreadsheet that parts cells by semicolons takes quotes inside of one for nothing special."""
    text = f"I was paid{parts}{sign}1+1"
    assert files.cell("text", text) == f"I was paid{parts}'{sign}1+1"
    assert files.cell("text", "7H; KD, a = b") == "7H; KD, a = b"
