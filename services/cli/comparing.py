"""`sabot odds --simulate`: the exact odds beside coups that were drawn at random."""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TextIO

from services.cli.console import print_table
from services.cli.errors import DONE, FAILED, PartMissing
from services.cli.odds import as_document, exact_odds, percent
from services.rules.odds import AreaOdds, Odds, odds_among

SIGMAS_MAX: Final = 5
"""A sound count is farther from what is expected once in 1.7 million comparisons."""

EXPECTED_MIN: Final = 100
"""What is expected more seldom, or is missing more seldom, is no bell curve: it is not judged."""

SEED_BITS: Final = 32
TELL_EVERY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Compared:
    """Something that was counted or came of counts, beside what it is exactly.

    `sigmas` are standard deviations between the two; None where too few were expected.
    """

    of: str
    what: str
    counted: int | None
    simulated: Fraction
    exact: Fraction
    sigmas: float | None

    @property
    def outside(self) -> bool:
        """Whether this is so far off that either the odds or the coups are wrong."""
        return self.sigmas is not None and abs(self.sigmas) > SIGMAS_MAX


def main(
    name: str | None,
    decks: int | None,
    *,
    coups: int,
    seed: int | None,
    as_json: bool,
    out: TextIO,
    err: TextIO,
) -> int:
    """Draw coups and hold the exact odds to them; 1 where any is outside `SIGMAS_MAX`."""
    rulebook, exact = exact_odds(name, decks, err)
    try:
        from services.cli.simulating import simulate  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise PartMissing(
            "--simulate takes the extra simulate: "
            ".venv/bin/pip install -e '.[simulate]' in a checkout"
        ) from error
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    counted = simulate(exact.decks, coups, seed, _teller(coups, err))
    simulated = odds_among(rulebook, exact.decks, counted)
    rows = [*_areas(simulated, exact)]
    events = [
        _share(name, "", simulated.events.get(name, 0), coups, Fraction(ways, exact.total_deals))
        for name, ways in exact.events.items()
    ]
    # What can never happen has no name among the exact events.
    events += [
        _share(name, "", times, coups, Fraction(0))
        for name, times in simulated.events.items()
        if name not in exact.events
    ]
    if as_json:
        document = dict(as_document(rulebook, exact))
        document["simulation"] = _as_document(rows, events, coups, seed)
        json.dump(document, out, indent=2)
        out.write("\n")
    else:
        out.write(
            f"{rulebook.rulebook_id}, {exact.decks} decks, {coups:,} coups drawn by seed {seed}\n"
        )
        _print(rows, events, out)
    return FAILED if any(row.outside for row in (*rows, *events)) else DONE


def _teller(coups: int, err: TextIO) -> Callable[[int], None]:
    """Tell every few seconds how far it is; a short run says nothing."""
    told_s = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told_s
        if time.monotonic() - told_s >= TELL_EVERY_S:
            told_s = time.monotonic()
            err.write(f"sabot: {done:,} of {coups:,} coups drawn\n")
            err.flush()

    return tell


def _areas(simulated: Odds, exact: Odds) -> Iterator[Compared]:
    coups, total = simulated.total_deals, exact.total_deals
    for area, known in exact.areas.items():
        name, found = area.lower(), simulated.areas[area]
        shares = [("wins", found.wins, known.wins)]
        if len(known.cases) > 1:
            both = zip(found.cases, known.cases, strict=True)
            shares += [(f"case {at}", *counts) for at, counts in enumerate(both, start=1)]
        if known.pushes or found.pushes:
            shares.append(("pushes", found.pushes, known.pushes))
        shares.append(("loses", found.loses, known.loses))
        for what, count, ways in shares:
            yield _share(name, what, count, coups, Fraction(ways, total))
        yield _edge(name, found, known, coups, total)


def _share(of: str, what: str, count: int, coups: int, exact: Fraction) -> Compared:
    sigmas: float | None
    if exact in (0, 1):
        sigmas = 0.0 if count == coups * exact else math.copysign(math.inf, count - coups * exact)
    elif not _judged(coups, exact):
        sigmas = None
    else:
        sigmas = float(count - coups * exact) / math.sqrt(coups * exact * (1 - exact))
    return Compared(of, what, count, Fraction(count, coups), exact, sigmas)


def _judged(coups: int, exact: Fraction) -> bool:
    return coups * min(exact, 1 - exact) >= EXPECTED_MIN


def _edge(of: str, found: AreaOdds, known: AreaOdds, coups: int, total: int) -> Compared:
    # One seldom case that pays much moves the mean by jumps; what always comes, not at all.
    seldom = not known.variance or any(
        ways and not _judged(coups, Fraction(ways, total)) for ways in (*known.cases, known.loses)
    )
    off = float(found.house_edge - known.house_edge)
    sigmas = None if seldom else off / math.sqrt(known.variance / coups)
    return Compared(of, "house edge", None, found.house_edge, known.house_edge, sigmas)


def _as_document(
    rows: list[Compared], events: list[Compared], coups: int, seed: int
) -> Mapping[str, Any]:
    return {
        "coups": str(coups),
        "seed": str(seed),
        "sigmas_max": SIGMAS_MAX,
        "areas": [{"area": row.of, "what": row.what, **_figures(row)} for row in rows],
        "events": {row.of: _figures(row) for row in events},
    }


def _figures(row: Compared) -> Mapping[str, Any]:
    return {
        "counted": None if row.counted is None else str(row.counted),
        "simulated_percent": percent(row.simulated, digits=6),
        "exact_percent": percent(row.exact, digits=6),
        "sigmas": None if row.sigmas is None else f"{row.sigmas:.3f}",
        "outside": row.outside,
    }


def _print(rows: list[Compared], events: list[Compared], out: TextIO) -> None:
    headers = ("area", "what", "counted", "simulated %", "exact %", "sigmas")
    print_table(out, headers, [_cells(row) for row in rows], left=2)
    judged = [row for row in events if row.sigmas is not None]
    out.write(f"{len(judged)} events judged of {len(events)}")
    if judged:
        furthest = max(judged, key=lambda row: abs(row.sigmas or 0))
        out.write(f"; the furthest off is {furthest.of} by {furthest.sigmas:+.2f} sigma")
    out.write("\n")
    outside = [row for row in (*rows, *events) if row.outside]
    if outside:
        out.write(f"outside {SIGMAS_MAX} sigma:\n")
        print_table(out, headers, [_cells(row) for row in outside], left=2)


def _cells(row: Compared) -> tuple[str, ...]:
    return (
        row.of,
        row.what,
        "" if row.counted is None else f"{row.counted:,}",
        percent(row.simulated, digits=4),
        percent(row.exact, digits=4),
        "too few" if row.sigmas is None else f"{row.sigmas:+.2f}",
    )
