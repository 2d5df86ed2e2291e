"""A table that is played through all four cores in this process, line by line as in a table log.

    Played("nsw-mini").shoe("AC 9D 6S 7H TD KC").do("open_betting").do("no_more_bets").do("deal")

Where a log has no action for a command, `send` sends it as it is.
"""

from __future__ import annotations

import json
from typing import Any, Self

import msgspec

from services.contracts.core import Actor, Command, Event, Refused
from services.shoe import domain as shoe_core
from services.tablelog.inprocess import InProcessTable
from services.tablelog.reader import LogParser
from services.tablelog.render import OutLine, Renderer, Told, sort_key
from services.tablelog.replay import run_line
from services.tablelog.steps import Step

PLENTY = {"*": {"min": 100, "max": 10_000_000}}

SIX_SEVEN = "6S 7H TD KC"
"""Banker wins with 7 against 6, on four cards."""

NATURAL_NINE = "9S 7D KD TC"
"""Player wins with a natural 9, on four cards."""

SEVEN_ALL = "7S 7C KH QC"
"""A tie on 7."""

SIX_CARDS = "2S AD 3H 2C KD 4S"
"""Both hands draw; Banker wins with 7 against 5."""

GAME_SUPERVISOR = {"id": "gs1", "role": "game_supervisor"}
CASINO_SUPERVISOR = {"id": "cs1", "role": "casino_supervisor"}
DUTY_MANAGER = {"id": "dm1", "role": "duty_manager"}
INSPECTOR = {"id": "in1", "role": "inspector"}
DEALER = {"id": "d1", "role": "dealer"}


class Played:
    """One table with its whole story."""

    def __init__(
        self,
        rulebook: str = "nsw-mini",
        *,
        table: InProcessTable | None = None,
        **settings: Any,
    ) -> None:
        self.table = table or InProcessTable("T1")
        self.refused: Refused | None = None
        self.lines: list[OutLine] = []
        """What the last action printed."""

        self.told: list[Told] = []
        """What the last action led to, in the order of printing."""

        self.story: list[Told] = []
        """What everything led to."""

        self._parser = LogParser("test")
        self._renderer = Renderer()
        self._number = 0
        self.do("open_table", table="T1", rulebook=rulebook, **{"limits": PLENTY, **settings})

    def do(self, action: str, **fields: Any) -> Self:
        """One line of a log."""
        self._number += 1
        raw = json.dumps({"do": action, **fields}).encode()
        line = self._parser.line(raw, self._number)
        self._took(*run_line(self.table, line), action, getattr(line, "id", None))
        return self

    def send(self, service: str, command: Command, **beside: Any) -> Self:
        """A command that no action of a log stands for, with what travels beside it."""
        self._number += 1
        step = Step(service, command, **beside)
        self._took(*self.table.run(step, f"{self._number}"), type(command).__name__, None)
        return self

    def _took(
        self, refused: Refused | None, told: list[Told], action: str, wager: str | None
    ) -> None:
        self.refused = refused
        self.told = sorted(told, key=sort_key)
        self.story += self.told
        extra = {"id": wager} if wager else {}
        self.lines = list(self._renderer.line(self._number, action, refused, told, **extra))

    # --- shorthand ---

    def shoe(self, cards: str, **fields: Any) -> Self:
        """A shoe with these cards in front, the rest unknown."""
        self._number += 1
        name = fields.pop("shoe", f"S{self._number}")
        return self.do("load_shoe", shoe=name, cards=cards.split(), partial=True, **fields)

    def betting(self, **fields: Any) -> Self:
        """Betting opens."""
        return self.do("open_betting", **fields)

    def wager(self, wager: str, player: str, area: str, amount: int = 500, **fields: Any) -> Self:
        """A player stakes."""
        return self.do("wager", id=wager, player=player, area=area, amount=amount, **fields)

    def draws(self, count: int, **fields: Any) -> Self:
        """So many cards, one by one."""
        for _ in range(count):
            self.do("draw", **fields)
        return self

    def coup(self, *wagers: tuple[str, str, str], **fields: Any) -> Self:
        """A whole coup."""
        self.betting(**fields)
        for wager, player, area in wagers:
            self.wager(wager, player, area)
        return self.do("no_more_bets").do("deal")

    def approved(self, method: str) -> Self:
        """The dealing method of the table is approved."""
        return self.do("approve", what="method", method=method)

    def seated(self, **seats: int) -> Self:
        """Players take their seats."""
        for player, seat in seats.items():
            self.do("seat", player=player, seat=seat)
        return self

    def ruling(self, kind: str, by: dict[str, str], **fields: Any) -> Self:
        """A supervisor's decision."""
        return self.do("ruling", kind=kind, by=by, **fields)

    def restarted(self) -> Self:
        """Every service writes what it knows down and reads it again."""
        for name, state in self.table.states.items():
            written = msgspec.json.encode(state)
            self.table.states[name] = msgspec.json.decode(written, type=type(state))
        return self

    # --- what came of it ---

    @property
    def reason(self) -> str | None:
        """Why the last action was refused; None where it was not."""
        return self.refused.reason if self.refused else None

    def events(self, kind: type[Event]) -> list[Any]:
        """All events of one kind so far, in order."""
        return [each.event for each in self.story if type(each.event) is kind]

    def now(self, kind: type[Event]) -> list[Any]:
        """The events of one kind that the last action led to."""
        return [each.event for each in self.told if type(each.event) is kind]

    def order(self, *kinds: type[Event]) -> list[str]:
        """The names of all events of these kinds, in the order in which they came about."""
        return [type(each.event).__name__ for each in self.story if type(each.event) in kinds]

    def line(self, kind: str) -> OutLine:
        """The line of this kind that the last action printed."""
        [found] = [line for line in self.lines if line["kind"] == kind]
        return found

    def printed(self, kind: str) -> list[OutLine]:
        """The lines of this kind that the last action printed."""
        return [line for line in self.lines if line["kind"] == kind]

    @property
    def round(self) -> Any:
        """What round knows."""
        return self.table.states["round"]

    @property
    def cards(self) -> shoe_core.ShoeState:
        """What shoe knows."""
        state: shoe_core.ShoeState = self.table.states["shoe"]
        return state

    @property
    def at_us(self) -> int:
        """The time of the last line, and a second more."""
        return (self._parser._at_us or 0) + 1_000_000


def person(role: str, name: str = "") -> Actor:
    """Somebody with this role; by default his name is the role's."""
    return Actor(name or role.lower(), role)
