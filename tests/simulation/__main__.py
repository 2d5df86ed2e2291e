"""`python -m tests.simulation`: run seeds, print what was injected and what was broken."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.simulation.chance import KINDS, STRIKES
from tests.simulation.run import Report, simulate

DEFAULT_SEEDS = "1..200"
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN = "<!-- figures: written by python -m tests.simulation --write -->"
END = "<!-- end of figures -->"
COMMAND = "python -m tests.simulation --seed {seed} --steps"


def main(argv: Sequence[str]) -> int:
    """Exit status 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", default=DEFAULT_SEEDS, help="such as 1..200 or 3,17,40..60")
    parser.add_argument("--seed", type=int, help="one seed")
    parser.add_argument("--steps", action="store_true", help="print every step")
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    options = parser.parse_args(argv)
    wanted = [options.seed] if options.seed is not None else seeds(options.seeds)
    began = time.monotonic()
    reports = []
    for seed in wanted:
        report = simulate(seed, echo=options.steps)
        reports.append(report)
        if report.breach:
            print(f"seed {seed}: {report.breach}")
            if options.steps:
                print(report.where)
            print(f"  replay it: {COMMAND.format(seed=seed)}")
    figures = table(reports, time.monotonic() - began)
    print(figures)
    if options.write:
        write(f"Seeds {options.seeds}:\n\n{figures}")
    return any(report.breach for report in reports)


def seeds(text: str) -> list[int]:
    """The seeds that a text such as `3,17,40..60` names."""
    found: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("..")
        found += range(int(low), int(high or low) + 1)
    return found


def write(figures: str) -> None:
    """Put the figures where the document has them."""
    before, rest = DOCUMENT.read_text().split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}")


def table(reports: Sequence[Report], seconds: float) -> str:
    """What the seeds came to, as a table of Markdown."""
    faults: Counter[str] = Counter()
    for report in reports:
        faults.update(report.faults)
    rows = [
        ("seeds", len(reports)),
        ("virtual hours", f"{sum(r.virtual_s for r in reports) / 3600:.1f}"),
        ("coups", sum(r.coups for r in reports)),
        ("wagers accepted", sum(r.wagers for r in reports)),
        ("steps checked", sum(r.steps for r in reports)),
        *((kind, faults[kind]) for kind in (*KINDS, *STRIKES)),
        ("faults injected", faults.total()),
        ("breaches", sum(bool(r.breach) for r in reports)),
        ("seconds", f"{seconds:.0f}"),
    ]
    return "\n".join(
        ["| what | how many |", "|---|---:|", *(f"| {name} | {number} |" for name, number in rows)]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
