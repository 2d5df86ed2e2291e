"""Cards as an electronic shoe or two persons tell them, and the count of each (N-5, N-6)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role, require_second
from services.contracts.shoe import CardIdentified, CardRevealed, ShoeIntegrityBreached
from services.shoe.commands import DrawCard, EnterCard
from services.shoe.domain.ending import behind
from services.shoe.domain.state import (
    Cards,
    Shoe,
    ShoeState,
    card_at,
    clauses_for,
    rules_of,
    usable_shoe,
)


def identified(shoe: Shoe, draw_number: int, card: Card) -> CardIdentified:
    """The identity of a card that is not public."""
    return CardIdentified(shoe_id=shoe.shoe_id, draw_number=draw_number, card=card)


def breach_by(
    state: ShoeState, cards: Cards, draw_number: int, card: Card
) -> ShoeIntegrityBreached | None:
    """The breach, where this card is one more than the decks hold (000 1.3.1, 004 3.1).

    A shuffling device gets its cards back: there only what lies on the table counts.
    """
    shoe = usable_shoe(state)
    first = shoe.returned + 1 if shoe.device else 1
    last = shoe.order_from + cards.known()
    if shoe.device:
        last = min(last, shoe.drawn)
    ordered = sum(card_at(shoe, cards, number) == card for number in range(first, last + 1))
    copies = ordered + shoe.read.get(card, 0) + 1
    if copies <= shoe.decks:
        return None
    return ShoeIntegrityBreached(
        shoe_id=shoe.shoe_id,
        coup_id=state.course.coup_id,
        draw_number=draw_number,
        card=card,
        copies=copies,
        clauses=clauses_for(state, "integrity"),
    )


def is_repeat(command: DrawCard, state: ShoeState) -> bool:
    """Whether the device has sent this report before."""
    if command.sequence is None:
        return False
    return command.sequence <= state.custody.sequences.get(command.device_id, 0)


def missing_before(command: DrawCard, state: ShoeState) -> int:
    """How many reports of the device are missing before this one."""
    last = state.custody.sequences.get(command.device_id)
    if command.sequence is None or last is None:
        return 0
    return max(0, command.sequence - last - 1)


def enter(command: EnterCard, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Two different persons tell a card that the electronic shoe did not read (000 1.2.2)."""
    require_role(command, "DEALER", what="entering a card by hand")
    if rules_of(state).manual_entry_persons > 1:
        require_second(command, what="entering a card by hand")
    shoe = usable_shoe(state)
    number = command.draw_number
    if number not in state.course.unread:
        raise Refused("STATE", f"card {number} does not wait for an entry")
    if breach := breach_by(state, cards, number, command.card):
        return behind(state, [breach], cards, "INTEGRITY")
    return [
        identified(shoe, number, command.card),
        CardRevealed(
            shoe_id=shoe.shoe_id,
            coup_id=state.course.coup_id,
            draw_number=number,
            card=command.card,
            source="MANUAL",
        ),
    ]


def identity_of(state: ShoeState, cards: Cards, draw_number: int) -> Card | None:
    """The identity of a card that lies face down."""
    shoe = state.shoe
    assert shoe is not None
    kept = next((c.card for c in shoe.carried if c.draw_number == draw_number), None)
    return kept or state.course.read.get(draw_number) or card_at(shoe, cards, draw_number)
