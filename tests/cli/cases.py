"""Table-log cases: a log, and lines that must be among what comes of it, in that order.

`python -m tests.cli.cases [--update]` replays all cases, shows what misses, and with `--update`
takes the cases that pass off the list of those not reached yet.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "data" / "cases"
RECORDED = ROOT / "tests" / "data" / "recorded"
NOT_YET = CASES / "not_yet.txt"

Printed = dict[str, Any]


class Replay(Protocol):
    """`main` of a command that plays table logs."""

    def __call__(self, files: list[str], out: StringIO, err: StringIO, /) -> int: ...


class Case(Struct, frozen=True):
    """Lines in, and lines that must come out."""

    id: str
    why: str
    log: list[Printed]
    expect: list[Printed]


class Outcome(Struct, frozen=True):
    """What came of a case: what was printed, and how its own run ended where it did not end well."""

    case: Case
    printed: list[Printed]
    trouble: str = ""

    def misses(self) -> str:
        """Why the case fails; "" where it passes."""
        missing = first_missing(self.case.expect, self.printed)
        if missing is None:
            return self.trouble
        kind, coup = missing.get("kind"), missing.get("coup")
        alike = [line for line in self.printed if line.get("kind") == kind]
        same = [line for line in alike if line.get("coup") == coup] or alike
        said = f"wanted {json.dumps(missing)}, nearest {json.dumps(same[:1])}"
        return f"{said}; {self.trouble}" if self.trouble else said


def json_lines(path: Path) -> list[Any]:
    """The values of a file of JSON lines, gzipped or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def cases_of(name: str) -> list[Case]:
    """The cases of a file in `tests/data/cases`."""
    return [
        Case(one["id"], one.get("why", ""), one["log"], one["expect"])
        for one in json_lines(CASES / name)
    ]


def not_yet() -> list[str]:
    """The ids of the cases that are known to fail."""
    return NOT_YET.read_text().split()


def log_bytes(log: Sequence[Printed]) -> bytes:
    """A log as its file has it."""
    return "".join(json.dumps(line) + "\n" for line in log).encode()


def fits(wanted: Any, found: Any) -> bool:
    """Whether a printed value is as wanted.

    Objects may have more keys than wanted; wanted items of a list that have an `id` are looked for
    by it, all other lists are of equal length; a number is never a flag.
    """
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            key in found and fits(value, found[key]) for key, value in wanted.items()
        )
    if not isinstance(wanted, list):
        return type(wanted) is type(found) and bool(wanted == found)
    if not isinstance(found, list):
        return False
    if wanted and all(isinstance(one, dict) and "id" in one for one in wanted):
        named = {one["id"]: one for one in found if isinstance(one, dict) and "id" in one}
        return all(one["id"] in named and fits(one, named[one["id"]]) for one in wanted)
    return len(wanted) == len(found) and all(map(fits, wanted, found))


def first_missing(expect: Sequence[Printed], printed: Sequence[Printed]) -> Printed | None:
    """The first wanted line that is not there after those before it, or that must not be there."""
    rest = iter(printed)
    for wanted in expect:
        if "absent" in wanted:
            if any(fits(wanted["absent"], line) for line in printed):
                return wanted
        elif not any(fits(wanted, line) for line in rest):
            return wanted
    return None


def replayed(replay: Replay, cases: Sequence[Case], folder: Path) -> Iterator[Outcome]:
    """Play all cases in one call, as files of that folder; those that it kills, by themselves."""
    files = {}
    for case in cases:
        path = folder / f"{case.id}.jsonl"
        path.write_bytes(log_bytes(case.log))
        files[case.id] = str(path)
    trouble, printed = _call(replay, list(files.values()))
    for case in cases:
        lines = printed.get(case.id, [])
        if not trouble or any(line.get("kind") == "summary" for line in lines):
            yield Outcome(case, lines)
        else:
            own, alone = _call(replay, [files[case.id]])
            yield Outcome(case, alone.get(case.id, []), own)


def _call(replay: Replay, files: list[str]) -> tuple[str, dict[str, list[Printed]]]:
    """How a call ended where it did not end well, and what it printed, by case."""
    out, err = StringIO(), StringIO()
    try:
        status = replay(files, out, err)
        trouble = f"exit status {status}: {err.getvalue().strip()[-500:]}" if status else ""
    except Exception as error:  # noqa: BLE001 - one broken case must not hide the others
        trouble = f"{type(error).__name__}: {error}"
    printed: dict[str, list[Printed]] = {}
    for raw in out.getvalue().splitlines():
        line = json.loads(raw)
        printed.setdefault(Path(line.get("file", files[0])).stem, []).append(line)
    return trouble, printed


def main(arguments: Sequence[str]) -> int:
    """Show the cases that fail; with `--update` shorten the list of those known to fail."""
    from services.tablelog.replay import main as replay

    known = set(not_yet())
    failing: set[str] = set()
    for name in ("coups.jsonl.gz", "table.jsonl"):
        cases = cases_of(name)
        with tempfile.TemporaryDirectory() as folder:
            for outcome in replayed(replay, cases, Path(folder)):
                if misses := outcome.misses():
                    failing.add(outcome.case.id)
                    mark = "not yet" if outcome.case.id in known else "FAILS"
                    print(f"{mark} {outcome.case.id}: {outcome.case.why}\n  {misses}")
    print(f"{len(failing)} fail, {len(failing - known)} of them are not on the list")
    print(f"on the list and passing: {' '.join(sorted(known - failing)) or 'none'}")
    if "--update" in arguments:
        NOT_YET.write_text("".join(f"{id_}\n" for id_ in sorted(known & failing)))
    return 1 if failing - known else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
