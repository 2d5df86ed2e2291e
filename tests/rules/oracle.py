"""Numbers that were worked out apart from this code, and where to find more of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from services.rules.cards import Card, parse_card

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "tests" / "data" / "oracle"


@cache
def oracle(name: str) -> Any:
    """One of the JSON files of the oracle, by name without ending."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def lines(name: str) -> list[dict[str, Any]]:
    """The objects of one of the oracle's JSON Lines files."""
    return list(parsed_lines(FOLDER / f"{name}.jsonl"))


def parsed_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def shared(relative: str) -> Path:
    """A file of the reference material beside the checkout; skips the test without it."""
    folder = Path(os.environ.get("SABOT_SHARED") or CHECKOUT.parent / "shared")
    path = folder / relative
    if not path.is_file():
        pytest.skip(f"{relative} is not there: set SABOT_SHARED to the reference material")
    return path


def cards(*texts: str) -> tuple[Card, ...]:
    """Cards by their names, or by rank alone where the suit does not matter."""
    return tuple(parse_card(text if text[-1] in "SHDC" else text + "S") for text in texts)


def hand_of(points: int, *, pair: bool = False) -> tuple[Card, Card]:
    """Two cards that count `points`, of one rank if `pair` (even counts only)."""
    if pair:
        ranks = {0: "KK", 2: "AA", 4: "22", 6: "33", 8: "44"}[points]
    else:
        ranks = {0: "KQ", 9: "K9", 1: "KA"}.get(points) or f"K{points}"
    return ranks[0] + "S", ranks[1] + "H"


def third(value: int) -> Card:
    """A card of this point value."""
    return ("T" if value == 0 else "A" if value == 1 else str(value)) + "D"
