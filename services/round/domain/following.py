"""What follows from what was heard: worked out in one place, one step at a time.

Whatever order the other services' events arrive in, each step looks at the state alone: a coup
goes from betting to the closed book, from the book to the cards, and from the cards to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from services.contracts.core import Decided, Event
from services.contracts.round import TableClosed
from services.round.domain.backfilling import as_entered
from services.round.domain.betting import requested_betting, without_wagers
from services.round.domain.coup import (
    DEALING,
    INITIAL_CARDS,
    RESULTED,
    VOID,
    Coup,
    is_complete,
    needed,
)
from services.round.domain.dealing import (
    instructed,
    next_card,
    opening_of_the_deal,
    told,
    turning,
)
from services.round.domain.device import faulted, transferred
from services.round.domain.ending import closing, spoiled_coup, voided
from services.round.domain.incidents import (
    card_before_close,
    direction,
    gap,
    without_instruction,
)
from services.round.domain.misdeals import excess, pulled_together
from services.round.domain.offers import holder_left, kept_by_dealer, shoe_moves_on
from services.round.domain.state import TableState
from services.round.domain.suspending import (
    breached,
    order_of_a_new_pack,
    released_by_new_shoe,
)
from services.round.domain.windows import after_window


def proceed(decided: Decided, at_us: int) -> Decided:
    """Everything that has fallen due after what was decided, step by step."""
    while step := _next_step(decided.state, at_us):
        decided.take(step)
    return decided


def _next_step(state: TableState, at_us: int) -> Sequence[Event]:
    if state.out_of_course:
        for of_table in _TABLE_STEPS:
            if step := of_table(state):
                return step
    coup = state.coup
    if coup is None:
        return _between_coups(state, at_us)
    if coup.phase in (RESULTED, VOID):
        return closing(state, coup)
    return _of_coup(state, coup, at_us)


_TABLE_STEPS: tuple[Callable[[TableState], Sequence[Event]], ...] = (
    breached,
    released_by_new_shoe,
    spoiled_coup,
    holder_left,
    direction,
)
"""What has to be looked at where `TableState.out_of_course`."""


def _between_coups(state: TableState, at_us: int) -> Sequence[Event]:
    if state.closing and state.open:
        return [TableClosed(session=state.session, exemption="the recording ended")]
    if step := order_of_a_new_pack(state):
        return step
    return requested_betting(state, at_us)


def _of_coup(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """What has to be looked at first comes first: ends, then holds, then the course of the deal."""
    if coup.dealt < INITIAL_CARDS and (step := excess(state, coup)):
        return step
    if coup.out_of_course:
        if step := _out_of_course(state, coup, at_us):
            return step
        if coup.hold is not None or coup.window is not None:
            return ()
    return _deal(state, coup, at_us)


def _out_of_course(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    if step := _ends(state, coup, at_us):
        return step
    for early in (card_before_close, gap):
        if step := early(state, coup, at_us):
            return step
    for noticed in (without_instruction, pulled_together):
        if step := noticed(state, coup):
            return step
    if coup.hold is not None or coup.window is not None:
        return ()
    return without_wagers(state, coup, at_us)


def _ends(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    if coup.doom:
        return [voided(state, coup, coup.doom)]
    for ending in (after_window, transferred):
        if step := ending(state, coup):
            return step
    if step := faulted(state, coup, at_us):
        return step
    if coup.exhausted and not is_complete(coup) and _lacks_a_card(coup):
        return [voided(state, coup, "INSUFFICIENT_CARDS")]
    return ()


def _lacks_a_card(coup: Coup) -> bool:
    """Whether a hand still needs a card when all that came out are placed."""
    placed = coup.dealt >= len(coup.drawn)
    return placed and needed(coup) is not None


def _deal(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    if coup.phase != DEALING:
        return opening_of_the_deal(coup)
    if coup.method != "A":
        for before in (kept_by_dealer, shoe_moves_on):
            if step := before(state, coup):
                return step
    if coup.dealt >= INITIAL_CARDS:
        for made_known in (told, turning):
            if step := made_known(state, coup):
                return step
    if coup.dealt < len(coup.drawn) and (step := next_card(state, coup, at_us)):
        return step
    if coup.backfilled:
        return as_entered(state, coup, at_us)
    return instructed(state, coup)
