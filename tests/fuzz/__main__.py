"""`python -m tests.fuzz --seconds N --seed S`: try, print a table, and fail on a breach."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from services.devstack.stack import Stack
from tests.fuzz.logs import LINES
from tests.fuzz.system import fuzz_system
from tests.fuzz.tally import Tally
from tests.fuzz.texts import fuzz_events, fuzz_logs, fuzz_rulebooks

SECONDS = 120.0
CALLS_SHARE = 0.6


def main() -> int:
    """Run every surface; 1 where something should never have been."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="in all, without the start")
    parser.add_argument("--seed", type=int, help="of an earlier run, to make the same inputs")
    parser.add_argument("--only", choices=("calls", "texts"))
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    sys.stderr.write(f"seed {seed}\n")
    tally = Tally()
    texts_s = options.seconds * (1 - CALLS_SHARE) / 3
    if options.only != "calls":
        fuzz_events(tally, seconds=texts_s, seed=seed)
        with tempfile.TemporaryDirectory() as folder:
            fuzz_rulebooks(tally, Path(folder), seconds=texts_s, seed=seed)
            fuzz_logs(tally, Path(folder), LINES, seconds=texts_s, seed=seed)
    if options.only != "texts":
        with Stack(report=lambda line: print(line, file=sys.stderr)) as stack:
            calls_s = options.seconds * CALLS_SHARE
            asyncio.run(fuzz_system(stack, tally, seconds=calls_s, seed=seed, name=f"fuzz-{seed}"))
    sys.stdout.write("\n".join((f"seed {seed}", *tally.lines())) + "\n")
    return 1 if tally.breaches else 0


if __name__ == "__main__":
    sys.exit(main())
