"""Reports as files: CSV with all that a report says of itself, Parquet, and a manifest beside them.

The time of the making stands in the manifest alone, so that the same report is the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct

from services.settlement.reports.engine import NO_ACTIVITY
from services.settlement.reports.report import Kind, instant

FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""With what a cell must not begin where a person's words are in it: a spreadsheet would run it."""

_SPLIT: Final = re.compile(r"([,;\t]\s*)(?=[=+\-@|%])")
"""Where a spreadsheet would begin a cell in a line about the report, and take it for a formula."""

_SPLIT_CELL: Final = re.compile(r"([;\t\r\n]\s*)(?=[=+\-@|%])")
"""The same in a cell with words: where semicolons part the cells, quotes inside of one hold nothing."""

_WORDS: Final = frozenset({Kind.TEXT.value})
_INTEGERS: Final = frozenset({Kind.COUNT.value, Kind.MINOR.value})
_DECIMALS: Final = {
    Kind.MONEY_DECIMAL.value: 2,
    Kind.RATE.value: 6,
    Kind.NUMBER.value: 4,
    Kind.PROBABILITY.value: 8,
}
_DIGITS: Final = 38
_LINE_END: Final = "\r\n"


class Head(Struct, frozen=True, kw_only=True):
    """What stands above the rows, as a client knows it."""

    name: str
    title: str
    version: int
    columns: tuple[tuple[str, str], ...]
    """Names and units."""

    software: str
    zones: str
    as_of_position: int
    as_of_token: str
    period: str
    filters: Mapping[str, str]
    formula: str
    generated_at_us: int


class Sums(Struct, frozen=True, kw_only=True):
    """Control totals of one currency."""

    currency: str
    rows: int
    sums: Mapping[str, str]
    checks: Mapping[str, bool]


class Foot(Struct, frozen=True, kw_only=True):
    """What stands below the rows."""

    rows: int
    totals: tuple[Sums, ...]
    digest: str

    @property
    def reconciles(self) -> bool:
        """Whether every equation holds."""
        return all(all(each.checks.values()) for each in self.totals)


def above(head: Head) -> Iterator[str]:
    """What a report says of itself, line by line; nothing of when it was made."""
    yield head.title
    yield f"report {head.name} version {head.version}, {head.software}, time zones {head.zones}"
    yield f"period {head.period}"
    yield f"as of position {head.as_of_position}, token {head.as_of_token}"
    yield "cut by " + ", ".join(f"{name} {value}" for name, value in sorted(head.filters.items()))
    if head.formula:
        yield head.formula


def below(foot: Foot) -> Iterator[str]:
    """Control totals, line by line."""
    if not foot.rows:
        yield NO_ACTIVITY
    for each in foot.totals:
        told = f"total {each.currency}".strip()
        sums = "".join(f", {name} {value}" for name, value in sorted(each.sums.items()))
        yield f"{told}: rows {each.rows}{sums}"
        for equation, holds in sorted(each.checks.items()):
            yield f"{told}: {equation}: {'holds' if holds else 'DOES NOT HOLD'}"
    yield f"rows {foot.rows}, digest {foot.digest}"


def cell(unit: str, text: str) -> str:
    """A cell of CSV: words that a spreadsheet would take for a formula begin with an apostrophe."""
    if unit not in _WORDS:
        return text
    begun = f"'{text}" if text.startswith(FORMULA_SIGNS) else text
    return _SPLIT_CELL.sub(r"\1'", begun)


def csv_lines(head: Head, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of CSV above the ending; those about the report begin with #."""
    for line in above(head):
        yield _about(line)
    yield _csv([name for name, _ in head.columns])
    yield from csv_rows(head, rows)


def csv_rows(head: Head, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as lines of CSV."""
    for row in rows:
        yield _csv([cell(unit, text) for (_, unit), text in zip(head.columns, row, strict=True)])


def csv_ending(foot: Foot) -> Iterator[str]:
    """The lines of CSV below the rows."""
    for line in below(foot):
        yield _about(line)


def _about(line: str) -> str:
    """A line about the report. Its commas are no separators, but a spreadsheet takes them for such."""
    text = _SPLIT.sub(r"\1'", line)
    return f"# {text}\n"


def _csv(cells: Sequence[str]) -> str:
    line = io.StringIO()
    # Told that lines end with both, the writer puts quotes around either of them in a cell.
    csv.writer(line, lineterminator=_LINE_END).writerow(cells)
    return line.getvalue().removesuffix(_LINE_END) + "\n"


def manifest(head: Head, foot: Foot, files: Mapping[str, bytes | str]) -> bytes:
    """What was made, of what, and which bytes: `files` are hashes, or contents, by name."""
    said: dict[str, Any] = {
        "report": head.name,
        "title": head.title,
        "version": head.version,
        "software": head.software,
        "time_zones": head.zones,
        "period": head.period,
        "as_of_position": head.as_of_position,
        "as_of_token": head.as_of_token,
        "filters": dict(sorted(head.filters.items())),
        "formula": head.formula,
        "generated_at": instant(head.generated_at_us),
        "columns": [{"name": name, "unit": unit} for name, unit in head.columns],
        "rows": foot.rows,
        "totals": [
            {
                "currency": each.currency,
                "rows": each.rows,
                "sums": dict(sorted(each.sums.items())),
                "checks": dict(sorted(each.checks.items())),
            }
            for each in foot.totals
        ],
        "digest": foot.digest,
        "files": [
            {"name": name, "sha256": held if isinstance(held, str) else sha256(held)}
            for name, held in sorted(files.items())
        ],
    }
    return json.dumps(said, indent=1, ensure_ascii=False).encode() + b"\n"


def sha256(content: bytes) -> str:
    """SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def parquet(head: Head, rows: Sequence[Sequence[str]]) -> bytes:
    """The rows as a Parquet file, typed by their units; exact fractions stay texts.

    Raises ModuleNotFoundError where the extra `export` is not installed.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns, fields = [], []
    for place, (name, unit) in enumerate(head.columns):
        kind, read = _typed(pa, unit)
        cells = [row[place] for row in rows]
        columns.append(pa.array([read(text) if text else None for text in cells], type=kind))
        fields.append(pa.field(name, kind, metadata={"unit": unit}))
    about = {"sabot": "\n".join(above(head))}
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=about))
    held = io.BytesIO()
    pq.write_table(table, held, compression="zstd")
    return held.getvalue()


def _typed(pa: Any, unit: str) -> tuple[Any, Any]:
    if unit in _INTEGERS:
        return pa.int64(), int
    if unit in _DECIMALS:
        return pa.decimal128(_DIGITS, _DECIMALS[unit]), Decimal
    if unit == Kind.FLAG.value:
        return pa.bool_(), lambda text: text == "true"
    return pa.string(), str
