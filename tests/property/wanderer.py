"""Random play at a table: mostly what would be done next, and every so often anything at all.

    wander(Random(7).randrange, steps=120, rulebook="super-six")

Chance is asked through one function, so that it may be a seed or Hypothesis. Every move is a line of
a table log, or a command that no line stands for; `lines_only` keeps to the first, and then `log` is
the table's log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from services.contracts.core import Actor, Event, Heard
from services.contracts.round import (
    BettingOpened,
    CoupBackfilled,
    NoBetCoupDeclared,
    TableOpened,
)
from services.contracts.round_table import VariantChanged
from services.rules.cards import FULL_DECK
from services.tablelog.clock import rfc3339
from services.tablelog.inprocess import InProcessTable
from tests.property.rough import RoughTable
from tests.support.played import Played

Choose = Callable[[int], int]
"""A number from 0 to one less than what it is given."""

RULEBOOKS = (
    "live-studio",
    "live-lobby",
    "super-six",
    "super-six-commission",
    "nsw-baccarat",
    "nsw-mini",
    "nsw-mini-even-money",
)
CUTS, COUNTER, COPIES, HANDS, DEVICE, PLAIN = (
    "cuts",
    "counter",
    "copies",
    "hands",
    "device",
    "plain",
)
THEMES = (CUTS, COUNTER, COPIES, HANDS, HANDS, DEVICE, PLAIN)
STREAMED_THEMES = (CUTS, COUNTER, COPIES, PLAIN, PLAIN)
PLAYERS = ("p1", "p2", "p3", "p4")
ROLES = ("dealer", "game_supervisor", "casino_supervisor", "duty_manager", "inspector", "player")
SECOND_US = 1_000_000


class Wanderer:
    """A table, what was done at it so far, and chance."""

    def __init__(self, choose: Choose, rulebook: str, *, lines_only: bool = False) -> None:
        self.choose = choose
        self.rulebook = rulebook
        self.lines_only = lines_only
        self.seated = rulebook.startswith("nsw")
        self.steps = 0
        self.wagers: list[str] = []
        self.disputes: list[str] = []
        self.tokens: list[str] = []
        self.seals: list[str] = []
        self.theme = self.pick(THEMES if self.seated else STREAMED_THEMES)
        """What happens at this table more often than at others."""

        self.opening = self._opening()
        self.log: list[dict[str, Any]] = [{"do": "open_table", "table": "T1", **self.opening}]
        self.table = RoughTable("T1", self.choose(1 << 16), lags=self.odds(1, 3))
        plain = InProcessTable("T1")
        self.played = Played(table=plain if lines_only else self.table, **self.opening)
        if self.seated and (self.theme == HANDS or self.odds(3, 4)):
            self._people_sit_down()

    def _people_sit_down(self) -> None:
        for seat, player in enumerate(PLAYERS[:3], start=1):
            self.do("seat", player=player, seat=seat)
        if self.round.method != "A":
            self.do("approve", what="method", method=self.round.method)

    def _opening(self) -> dict[str, Any]:
        limits = {"*": {"min": 100, "max": self.pick((2_000, 10_000_000))}}
        made: dict[str, Any] = {"rulebook": self.rulebook, "limits": limits}
        made["auto_burn"] = self.odds(3, 4)
        if self.odds(1, 6):
            made["maximum_win"] = 20_000
        if self.odds(1, 6):
            made["exposure"] = 20_000
        if self.odds(1, 6):
            made["player_coup_maximum"] = 3_000
        if not self.seated:
            if self.odds(1, 3):
                made["currencies"] = {"JPY": {"*": {"min": 10, "max": 1_000}}}
            return made
        made |= {"layout": "C", "seats": self.pick((3, 5)), "chip": self.pick((1, 25))}
        made["method"] = self.pick("BCD" if self.theme == HANDS else "AABCD")
        few = 6 if self.rulebook == "nsw-baccarat" else 3
        made["decks"] = few if self.theme == COPIES else self.pick((few, 8))
        if self.odds(1, 3):
            made["differential"] = self.pick((0, 500, 1_000))
        return made

    # --- chance ---

    def pick(self, among: Sequence[Any]) -> Any:
        """One of several."""
        return among[self.choose(len(among))]

    def odds(self, times: int, of: int) -> bool:
        """True so many times of so many."""
        return self.choose(of) >= of - times

    def order(self) -> list[str]:
        """Cards as they may lie in a shoe: few ranks make pairs, ties and copies too many."""
        chance = Random(self.choose(1 << 16))
        decks = self.played.round.settings.decks if self.played.round.settings else 8
        cards = [*FULL_DECK * decks]
        if self.odds(1, 4):
            cards = [card for card in cards if card[0] in "A268"]
        chance.shuffle(cards)
        return cards

    def read(self) -> str:
        """A card as an electronic shoe reads it."""
        if self.theme == COPIES:
            return str(self.pick(("AS", "8D", "KC")))
        return str(self.pick(FULL_DECK))

    # --- moves ---

    def do(self, action: str, **fields: Any) -> None:
        """A line of a log."""
        self.log.append({"do": action, **fields})
        self.played.do(action, **fields)

    def later(self, seconds: int) -> None:
        """Time passes."""
        self.do("tick", at=rfc3339(self.played.at_us + seconds * SECOND_US))

    def send(self, service: str, make: type[Any], role: str, **fields: Any) -> None:
        """A command by somebody with this role."""
        beside = {name: fields.pop(name) for name in ("order", "secret") if name in fields}
        by = Actor(fields.pop("who", role), role.upper())
        command = make(at_us=self.played.at_us, by=by, **fields)
        self.played.send(service, command, **beside)

    def anybody(self) -> dict[str, str]:
        """Somebody, who may or may not have the right."""
        role = self.pick(ROLES)
        return {"id": self.pick((role, "other")), "role": role}

    def rest(self) -> None:
        """All that is under way arrives."""
        self.table.settle_down()

    # --- what came of it ---

    @property
    def sent(self) -> list[Heard]:
        """Every event in the order in which they came about."""
        return self.table.sent

    def story(self) -> str:
        """What was asked of the table, for a person who looks into a failure."""
        return "\n".join(f"{name}: {step.command}" for step, name in self.table.steps)

    def events(self, *kinds: type[Event]) -> Iterator[Any]:
        """Events of exactly these kinds, in their order."""
        return (sent.event for sent in self.table.sent if type(sent.event) in kinds)

    def games(self) -> dict[str, str]:
        """The rulebook of each coup."""
        games: dict[str, str] = {}
        now = self.rulebook
        for event in (sent.event for sent in self.table.sent):
            if isinstance(event, TableOpened | VariantChanged):
                now = event.settings.rulebook_id
            elif isinstance(event, BettingOpened | CoupBackfilled | NoBetCoupDeclared):
                games.setdefault(event.coup_id, now)
        return games

    # --- what the table is like: only to choose what to do ---

    @property
    def round(self) -> Any:
        return self.played.round

    @property
    def cards(self) -> Any:
        return self.played.cards

    @property
    def book(self) -> Any:
        return self.played.table.states["wager"].book

    @property
    def money(self) -> Any:
        return self.played.table.states["settlement"]

    def coup(self) -> int:
        """A coup's number, mostly the last one's."""
        last: int = self.round.coups
        return max(1, last - self.choose(3) // 2)

    def a_wager(self) -> str:
        """The id of a wager, mostly of one that stands."""
        live = [*self.book.wagers] if self.book else []
        if live and self.odds(3, 4):
            return str(self.pick(live))
        return str(self.pick(self.wagers)) if self.wagers else "w0"

    def a_seat(self) -> int:
        """A seat, mostly one that is taken."""
        taken = [seat for seat, _ in self.round.seats]
        return int(self.pick(taken)) if taken and self.odds(4, 5) else 1 + self.choose(5)
