"""`python -m tests.property [TABLES] [FIRST]`: random tables of every rulebook, and what they reach.

Prints for each service how often each kind of command was accepted and refused and each kind of event
came about; a broken invariant ends it, with the log of its table. TABLES is a number per rulebook,
FIRST the seed of the first of them.
"""

from __future__ import annotations

import sys
from collections import Counter

from tests.property.invariants import check
from tests.property.play import wander
from tests.property.reach import COMMANDS, EVENTS, events_of
from tests.property.rough import Kind
from tests.property.wanderer import RULEBOOKS

TABLES = 20


def main(arguments: list[str]) -> int:
    """Play, check and print."""
    numbers = [int(each) for each in arguments]
    tables, first = [*numbers, *(TABLES, 0)[len(numbers) :]]
    accepted, refused, events = Counter[Kind](), Counter[Kind](), Counter[Kind]()
    for seed in range(first, first + tables):
        for rulebook in RULEBOOKS:
            w = wander(rulebook, seed)
            try:
                check(w)
            except AssertionError:
                print(f"{rulebook}, seed {seed}:")
                raise
            accepted += w.table.accepted
            refused += w.table.refused
            events += events_of(w)
    print(f"{tables * len(RULEBOOKS)} tables; commands accepted and refused, then events:")
    for kind in COMMANDS:
        print(f"{'.'.join(kind):<36} {accepted[kind]:>8} {refused[kind]:>8}")
    for kind in EVENTS:
        print(f"{'.'.join(kind):<36} {events[kind]:>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
