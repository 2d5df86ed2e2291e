"""`python -m tests.bench`: measure, print, and write the figures down."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from services.chassis.app import spare_the_collector
from services.devstack.brokers import DESCRIPTIONS, choose_broker
from tests.bench import gate, groups
from tests.bench.figures import Row, machine, table

ROUNDS = 5
GATE_ROUNDS = 3
EVENTS = 200_000
TABLES = 200

COMMANDS = {
    "figures": "make bench ARGS=--write",
    "peers": "make bench ARGS='--only peers --write'",
    "growth": "make bench-growth ARGS=--write",
    "crowd": "make bench ARGS='--only crowd --write'",
    "memory": "BROKER=apache make bench ARGS='--only memory --rounds 160 --write'",
}
"""The tables of the document, by the command that writes them."""

PERFORMANCE = Path(__file__).parents[2] / "docs" / "performance.md"


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, help=f"{ROUNDS}, or {GATE_ROUNDS} for the gate")
    parser.add_argument(
        "--only",
        choices=(*groups.ALL, *groups.ASKED_FOR),
        action="append",
        help="a group of rows",
    )
    parser.add_argument("--events", type=int, default=EVENTS, help="size of the large log")
    parser.add_argument(
        "--tables", type=int, default=TABLES, help="tables open for the groups tables and growth"
    )
    parser.add_argument(
        "--gate", action="store_true", help="hold some rows to bounds, with two repeats"
    )
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    options = parser.parse_args()
    written = "figures" if options.only is None else "+".join(options.only)
    if options.write and (written not in COMMANDS or options.gate):
        parser.error(f"--write goes with what fills a table: {', '.join(COMMANDS.values())}")
    plan = groups.Plan(
        rounds=options.rounds or (GATE_ROUNDS if options.gate else ROUNDS),
        events=options.events,
        tables=options.tables,
    )
    spare_the_collector()
    began_s = time.monotonic()
    if options.gate:
        rows, passed = held(plan, began_s + gate.SECONDS_MAX)
    else:
        rows, passed = list(groups.measured(plan, options.only or groups.ALL)), True
    took_s = time.monotonic() - began_s
    lines = [f"{_conditions(plan, options.only or groups.ALL)}; {took_s:,.0f} s in all.", ""]
    lines += table(rows)
    if options.write:
        write(lines, written)
    if options.gate:
        lines += ["", *gate.verdicts(rows)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(not passed)


def _conditions(plan: groups.Plan, measured: Collection[str]) -> str:
    """What the figures hold for."""
    said = [machine(), "1 round" if plan.rounds == 1 else f"{plan.rounds} rounds"]
    if set(measured) - set(groups.WITHOUT_SERVERS):
        broker = DESCRIPTIONS[choose_broker().kind]
        said += ["PostgreSQL with fsync on", broker, f"large log of {plan.events:,} events"]
    return "; ".join(said)


def held(plan: groups.Plan, until_s: float) -> tuple[list[Row], bool]:
    """The rows of the gate, and whether it is open."""

    def measure(wanted: Collection[str], only: frozenset[str]) -> Iterator[Row]:
        return groups.measured(replace(plan, only=only, until_s=until_s), wanted)

    return gate.hold(measure, groups.say, until_s)


def write(lines: Sequence[str], name: str) -> None:
    """Replace one of the tables in the document."""
    begin, end = f"<!-- {name}: written by {COMMANDS[name]} -->", f"<!-- end of {name} -->"
    before, found, rest = PERFORMANCE.read_text().partition(begin)
    _, ended, after = rest.partition(end)
    assert found and ended, f"{PERFORMANCE} has no place for {name}"  # noqa: PT018
    PERFORMANCE.write_text(before + "\n".join([begin, *lines, end]) + after)


if __name__ == "__main__":
    sys.exit(main())
