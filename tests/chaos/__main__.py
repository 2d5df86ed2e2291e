"""`python -m tests.chaos`: real faults on real processes, a table of what came of them."""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import uvloop

from services.devstack import leftovers
from tests.bench.figures import machine
from tests.chaos.faults import FAULTS
from tests.chaos.run import Plant, Result, Session, run, summary, table
from tests.chaos.stack import ChaosStack

COUNT = 3
FAULT_S = 14.0
"""What a fault takes with the play before and the checks after it, as the tables of the document say."""

TABLES = 3
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN = "<!-- figures of {broker}: written by make chaos ARGS=--write -->"
END = "<!-- end of figures of {broker} -->"


def main(argv: Sequence[str], plant: Plant | None = None) -> int:
    """Exit status 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--broker", choices=("auto", "embedded", "apache"), help="else BROKER")
    parser.add_argument(
        "--faults", default="all", help=f"several with commas, of: {', '.join(FAULTS)}"
    )
    parser.add_argument("--count", type=int, default=COUNT, help="times that each is injected")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no fault begins later")
    parser.add_argument("--seed", type=int, help="order, victims and stakes of an earlier run")
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    options = parser.parse_args(argv)
    names = list(FAULTS) if options.faults == "all" else options.faults.split(",")
    if unknown := [name for name in names if name not in FAULTS]:
        parser.error(f"no such fault: {', '.join(unknown)}; there are {', '.join(FAULTS)}")
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    faults = len(names) * options.count
    say(f"seed {seed}, {faults} faults: about {math.ceil(faults * FAULT_S / 60)} minutes")
    leftovers.sweep()
    with ChaosStack(broker=options.broker, report=say) as stack:
        kind = stack.choice.kind.value
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            result = runner.run(shaken(stack, seed, names, options, plant))
    return reported(result, kind, seed, options.tables, write=options.write)


async def shaken(
    stack: ChaosStack,
    seed: int,
    names: Sequence[str],
    options: argparse.Namespace,
    plant: Plant | None,
) -> Result:
    async with Session.on(stack, seed=seed, tables=options.tables) as session:
        return await run(
            session,
            names=names,
            count=options.count,
            seconds=options.seconds,
            say=say,
            plant=plant,
        )


def reported(result: Result, broker: str, seed: int, tables: int, *, write: bool) -> int:
    """Print the run, and put it into the document where that is asked for."""
    lines = table(result)
    not_here = [f"{row.name}: {row.not_here}" for row in result.rows if row.not_here]
    head = f"Broker {broker}, {tables} tables at once, seed {seed}. {machine()}; fsync on."
    text = "\n".join((head, "", *lines, "", summary(result), *not_here))
    print(text)
    for breach in result.breaches:
        print(f"BREACH {breach}")
    if result.breaches:
        print(f"repeat it: make chaos ARGS='--broker {broker} --seed {seed}'")
    if write:
        into_document(text, broker)
    return 1 if result.breaches else 0


def into_document(text: str, broker: str) -> None:
    begin, end = BEGIN.format(broker=broker), END.format(broker=broker)
    before, rest = DOCUMENT.read_text().split(begin)
    _, after = rest.split(end)
    DOCUMENT.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def say(line: str) -> None:
    """Progress goes to standard error."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
