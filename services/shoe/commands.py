"""Commands of the shoe service."""

from __future__ import annotations

from services.contracts.common import Card, TableSettings
from services.contracts.core import Command


class ActivateRulebook(Command, frozen=True, kw_only=True):
    """Take up a table that round opened."""

    session: int
    settings: TableSettings


class InspectCards(Command, frozen=True, kw_only=True):
    """Record that the cards were looked at (000 3.1, 004 3.4)."""

    witness: str
    video: str
    stage: str = "PRE"
    defects: tuple[Card, ...] = ()


class ShuffleCards(Command, frozen=True, kw_only=True):
    """Record a shuffle: MANUAL, RIFFLE, PRE_SHUFFLED, MULTISHUFFLER, DEVICE or RNG."""

    procedure: str


class RequestRiffle(Command, frozen=True, kw_only=True):
    """Ask that pre-shuffled cards be riffled before the cut (004 4.2)."""

    player: str


class OfferCut(Command, frozen=True, kw_only=True):
    """Offer the cut to a seat (004 4.3)."""

    seat: int


class DeclineCut(Command, frozen=True, kw_only=True):
    """The seat does not want to cut (004 4.4)."""

    seat: int


class CutCards(Command, frozen=True, kw_only=True):
    """Cut: so many cards in front of the cutting card (000 3.3, 004 4.5)."""

    position: int
    seat: int | None = None


class PlaceCutCard(Command, frozen=True, kw_only=True):
    """Put the cutting card in, so many cards from the back (000 3.3.5, 004 4.6)."""

    from_back: int


class LoadShoe(Command, frozen=True, kw_only=True):
    """Put a shoe on the table.

    `source` is SCANNED, GENERATED or PRESET; the order of a preset or generated shoe is sealed
    beside the log and never part of a command.
    """

    shoe_id: str
    source: str
    order_id: str = ""
    """Under which the order of a preset or generated shoe is sealed."""

    decks: int | None = None
    partial: bool = False
    """A preset order that covers only the front of the shoe."""

    cuts_after: int | None = None
    """Where a recorded shoe's cutting card showed; not held against the rulebook's depth."""

    stands_for_preparation: bool = False
    """Stands for the inspection, shuffle, cut and marker that were not recorded (TEST only)."""


class BurnCards(Command, frozen=True, kw_only=True):
    """Burn cards: an obligation that is owed, or at discretion."""

    reason: str
    count: int | None = None
    first_card: Card | None = None
    """The first card as the electronic shoe read it, where the platform does not know it."""


class DrawCard(Command, frozen=True, kw_only=True):
    """A card came out of the shoe, or shall come out of a generated one."""

    card: Card | None = None
    """Identity as scanned; none where the platform knows the order."""

    to: str | None = None
    face_up: bool = True
    source: str = "SCANNER"


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard: draws, burns, the end of the shoe."""
