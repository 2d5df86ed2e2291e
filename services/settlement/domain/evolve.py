"""How events change what the settlement service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import asdict, replace

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.round_table import VariantChanged
from services.contracts.settlement import (
    CoupReviewClosed,
    CoupReviewOpened,
    CoupSettled,
    CreditDelivered,
    CreditOutstanding,
    CreditRepeated,
    DisputeClosed,
    DisputeDecided,
    DisputeOpened,
    DisputeReviewed,
    InspectorAdvised,
    ReversalCollected,
    ReversalOutstanding,
    ReversalRepeated,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
    WagerSettled,
)
from services.settlement.domain.state import (
    EMPTY_BOOK,
    FORFEITED,
    SETTLED_COUPS_MAX,
    SETTLED_WAGERS_MAX,
    VOID,
    BookView,
    Coup,
    Dispute,
    End,
    Outstanding,
    Paid,
    SettledCoup,
    SettledWager,
    SettlementState,
    Staked,
    packed,
    place_of,
)


def evolve(state: SettlementState, event: Event | Heard) -> SettlementState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: SettlementState, event: RulebookActivated) -> SettlementState:
    """A new session begins; what is still owed or disputed is carried over.

    So is what the book told of the session's coups already: topics arrive in any order. A case that
    was left to the inspector stays, since he may ask for its evidence later.
    """
    coups = {key: coup for key, coup in state.coups.items() if place_of(key)[0] == event.session}
    return SettlementState(
        session=event.session,
        settings=event.settings,
        games={event.settings.rulebook_hash: event.settings},
        coups=coups,
        closed=state.closed,
        disputes={
            key: held
            for key, held in state.disputes.items()
            if held.status != "CLOSED" or held.advised
        },
        debits=state.debits,
        credits=state.credits,
    )


def _with_coup(state: SettlementState, coup_id: str, **changes: Any) -> SettlementState:
    coup = state.coups.get(coup_id)
    if coup is None:
        return state
    return replace(state, coups={**state.coups, coup_id: replace(coup, **changes)})


def _without_coup(state: SettlementState, coup_id: str) -> SettlementState:
    return replace(state, coups={key: coup for key, coup in state.coups.items() if key != coup_id})


# --- decisions on wagers ---


_Decided = WagerSettled | WagerResettled | WagerRefunded | WagerForfeited


def _decided(state: SettlementState, event: _Decided) -> SettlementState:
    staked = Staked(
        event.wager_id,
        event.player,
        event.area,
        event.currency,
        event.stake_minor,
        event.funding,
        event.token,
        event.context,
    )
    wager = SettledWager(staked, _paid(event))
    settled = state.settled.get(event.coup_id)
    if settled is not None:
        changed = replace(settled, anew={**settled.anew, event.wager_id: wager})
        return replace(state, settled={**state.settled, event.coup_id: changed})
    coup = state.coups.get(event.coup_id)
    if coup is None:
        return state
    return _with_coup(state, event.coup_id, paid={**coup.paid, event.wager_id: wager})


def _paid(event: _Decided) -> Paid:
    if isinstance(event, WagerForfeited):
        return Paid(event.settlement_id, FORFEITED)
    if isinstance(event, WagerRefunded):
        return Paid(event.settlement_id, event.outcome, event.returned_minor)
    return Paid(
        event.settlement_id,
        event.outcome,
        event.returned_minor,
        event.winnings_minor,
        event.commission_exact,
        event.rounding_exact,
    )


def _debited(state: SettlementState, event: _Decided) -> SettlementState:
    """A decision of a correction: what it takes from the account is owed until it is made."""
    state = _decided(state, event)
    due = 0 if type(event) is WagerSettled else event.due_minor  # type: ignore[union-attr]
    if due >= 0:
        return state
    owed = Outstanding(
        event.coup_id,
        event.wager_id,
        event.player,
        event.currency,
        -due,
        attempts=0,
        context=event.context,
    )
    return replace(state, debits={**state.debits, event.settlement_id: owed})


def _coup_settled(state: SettlementState, event: CoupSettled) -> SettlementState:
    known = state.settled.get(event.coup_id)
    coup = state.coups.get(event.coup_id)
    if known is not None:
        changed = replace(
            known,
            status=event.status,
            revision=event.revision,
            decided=packed(known.wagers.values()),
            anew={},
        )
        return replace(state, settled={**state.settled, event.coup_id: changed})
    if coup is None or state.settings is None:
        return state
    settled = SettledCoup(
        coup_id=event.coup_id,
        coup=event.coup,
        status=event.status,
        revision=event.revision,
        book=coup.book or EMPTY_BOOK,
        rulebook_hash=state.settings.rulebook_hash,
        shoe_id=coup.shoe_id,
        decided=packed(coup.paid.values()),
    )
    if coup.closed:
        state = _without_coup(state, event.coup_id)
    else:
        state = _with_coup(state, event.coup_id, settled=True, wagers={}, paid={})
    return _bounded(
        replace(
            state,
            settled={**state.settled, event.coup_id: settled},
            settled_wagers=state.settled_wagers + len(coup.paid),
        )
    )


def _bounded(state: SettlementState) -> SettlementState:
    """Without the oldest settled coups, where there are too many."""
    if len(state.settled) <= SETTLED_COUPS_MAX and state.settled_wagers <= SETTLED_WAGERS_MAX:
        return state
    kept, wagers = dict(state.settled), state.settled_wagers
    while len(kept) > 1 and (len(kept) > SETTLED_COUPS_MAX or wagers > SETTLED_WAGERS_MAX):
        wagers -= len(kept.pop(next(iter(kept))).wagers)
    return replace(state, settled=kept, settled_wagers=wagers)


def _outstanding(state: SettlementState, event: ReversalOutstanding) -> SettlementState:
    owed = state.debits.get(event.movement_id)
    if owed is None:
        return state
    tried = replace(owed, attempts=event.attempts, reason=event.reason, under_way=False)
    return replace(state, debits={**state.debits, event.movement_id: tried})


def _asked_again(state: SettlementState, event: ReversalRepeated) -> SettlementState:
    owed = state.debits.get(event.movement_id)
    if owed is None:
        return state
    return replace(state, debits={**state.debits, event.movement_id: replace(owed, under_way=True)})


def _collected(state: SettlementState, event: ReversalCollected) -> SettlementState:
    left = {key: owed for key, owed in state.debits.items() if key != event.movement_id}
    return replace(state, debits=left)


def _credit_refused(state: SettlementState, event: CreditOutstanding) -> SettlementState:
    owed = Outstanding(
        event.coup_id,
        event.wager_id,
        event.player,
        event.currency,
        event.amount_minor,
        event.attempts,
        event.reason,
        context=event.context,
        wagers=event.wagers,
    )
    return replace(state, credits={**state.credits, event.movement_id: owed})


def _credit_repeated(state: SettlementState, event: CreditRepeated) -> SettlementState:
    owed = replace(state.credits[event.movement_id], under_way=True)
    return replace(state, credits={**state.credits, event.movement_id: owed})


def _credit_delivered(state: SettlementState, event: CreditDelivered) -> SettlementState:
    left = {key: owed for key, owed in state.credits.items() if key != event.movement_id}
    return replace(state, credits=left)


# --- disputes ---


def _dispute_opened(state: SettlementState, event: DisputeOpened) -> SettlementState:
    opened = Dispute(event.coup_id, "OPEN")
    return replace(state, disputes={**state.disputes, event.dispute_id: opened})


def _dispute(state: SettlementState, dispute_id: str, **changes: Any) -> SettlementState:
    held = state.disputes.get(dispute_id)
    if held is None:
        return state
    return replace(state, disputes={**state.disputes, dispute_id: replace(held, **changes)})


def _dispute_decided(
    state: SettlementState, event: DisputeDecided | DisputeReviewed
) -> SettlementState:
    held = state.disputes.get(event.dispute_id)
    deciders = (*(held.deciders if held else ()), event.decided_by)
    return _dispute(
        state, event.dispute_id, status=event.status, level=event.level, deciders=deciders
    )


_EVOLVE: dict[type[Event], Callable[[SettlementState, Any], SettlementState]] = {
    RulebookActivated: _activated,
    WagerSettled: _decided,
    WagerResettled: _debited,
    WagerRefunded: _debited,
    WagerForfeited: _debited,
    CoupSettled: _coup_settled,
    ReversalOutstanding: _outstanding,
    ReversalRepeated: _asked_again,
    ReversalCollected: _collected,
    CreditOutstanding: _credit_refused,
    CreditRepeated: _credit_repeated,
    CreditDelivered: _credit_delivered,
    CoupReviewOpened: lambda state, event: replace(state, reviews=state.reviews | {event.coup}),
    CoupReviewClosed: lambda state, event: replace(state, reviews=state.reviews - {event.coup}),
    DisputeOpened: _dispute_opened,
    DisputeDecided: _dispute_decided,
    DisputeReviewed: _dispute_decided,
    InspectorAdvised: lambda state, event: _dispute(
        state, event.dispute_id, status="CLOSED", advised=True
    ),
    DisputeClosed: lambda state, event: _dispute(state, event.dispute_id, status="CLOSED"),
}


# --- what is heard ---


_Begun = table.BettingOpened | table.NoBetCoupDeclared | table.CoupBackfilled


def _coup_begun(state: SettlementState, heard: Heard) -> SettlementState:
    event: _Begun = heard.event  # type: ignore[assignment]
    return _with_coup(_known(state, event.coup_id), event.coup_id, shoe_id=event.shoe_id)


def _backfilled(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupBackfilled = heard.event  # type: ignore[assignment]
    return _with_coup(_coup_begun(state, heard), event.coup_id, backfilled=True)


def _known(state: SettlementState, coup_id: str) -> SettlementState:
    """Topics arrive in any order: the first mention of a coup begins its book.

    What is heard of a coup after its end begins nothing.
    """
    place = place_of(coup_id)
    if coup_id in state.coups or place <= state.closed:
        return state
    coup = Coup(coup_id=coup_id, coup=place[1])
    return replace(state, coups={**state.coups, coup_id: coup})


def _wager_accepted(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerAccepted = heard.event  # type: ignore[assignment]
    state = _known(state, event.coup_id)
    coup = state.coups.get(event.coup_id)
    if coup is None:
        return state
    staked = Staked(
        event.wager_id,
        event.player,
        event.area,
        event.currency,
        event.stake_minor,
        event.funding,
        event.token,
        event.context,
        heard.meta.traceparent,
    )
    return _with_coup(state, event.coup_id, wagers={**coup.wagers, event.wager_id: staked})


def _stake_changed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerChanged | book.WagerReduced = heard.event  # type: ignore[assignment]
    coup = state.coups.get(event.coup_id)
    if coup is None or event.wager_id not in coup.wagers:
        return state
    staked = replace(coup.wagers[event.wager_id], stake_minor=event.to_minor)
    return _with_coup(state, event.coup_id, wagers={**coup.wagers, event.wager_id: staked})


_Gone = (
    book.WagerCancelled
    | book.WagerRejected
    | book.WagerWithdrawn
    | book.WagerVoided
    | book.WagerRefunded
)


def _wager_gone(state: SettlementState, heard: Heard) -> SettlementState:
    event: _Gone = heard.event  # type: ignore[assignment]
    coup = state.coups.get(event.coup_id)
    if coup is None or event.wager_id not in coup.wagers:
        return state
    if isinstance(event, book.WagerRejected) and not event.accepted:
        return state  # an increase that failed: the wager stands as it was
    wagers = {key: staked for key, staked in coup.wagers.items() if key != event.wager_id}
    return _with_coup(state, event.coup_id, wagers=wagers)


def _book_closed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    reason = event.reason if isinstance(event, book.BookRevised) else ""
    held = BookView(event.revision, event.wagers, event.digest, reason)
    state = _with_coup(_known(state, event.coup_id), event.coup_id, book=held)
    coup = state.coups.get(event.coup_id)
    if coup is None or coup.end is None or coup.end.void is None:
        return state
    gone = coup.closed and reason == VOID and held.wagers == 0
    return _without_coup(state, event.coup_id) if gone else state


def _resulted(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupResulted = heard.event  # type: ignore[assignment]
    return _ended(state, event.coup_id, End(heard.meta, heard.event_id, result=event))


def _corrected(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.ResultCorrected = heard.event  # type: ignore[assignment]
    fields = asdict(event)
    del fields["reason"]
    result = table.CoupResulted(**fields)
    end = End(heard.meta, heard.event_id, result=result, reason=event.reason)
    return _ended(state, event.coup_id, end)


def _invalidated(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.OutcomeInvalidated = heard.event  # type: ignore[assignment]
    return _ended(state, event.coup_id, End(heard.meta, heard.event_id, invalidated=event))


def _voided(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupVoided = heard.event  # type: ignore[assignment]
    return _ended(state, event.coup_id, End(heard.meta, heard.event_id, void=event))


def _ended(state: SettlementState, coup_id: str, end: End) -> SettlementState:
    """The first end is settled; what is said after it, and before that is done, follows it.

    Settled coups are corrected by a command instead.
    """
    first = end.result is not None and end.result.revision == 1
    if first or end.void is not None:
        state = _known(state, coup_id)
    coup = state.coups.get(coup_id)
    if coup is None or coup.settled:
        return state
    if coup.end is None:
        return _with_coup(state, coup_id, end=end)
    return _with_coup(state, coup_id, later=(*coup.later, end))


def _coup_over(state: SettlementState, heard: Heard) -> SettlementState:
    """Round closes a coup without wagers on its own: the book of it may be heard after that."""
    event: table.CoupClosed = heard.event  # type: ignore[assignment]
    state = replace(state, closed=max(state.closed, place_of(event.coup_id)))
    coup = state.coups.get(event.coup_id)
    no_book = state.settings is not None and not state.settings.keeps_book
    if coup is None or coup.settled or coup.end is None or no_book:
        return _without_coup(state, event.coup_id)
    if coup.end.void is not None and coup.book is not None and coup.book.reason == VOID:
        return _without_coup(state, event.coup_id)
    return _with_coup(state, event.coup_id, closed=True)


def _shoe_retired(state: SettlementState, heard: Heard) -> SettlementState:
    event: cards.ShoeRetired = heard.event  # type: ignore[assignment]
    if event.reason != "INTEGRITY":
        return state
    return replace(state, suspect=state.suspect | {event.shoe_id})


def _variant_changed(state: SettlementState, heard: Heard) -> SettlementState:
    event: VariantChanged = heard.event  # type: ignore[assignment]
    games = {**state.games, event.settings.rulebook_hash: event.settings}
    return replace(state, settings=event.settings, games=games)


EVOLVE_HEARD: dict[type[Event], Callable[[SettlementState, Heard], SettlementState]] = {
    VariantChanged: _variant_changed,
    cards.ShoeRetired: _shoe_retired,
    table.BettingOpened: _coup_begun,
    table.NoBetCoupDeclared: _coup_begun,
    table.CoupBackfilled: _backfilled,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _corrected,
    table.OutcomeInvalidated: _invalidated,
    table.CoupVoided: _voided,
    table.CoupClosed: _coup_over,
    book.WagerAccepted: _wager_accepted,
    book.WagerChanged: _stake_changed,
    book.WagerReduced: _stake_changed,
    book.WagerCancelled: _wager_gone,
    book.WagerRejected: _wager_gone,
    book.WagerWithdrawn: _wager_gone,
    book.WagerVoided: _wager_gone,
    book.WagerRefunded: _wager_gone,
    book.BookClosed: _book_closed,
    book.BookRevised: _book_closed,
}
