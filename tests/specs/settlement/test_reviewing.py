"""Coups under review, and the drop."""

from __future__ import annotations

from services.contracts.core import Heard
from services.contracts.settlement import (
    CoupReviewClosed,
    CoupReviewOpened,
    CoupSettled,
    DropCounted,
)
from services.contracts.shoe import ShoeRetired
from services.settlement import domain as settlement
from services.settlement.commands import CloseReview, CountDrop
from tests.support.spec import AT_US, Spec, heard, like, person, spec
from tests.support.tables import betting, book_closed, opened, over, resulted, sign

CASINO_SUPERVISOR = person("CASINO_SUPERVISOR")


def retired(reason: str = "INTEGRITY", shoe: str = "S1") -> Heard:
    event = ShoeRetired(shoe_id=shoe, reason=reason, dealt=10, burned=2, left=404)
    return heard(event, service="shoe")


def played(*numbers: int) -> Spec:
    """Coups of shoe S1, settled without wagers."""
    now = spec(settlement).given(opened())
    for number in numbers:
        told = now.given(betting(number), book_closed(0, number=number)).when_heard(
            resulted(number=number)
        )
        now = told.before.given(*told.events, over(number))
    return now


def test_a_breach_of_integrity_puts_the_earlier_coups_of_the_shoe_under_review() -> None:
    """N-6, A-72: each of them, once; those of another shoe, and a shoe that simply ended, not."""
    after = (
        played(1, 2)
        .when_heard(retired())
        .then(
            like(CoupReviewOpened, coup=1, shoe_id="S1", reason="INTEGRITY"),
            like(CoupReviewOpened, coup=2),
        )
    )
    after.when_heard(retired()).then_nothing()
    played(1, 2).when_heard(retired(shoe="S2")).then_nothing()
    played(1, 2).when_heard(retired("LAST_COUP")).then_nothing()


def test_a_coup_that_is_settled_after_the_breach_is_under_review_too() -> None:
    """N-6: whichever is heard first."""
    running = spec(settlement).given(opened(), betting(), book_closed(0))
    breached = running.when_heard(retired()).then_nothing()
    breached.when_heard(resulted()).then(like(CoupSettled), like(CoupReviewOpened, coup=1))


def test_a_casino_supervisor_closes_a_review() -> None:
    """N-6: with what was found; once."""
    now = played(1).when_heard(retired()).then(like(CoupReviewOpened))
    close = CloseReview(at_us=AT_US, by=CASINO_SUPERVISOR, coup=1, note="the deal stands")
    now.when(CloseReview(at_us=AT_US, by=person("DEALER"), coup=1)).then_raises("ROLE")
    closed = now.when(close).then(like(CoupReviewClosed, coup=1, note="the deal stands"))
    closed.when(close).then_raises("UNKNOWN")


def test_the_drop_is_taken_in_as_it_was_counted() -> None:
    """F-22: an imported figure, by currency, for the session."""
    now = spec(settlement).given(opened(), heard(sign(), service="wager"))
    count = CountDrop(
        at_us=AT_US, by=person("GAME_SUPERVISOR"), currency="EUR", counted_minor=125_000
    )
    now.when(count).then(like(DropCounted, session=1, currency="EUR", amount_minor=125_000))
    by_dealer = CountDrop(at_us=AT_US, by=person("DEALER"), currency="EUR", counted_minor=1)
    now.when(by_dealer).then_raises("ROLE")
    dollars = CountDrop(at_us=AT_US, by=person("GAME_SUPERVISOR"), currency="USD", counted_minor=1)
    now.when(dollars).then_raises("CURRENCY")
