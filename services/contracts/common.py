"""Values that more than one service publishes: table settings, limits, money totals."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from services.contracts.core import Event

Card = str
"""Rank then suit, such as "TH"."""


class Limit(Struct, frozen=True, omit_defaults=True):
    """What a player's total on an area must keep to, in minor units of one currency."""

    min_minor: int
    max_minor: int
    unit_minor: int = 0
    """Step above the minimum; 0 where any amount in between is taken."""


Limits = dict[str, Limit]
"""By area, such as BANKER; "*" stands for every area that has no limit of its own."""


class PlayerContext(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a player plays, by the token of his call; empty is what it does not say."""

    operator: str = ""
    """Whose player he is: it decides which wallet his money is in."""

    brand: str = ""
    jurisdiction: str = ""
    session: str = ""
    """His session with the operator."""

    limit_set: str = ""
    """Name of the operator's limits that bind him beside the table's."""


class TableSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a table is opened with. The rulebook is carried whole, so that the log explains itself.

    Amounts are minor units of the currency they belong to.
    """

    table_id: str
    rulebook_id: str
    rulebook_hash: str
    rulebook: dict[str, Any]
    """The document, with the house's options applied, whose hash stands above."""

    decks: int
    currency: str
    limits: dict[str, Limits]
    """By currency; the table's own currency and, at a streamed table, further ones."""

    mode: str = "LIVE"
    """LIVE or TEST. Orders of cards from outside exist at TEST tables only."""

    table_number: str = ""
    """As it is displayed. No two open tables in LIVE mode bear the same one (000 1.2.2)."""

    smallest_chip_minor: int = 1
    seats: int = 9
    left_of_dealer: int = 9
    layout: str = "A"
    method: str = "A"
    auto_burn: bool = True
    """Burns are made by the shoe the moment they fall due, instead of by the dealer's command."""

    differential_minor: int | None = None
    player_coup_maximum_minor: int | None = None
    maximum_win_minor: int | None = None
    table_exposure_minor: int | None = None
    betting_seconds: int | None = None
    debit_drain_ms: int | None = None
    time_zone: str = "UTC"
    """IANA name of the zone by which gaming days are counted."""

    day_starts_minute: int = 0
    """Minutes after midnight, there, at which the gaming day begins."""

    book: str = "KEPT"
    """KEPT, or NONE at a table where chips alone are staked: it deals without the wager service."""

    @property
    def keeps_book(self) -> bool:
        """Whether wagers are taken, so that a coup waits for its book."""
        return self.book != "NONE"

    @property
    def test(self) -> bool:
        """True where the table is in TEST mode."""
        return self.mode == "TEST"


class RulebookActivated(Event, frozen=True, kw_only=True):
    """A service has taken up a table that was opened: first event of its stream for the session.

    Every service but round publishes it for itself (004 14.14).
    """

    type = "rulebook-activated"
    session: int
    """Counts the openings of this table, from 1."""

    settings: TableSettings


class Decision(Struct, frozen=True):
    """One decision on a third card, with the rule that made it."""

    hand: str
    """PLAYER or BANKER."""

    draw: bool
    rule: str
    clause: str
    """`seed:clause` of the rule text."""


class BookTotals(Struct, frozen=True):
    """Stakes on one area in one currency, minor units; tokens at face value counted apart."""

    cash_minor: int = 0
    tokens_minor: int = 0
    wagers: int = 0


class MoneyTotals(Struct, frozen=True, omit_defaults=True):
    """The books of one coup in one currency, minor units.

    staked = returned + lost + forfeited; house = lost + forfeited - winnings (cash only).
    """

    staked_minor: int = 0
    returned_minor: int = 0
    lost_minor: int = 0
    forfeited_minor: int = 0
    winnings_minor: int = 0
    commission_exact: str = "0"
    """A whole number or a fraction such as "5/2"."""

    rounding_exact: str = "0"
    house_minor: int = 0
    tokens_spent_minor: int = 0


Totals = dict[str, MoneyTotals]
"""By currency."""
