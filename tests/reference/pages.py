"""What the generated pages have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTICE = "*Written by `make reference`; what it says is changed where it comes from.*"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with these rows."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(text: str, *, code: bool = False) -> str:
    """Text that a table can hold."""
    one_line = " ".join(text.split()).replace("|", "\\|")
    return f"`{one_line}`" if code and one_line else one_line
