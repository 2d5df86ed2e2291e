"""What became of wagers and money, added up from events: nothing here knows how a payment is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.core import Event

BEFORE_RESULT = (
    book.WagerCancelled,
    book.WagerRejected,
    book.WagerWithdrawn,
    book.WagerVoided,
    book.WagerRefunded,
)
AFTER_RESULT = (
    money.WagerSettled,
    money.WagerResettled,
    money.WagerRefunded,
    money.WagerForfeited,
)
GIVEN_BACK = (*BEFORE_RESULT, book.WagerChanged, book.WagerReduced)


def endings(events: Iterable[Event]) -> dict[str, list[Any]]:
    """What became of each accepted wager, in order; corrections included."""
    found: dict[str, list[Any]] = {}
    for event in events:
        if isinstance(event, book.WagerAccepted):
            found[event.wager_id] = []
        elif isinstance(event, book.WagerRejected) and not event.accepted:
            continue
        elif type(event) in (*BEFORE_RESULT, *AFTER_RESULT):
            decided: Any = event
            found[decided.wager_id].append(event)
    return found


def moved(events: Iterable[Event]) -> Counter[tuple[str, str]]:
    """What the account of the house gained, by coup and currency: debits less all that went back.

    A debit counts when the wallet has confirmed it: what it refuses leaves no refund behind.
    """
    house: Counter[tuple[str, str]] = Counter()
    asked: dict[str, int] = {}
    for event in events:
        sort: Any = event
        place = (getattr(sort, "coup_id", ""), getattr(sort, "currency", ""))
        if isinstance(event, book.DebitRequested):
            asked[event.wager_id] = event.amount_minor
        elif isinstance(event, book.WagerAccepted | book.WagerChanged | book.WagerRejected):
            amount = asked.pop(event.wager_id, 0)
            confirmed = not isinstance(event, book.WagerRejected) or event.refund_minor
            house[place] += amount if confirmed else 0
        if type(event) in GIVEN_BACK:
            house[place] -= sort.refund_minor
        elif type(event) is money.WagerSettled:
            house[place] -= sort.credit_minor
        elif type(event) in AFTER_RESULT:
            house[place] -= sort.due_minor
    return house


def final(events: Iterable[Event]) -> dict[str, money.CoupSettled]:
    """The books of each coup at its last revision."""
    return {event.coup_id: event for event in events if isinstance(event, money.CoupSettled)}
