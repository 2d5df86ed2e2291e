"""Faults of the shuffling device, in all branches of procedure 9 (004 13)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardIdentified,
    CardsRemoved,
    CardsReplaced,
    CardsTransferred,
    ShufflerFaulted,
)
from services.shoe.commands import ReportFault, ResumeCoup
from services.shoe.domain.ending import behind
from services.shoe.domain.reading import identity_of
from services.shoe.domain.state import (
    CLOSED,
    DEALING,
    OUTSIDE,
    TERMINATE,
    TRANSFER,
    WINDOW,
    Cards,
    Shoe,
    ShoeState,
    clauses_for,
    usable_shoe,
)

MOVED = "DAMAGED"


def branch_of(*, card_dealt: bool, disadvantage: bool, spare: bool, transferable: bool) -> str:
    """What follows from the answers, for a device that is in use; harm comes first (X-29)."""
    if not card_dealt:
        return OUTSIDE
    if disadvantage:
        return TERMINATE
    return TRANSFER if spare and transferable else WINDOW


def report_fault(command: ReportFault, state: ShoeState, cards: Cards) -> Sequence[Event]:
    require_role(command, "GAME_SUPERVISOR", what="reporting a fault of the shuffling device")
    shoe = usable_shoe(state)
    if not shoe.device:
        raise Refused(
            "STATE", "no shuffling device is in use", clauses_for(state, "shuffler_fault")
        )
    if shoe.fault:
        raise Refused("STATE", "the fault of the device is reported already")
    course = state.course
    dealt = course.phase in (CLOSED, DEALING) and bool(course.numbers)
    branch = branch_of(
        card_dealt=dealt,
        disadvantage=command.disadvantage,
        spare=command.spare,
        transferable=command.transferable,
    )
    events: list[Event] = [
        ShufflerFaulted(
            shoe_id=shoe.shoe_id,
            coup_id=course.coup_id,
            branch=branch,
            card_dealt=dealt,
            disadvantage=command.disadvantage,
            spare=command.spare,
            transferable=command.transferable,
            damaged=command.damaged,
            clauses=clauses_for(state, _RULES[branch]),
        )
    ]
    if branch in (OUTSIDE, TERMINATE):
        return behind(state, events, cards, "DEVICE_FAULT")
    return [*events, *_replaced(command, state, shoe)]


_RULES = {
    OUTSIDE: "shuffler_fault",
    TERMINATE: "terminate",
    TRANSFER: "device_transfer",
    WINDOW: "device_withdrawal",
}


def _replaced(command: ReportFault, state: ShoeState, shoe: Shoe) -> Sequence[Event]:
    """Damaged cards leave play, and others of a new deck take their place (004 13.3, 13.5.2)."""
    if not command.damaged:
        return ()
    clauses = clauses_for(state, "device_replacement")
    return [
        CardsRemoved(shoe_id=shoe.shoe_id, cards=command.damaged, clauses=clauses),
        CardsReplaced(
            reason=MOVED,
            cards=command.damaged,
            new_deck_ids=(command.new_deck_id,) if command.new_deck_id else (),
            clauses=clauses,
        ),
    ]


def resume(command: ResumeCoup, state: ShoeState, cards: Cards, before: Cards) -> Sequence[Event]:
    """The cards lie in another device, or shuffled and cut in a shoe: the coup goes on.

    `cards` is the order from here on, `before` the one up to here.
    """
    require_role(command, "GAME_SUPERVISOR", what="resuming a coup")
    shoe = usable_shoe(state)
    course, done = state.course, state.preparation
    if shoe.fault not in (TRANSFER, WINDOW) or course.phase not in (CLOSED, DEALING):
        raise Refused("STATE", "no coup waits for a failed device")
    if course.window:
        raise Refused("STATE", "players may still take their wagers off")
    if shoe.fault == WINDOW and not (done.shuffled and done.cut is not None and done.from_back):
        raise Refused(
            "STATE",
            "the cards are shuffled and cut as for a new shoe first",
            clauses_for(state, "device_shoe"),
        )
    if command.new_order and (card := cards.overfull(shoe.decks)) is not None:
        raise Refused("INTEGRITY", f"there are too many copies of {card}")
    to_shoe = shoe.fault == WINDOW
    cuts_after = shoe.drawn + shoe.left - (done.from_back or 0) if to_shoe else None
    return [
        *_remembered(state, shoe, before if command.new_order else cards),
        CardsTransferred(
            shoe_id=shoe.shoe_id,
            coup_id=course.coup_id,
            to="SHOE" if to_shoe else "DEVICE",
            count=shoe.left,
            cuts_after=cuts_after,
            new_order=command.new_order,
            order_id=command.order_id,
            clauses=clauses_for(state, "device_shoe" if to_shoe else "device_transfer"),
        ),
    ]


def _remembered(state: ShoeState, shoe: Shoe, before: Cards) -> Sequence[Event]:
    """Cards of the coup that lie face down keep their identity when the order changes."""
    events: list[Event] = []
    for number in sorted(state.course.down):
        card = identity_of(state, before, number)
        if card is not None and number not in state.course.read:
            events.append(CardIdentified(shoe_id=shoe.shoe_id, draw_number=number, card=card))
    return events
