"""Migrations only add, and hold no lock for long: services of the previous release run beside them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.sources import ROOT, nothing

Finding = tuple[str, str]
"""A file below the root, and the rule that it breaks."""

EXCEPTIONS: Final[Mapping[Finding, str]] = {
    ("services/settlement/migrations/0002_open_items.sql", "require-concurrent-index-creation"): (
        "the index of a log holds a few events of each thousand and is made in one pass; appending"
        " waits that long, or the migration gives up"
    ),
    **{
        (f"services/{name}", "require-concurrent-index-creation"): (
            "the index of a log holds a few events of each table and is made in one pass; appending"
            " waits that long, or the migration gives up"
        )
        for name in (
            "round/migrations/0003_first_events.sql",
            "settlement/migrations/0003_rulebooks.sql",
            "wager/migrations/0009_first_events.sql",
        )
    },
    ("services/wager/migrations/0002_cancelled_debits.sql", "require-concurrent-index-creation"): (
        "the column is new in the same file, so that no row is in the index"
    ),
    ("services/round/migrations/0002_compared_numbers.sql", "changes-rows"): (
        "a row for each open table, written again as it is compared; an older process reads both"
    ),
}
"""What may stand, by the file and the rule, and why. An applied file is never changed, so it is said here."""

QUOTED: Final = re.compile(r"\$\$.*?\$\$|'[^']*'|--[^\n]*", re.DOTALL)
CREATED: Final = re.compile(r"\bcreate table (\w+)", re.IGNORECASE)
CHANGES: Final = re.compile(
    r"(?:^|;)\s*(?:delete from|insert into|lock table|lock|merge into|truncate table|truncate|update)\s+(\w+)",
    re.IGNORECASE,
)


def migrations() -> list[Path]:
    """Every migration of every service."""
    found = [*ROOT.glob("services/*/migrations/*.sql"), *ROOT.glob("services/*/schema/*.sql")]
    return sorted(found)


def broken(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The rules that files break: those of squawk, and no changes of rows that are there."""
    squawk = Path(sys.executable).with_name("squawk")
    told = subprocess.run(
        (squawk, "--config", ROOT / ".squawk.toml", "--reporter", "json", *files),
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.stdout, told.stderr
    for each in json.loads(told.stdout):
        yield Path(each["file"]), each["rule_name"]
    for file in files:
        bare = QUOTED.sub("", file.read_text())
        if set(CHANGES.findall(bare)) - set(CREATED.findall(bare)):
            yield file, "changes-rows"


def test_migrations_are_safe_beside_the_previous_release() -> None:
    """Whatever is not, is an exception with its reason; one that nothing needs any more goes."""
    files = migrations()
    assert files
    found = {(str(file.relative_to(ROOT)), rule) for file, rule in broken(files)}
    nothing([f"{file}: {rule}" for file, rule in sorted(found - set(EXCEPTIONS))])
    assert set(EXCEPTIONS) <= found


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("alter table events drop column body;", "ban-drop-column"),
        ("alter table events rename column body to content;", "renaming-column"),
        ("alter table events add column place text not null;", "adding-required-field"),
        ("alter table events alter column version type bigint;", "changing-column-type"),
        (
            "alter table events add constraint some check (version > 0);",
            "constraint-missing-not-valid",
        ),
        ("create index events_type_idx on events (type);", "require-concurrent-index-creation"),
        ("drop table snapshots;", "ban-drop-table"),
        ("-- gone\nupdate inbox set position = 0;", "changes-rows"),
        ("create table a (b text);\ntruncate events;", "changes-rows"),
    ],
)
def test_the_check_sees_what_an_older_process_does_not_survive(
    tmp_path: Path, statement: str, rule: str
) -> None:
    """Each planted in a file of its own."""
    file = tmp_path / "0009_planted.sql"
    file.write_text(statement)
    assert (file, rule) in set(broken([file]))


def test_the_check_passes_what_only_adds(tmp_path: Path) -> None:
    """A table with its index, and a column with a default."""
    file = tmp_path / "0009_added.sql"
    file.write_text(
        "create table a (b text primary key);\ncreate index a_b_idx on a (b);\n"
        "alter table events add column place text not null default '';\n"
    )
    assert list(broken([file])) == []
