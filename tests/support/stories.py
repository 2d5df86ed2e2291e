"""Stories of a table, told in lines and played through all four deciders in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from msgspec import Struct

from services.contracts.core import Event, Refused
from services.tablelog.inprocess import InProcessTable
from services.tablelog.reader import read_stream
from services.tablelog.render import Renderer, Told
from services.tablelog.replay import run_line

Line = dict[str, Any]

SUPERVISOR = {"id": "cs1", "role": "casino_supervisor"}
SECOND = {"id": "gs1", "role": "game_supervisor"}
TWO = {"by": SUPERVISOR, "second": SECOND}
"""A ruling of two persons."""


class Story(Struct, frozen=True):
    """What came of the lines."""

    told: list[Told]
    """All events, in the order in which they came about."""

    refused: dict[int, str]
    """Reasons of refusal by line, counted from 1."""

    printed: list[Line]
    states: dict[str, Any]

    def events(self, *kinds: type[Event]) -> Iterator[Any]:
        """Events of exactly these kinds, in their order."""
        return (each.event for each in self.told if type(each.event) in kinds)

    def coups(self) -> dict[int, Line]:
        """The last line of each coup, by number."""
        return {line["coup"]: line for line in self.printed if line["kind"] == "coup"}

    def summary(self) -> Line:
        """The last line."""
        return self.printed[-1]


def play(lines: Sequence[Line]) -> Story:
    """Play a story; the first line opens the table."""
    raw = "".join(json.dumps(line) + "\n" for line in lines).encode()
    table = InProcessTable("T1")
    renderer = Renderer()
    told: list[Told] = []
    printed: list[Line] = []
    refused: dict[int, str] = {}
    for line in read_stream(BytesIO(raw), "story"):
        no, caused = run_line(table, line)
        if isinstance(no, Refused):
            refused[line.number] = no.reason
        told += caused
        printed += list(renderer.line(line.number, line.do, no, caused))
    printed.append(renderer.summary())
    return Story(told, refused, printed, table.states)


def opening(rulebook: str = "nsw-mini", **others: Any) -> Line:
    """The first line of a table with generous limits."""
    limits = {"*": {"min": 100, "max": 10_000_000}}
    return {"do": "open_table", "table": "T1", "rulebook": rulebook, "limits": limits, **others}


def shoe(cards: Sequence[str], name: str = "S1") -> Line:
    return {"do": "load_shoe", "shoe": name, "partial": True, "cards": list(cards)}


def stake(wager: str, player: str, area: str, amount: int, **others: Any) -> Line:
    return {
        "do": "wager",
        "id": wager,
        "player": player,
        "area": area,
        "amount": amount,
        **others,
    }


def ruling(kind: str, **fields: Any) -> Line:
    return {"do": "ruling", "kind": kind, **fields}
