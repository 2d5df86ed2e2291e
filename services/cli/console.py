"""Printing for people: tables that are plain in a pipe and drawn on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO


def prepare_streams() -> None:
    """Write UTF-8 whatever the locale, and give back odd bytes of file names as they came."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


def print_table(
    out: TextIO, headers: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1
) -> None:
    """Print rows in columns; the first `left` columns are words, the others numbers."""
    if out.isatty():
        _draw(out, headers, rows, left)
        return
    widths = [max(len(row[place]) for row in (headers, *rows)) for place in range(len(headers))]
    for row in (headers, *rows):
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.write("  ".join(cells).rstrip() + "\n")


def _draw(out: TextIO, headers: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> None:
    from rich import box  # noqa: PLC0415 - only a terminal pays for it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE)
    for place, header in enumerate(headers):
        table.add_column(header, justify="left" if place < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console(file=out, highlight=False, markup=False).print(table)
