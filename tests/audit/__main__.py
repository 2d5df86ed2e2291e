"""`python -m tests.audit`: plant each change in a real log, and print whether `sabot verify` tells of it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from services.cli.console import print_table
from services.devstack.stack import Stack
from tests.audit.planting import CHANGES, middle, planted
from tests.e2e.support import played, sabot, short_table, written

TABLE = "verify.1.T1"


async def rows(stack: Stack, folder: Path) -> list[tuple[str, str, str]]:
    """Each change with what was found, and whether that is what had to be found."""
    await played(stack, written(folder, "table", short_table()), "verify")
    key, book = str(folder / "anchor.pem"), str(folder / "book")
    options = ("--book", book, "--key", f"{key}.pub")
    for command in (("new-key", key), ("write", "--key", key, "--book", book)):
        assert sabot(stack, "anchor", *command).returncode == 0, command
    at = await middle(stack, TABLE)
    clean = sabot(stack, "verify", *options)
    result = [("nothing", "-", "as it must be" if clean.returncode == 0 else "WRONG")]
    for change in CHANGES:
        async with planted(stack, change, at):
            output = sabot(stack, "verify", *options).stdout
        wanted = change.found.format(at=at, table=TABLE)
        told = next((line for line in output.splitlines() if line.startswith(wanted)), "")
        result.append((change.name, _place(told), "found" if told else "NOT FOUND"))
    again = sabot(stack, "verify", *options).returncode
    result.append(("all undone", "-", "as it must be" if again == 0 else "WRONG"))
    return result


def _place(line: str) -> str:
    """Kind, service and position of a finding."""
    return " ".join(line.split()[:3]) or "-"


def main() -> int:
    """Exit with 1 where a change was not found, or something was found where nothing was changed."""
    with tempfile.TemporaryDirectory() as folder, Stack(report=_say) as stack:
        found = asyncio.run(rows(stack, Path(folder)))
    print_table(sys.stdout, ("planted in the log", "found", "verdict"), found, left=3)
    return 0 if all(verdict in {"found", "as it must be"} for *_, verdict in found) else 1


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
