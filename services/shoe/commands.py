"""Commands of the shoe service."""

from __future__ import annotations

from typing import Annotated

from services.contracts.common import Card, TableSettings
from services.contracts.core import Command
from services.contracts.guards import Hand, OneOf


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
    incomplete: tuple[str, ...] = ()
    """Ids of decks that lack a card."""


class ShuffleCards(Command, frozen=True, kw_only=True):
    """Record a shuffle: MANUAL, RIFFLE, PRE_SHUFFLED, MULTISHUFFLER, DEVICE or RNG.

    PRE_SHUFFLED brings in the pack that lies under `seal_id`.
    """

    procedure: Annotated[
        str, OneOf(("MANUAL", "RIFFLE", "PRE_SHUFFLED", "MULTISHUFFLER", "DEVICE", "RNG"))
    ]
    device_id: str = ""
    seal_id: str = ""


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
    source: Annotated[str, OneOf(("SCANNED", "GENERATED", "PRESET"))]
    order_id: str = ""
    """Under which the order of a preset or generated shoe is sealed."""

    decks: int | None = None
    partial: bool = False
    """A preset order that covers only the front of the shoe."""

    cuts_after: int | None = None
    """Where a recorded shoe's cutting card showed; not held against the rulebook's depth."""

    device: bool = False
    """A shuffling device stands for the shoe (004 4.11)."""

    stands_for_preparation: bool = False
    """Stands for the inspection, shuffle, cut and marker that were not recorded (TEST only)."""


class BurnCards(Command, frozen=True, kw_only=True):
    """Burn cards: an obligation that is owed, or at discretion."""

    reason: Annotated[
        str, OneOf(("NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE", "GAME_ERROR", "DISCRETION"))
    ]
    count: int | None = None
    first_card: Card | None = None
    """The first card as the electronic shoe read it, where the platform does not know it."""

    cards: tuple[Card, ...] = ()
    """All of them as the electronic shoe read them; nobody is told."""


class DrawCard(Command, frozen=True, kw_only=True):
    """A card came out of the shoe, or shall come out of a generated one.

    By the dealer, or in methods C and D by the player who holds the shoe.
    """

    count: int = 1
    """Cards pulled in one movement."""

    card: Card | None = None
    """Identity as scanned; none where the platform knows the order."""

    cards: tuple[Card, ...] = ()
    """Identities of cards pulled together, in the order in which they were read."""

    layers: tuple[int, ...] = ()
    """The place of each of them in the pull, 1 for the upper; empty where they are in that order."""

    to: Hand | None = None
    face_up: bool = True
    """False: laid face down. Otherwise as the dealing method has it."""

    face: Annotated[str, OneOf(("UP", "DOWN"))] | None = None
    """UP or DOWN, whatever the dealing method."""

    source: Annotated[str, OneOf(("SCANNER", "MANUAL"))] = "SCANNER"
    device_id: str = ""
    sequence: int | None = None
    """Number of the device's report."""

    unread: bool = False
    """The device could not read the card: two persons enter it."""


class EnterCard(Command, frozen=True, kw_only=True):
    """Tell a card that was not read; takes a second person (000 1.2.2)."""

    draw_number: int
    card: Card


class ExposeNext(Command, frozen=True, kw_only=True):
    """The next card of the shoe was seen, or lies face up in it (004 12.5, 12.7)."""

    person: str = ""
    """Who let it be seen, where that is known (000 4.2)."""


class ApproveErrorBurn(Command, frozen=True, kw_only=True):
    """Agree that cards are burned for a game error (000 3.4)."""

    coup: int | None = None
    """The coup with the error, where it is told; another one than the last is refused."""


class EndShoe(Command, frozen=True, kw_only=True):
    """End the shoe before its cutting card does, between coups (000 3.2.3)."""

    reason: str = ""


class ReportFault(Command, frozen=True, kw_only=True):
    """The shuffling device failed; what follows is worked out from the answers (004 13.1)."""

    disadvantage: bool
    spare: bool
    transferable: bool
    damaged: tuple[Card, ...] = ()
    new_deck_id: str = ""
    """The deck that replaces damaged cards."""


class ResumeCoup(Command, frozen=True, kw_only=True):
    """The undealt cards lie in another device, or shuffled and cut in a shoe: go on.

    A new order of theirs is sealed beside the log, as that of a loaded shoe.
    """

    new_order: bool = False
    order_id: str = ""


class RegisterShoeDevice(Command, frozen=True, kw_only=True):
    """An electronic shoe belongs to this table, also in place of one that failed in mid-shoe."""

    device_id: str
    certificate: str = ""
    replaces: str = ""
    reason: str = ""
    """Why it takes the place of that one."""


class RegisterShuffleDevice(Command, frozen=True, kw_only=True):
    """A shuffling machine belongs to this table: MULTISHUFFLER or SHUFFLING_DEVICE."""

    device_id: str
    kind: Annotated[str, OneOf(("MULTISHUFFLER", "SHUFFLING_DEVICE"))]
    approval: str


class AssembleShoe(Command, frozen=True, kw_only=True):
    """Lay the decks of the next shoe out (000 1.3.1, 004 3.1)."""

    decks: int | None = None
    deck_ids: tuple[str, ...] = ()
    back_colour: str = ""


class RejectDeck(Command, frozen=True, kw_only=True):
    """Take a deck out for good, because of a defect (000 3.1.3)."""

    deck_id: str
    defect: str


class ReplaceCards(Command, frozen=True, kw_only=True):
    """Bring in other cards between shoes or coups: DEFECT, UNFIT or NEW_CARDS (004 3.8, 3.10)."""

    reason: Annotated[str, OneOf(("DEFECT", "UNFIT", "NEW_CARDS"))]
    new_deck_ids: tuple[str, ...] = ()


class RemoveCards(Command, frozen=True, kw_only=True):
    """The cards leave the table (000 3.1.4)."""

    deck_ids: tuple[str, ...] = ()


class SealPack(Command, frozen=True, kw_only=True):
    """Put shuffled cards away under a seal (004 3.5)."""

    seal_id: str
    place: str
    deck_ids: tuple[str, ...] = ()


class CollectCards(Command, frozen=True, kw_only=True):
    """Pick the cards of the last coup up, in one direction (000 3.7)."""

    direction: Annotated[str, OneOf(("LEFT_TO_RIGHT", "RIGHT_TO_LEFT"))]
    draw_numbers: tuple[int, ...] = ()
    """In the order in which they were picked up; as they were drawn where it is left out."""


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard: draws, burns, the end of the shoe."""
