"""Refunds that the wallet refuses: open items, never dropped."""

from __future__ import annotations

from services.contracts.wager import RefundDelivered, RefundOutstanding, RefundRepeated
from services.wager import domain as wager
from services.wager.commands import RecordRefund, RepeatRefund
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import COUP, betting, opened, sign

SUPERVISOR = person("CASINO_SUPERVISOR")
KEY = "T1/w1/2"


def answer(outcome: str) -> RecordRefund:
    return RecordRefund(
        at_us=AT_US,
        by=person("SYSTEM"),
        movement_id=KEY,
        outcome=outcome,
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        currency="EUR",
        amount_minor=1000,
        reason="" if outcome == "DONE" else "BALANCE_MAXIMUM",
    )


def again(role: str = "CASINO_SUPERVISOR") -> RepeatRefund:
    return RepeatRefund(at_us=AT_US, by=person(role), movement_id=KEY)


def table() -> Spec:
    return spec(wager).given(opened(), sign(), betting())


def test_a_refused_refund_stays_owed_until_the_wallet_takes_it() -> None:
    """D13, N-7: outstanding, asked for again by hand, not even dropped with the session."""
    owed = (
        table()
        .when(answer("REFUSED"))
        .then(like(RefundOutstanding, amount_minor=1000, reason="BALANCE_MAXIMUM", attempts=1))
    )
    repeated = owed.when(again()).then(like(RefundRepeated, movement_id=KEY, refund_minor=1000))
    repeated.when(again()).then_raises("STATE")
    twice = repeated.when(answer("REFUSED")).then(like(RefundOutstanding, attempts=2))
    tomorrow = twice.given(opened(session=2))
    done = tomorrow.when(answer("DONE")).then(like(RefundDelivered, amount_minor=1000))
    done.when(again()).then_raises("UNKNOWN")


def test_a_refund_that_arrives_needs_no_word() -> None:
    """D13: the event that gave it back said it all."""
    table().when(answer("DONE")).then_nothing()


def test_who_has_a_refund_delivered_again() -> None:
    """N-7: a casino supervisor, as for debits; and only what is owed."""
    owed = table().when(answer("REFUSED")).then(like(RefundOutstanding))
    owed.when(again("DEALER")).then_raises("ROLE")
    table().when(again()).then_raises("UNKNOWN")
