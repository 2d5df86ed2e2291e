"""`python -m tests.reference`: write docs/reference from settings, command, protos, rulebooks, telemetry."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.reference.calls import calls
from tests.reference.command import command
from tests.reference.reports import reports
from tests.reference.rulebook import rulebook
from tests.reference.settings import settings
from tests.reference.telemetry import page as telemetry

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PAGES = {
    "settings.md": settings,
    "cli.md": command,
    "grpc.md": calls,
    "rulebook.md": rulebook,
    "reports.md": reports,
    "telemetry.md": telemetry,
}


def main() -> int:
    """Write every page; says which."""
    DOCS.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
