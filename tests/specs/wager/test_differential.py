"""The gap between both hands at the close of the book (procedure 7)."""

from __future__ import annotations

from typing import Any

from services.contracts.wager import (
    BookClosed,
    DebitRequested,
    DifferentialBreached,
    DifferentialUpdated,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerReduced,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.commands import CancelWager, ChangeWager, RecordDebit
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import accepted, asked, betting, closed, opened, place, sign

PLAYER = person("PLAYER", "p1")


def table(*, differential: int | None = 1000, policy: str = "REDUCE", **others: Any) -> Spec:
    settings = opened(changed={"differential_policy": policy}, **others)
    return spec(wager).given(settings, sign(differential=differential), betting())


def test_the_larger_hand_is_cut_pro_rata_when_the_book_closes() -> None:
    """F-77, procedure 7: odd units to the largest remainder; the excess goes back at once."""
    book = table().given(
        accepted("w1", "p1", "PLAYER", 700),
        accepted("w2", "p2", "PLAYER", 500),
        accepted("w3", "p3", "PLAYER", 400),
        accepted("w4", "p4", "BANKER", 300),
        accepted("w5", "p5", "TIE", 9000),
        closed(),
    )
    after = book.when_heard(asked()).then(
        like(DifferentialBreached, player_minor=1600, banker_minor=300, differential_minor=1000),
        like(WagerReduced, wager_id="w1", from_minor=700, to_minor=569, excess_minor=131),
        like(WagerReduced, wager_id="w2", to_minor=406, movement_id="T1/w2/2"),
        like(WagerReduced, wager_id="w3", to_minor=325),
        like(BookClosed, wagers=5, revision=1),
    )
    assert (
        sum(w.stake_minor for w in after.state.book.wagers.values() if w.area == "PLAYER") == 1300
    )


def test_a_wager_that_nothing_is_left_of_is_rejected() -> None:
    """F-77: REDUCED_TO_ZERO, its stake back whole; a token goes back as one."""
    book = table(differential=600).given(
        accepted("w1", "p1", "BANKER", 500, token="k1"),
        accepted("w2", "p2", "BANKER", 800, token="k2"),
        accepted("w3", "p3", "BANKER", 300),
        closed(),
    )
    after = book.when_heard(asked()).then(
        like(DifferentialBreached),
        like(WagerRejected, wager_id="w2", code="REDUCED_TO_ZERO", accepted=True, refund_minor=0),
        like(WagerRejected, wager_id="w3", code="REDUCED_TO_ZERO", refund_minor=300),
        like(BookClosed, wagers=1),
    )
    assert after.state.tokens.fault("k1", 500, "EUR") is not None
    assert after.state.tokens.fault("k2", 800, "EUR") is None


def test_a_gap_within_the_differential_is_nobodys_business() -> None:
    """F-14, F-77: up to the differential itself, and where the table sets none."""
    held = (accepted("w1", "p1", "PLAYER", 1300), accepted("w2", "p2", "BANKER", 300))
    table().given(*held, closed()).when_heard(asked()).then(like(BookClosed))
    wide = (accepted("w1", "p1", "PLAYER", 9000),)
    table(differential=None).given(*wide, closed()).when_heard(asked()).then(like(BookClosed))
    table(policy="OFF").given(*wide, closed()).when_heard(asked()).then(like(BookClosed))


def test_the_gap_is_told_when_it_comes_to_lie_on_the_other_side() -> None:
    """F-14: the running difference of both totals; Tie is no part of it (X-28)."""
    held = table().given(accepted("w1", "p1", "PLAYER", 900))
    lower = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=800)
    held.when(lower).then(like(WagerChanged))
    asked_for = held.when(place("w2", "p2", "PLAYER", 200)).then(like(DebitRequested))
    paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w2/1", outcome="DONE")
    breached = asked_for.when(paid).then(
        like(WagerAccepted),
        like(DifferentialUpdated, player_minor=1100, banker_minor=0, within=False),
    )
    tie = breached.when(place("w3", "p3", "TIE", 9000)).then(like(DebitRequested))
    tie_paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w3/1", outcome="DONE")
    tie.when(tie_paid).then(like(WagerAccepted))
    cancel = CancelWager(at_us=AT_US, by=person("PLAYER", "p2"), wager_id="w2")
    breached.when(cancel).then(
        like(WagerCancelled), like(DifferentialUpdated, player_minor=900, within=True)
    )


def test_the_policy_reject_refuses_what_would_open_the_gap() -> None:
    """F-77: DIFFERENTIAL for a wager and an increase; the smaller hand is always open."""
    held = table(policy="REJECT").given(accepted("w1", "p1", "PLAYER", 900))
    held.when(place("w2", "p2", "PLAYER", 101)).then(like(WagerRejected, code="DIFFERENTIAL"))
    held.when(place("w2", "p2", "PLAYER", 100)).then(like(DebitRequested))
    held.when(place("w2", "p2", "BANKER", 1900)).then(like(DebitRequested))
    held.when(place("w2", "p2", "BANKER", 1901)).then(like(WagerRejected, code="DIFFERENTIAL"))
    held.when(place("w2", "p2", "TIE", 9000)).then(like(DebitRequested))
    rise = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=1001)
    held.when(rise).then_raises("DIFFERENTIAL")


def test_what_cancels_leave_over_is_reduced_at_the_close() -> None:
    """F-77: under REJECT too the book closes within the differential."""
    held = table(policy="REJECT").given(
        accepted("w1", "p1", "PLAYER", 900), accepted("w2", "p2", "BANKER", 1900)
    )
    gone = held.when(CancelWager(at_us=AT_US, by=PLAYER, wager_id="w1")).then_among(
        like(WagerCancelled)
    )
    gone.given(closed()).when_heard(asked()).then(
        like(DifferentialBreached),
        like(WagerReduced, wager_id="w2", to_minor=1000),
        like(BookClosed),
    )


def test_the_coup_in_progress_keeps_its_differential() -> None:
    """F-79: a new one is published and binds when betting next opens."""
    book = table().given(
        sign(version=2, differential=1), accepted("w1", "p1", "PLAYER", 1000), closed()
    )
    book.when_heard(asked()).then(like(BookClosed))


def test_a_cut_is_in_whole_chips_and_below_the_minimum_valid() -> None:
    """F-77: the rounding unit of the table; nobody rejects a reduced wager for its size."""
    chips = table(differential=110, smallest_chip_minor=25).given(
        accepted("w1", "p1", "PLAYER", 1000), closed()
    )
    chips.when_heard(asked()).then(
        like(DifferentialBreached),
        like(WagerReduced, to_minor=100, excess_minor=900),
        like(BookClosed),
    )
    small = table(differential=50).given(accepted("w1", "p1", "PLAYER", 1000), closed())
    small.when_heard(asked()).then(
        like(DifferentialBreached), like(WagerReduced, to_minor=50), like(BookClosed)
    )


def test_the_answer_to_a_debit_tells_of_its_own_wager() -> None:
    """A-30, F-77: it may close the book, and that may leave nothing of somebody else's wager."""
    pending = table(differential=600).given(
        accepted("w1", "p1", "BANKER", 500, token="k1"),
        accepted("w2", "p2", "BANKER", 800, token="k2"),
        accepted("w3", "p3", "BANKER", 300),
    )
    last = pending.given(*pending.when(place("w4", "p4", "TIE", 200)).events, closed(), asked())
    paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w4/1", outcome="DONE")
    told = last.when(paid)
    told.then_among(like(WagerAccepted, wager_id="w4"), like(WagerRejected, wager_id="w3"))
    assert wager.answer(paid, told.events, last.state)["status"] == "ACCEPTED"
