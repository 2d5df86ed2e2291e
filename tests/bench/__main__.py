"""`python -m tests.bench`: measure, print, and write the figures down."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import uvloop

from services.chassis.app import spare_the_collector
from services.devstack.stack import Stack
from tests.bench import (
    dealing,
    deciding,
    drawing,
    growing,
    lasting,
    peers,
    pure,
    rebuilding,
    relaying,
    replaying,
    settling,
    spreading,
    starting,
    wagering,
)
from tests.bench.figures import Row, machine, table

ROUNDS = 5
GATE_ROUNDS = 3
EVENTS = 200_000
TABLES = 200
REPEATS_MAX = 2
"""Other load moves a single run by a third: a floor is missed when it is missed three times."""

MARK_BEGIN = "<!-- figures: written by make bench ARGS=--write -->"
MARK_END = "<!-- end of figures -->"
PERFORMANCE = Path(__file__).parents[2] / "docs" / "performance.md"


GROUPS = (
    "replay",
    "pure",
    "settlement",
    "rebuild",
    "log",
    "wagers",
    "core",
    "dealing",
    "tables",
    "start",
    "memory",
)
ASKED_FOR = ("peers",)
"""Measured only where they are asked for: they fetch what they are beside."""

GATE = {
    "G1 CPU": "wagers",
    "G4": "rebuild",
    "G8": "wagers",
    "G9": "pure",
    "G10": "pure",
    "G10b": "pure",
    "G10c": "pure",
    "G12b": "log",
}
"""Rows that the gate holds to their floors, each with its group: ratios that other work on the machine
moves least."""


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, help=f"{ROUNDS}, or {GATE_ROUNDS} for the gate")
    parser.add_argument(
        "--only", choices=(*GROUPS, *ASKED_FOR), action="append", help="a group of rows"
    )
    parser.add_argument("--events", type=int, default=EVENTS, help="size of the large log")
    parser.add_argument(
        "--tables", type=int, default=TABLES, help="tables open for the group tables"
    )
    parser.add_argument(
        "--gate", action="store_true", help="hold some rows to floors, with two repeats"
    )
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    options = parser.parse_args()
    options.rounds = options.rounds or (GATE_ROUNDS if options.gate else ROUNDS)
    spare_the_collector()
    wanted = options.only or (sorted(set(GATE.values())) if options.gate else GROUPS)
    rows = measured(options, wanted)
    for _ in range(REPEATS_MAX if options.gate else 0):
        if not (shut := below(rows)):
            break
        say(f"the gate is shut for {', '.join(shut)}: once more")
        again = {row.name: row for row in measured(options, {GATE[name] for name in shut})}
        rows = [again[row.name] if row.name in shut else row for row in rows]
    lines = [
        (
            f"{machine()}; {options.rounds} rounds; PostgreSQL with fsync on; "
            f"large log of {options.events:,} events."
        ),
        "",
        *table(rows),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    if options.write:
        write(lines)
    return int(options.gate and bool(below(rows)))


def below(rows: Sequence[Row]) -> list[str]:
    """Rows that the gate lets not pass."""
    return [row.name for row in rows if row.name in GATE and row.fails]


def measured(options: argparse.Namespace, groups: Iterable[str]) -> list[Row]:
    """The rows of these groups."""
    wanted = set(groups)
    rows: list[Row] = []
    if "replay" in wanted:
        say("replay")
        rows.append(replaying.measure(options.rounds))
    if "pure" in wanted:
        say("pure")
        rows += [*pure.measure(options.rounds), drawing.measure(options.rounds)]
    if "core" in wanted:
        say("core")
        rows += deciding.measure(options.rounds)
    if wanted & {"settlement", "rebuild", "log"}:
        with Stack(services=(), durable=True, report=say) as bare, loop() as runner:
            if "settlement" in wanted:
                say("settlement")
                rows += runner.run(settling.measure(bare, options.rounds))
            if "rebuild" in wanted:
                say("rebuild")
                rows += runner.run(rebuilding.measure(bare, options.rounds))
            if "log" in wanted:
                say("log")
                rows += runner.run(growing.measure(bare, options.rounds, options.events))
    if "peers" in wanted and (python := peers.installed(say)):
        with Stack(services=(), durable=True, report=say) as bare, loop() as runner:
            say("peers")
            rows += runner.run(peers.measure(bare, options.rounds, python))
    if "wagers" in wanted:
        with Stack(durable=True, report=say) as stack, loop() as runner:
            say("wagers")
            rows += runner.run(wagering.measure(stack, options.rounds, gate=options.gate))
            if not options.gate:
                say("relay")
                rows += runner.run(relaying.measure(stack, options.rounds))
    if "dealing" in wanted:
        with Stack(durable=True, report=say) as stack, loop() as runner:
            say("dealing")
            rows += runner.run(dealing.measure(stack, options.rounds))
    if "tables" in wanted:
        with Stack(durable=True, report=say) as stack, loop() as runner:
            say("tables")
            rows += runner.run(spreading.measure(stack, options.rounds, options.tables))
    if "start" in wanted:
        with Stack(services=("wager",), durable=True, report=say) as stack, loop() as runner:
            say("start")
            rows += runner.run(starting.measure(stack, options.rounds, options.events))
    if "memory" in wanted:
        with Stack(durable=True, report=say) as stack, loop() as runner:
            say("memory")
            rows += runner.run(lasting.measure(stack, options.rounds))
    return rows


def loop() -> asyncio.Runner:
    """The event loop that the services use, too."""
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def say(line: str) -> None:
    """Progress goes to standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def write(lines: Sequence[str]) -> None:
    """Replace the figures in the document."""
    text = PERFORMANCE.read_text()
    before, _, rest = text.partition(MARK_BEGIN)
    _, _, after = rest.partition(MARK_END)
    figures = "\n".join([MARK_BEGIN, *lines, MARK_END])
    PERFORMANCE.write_text(before + figures + after)


if __name__ == "__main__":
    sys.exit(main())
