"""How events of shoe, wager and settlement change what the round service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event, Heard
from services.round.domain.changes import amended, placed, with_coup, with_shoe
from services.round.domain.coup import (
    BETTING,
    CLOSED,
    RESULTED,
    VOID,
    BookView,
    Drawn,
    PlayerStakes,
)
from services.round.domain.state import (
    NEW_SHOE,
    Kept,
    Reports,
    ShoeView,
    TableState,
    past_coup,
    rules_of,
)
from services.rules.cards import NEIGHBOUR_WINDOW_CARDS

_GONE = ("VOID", "TERMINATED")
"""Reasons of a book's last revision, after a coup without a result."""


# --- the shoe ---


def _loaded(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeLoaded = heard.event  # type: ignore[assignment]
    sealed = event.source != "SCANNED"
    shoe = ShoeView(
        shoe_id=event.shoe_id,
        cards=event.cards,
        loaded_at_us=heard.meta.occurred_at_us,
        device=event.device,
        sealed=sealed,
        owed=(NEW_SHOE,),
    )
    return replace(state, shoe=shoe, inspected_after=False, reports=reports_behind(state))


def reports_behind(state: TableState) -> dict[str, Reports]:
    """The counts of reports once the shoe on the table is gone, the cards since then counted on."""
    out = state.shoe.drawn if state.shoe is not None else 0
    return {name: replace(each, drawn=each.drawn - out) for name, each in state.reports.items()}


def _registered(state: TableState, heard: Heard) -> TableState:
    """An electronic shoe that comes to the table, or back to it, counts from the beginning."""
    event: cards.ShoeDeviceRegistered = heard.event  # type: ignore[assignment]
    now = Reports(drawn=state.shoe.drawn if state.shoe is not None else 0)
    return replace(state, reports={**state.reports, event.device_id: now})


def _known(shoe: ShoeView, draw_number: int, card: str | None) -> ShoeView:
    """Keep the shoe's first cards, to tell a new pack's order by (N-6)."""
    if card is None or shoe.front_checked or len(shoe.front) >= NEIGHBOUR_WINDOW_CARDS:
        return shoe
    return replace(shoe, front=(*shoe.front, (draw_number, card)))


def _left(shoe: ShoeView, draw_number: int) -> ShoeView:
    """A card that had been seen is no secret of the next coup once it is drawn or burned."""
    seen = shoe.seen_next
    return replace(
        shoe,
        drawn=max(shoe.drawn, draw_number),
        seen_next=None if seen is not None and seen <= draw_number else seen,
    )


def _burned(state: TableState, heard: Heard) -> TableState:
    event: cards.CardsBurned = heard.event  # type: ignore[assignment]
    shoe = state.shoe
    if shoe is None:
        return state
    owed = list(shoe.owed)
    if event.reason in owed:
        owed.remove(event.reason)
    last = shoe.drawn + event.count - event.set_aside
    shoe = _left(_known(shoe, event.first_draw_number, event.first_card), last)
    return replace(state, shoe=replace(shoe, owed=tuple(owed)))


def _cut_card(state: TableState, heard: Heard) -> TableState:
    event: cards.CutCardReached = heard.event  # type: ignore[assignment]
    over = event.in_burn and rules_of(state).cutting_card_in_burn == "RETIRE_SHOE"
    return with_shoe(state, ended=True) if over else state


def _last_coup(state: TableState, heard: Heard) -> TableState:
    event: cards.LastCoupDesignated = heard.event  # type: ignore[assignment]
    return with_shoe(state, last_coup=event.coup)


def _drawn(state: TableState, heard: Heard) -> TableState:
    event: cards.CardDrawn = heard.event  # type: ignore[assignment]
    coup, shoe = state.coup, state.shoe
    if shoe is not None and not event.carried:
        shoe = _left(_known(shoe, event.draw_number, event.card), event.draw_number)
    elif shoe is not None:
        kept = tuple(each for each in shoe.kept if each.draw_number != event.draw_number)
        shoe = replace(shoe, kept=kept)
    if event.sequence is not None:
        heard_of = Reports(event.sequence, event.draw_number)
        state = replace(state, reports={**state.reports, event.device_id: heard_of})
    if coup is None or coup.coup_id != event.coup_id:
        return replace(state, shoe=shoe)
    if coup.no_bet and not coup.backfilled and not coup.drawn:
        begun = max(state.dealt_from_us, heard.meta.occurred_at_us)
        state = replace(state, dealt_from_us=begun)
    one = Drawn(
        event.draw_number,
        event.card,
        event.face_up,
        event.to,
        event.pulled,
        event.scanned,
        event.before_close,
        event.instructed,
        event.carried,
    )
    unread = event.card is None and event.face_up
    irregular = event.before_close or unread or not event.instructed or event.pulled > 1
    drawn = (*coup.drawn, one)
    if event.carried and coup.drawn:
        # Before a card that was out too early, and of which none is on a hand yet.
        waiting = sorted(drawn[coup.dealt :], key=lambda each: each.draw_number)
        drawn = (*drawn[: coup.dealt], *waiting)
    coup = replace(
        coup,
        drawn=drawn,
        instructed=max(0, coup.instructed - 1),
        irregular=coup.irregular or irregular,
    )
    return replace(state, shoe=shoe, coup=coup)


def _revealed(state: TableState, heard: Heard) -> TableState:
    event: cards.CardRevealed = heard.event  # type: ignore[assignment]
    number = event.draw_number
    if state.shoe is not None:
        state = replace(state, shoe=_known(state.shoe, number, event.card))
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    drawn = tuple(
        replace(one, card=event.card) if one.draw_number == number else one for one in coup.drawn
    )
    changes: dict[str, Any] = {"drawn": drawn, "turning": coup.turning - {number}}
    for at, hand, place in coup.numbers:
        if at == number:
            changes |= placed(coup, hand, place, event.card)
    return with_coup(state, **changes)


def _found_exposed(state: TableState, heard: Heard) -> TableState:
    """Seen before the coup's first card: no wagers on it; seen later: as if face down (12.7)."""
    event: cards.CardFoundExposed = heard.event  # type: ignore[assignment]
    coup = state.coup
    before_first = coup is not None and coup.phase in (BETTING, CLOSED) and not coup.drawn
    if coup is not None and before_first and not coup.no_bet:
        return with_coup(state, no_bet_due="EXPOSED_CARD")
    if before_first:
        return state
    return with_shoe(state, seen_next=event.draw_number)


def _carried(state: TableState, heard: Heard) -> TableState:
    event: cards.CardCarriedOver = heard.event  # type: ignore[assignment]
    if event.to != "NEXT_COUP" or state.shoe is None:
        return state
    kept = (*state.shoe.kept, Kept(event.draw_number, event.coup_id, event.card))
    return with_shoe(state, kept=kept, seen_kept=state.shoe.seen_kept or event.seen)


def _exhausted(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeExhausted = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return with_coup(state, exhausted=True)


def _requested(state: TableState, heard: Heard) -> TableState:
    event: cards.CardRequested = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return with_coup(state, first_card_asked=True)


def _breached(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeIntegrityBreached = heard.event  # type: ignore[assignment]
    state = with_shoe(state, breached=True)
    coup = state.coup
    runs = coup is not None and coup.phase not in (RESULTED, VOID)
    if coup is None or not runs or coup.coup_id != event.coup_id:
        return state
    return with_coup(state, doom="INTEGRITY")


def _spoiled(state: TableState, _: Heard) -> TableState:
    return with_shoe(state, ended=True, owed=(), spoiled=True)


def _faulted(state: TableState, heard: Heard) -> TableState:
    event: cards.ShufflerFaulted = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id or coup.phase in (RESULTED, VOID):
        return state
    return with_coup(state, fault=event.branch, instructed=0)


def _transferred(state: TableState, heard: Heard) -> TableState:
    event: cards.CardsTransferred = heard.event  # type: ignore[assignment]
    state = with_shoe(state, device=event.to == "DEVICE")
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return with_coup(state, transferred=event.to)


def _inspected(state: TableState, heard: Heard) -> TableState:
    event: cards.CardsInspected = heard.event  # type: ignore[assignment]
    return replace(state, inspected_after=True) if event.stage == "POST" else state


def _collected(state: TableState, heard: Heard) -> TableState:
    """One direction for each dealer and shift (000 3.7.2)."""
    event: cards.CardsCollected = heard.event  # type: ignore[assignment]
    first = state.directions.get(state.crew.dealer)
    if first is None:
        directions = {**state.directions, state.crew.dealer: event.direction}
        return replace(state, directions=directions)
    return state if first == event.direction else replace(state, turned_direction=event.direction)


# --- the book and the money ---


def _limits(state: TableState, heard: Heard) -> TableState:
    event: book.LimitsPublished = heard.event  # type: ignore[assignment]
    return replace(state, limits_version=event.limits_version)


def _book(state: TableState, heard: Heard) -> TableState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    players = tuple(
        PlayerStakes(each.player, each.stakes) for each in getattr(event, "players", ())
    )
    held = BookView(event.revision, event.wagers, event.digest, players)
    reason = getattr(event, "reason", "")
    gone = coup.phase == VOID and reason in _GONE and event.wagers == 0
    if gone and coup.book is not None:
        held = replace(held, players=coup.book.players)
    changes: dict[str, Any] = {"book": held, "settled": coup.settled or gone}
    if coup.window is not None and reason == "WITHDRAWAL":
        changes["window"] = replace(coup.window, answered=True)
    return with_coup(state, **changes)


def _settled(state: TableState, heard: Heard) -> TableState:
    event: money.CoupSettled = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is not None and coup.coup_id == event.coup_id:
        return with_coup(state, settled=True, revision=max(coup.revision, event.revision))
    past = past_coup(state, event.coup)
    if past is None or past.coup_id != event.coup_id or past.revision >= event.revision:
        return state
    return amended(state, event.coup, revision=event.revision)


EVOLVE_HEARD: dict[type[Event], Callable[[TableState, Heard], TableState]] = {
    cards.ShoeDeviceRegistered: _registered,
    cards.ShoeLoaded: _loaded,
    cards.CardsBurned: _burned,
    cards.CardDrawn: _drawn,
    cards.CardRevealed: _revealed,
    cards.CardRequested: _requested,
    cards.CardFoundExposed: _found_exposed,
    cards.CardCarriedOver: _carried,
    cards.CutCardReached: _cut_card,
    cards.LastCoupDesignated: _last_coup,
    cards.ShoeExhausted: _exhausted,
    cards.ShoeIntegrityBreached: _breached,
    cards.ShufflerFaulted: _faulted,
    cards.CardsTransferred: _transferred,
    cards.CardsInspected: _inspected,
    cards.CardsCollected: _collected,
    cards.ShoeRetired: lambda state, _: with_shoe(state, ended=True, owed=()),
    cards.ShoeInvalidated: _spoiled,
    book.LimitsPublished: _limits,
    book.BookClosed: _book,
    book.BookRevised: _book,
    money.CoupSettled: _settled,
}
