"""What folding the log into facts has to remember: of tables, of coups and of shoes."""

from __future__ import annotations

import datetime as dt
from typing import Any

from msgspec import Struct, field

from services.contracts.common import Limits, TableSettings
from services.contracts.core import Event
from services.contracts.gaming_day import gaming_day
from services.settlement.reading import Read


class TableState(Struct, kw_only=True):
    """What is known of a table at this place of the log."""

    session: int = 0
    time_zone: str = "UTC"
    day_starts_minute: int = 0
    rulebook_id: str = ""
    rulebook_hash: str = ""
    decks: int = 0
    dealer: str = ""
    limits: dict[str, Limits] = field(default_factory=dict)
    deck_ids: str = ""
    procedure: str = ""
    inspected: str = ""
    """Of the cards that are got ready for the next shoe, like the two above."""

    def take_up(self, settings: TableSettings) -> None:
        """Go on under these settings."""
        self.time_zone = settings.time_zone
        self.day_starts_minute = settings.day_starts_minute
        self.rulebook_id = settings.rulebook_id
        self.rulebook_hash = settings.rulebook_hash
        self.decks = settings.decks


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
    wagers: int = 0
    revision: int = 0
    opened_at_us: int = 0
    closed_at_us: int = 0


class ShoeState(Struct, kw_only=True):
    """A shoe so far; the fields of `ShoeFact` under the same names."""

    shoe_id: str
    shoe_day: dt.date | None = None
    status: str = "COMMITTED"
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


def shoe_key(table_id: str, shoe_id: str) -> str:
    """Of a shoe, among those of all tables."""
    return f"{table_id} {shoe_id}"


class Here(Struct, frozen=True):
    """Where the fold stands: one event, its table, and what every fact of it says."""

    position: int
    each: Read
    known: Known
    table: TableState
    day: dt.date
    game_before: tuple[str, str] = ("", "")
    """Id and hash of the rulebook that the table had before the event."""

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
            "gaming_day": self.day,
            "table_id": meta.table_id,
            "test": meta.test,
        }


def here(position: int, each: Read, known: Known) -> Here:
    """Take up what the event says of its table, and stand there."""
    table = known.table(each.meta.table_id)
    game_before = (table.rulebook_id, table.rulebook_hash)
    settings: TableSettings | None = getattr(each.event, "settings", None)
    if settings is not None:
        table.take_up(settings)
    day = gaming_day(each.meta.occurred_at_us, table.time_zone, table.day_starts_minute)
    return Here(position, each, known, table, day, game_before)
