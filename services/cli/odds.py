"""`sabot odds`: how often each area wins, and what the house keeps, exactly.

As JSON every count is text, because twelve decks go past the whole numbers that a JSON reader
with floating point keeps apart; fractions are text too, in lowest terms.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO

from services.cli.console import print_table
from services.cli.errors import DONE, WrongInput, WrongUse
from services.cli.rulebook import faults_of, from_file
from services.rulebooks.catalogue import load_catalogue
from services.rules.odds import Odds, odds
from services.rules.rulebook import Rulebook, RulebookRejected


def chosen_rulebook(name: str) -> Rulebook:
    """The packaged rulebook of this id, or the one in the file of this name.

    Raises `WrongUse` where there is neither, and `WrongInput` for a file that holds no rulebook.
    """
    catalogue = load_catalogue()
    if name in catalogue:
        return catalogue[name]
    if not Path(name).is_file():
        raise WrongUse(
            f"there is no rulebook {name!r}, and no such file; there are {', '.join(catalogue)}"
        )
    try:
        return from_file(name)
    except RulebookRejected as rejected:
        raise WrongInput(f"{name}:1: {faults_of(rejected)[0]}") from None


def exact_odds(name: str | None, decks: int | None, err: TextIO) -> tuple[Rulebook, Odds]:
    """The rulebook of this name and its odds; without `decks` with the most that it allows.

    Raises `WrongUse` and `WrongInput` as `chosen_rulebook` does, and `WrongUse` for a number of
    decks that nothing is dealt from.
    """
    if not name:
        raise WrongUse("which rulebook? name one by its id, or a file that holds one")
    rulebook = chosen_rulebook(name)
    decks = max(rulebook.decks) if decks is None else decks
    try:
        found = odds(rulebook, decks)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    if decks not in rulebook.decks:
        allowed = ", ".join(str(number) for number in rulebook.decks)
        err.write(
            f"sabot: {rulebook.rulebook_id} is not dealt from {decks} decks, only from {allowed}\n"
        )
    return rulebook, found


def main(name: str | None, decks: int | None, *, as_json: bool, out: TextIO, err: TextIO) -> int:
    """Print the odds of a rulebook."""
    rulebook, found = exact_odds(name, decks, err)
    if as_json:
        json.dump(as_document(rulebook, found), out, indent=2)
        out.write("\n")
    else:
        _print(rulebook, found, out)
    return DONE


def as_document(rulebook: Rulebook, found: Odds) -> Mapping[str, Any]:
    """The odds as JSON values: counts and fractions as text, percentages with six digits."""
    return {
        "rulebook": rulebook.rulebook_id,
        "rulebook_hash": rulebook.hash,
        "decks": found.decks,
        "decks_allowed": list(rulebook.decks),
        "total_deals": str(found.total_deals),
        "mean_cards": str(found.mean_cards),
        "areas": {
            area.lower(): {
                "wins": str(one.wins),
                "pushes": str(one.pushes),
                "loses": str(one.loses),
                "expectation": str(one.expectation),
                "house_edge": str(one.house_edge),
                "house_edge_percent": percent(one.house_edge, digits=6),
            }
            for area, one in found.areas.items()
        },
        "events": {name: str(deals) for name, deals in found.events.items()},
    }


def percent(part: Fraction, *, digits: int) -> str:
    """A part as a percentage with so many digits after the point, rounded half to even."""
    scaled = round(part * 100 * 10**digits)
    whole, rest = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{digits}d}"


def _print(rulebook: Rulebook, found: Odds, out: TextIO) -> None:
    out.write(f"{rulebook.rulebook_id}, {found.decks} decks, {found.total_deals:,} deals\n")
    rows = [
        (
            area.lower(),
            f"{one.wins:,}",
            f"{one.pushes:,}",
            f"{one.loses:,}",
            percent(one.house_edge, digits=4),
            str(one.house_edge),
        )
        for area, one in found.areas.items()
    ]
    headers = ("area", "wins", "pushes", "loses", "house edge %", "house edge, exact")
    print_table(out, headers, rows)
