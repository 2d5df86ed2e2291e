"""Cards that no hand needs, and cards that were seen too early (Procedure 6)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import CardCarriedOver, CardExposedEarly, CardFoundExposed
from services.shoe.commands import ExposeNext
from services.shoe.domain.reading import identity_of
from services.shoe.domain.state import (
    CLOSED,
    DEALING,
    ERROR_BURN,
    NEXT_BURN,
    NEXT_COUP,
    Cards,
    Shoe,
    ShoeState,
    clauses_for,
    rules_of,
    usable_shoe,
)


def expose_next(command: ExposeNext, state: ShoeState, _: Cards) -> Sequence[Event]:
    """The next card was seen, or lies face up in the shoe (004 12.5, 12.7)."""
    require_role(command, "DEALER", what="reporting a card that was seen")
    shoe = usable_shoe(state)
    if shoe.left < 1:
        raise Refused("STATE", "there is no card left that could have been seen")
    course = state.course
    number = shoe.drawn + 1
    events: list[Event] = []
    if command.person:
        events.append(
            CardExposedEarly(
                shoe_id=shoe.shoe_id,
                draw_number=number,
                person=command.person,
                clauses=clauses_for(state, "exposed_face"),
            )
        )
    events.append(
        CardFoundExposed(
            shoe_id=shoe.shoe_id,
            draw_number=number,
            during_coup=course.phase in (CLOSED, DEALING) and bool(course.numbers),
            coup_id=course.coup_id,
            clauses=clauses_for(state, "exposed_card"),
        )
    )
    return events


def kept_cards(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Put the first card that no hand needs where the rulebook wants it."""
    shoe, course = state.shoe, state.course
    if shoe is None or shoe.ended or not course.extra:
        return ()
    number = course.extra[0]
    seen = number not in course.down
    return [
        CardCarriedOver(
            shoe_id=shoe.shoe_id,
            coup_id=course.coup_id,
            draw_number=number,
            card=identity_of(state, cards, number) if seen else None,
            to=_to(shoe, state),
            seen=seen,
            clauses=clauses_for(state, "extra_card"),
        )
    ]


def _to(shoe: Shoe, state: ShoeState) -> str:
    policy = rules_of(state).extra_card
    if policy == "BURN3":
        return ERROR_BURN
    if policy == "NEXT_BURN":
        waiting = sum(card.to == NEXT_BURN for card in shoe.carried)
        return NEXT_BURN if waiting < 1 else NEXT_COUP
    return NEXT_COUP
