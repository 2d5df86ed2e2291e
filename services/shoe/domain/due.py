"""What has fallen due at the shoe by what was heard: worked out in one place, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from services.contracts.core import Decided, Event
from services.contracts.shoe import CardsDiscarded, DiscardsReturned
from services.shoe.domain.burning import early_cards_burned, met_by_kept_cards, met_debts
from services.shoe.domain.dealing import Pull, carried_first, drawn, entered_card, turned
from services.shoe.domain.ending import last_coup, retired
from services.shoe.domain.errors import kept_cards
from services.shoe.domain.state import (
    BETWEEN_COUPS,
    DEALER_CHANGE,
    DEALING,
    IDLE,
    RESULTED,
    SCANNED,
    Cards,
    ShoeState,
    clauses_for,
    settings_of,
)


def proceed(decided: Decided, cards: Cards) -> Decided:
    """Everything that has fallen due after what was decided, one step after the other."""
    while step := _next(decided.state, cards):
        decided.take(step)
    return decided


def _next(state: ShoeState, cards: Cards) -> Sequence[Event]:
    shoe = state.shoe
    if shoe is None:
        return ()
    if not state.open:
        return () if shoe.ended else retired(state, cards, "TABLE_CLOSED")
    course = state.course
    if course.burn_early or course.extra or course.turn or shoe.fault:
        for unusual in _OUT_OF_COURSE:
            if step := unusual(state, cards):
                return step
    for due in _BY_PHASE.get(course.phase, ()):
        if step := due(state, cards):
            return step
    return ()


def _to_rack_early(state: ShoeState, _: Cards) -> Sequence[Event]:
    return early_cards_burned(state)


def _dealt(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Cards that round or, for a generated shoe, the dealer asked for."""
    course, shoe = state.course, state.shoe
    if shoe is None or shoe.ended or shoe.fault:
        return ()
    if first := carried_first(state, cards):
        return first
    if course.entered is not None:
        return entered_card(state, course.entered, cards)
    if course.asked:
        asked = course.asked[0]
        return drawn(state, cards, Pull(pulled=asked.pulled, to=asked.to, face_up=asked.face_up))
    if shoe.source == SCANNED and not settings_of(state).test:
        return ()  # a person draws the cards, and the electronic shoe reports them
    return drawn(state, cards, Pull()) if course.instructed else ()


def _failed_device_gone(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """A device whose fault nobody stayed for deals no more (004 13.5.4)."""
    shoe, over = state.shoe, state.course.phase in (RESULTED, IDLE)
    if shoe is None or shoe.ended or not shoe.fault or not over:
        return ()
    return retired(state, cards, "DEVICE_FAULT")


def _to_rack(state: ShoeState, _: Cards) -> Sequence[Event]:
    """The cards of the coup that is over, into the rack or back into the device."""
    shoe, course = state.shoe, state.course
    if shoe is None or not course.discards:
        return ()
    discarded = CardsDiscarded(shoe_id=shoe.shoe_id, coup_id=course.coup_id, count=course.discards)
    if not shoe.device or shoe.ended:
        return [discarded]
    on_the_table = len(shoe.carried)
    back = DiscardsReturned(
        shoe_id=shoe.shoe_id,
        count=shoe.drawn - shoe.returned - on_the_table,
        clauses=clauses_for(state, "device"),
    )
    return [discarded, back]


def _end(state: ShoeState, cards: Cards) -> Sequence[Event]:
    shoe, course = state.shoe, state.course
    if shoe is None or shoe.ended:
        return ()
    if shoe.last_coup is None or course.coup < shoe.last_coup:
        return ()
    if course.uncounted:
        # It never started, so the shoe has one coup more to give.
        return [last_coup(state, shoe, course.coup + 1)]
    return retired(state, cards, "LAST_COUP")


def _burns(state: ShoeState, cards: Cards) -> Sequence[Event]:
    if met := met_by_kept_cards(state, cards):
        return met
    asked = state.course.betting_requested
    due = (DEALER_CHANGE, BETWEEN_COUPS) if asked else (DEALER_CHANGE,)
    return met_debts(state, cards, reasons=due)


_Step = Callable[[ShoeState, Cards], Sequence[Event]]

_OUT_OF_COURSE: tuple[_Step, ...] = (_to_rack_early, kept_cards, turned, _failed_device_gone)
"""What has to be looked at where a card or a device is not as it should be, or a card is turned."""

_BY_PHASE: dict[str, tuple[_Step, ...]] = {DEALING: (_dealt,), IDLE: (_to_rack, _end, _burns)}
"""The usual course; in other phases nothing of it falls due."""
