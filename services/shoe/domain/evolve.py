"""How the shoe service's own events change what it knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.crew import next_session
from services.contracts.shoe import (
    CardCarriedOver,
    CardDrawn,
    CardIdentified,
    CardRequested,
    CardRevealed,
    CardsBurned,
    CardsCollected,
    CardsDiscarded,
    CardsInspected,
    CardsRemovedFromTable,
    CardsReplaced,
    CardsRetired,
    CardsShuffled,
    CardsTransferred,
    CutCardPlaced,
    CutCardReached,
    CutDeclined,
    CutMade,
    CutOffered,
    DeckRejected,
    DiscardsReturned,
    ErrorBurnApproved,
    LastCoupDesignated,
    PackOpened,
    PackSealed,
    PreShuffledIntroduced,
    RiffleRequested,
    ShoeAssembled,
    ShoeCommitted,
    ShoeDeviceRegistered,
    ShoeExhausted,
    ShoeIntegrityBreached,
    ShoeInvalidated,
    ShoeLoaded,
    ShoeRetired,
    ShuffleDeviceRegistered,
    ShufflerFaulted,
)
from services.shoe.domain.hearing import EVOLVE_HEARD
from services.shoe.domain.state import (
    BETWEEN_COUPS,
    ERROR_BURN,
    GAME_ERROR,
    NEW_SHOE,
    NEXT_BURN,
    Asked,
    Carried,
    Preparation,
    Shoe,
    ShoeState,
)


def fold(state: ShoeState, events: Sequence[Event]) -> ShoeState:
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: ShoeState, event: Event | Heard) -> ShoeState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: ShoeState, event: RulebookActivated) -> ShoeState:
    return ShoeState(
        session=event.session,
        settings=event.settings,
        open=True,
        crew=next_session(state.crew),
        custody=state.custody,
    )


# --- before the shoe is loaded ---


def _prepare(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, preparation=replace(state.preparation, **changes))


def _custody(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, custody=replace(state.custody, **changes))


def _assembled(state: ShoeState, event: ShoeAssembled) -> ShoeState:
    return _prepare(state, assembled=True, deck_ids=event.deck_ids)


def _inspected(state: ShoeState, event: CardsInspected) -> ShoeState:
    if event.stage == "PRE":
        return _prepare(state, inspected=True, incomplete=event.incomplete)
    return _prepare(state, out=False) if event.stage == "RETURN" else state


def _declined(state: ShoeState, event: CutDeclined) -> ShoeState:
    declined = (*state.preparation.declined, event.seat)
    return _prepare(state, declined=declined, offered=None)


def _shuffled(state: ShoeState, event: CardsShuffled) -> ShoeState:
    """A shuffle undoes a cut: the cutting card comes after it."""
    return _prepare(
        state,
        shuffled=True,
        replaced=False,
        by_hand=state.preparation.by_hand or event.procedure == "MANUAL",
        procedure=event.procedure,
        riffle_owed=False,
        cut=None,
        from_back=None,
        offered=None,
        declined=(),
    )


def _introduced(state: ShoeState, event: PreShuffledIntroduced) -> ShoeState:
    del event
    return _prepare(state, shuffled=True, pre_shuffled=True, replaced=False)


def _replaced(state: ShoeState, event: CardsReplaced) -> ShoeState:
    if event.cards:
        return state  # single cards of a coup in progress
    deck_ids = event.new_deck_ids or state.preparation.deck_ids
    return replace(state, preparation=Preparation(assembled=True, deck_ids=deck_ids, replaced=True))


def _rejected(state: ShoeState, event: DeckRejected) -> ShoeState:
    left = tuple(deck for deck in state.preparation.deck_ids if deck != event.deck_id)
    return _custody(_prepare(state, deck_ids=left), barred=state.custody.barred | {event.deck_id})


def _sealed(state: ShoeState, event: PackSealed) -> ShoeState:
    return _custody(state, seals={**state.custody.seals, event.seal_id: event.deck_ids})


def _opened(state: ShoeState, event: PackOpened) -> ShoeState:
    left = {seal: decks for seal, decks in state.custody.seals.items() if seal != event.seal_id}
    return _prepare(
        _custody(state, seals=left), deck_ids=state.custody.seals.get(event.seal_id, ())
    )


def _retired_decks(state: ShoeState, event: CardsRetired) -> ShoeState:
    return _custody(state, barred=state.custody.barred | frozenset(event.deck_ids))


def _loaded(state: ShoeState, event: ShoeLoaded) -> ShoeState:
    generated = event.source == "GENERATED"
    shoe = Shoe(
        shoe_id=event.shoe_id,
        decks=event.decks,
        cards=event.cards,
        source=event.source,
        cuts_after=event.cuts_after,
        order_id=event.order_id,
        device=event.device,
        number=state.custody.commitments if generated else 0,
        deck_ids=state.preparation.deck_ids,
        owed=(NEW_SHOE,),
    )
    return replace(
        state,
        shoe=shoe,
        preparation=Preparation(),
        shoes=state.shoes + 1,
        course=replace(state.course, discards=0),
    )


# --- the shoe on the table ---


def _with_shoe(state: ShoeState, **changes: Any) -> ShoeState:
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, **changes))


def _course(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, course=replace(state.course, **changes))


_MET_BY = {BETWEEN_COUPS: NEXT_BURN, GAME_ERROR: ERROR_BURN}
"""Cards that were kept for a burn, by the burn's reason."""


def _after_burn(state: ShoeState, event: CardsBurned) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    owed = list(shoe.owed)
    if event.reason in owed:
        owed.remove(event.reason)
    kept_for, spent = _MET_BY.get(event.reason), event.set_aside
    carried = []
    for card in shoe.carried:
        if card.to == kept_for and spent:
            spent -= 1
        else:
            carried.append(card)
    state = _with_shoe(
        state,
        drawn=shoe.drawn + event.count - event.set_aside,
        burned=shoe.burned + event.count,
        owed=tuple(owed),
        carried=tuple(carried),
        error_approved=shoe.error_approved and event.reason != GAME_ERROR,
    )
    if event.reason == "CARD_BEFORE_CLOSE":
        early = state.course.early
        rest = tuple(number for number in state.course.numbers if number not in early)
        return _course(state, early=(), burn_early=False, numbers=rest)
    return state


def _after_draw(state: ShoeState, event: CardDrawn) -> ShoeState:
    shoe, course = state.shoe, state.course
    assert shoe is not None
    number = event.draw_number
    read, cards = shoe.read, course.read
    if event.card is not None:
        cards = {**cards, number: event.card}
        if event.source == "SCANNER" and not event.carried:
            read = {**read, event.card: read.get(event.card, 0) + 1}
    carried = shoe.carried
    if event.carried:
        carried = tuple(card for card in carried if card.draw_number != number)
    if event.sequence is not None:
        sequences = {**state.custody.sequences, event.device_id: event.sequence}
        state = _custody(state, sequences=sequences)
    course = replace(
        course,
        numbers=(*course.numbers, number),
        came=course.came + 1,
        instructed=max(0, course.instructed - 1),
        read=cards,
        down=course.down if event.face_up else course.down | {number},
        unread=course.unread | {number} if event.source == "UNREAD" else course.unread,
        early=(*course.early, number) if event.before_close else course.early,
        held=course.held or event.before_close,
        asked=course.asked[1:] if course.asked and not event.carried else course.asked,
    )
    shoe = replace(shoe, drawn=max(shoe.drawn, number), read=read, carried=carried)
    return replace(state, shoe=shoe, course=course)


def _identified(state: ShoeState, event: CardIdentified) -> ShoeState:
    shoe = state.shoe
    if shoe is None:
        return state
    state = _with_shoe(state, read={**shoe.read, event.card: shoe.read.get(event.card, 0) + 1})
    return _course(state, read={**state.course.read, event.draw_number: event.card})


def _revealed(state: ShoeState, event: CardRevealed) -> ShoeState:
    number = event.draw_number
    return _course(
        state,
        turn=tuple(each for each in state.course.turn if each[0] != number),
        down=state.course.down - {number},
        unread=state.course.unread - {number},
    )


def _carried_over(state: ShoeState, event: CardCarriedOver) -> ShoeState:
    shoe, course = state.shoe, state.course
    assert shoe is not None
    known = course.read.get(event.draw_number, event.card)
    card = Carried(event.draw_number, event.coup_id, event.to, event.seen, known)
    owed = shoe.owed
    if event.to == ERROR_BURN and GAME_ERROR not in owed:
        owed = (*owed, GAME_ERROR)
    state = _with_shoe(state, carried=(*shoe.carried, card), owed=owed)
    return _course(
        state,
        extra=tuple(each for each in course.extra if each != event.draw_number),
        numbers=tuple(each for each in course.numbers if each != event.draw_number),
    )


def _requested(state: ShoeState, event: CardRequested) -> ShoeState:
    asked = (Asked(event.count, event.to, event.face_up),) * event.count
    return _course(state, asked=(*state.course.asked, *asked))


def _breached(state: ShoeState, event: ShoeIntegrityBreached) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    return _with_shoe(state, drawn=max(shoe.drawn, event.draw_number))


def _transferred(state: ShoeState, event: CardsTransferred) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    changes: dict[str, Any] = {
        "fault": "",
        "device": event.to == "DEVICE",
        "cuts_after": event.cuts_after,
    }
    if event.new_order:
        changes |= {"order_id": event.order_id, "order_from": shoe.drawn}
    return replace(_with_shoe(state, **changes), preparation=Preparation())


def _discarded(state: ShoeState, event: CardsDiscarded) -> ShoeState:
    del event
    return _course(state, discards=0)


def _returned(state: ShoeState, event: DiscardsReturned) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    return _with_shoe(state, returned=shoe.returned + event.count, read={})


def _registered(state: ShoeState, event: ShoeDeviceRegistered) -> ShoeState:
    devices = state.custody.devices - {event.replaces} | {event.device_id}
    # A device that comes back after a repair counts its reports from the beginning.
    sequences = {name: n for name, n in state.custody.sequences.items() if name != event.device_id}
    return _custody(state, devices=devices, sequences=sequences)


def _shuffler_registered(state: ShoeState, event: ShuffleDeviceRegistered) -> ShoeState:
    return _custody(state, shufflers=state.custody.shufflers | {event.device_id})


def _retired(state: ShoeState, event: ShoeRetired) -> ShoeState:
    del event
    kept = _with_shoe(state, ended=True, owed=(), carried=())
    return _course(kept, instructed=0, asked=())


def _collected(state: ShoeState, event: CardsCollected) -> ShoeState:
    del event
    return replace(state, collection=None)


_EVOLVE: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    RulebookActivated: _activated,
    ShoeDeviceRegistered: _registered,
    ShuffleDeviceRegistered: _shuffler_registered,
    ShoeAssembled: _assembled,
    PackSealed: _sealed,
    PackOpened: _opened,
    DeckRejected: _rejected,
    CardsReplaced: _replaced,
    CardsRemovedFromTable: lambda state, _: _prepare(state, out=True),
    CardsInspected: _inspected,
    CardsShuffled: _shuffled,
    PreShuffledIntroduced: _introduced,
    RiffleRequested: lambda state, _: _prepare(state, riffle_owed=True),
    CutOffered: lambda state, event: _prepare(state, offered=event.seat),
    CutDeclined: _declined,
    CutMade: lambda state, event: _prepare(state, cut=event.position),
    CutCardPlaced: lambda state, event: (
        _prepare(state, from_back=event.from_back) if event.kind == "CUT" else state
    ),
    ShoeCommitted: lambda state, event: _custody(state, commitments=event.number),
    ShoeLoaded: _loaded,
    ErrorBurnApproved: lambda state, _: _with_shoe(state, error_approved=True),
    CardsBurned: _after_burn,
    CardDrawn: _after_draw,
    CardIdentified: _identified,
    CardRevealed: _revealed,
    CardCarriedOver: _carried_over,
    CardRequested: _requested,
    CutCardReached: lambda state, _: _with_shoe(state, cut_shown=True),
    LastCoupDesignated: lambda state, event: _with_shoe(state, last_coup=event.coup),
    ShoeExhausted: lambda state, _: _course(state, instructed=0, asked=()),
    ShoeIntegrityBreached: _breached,
    ShufflerFaulted: lambda state, event: _with_shoe(state, fault=event.branch),
    CardsTransferred: _transferred,
    CardsCollected: _collected,
    CardsDiscarded: _discarded,
    DiscardsReturned: _returned,
    CardsRetired: _retired_decks,
    ShoeRetired: _retired,
    ShoeInvalidated: lambda state, _: _with_shoe(state, invalid=True, ended=True, owed=()),
}
