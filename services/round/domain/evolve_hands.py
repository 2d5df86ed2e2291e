"""How offers and the passing of cards and shoe change what the round service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round_hands as hands
from services.contracts.core import Event
from services.round.domain.changes import with_coup, with_play
from services.round.domain.coup import BACK, KEPT, OUT, PLAYER
from services.round.domain.state import Holder, TableState


def _offered(state: TableState, event: hands.CardsOffered) -> TableState:
    return with_play(state, event.hand, offered=event.seat)


def _declined(state: TableState, event: hands.CardsDeclined) -> TableState:
    coup = state.coup
    assert coup is not None
    declined = (*coup.play(event.hand).declined, event.seat)
    return with_play(state, event.hand, offered=None, declined=declined)


def _passed(state: TableState, event: hands.HandPassed) -> TableState:
    return with_play(state, event.hand, status=OUT, offered=None, holder=event.seat)


def _returned(state: TableState, event: hands.HandReturned) -> TableState:
    coup = state.coup
    assert coup is not None
    cards = coup.player_cards if event.hand == PLAYER else coup.banker_cards
    return with_play(state, event.hand, status=BACK, returned=len(cards))


def _shoe_play(state: TableState, **changes: Any) -> TableState:
    coup = state.coup
    if coup is None:
        return state
    return with_coup(state, shoe_play=replace(coup.shoe_play, **changes))


def _shoe_declined(state: TableState, event: hands.ShoeDeclined) -> TableState:
    coup = state.coup
    assert coup is not None
    return _shoe_play(state, offered=None, declined=(*coup.shoe_play.declined, event.seat))


def _shoe_accepted(state: TableState, event: hands.ShoeAccepted) -> TableState:
    state = _shoe_play(state, offered=None, seat=event.seat, hand=event.hand)
    holder = Holder(event.seat, event.player, event.hand)
    return replace(state, holder=holder, offers_after=None)


def _shoe_passed(state: TableState, event: hands.ShoePassed) -> TableState:
    state = _shoe_play(state, offered=None, seat=None, hand="", declined=())
    return replace(state, holder=None, offers_after=event.seat)


def _marker(state: TableState, event: hands.HandMarkerPlaced) -> TableState:
    """In methods C and D the marker says who acts in this coup."""
    coup = state.coup
    if coup is None or coup.method not in ("C", "D"):
        return state
    return _shoe_play(state, seat=event.seat, hand=event.hand)


def _shoe_forfeited(state: TableState, event: hands.ShoeForfeited) -> TableState:
    del event
    return replace(state, holder=None)


EVOLVE_HANDS: dict[type[Event], Callable[[TableState, Any], TableState]] = {
    hands.CardsOffered: _offered,
    hands.CardsDeclined: _declined,
    hands.HandPassed: _passed,
    hands.HandReturned: _returned,
    hands.HandRetainedByDealer: lambda state, event: with_play(
        state, event.hand, status=KEPT, offered=None
    ),
    hands.HandMarkerPlaced: _marker,
    hands.ShoeOffered: lambda state, event: _shoe_play(state, offered=event.seat),
    hands.ShoeDeclined: _shoe_declined,
    hands.ShoeAccepted: _shoe_accepted,
    hands.ShoePassed: _shoe_passed,
    hands.ShoeForfeited: _shoe_forfeited,
}
