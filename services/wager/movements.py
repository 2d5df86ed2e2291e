"""Which movement of money follows from an event of the wager service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from services.contracts.core import Event
from services.contracts.wager import (
    DebitRequested,
    RefundRepeated,
    SlipDebitRequested,
    SlipRejected,
    WagerCancelled,
    WagerChanged,
    WagerReduced,
    WagerRefunded,
    WagerRejected,
    WagerVoided,
    WagerWithdrawn,
)
from services.wager.wallet import CANCEL, DEBIT, Movement, Part


def movement_of(event: Event, table_id: str) -> Movement | None:
    """The movement that follows from an event, if one does."""
    make = _MAKE.get(type(event))
    return make(event, table_id) if make else None


def _debit(event: DebitRequested, table_id: str) -> Movement:
    return _movement(event, table_id, DEBIT, event.amount_minor)


def _slip(event: SlipDebitRequested, table_id: str) -> Movement:
    """One debit under the slip's id, for all its wagers."""
    parts = tuple(
        Part(wager_id=stake.wager_id, area=stake.area, amount_minor=stake.stake_minor)
        for stake in event.wagers
    )
    whole = _movement(event, table_id, DEBIT, event.amount_minor, wager_id=event.slip_id)
    return replace(whole, parts=parts)


def _slip_undone(event: SlipRejected, table_id: str) -> Movement | None:
    if event.cancelled_movement_id is None:
        return None
    return _movement(
        event,
        table_id,
        CANCEL,
        event.amount_minor,
        cancels=event.cancelled_movement_id,
        wager_id=event.slip_id,
    )


def _back(event: Any, table_id: str) -> Movement | None:
    if not event.refund_minor or event.movement_id is None:
        return None
    rest = getattr(event, "to_minor", 0)
    return _movement(event, table_id, CANCEL, event.refund_minor, rest_minor=rest)


def _rejected(event: WagerRejected, table_id: str) -> Movement | None:
    """What was paid goes back; a debit that nobody confirmed is undone, made or not (N-1)."""
    if event.cancelled_movement_id is None:
        return _back(event, table_id)
    return _movement(
        event, table_id, CANCEL, event.cancelled_minor, cancels=event.cancelled_movement_id
    )


def _movement(
    event: Any,
    table_id: str,
    verb: str,
    amount_minor: int,
    *,
    cancels: str = "",
    rest_minor: int = 0,
    wager_id: str | None = None,
) -> Movement:
    return Movement(
        movement_id=event.movement_id,
        player=event.player,
        currency=event.currency,
        verb=verb,
        amount_minor=amount_minor,
        table_id=table_id,
        coup_id=event.coup_id,
        wager_id=event.wager_id if wager_id is None else wager_id,
        cancels=cancels,
        rest_minor=rest_minor,
        context=event.context,
    )


_MAKE: Final[dict[type[Event], Callable[[Any, str], Movement | None]]] = {
    DebitRequested: _debit,
    SlipDebitRequested: _slip,
    SlipRejected: _slip_undone,
    WagerRejected: _rejected,
    WagerCancelled: _back,
    WagerRefunded: _back,
    WagerChanged: _back,
    WagerReduced: _back,
    WagerWithdrawn: _back,
    WagerVoided: _back,
    RefundRepeated: _back,
}

MOVING: Final = frozenset(kind.type for kind in _MAKE)
"""Types of events that money may follow from."""
