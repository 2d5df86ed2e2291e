"""What folding the log into facts has to remember: of tables, of coups and of shoes."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from msgspec import Struct, field

from services.contracts.common import Limits, TableSettings
from services.contracts.core import Event
from services.contracts.gaming_day import gaming_day
from services.contracts.round import SERVICE as ROUND
from services.settlement.reading import Read, booked_at_us

COMMITTED: Final = "COMMITTED"
"""Of a shoe that is not loaded yet."""


class InForce(Struct, frozen=True):
    """What a service works under at a table, from its own events."""

    session: int = 0
    time_zone: str = "UTC"
    day_starts_minute: int = 0
    rulebook_id: str = ""
    rulebook_hash: str = ""
    decks: int = 0


NOTHING: Final = InForce()


class TableState(Struct, kw_only=True):
    """What is known of a table at this place of the log."""

    in_force: dict[str, InForce] = field(default_factory=dict)
    """By service: each takes a session up in its own stream, and is heard late or early by itself."""

    dealer: str = ""
    limits: dict[str, Limits] = field(default_factory=dict)
    deck_ids: str = ""
    procedure: str = ""
    inspected: str = ""
    """Of the cards that are got ready for the next shoe, like the two above."""

    @property
    def now(self) -> InForce:
        """Of the newest session, whoever took it up first; round knows of a change of variant."""
        return max(
            self.in_force.items(),
            key=lambda held: (held[1].session, held[0] == ROUND),
            default=(ROUND, NOTHING),
        )[1]

    def of(self, service: str) -> InForce:
        """What the events of a service were decided under."""
        return self.in_force.get(service) or self.now

    def take_up(self, service: str, session: int | None, settings: TableSettings) -> None:
        """The service goes on under these settings; without a session, in the one that it is in."""
        self.in_force[service] = InForce(
            session=self.of(service).session if session is None else session,
            time_zone=settings.time_zone,
            day_starts_minute=settings.day_starts_minute,
            rulebook_id=settings.rulebook_id,
            rulebook_hash=settings.rulebook_hash,
            decks=settings.decks,
        )


class Amounts(Struct, kw_only=True):
    """What a wager counts for in the money facts so far, minor units."""

    turnover_minor: int = 0
    valid_minor: int = 0
    returned_minor: int = 0
    lost_minor: int = 0
    forfeited_minor: int = 0
    refunded_minor: int = 0
    winnings_minor: int = 0
    win_minor: int = 0
    token_minor: int = 0
    commission_num: int = 0
    rounding_num: int = 0
    exact_den: int = 1


class WagerState(Struct, kw_only=True):
    """A wager of a coup."""

    player: str
    area: str
    currency: str
    funding: str
    token: str
    stake_minor: int
    open: bool = True
    counted: Amounts = field(default_factory=Amounts)
    outcome: str = ""
    reason: str = ""
    """Of its last reversal."""


class CoupState(Struct, kw_only=True):
    """A coup so far; the fields of `CoupFact` under the same names."""

    coup_id: str
    coup_day: dt.date | None = None
    shoe_id: str = ""
    in_shoe: bool = False
    """It is counted among the coups of its shoe."""

    status: str = "OPEN"
    reason: str = ""
    backfilled: bool = False
    review: str = ""
    rulebook_id: str = ""
    rulebook_hash: str = ""
    decks: int = 0
    dealer: str = ""
    method: str = ""
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    player_points: int | None = None
    banker_points: int | None = None
    winner: str = ""
    any_natural: bool = False
    accepted: dict[str, WagerState] = field(default_factory=dict)
    apart: bool = False
    """The wagers are kept apart: those that are here are some of them."""

    wagers: int = 0
    revision: int = 0
    opened_at_us: int = 0
    closed_at_us: int = 0


class ShoeState(Struct, kw_only=True):
    """A shoe so far; the fields of `ShoeFact` under the same names."""

    shoe_id: str
    shoe_day: dt.date | None = None
    status: str = COMMITTED
    reason: str = ""
    source: str = ""
    device: bool = False
    decks: int = 0
    cards: int = 0
    deck_ids: str = ""
    procedure: str = ""
    inspected: str = ""
    cut_at: int | None = None
    cuts_after: int | None = None
    commitment: str = ""
    commitment_number: int | None = None
    revealed: bool = False
    dealt: int = 0
    burned: int = 0
    left_over: int | None = None
    coups: int = 0
    lapsed: str = ""
    loading: int = 1


class Known(Struct):
    """All that is remembered, by id; what is missing has not been heard of."""

    tables: dict[str, TableState] = field(default_factory=dict)
    coups: dict[str, CoupState] = field(default_factory=dict)
    shoes: dict[str, ShoeState] = field(default_factory=dict)

    def table(self, table_id: str) -> TableState:
        return self.tables.setdefault(table_id, TableState())

    def coup(self, coup_id: str) -> CoupState:
        return self.coups.setdefault(coup_id, CoupState(coup_id=coup_id))

    def shoe(self, table_id: str, shoe_id: str) -> ShoeState:
        """A shoe has its id from its table: only both together name it."""
        return self.shoes.setdefault(shoe_key(table_id, shoe_id), ShoeState(shoe_id=shoe_id))

    def next_shoe(self, table_id: str, shoe_id: str) -> ShoeState:
        """The shoe that is loaded now: another one than before, where the id is used again."""
        known = self.shoe(table_id, shoe_id)
        if known.status == COMMITTED:
            return known
        new = ShoeState(shoe_id=shoe_id, loading=known.loading + 1)
        self.shoes[shoe_key(table_id, shoe_id)] = new
        return new


def shoe_key(table_id: str, shoe_id: str) -> str:
    """Of a shoe, among those of all tables."""
    return f"{table_id} {shoe_id}"


class Here(Struct, frozen=True):
    """Where the fold stands: one event, its table, and what every fact of it says."""

    position: int
    each: Read
    known: Known
    table: TableState
    rules: InForce
    """Which the event was decided under, its own settings taken up."""

    day: dt.date
    """The gaming day on which the event happened: the one that a coup or a shoe belongs to."""

    booked: dt.date
    """The gaming day on which its rows count: `day`, or a later one where settlement heard late."""

    before: InForce = NOTHING
    """What its service worked under before the event."""

    @property
    def event(self) -> Event:
        return self.each.event

    def common(self) -> dict[str, Any]:
        """The fields of `Fact`."""
        meta = self.each.meta
        return {
            "position": self.position,
            "record_id": self.each.event_id,
            "at_us": meta.occurred_at_us,
            "recorded_at_us": self.each.recorded_at_us,
            "gaming_day": self.booked,
            "table_id": meta.table_id,
            "test": meta.test,
        }


def here(position: int, each: Read, known: Known) -> Here:
    """Take up what the event says of its table, and stand there."""
    table = known.table(each.meta.table_id)
    before = table.in_force.get(each.service, NOTHING)
    settings: TableSettings | None = getattr(each.event, "settings", None)
    if settings is not None:
        table.take_up(each.service, getattr(each.event, "session", None), settings)
    rules = table.of(each.service)

    def day_of(at_us: int) -> dt.date:
        return gaming_day(at_us, rules.time_zone, rules.day_starts_minute)

    day = day_of(each.meta.occurred_at_us)
    booked = day_of(booked_at_us(each.meta, each.kept_at_us))
    return Here(position, each, known, table, rules, day, booked, before)
