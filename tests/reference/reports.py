"""docs/reference/reports.md, from the reports themselves and from the views in SQL."""

from __future__ import annotations

from typing import Final

from services.settlement.reports.catalogue import REPORTS
from services.settlement.reports.report import Report
from services.settlement.reports.views import SCHEMA, VIEWS
from tests.reference.pages import NOTICE, cell, table

HEAD: Final = f"""# Reports

{NOTICE}

What reports are, how they are asked for and what their figures rest on is in
[Reporting](../reporting.md). Amounts are minor units of the row's currency.
"""
COLUMNS: Final = ("column", "holds", "meaning", "total")


def reports() -> str:
    """The page."""
    parts = [HEAD]
    for each in REPORTS.values():
        parts += [f"## {each.name}\n", _about(each), table(COLUMNS, _rows(each))]
    parts.append(f"## Views in SQL\n\nAll in the schema `{SCHEMA}`.\n")
    rows = [
        (f"`{name}`", cell(view.about), ", ".join(f"`{column}`" for column in view.columns))
        for name, view in VIEWS.items()
    ]
    parts.append(table(("view", "rows", "columns"), rows))
    return "\n".join(parts)


def _about(each: Report) -> str:
    of = "gaming days" if each.period else "a position alone"
    lines = [
        f"**{each.title}**, version {each.version}, of {of}. {each.about}",
        f"Cut by {', '.join(f'`{name}`' for name in each.filters)}.",
    ]
    if each.formula:
        lines.append(f"Formula: {each.formula}.")
    lines += [f"Its totals fulfil `{check.text}`." for check in each.checks]
    return "\n".join(lines) + "\n"


def _rows(each: Report) -> list[tuple[str, str, str, str]]:
    return [
        (f"`{c.name}`", c.kind.value, cell(c.about), "yes" if c.total else "") for c in each.columns
    ]
