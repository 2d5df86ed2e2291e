"""Proof that a shoe was dealt as it was fixed before the first wager, from published events alone (D8).

A generated shoe's order is bound by a digest that is published before, and revealed at its end. The
proof is the published events of that shoe, one a line; whoever holds them needs nothing else of Sabot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.rules.cards import FULL_DECK
from services.rules.shuffling import verify_commitment

COMMITTED: Final = "shoe-committed"
REVEALED: Final = "shoe-revealed"


class Malformed(Exception):
    """A line of a proof is none; the text says which, and why."""


class Published(Struct, frozen=True):
    """One event of a shoe, as it was published."""

    type: str
    table_id: str
    event_id: str
    data: dict[str, Any]

    @property
    def shoe_id(self) -> str:
        """The shoe that it is about."""
        return str(self.data.get("shoe_id", ""))


class Checked(Struct, frozen=True):
    """What a proof shows."""

    table_id: str
    shoe_id: str
    number: int
    """The commitment's number at its table: they have no gaps, so none can be held back."""

    commitment: str
    cards: int
    decks: int
    compared: int
    """Cards that were dealt or turned up, each held against the revealed order."""

    faults: tuple[str, ...]


def read(lines: Iterable[bytes], name: str) -> list[Published]:
    """Read a proof. Raises `Malformed` with `NAME:LINE`."""
    events = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(msgspec.json.decode(line, type=Published))
        except msgspec.DecodeError as error:
            raise Malformed(f"{name}:{number}: no published event: {error}") from None
    if len({(event.table_id, event.shoe_id) for event in events}) > 1:
        raise Malformed(f"{name}:1: events of more than one shoe")
    return events


def check(events: Sequence[Published]) -> Checked:
    """Hold commitment, revelation and cards against each other. Finds faults, raises nothing."""
    faults: list[str] = []
    committed = _only(events, COMMITTED, faults)
    revealed = _only(events, REVEALED, faults)
    order = _cards(revealed.get("order"))
    commitment = str(committed.get("commitment", ""))
    if committed and revealed:
        if committed.get("number") != revealed.get("number"):
            faults.append("the revealed order is of another commitment")
        if not verify_commitment(commitment, _secret(revealed), order):
            faults.append("the order is not the one that was committed to")
    faults += _not_a_shoe(order) if revealed else ()
    dealt = [shown for event in events for shown in _shown(event.data)]
    for number, card in dealt:
        stands = order[number - 1] if 0 < number <= len(order) else "no card"
        if revealed and card != stands:
            faults.append(f"draw {number} was {card}, the order has {stands} there")
    first = events[0] if events else None
    return Checked(
        table_id=first.table_id if first else "",
        shoe_id=first.shoe_id if first else "",
        number=_number(committed.get("number")),
        commitment=commitment,
        cards=len(order),
        decks=len(order) // len(FULL_DECK),
        compared=len(dealt),
        faults=tuple(faults),
    )


def _only(events: Sequence[Published], kind: str, faults: list[str]) -> dict[str, Any]:
    found = [event.data for event in events if event.type == kind]
    if len(found) == 1:
        return found[0]
    faults.append(f"{len(found)} events {kind} instead of one")
    return {}


def _cards(told: Any) -> tuple[str, ...]:
    """The order as cards; what is no card of a deck could not have been committed to."""
    known = frozenset(FULL_DECK)
    return tuple(card if card in known else "??" for card in map(str, told or ()))


def _number(told: Any) -> int:
    return told if isinstance(told, int) else 0


def _secret(revealed: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(str(revealed.get("secret", "")))
    except ValueError:
        return b""


def _not_a_shoe(order: Sequence[str]) -> Sequence[str]:
    """Every card as often as there are decks, or whoever made the order chose its cards."""
    copies = Counter(order)
    decks, left = divmod(len(order), len(FULL_DECK))
    if left or not decks or any(copies[card] != decks for card in FULL_DECK):
        return (f"the order's {len(order)} cards are not those of whole decks",)
    return ()


def _shown(data: dict[str, Any]) -> list[tuple[int, str]]:
    """Draw number and card of what an event shows: a drawn card, or the first of a burn."""
    pairs = (("draw_number", "card"), ("first_draw_number", "first_card"))
    return [
        (data[number], str(data[card]))
        for number, card in pairs
        if isinstance(data.get(number), int) and data.get(card) is not None
    ]
