"""Placing, changing and taking back: the cut-off, the areas, the limits."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts import wager as events
from services.contracts.common import Limit
from services.contracts.core import SYSTEM, NotYet
from services.contracts.round import BettingOpened, TableClosed
from services.contracts.wager import (
    BookClosed,
    DebitRequested,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.commands import (
    CancelWager,
    ChangeWager,
    ExpireDebits,
    RecordDebit,
    RejectWager,
)
from tests.support.spec import AT_US, Like, Spec, heard, like, person, spec
from tests.support.tables import (
    COUP,
    accepted,
    asked,
    betting,
    closed,
    coup_id,
    opened,
    over,
    place,
    sign,
    started,
)

PLAYER = person("PLAYER", "p1")
DEALER = person("DEALER")
SECOND_US = 1_000_000


def refuses(code: str) -> Like:
    return like(WagerRejected, code=code, accepted=False, refund_minor=0)


def table(rulebook: str = "nsw-mini", least: int = 100) -> Spec:
    return spec(wager).given(opened(rulebook), sign({"*": Limit(least, 5000)}), betting())


def cancel(wager_id: str = "w1", at_us: int = AT_US) -> CancelWager:
    return CancelWager(at_us=at_us, by=PLAYER, wager_id=wager_id)


def change(amount: int, wager_id: str = "w1", at_us: int = AT_US) -> ChangeWager:
    return ChangeWager(at_us=at_us, by=PLAYER, wager_id=wager_id, amount_minor=amount)


def paid(movement: str, outcome: str = "DONE", at_us: int = AT_US) -> RecordDebit:
    return RecordDebit(at_us=at_us, by=PLAYER, movement_id=movement, outcome=outcome)


@pytest.mark.parametrize(
    ("rulebook", "unknown"),
    [("live-studio", "PLAYER_PAIR"), ("nsw-mini", "BIG"), ("nsw-baccarat", "BIG")],
)
def test_the_list_of_areas_is_closed(rulebook: str, unknown: str) -> None:
    """A-10, A-18, D-16, F-61: what the rulebook does not list is refused."""
    now = table(rulebook).given(events.StandingWagerPermitted())
    now.when(place(area=unknown)).then(refuses("UNKNOWN_AREA"))
    now.when(place(area="TIE")).then(like(DebitRequested, area="TIE"))


def test_a_wager_exists_once_the_wallet_has_paid() -> None:
    """A-30, N-1: asked for first; the answer makes the wager, or there never was one."""
    pending = (
        table()
        .when(place())
        .then(like(DebitRequested, wager_id="w1", movement_id="T1/w1/1", amount_minor=1000))
    )
    assert not pending.state.book.wagers
    pending.when(paid("T1/w1/1")).then(
        like(WagerAccepted, wager_id="w1", stake_minor=1000, limits_version=1, accepted_at_us=AT_US)
    )
    pending.when(paid("T1/w1/1", "REFUSED")).then(refuses("INSUFFICIENT_FUNDS"))
    pending.when(paid("T1/w9/1")).then_raises("UNKNOWN")


def test_each_wager_names_the_limits_that_it_saw() -> None:
    """A-28: the version of the coup's betting, whatever was published since."""
    later = table().given(sign({"*": Limit(500, 5000)}, version=2))
    later.when(place(amount=100)).then(like(DebitRequested, limits_version=1, out_of_limits=False))
    after = later.given(over(), betting(2, version=2))
    after.when(place(amount=500)).then(like(DebitRequested, limits_version=2))


def test_the_fourth_wager_of_a_player_on_an_area_is_refused() -> None:
    """A-19, X-12: increases count; after a cancel one fits again."""
    three = table("live-studio").given(
        *(accepted(f"w{n}", stake=100, channel="SCREEN") for n in (1, 2, 3))
    )
    three.when(place("w4", amount=100)).then(refuses("AREA_FULL"))
    three.when(change(200)).then_raises("AREA_FULL")
    three.when(place("w4", "p2", amount=100)).then(like(DebitRequested))
    gone = three.when(cancel("w2")).then(like(WagerCancelled, refund_minor=100))
    gone.when(place("w4", amount=100)).then(like(DebitRequested))


@pytest.mark.parametrize("cut_off", ["timer", "call"])
def test_nothing_is_placed_raised_or_taken_back_after_the_cut_off(cut_off: str) -> None:
    """A-24, B-08, D-21, F-68: place, change and cancel share the guard, at its very instant."""
    start = spec(wager).given(opened("live-studio"), sign())
    until = AT_US + 15 * SECOND_US
    opening = betting(closes_at_us=until if cut_off == "timer" else None)
    held = start.given(opening, accepted("w1"))
    if cut_off == "call":
        held = held.given(closed(at_us=until))
    held.when(place("w2", at_us=until)).then(refuses("LATE"))
    held.when(change(2000, at_us=until)).then_raises("LATE")
    held.when(cancel(at_us=until)).then_raises("LATE")
    if cut_off == "timer":
        held.when(place("w2", at_us=until - 1)).then(like(DebitRequested))
        held.when(cancel(at_us=until - 1)).then(like(WagerCancelled))


def test_after_the_book_is_closed_nothing_is_accepted_whatever_the_clock_says() -> None:
    """A-24, F-68: what follows `BookClosed` in the stream is late, with an earlier time too."""
    book = table().given(closed()).when_heard(asked())
    after = book.then(like(BookClosed, revision=1, wagers=0))
    after.when(place(at_us=AT_US - 10 * SECOND_US)).then(refuses("LATE"))


def test_from_the_first_card_on_the_book_is_locked() -> None:
    """D-22, F-69: cancel and change are LOCKED, a new wager is LATE, the dealer rejects no more."""
    held = table().given(accepted("w1", stake=50, out_of_limits=True), closed())
    final = held.when_heard(asked()).then(like(BookClosed, wagers=1))
    locked = final.when_heard(started()).then(like(events.WagerLocked, revision=1, wagers=1))
    locked.when(cancel()).then_raises("LOCKED")
    locked.when(change(500)).then_raises("LOCKED")
    locked.when(place("w2")).then(refuses("LATE"))
    locked.when(RejectWager(at_us=AT_US, by=DEALER, wager_id="w1")).then_raises("LOCKED")


def test_an_empty_book_needs_no_lock() -> None:
    """D-22: there is nothing in it that could move."""
    empty = table().given(closed()).when_heard(asked()).then(like(BookClosed))
    empty.when_heard(started()).then_nothing()


def test_the_book_waits_for_debits_that_were_asked_for_in_time() -> None:
    """A-30, N-1: no `BookClosed` while one is pending; then it closes with the wager in it."""
    pending = table().when(place()).then(like(DebitRequested)).given(closed())
    waiting = pending.when_heard(asked()).then_nothing()
    waiting.when(paid("T1/w1/1")).then(like(WagerAccepted), like(BookClosed, wagers=1))
    waiting.when(paid("T1/w1/1", "REFUSED")).then(
        refuses("INSUFFICIENT_FUNDS"), like(BookClosed, wagers=0)
    )


MS_US = 1_000


def test_a_debit_confirmed_within_the_drain_time_is_in_the_book() -> None:
    """A-30, N-1, X-11: 800 ms after the close: in; 1,001 ms: not, and what was debited goes back."""
    pending = table().when(place()).then(like(DebitRequested)).given(closed())
    waiting = pending.when_heard(asked()).then_nothing()
    in_time = paid("T1/w1/1", at_us=AT_US + 800 * MS_US)
    waiting.when(in_time).then(like(WagerAccepted), like(BookClosed, wagers=1))
    too_late = paid("T1/w1/1", at_us=AT_US + 1_001 * MS_US)
    waiting.when(too_late).then(
        like(WagerRejected, code="NO_CONFIRMATION", refund_minor=1000, movement_id="T1/w1/2"),
        like(BookClosed, wagers=0),
    )


def test_a_debit_that_nobody_confirms_holds_the_book_no_longer_than_the_drain_time() -> None:
    """A-30, N-1: NO_CONFIRMATION, the debit to be cancelled; a table may set another time."""
    pending = table().when(place()).then(like(DebitRequested)).given(closed())
    waiting = pending.when_heard(asked()).then_nothing()
    waiting.when(ExpireDebits(at_us=AT_US + 1_000 * MS_US, by=SYSTEM)).then_nothing()
    after = waiting.when(ExpireDebits(at_us=AT_US + 1_001 * MS_US, by=SYSTEM)).then(
        like(
            WagerRejected,
            code="NO_CONFIRMATION",
            refund_minor=0,
            cancelled_movement_id="T1/w1/1",
        ),
        like(BookClosed, wagers=0),
    )
    after.when(paid("T1/w1/1")).then_raises("UNKNOWN")
    longer = spec(wager).given(opened(debit_drain_ms=3_000), sign(), betting())
    held = longer.when(place()).then(like(DebitRequested)).given(closed())
    held.when(ExpireDebits(at_us=AT_US + 3_000 * MS_US, by=SYSTEM)).then_nothing()


def expire(ms: int) -> ExpireDebits:
    return ExpireDebits(at_us=AT_US + ms * MS_US, by=SYSTEM)


def test_while_betting_is_open_a_debit_has_three_seconds() -> None:
    """A-30, N-1: no acknowledgement within 3 seconds of the request; a later one gives the money back."""
    pending = table().when(place()).then(like(DebitRequested, requested_at_us=AT_US))
    pending.when(expire(3_000)).then_nothing()
    pending.when(expire(3_001)).then(like(WagerRejected, code="NO_CONFIRMATION"))
    late = paid("T1/w1/1", at_us=AT_US + 3_001 * MS_US)
    pending.when(late).then(like(WagerRejected, code="NO_CONFIRMATION", refund_minor=1000))


def test_a_debit_of_which_nobody_knows_is_cancelled() -> None:
    """A-30, N-1, D13: no wager, and a cancel that names the debit and what it asked for."""
    pending = table().when(place()).then(like(DebitRequested)).given(closed())
    waiting = pending.when_heard(asked()).then_nothing()
    waiting.when(paid("T1/w1/1", "UNKNOWN")).then(
        like(
            WagerRejected,
            code="NO_CONFIRMATION",
            refund_minor=0,
            movement_id="T1/w1/2",
            cancelled_movement_id="T1/w1/1",
            cancelled_minor=1000,
        ),
        like(BookClosed, wagers=0),
    )


def test_an_increase_that_fails_leaves_the_wager_and_spends_its_keys() -> None:
    """D13: what moves next for the wager has a key that moved nothing before."""
    risen = table().given(accepted("w1")).when(change(1500)).then(like(DebitRequested))
    unknown = risen.when(paid("T1/w1/2", "UNKNOWN")).then(
        like(WagerRejected, movement_id="T1/w1/3", cancelled_minor=500)
    )
    unknown.when(cancel()).then(like(WagerCancelled, refund_minor=1000, movement_id="T1/w1/4"))
    refused = risen.when(paid("T1/w1/2", "REFUSED")).then(like(WagerRejected, movement_id=None))
    refused.when(cancel()).then(like(WagerCancelled, movement_id="T1/w1/3"))


def test_a_live_table_has_a_timer_for_the_first_debit_that_expires() -> None:
    """N-1: while betting is open, then by the drain time; none without a debit, none in TEST mode."""
    now = table()
    assert wager.next_due_us(now.state) is None
    pending = now.when(place()).then(like(DebitRequested))
    assert wager.next_due_us(pending.state) == AT_US + 3_000 * MS_US + 1
    waiting = pending.given(closed())
    assert wager.next_due_us(waiting.state) == AT_US + 1_000 * MS_US + 1
    done = waiting.when(paid("T1/w1/1")).then(like(WagerAccepted))
    assert wager.next_due_us(done.state) is None
    settings = replace(now.state.settings, mode="TEST")
    assert wager.next_due_us(replace(pending.state, settings=settings)) is None


def test_a_wager_is_for_the_coup_that_the_player_saw() -> None:
    """D-21: one for a past coup is late, one for a coup not heard of yet is tried again (D5)."""
    second = spec(wager).given(opened(), sign(), betting(), over(), betting(2))
    second.when(place(coup_id=COUP)).then_raises("LATE")
    with pytest.raises(NotYet):
        second.when(place(coup_id=coup_id(3)))


def test_a_wager_between_coups_is_early_while_betting_may_open() -> None:
    """D5: round may have opened betting already; LATE stays LATE, and a closed table is closed."""
    between = spec(wager).given(opened(), sign(), betting(), over())
    with pytest.raises(NotYet):
        between.when(place())
    between.when(place(coup_id=COUP)).then_raises("STATE")
    between.given(heard(TableClosed(session=1))).when(place()).then_raises("STATE")
    spec(wager).given(opened()).when(place()).then_raises("STATE")
    spec(wager).given(opened(), sign(), betting(), closed()).when(place()).then(refuses("LATE"))


# --- limits ---


def test_the_maximum_binds_the_total_and_a_further_wager_may_be_small() -> None:
    """F-74, N-8: two wagers that exceed the maximum together: the second is outside."""
    limits = {"TIE": Limit(50, 100), "*": Limit(100, 1000)}
    held = spec(wager).given(
        opened("live-studio"), sign(limits), betting(), accepted("w1", stake=600)
    )
    held.when(place("w2", amount=401)).then(refuses("ABOVE_MAXIMUM"))
    held.when(place("w2", amount=400)).then(like(DebitRequested))
    held.when(place("w2", amount=1)).then(like(DebitRequested))
    held.when(place("w2", area="TIE", amount=101)).then(refuses("ABOVE_MAXIMUM"))
    held.when(place("w2", area="TIE", amount=50)).then(like(DebitRequested))


def test_the_step_above_the_minimum_binds_the_total() -> None:
    """F-75, F-76: minimum 25, step 5: 27 refused, 30 accepted; without a step 26 is."""
    stepped = spec(wager).given(opened(), sign({"*": Limit(25, 1000, 5)}), betting())
    stepped.when(place(amount=27)).then(refuses("NOT_MULTIPLE"))
    stepped.when(place(amount=30)).then(like(DebitRequested))
    stepped.given(accepted(stake=27)).when(place("w2", amount=3)).then(like(DebitRequested))
    plain = spec(wager).given(opened(), sign({"*": Limit(25, 1000)}), betting())
    plain.when(place(amount=26)).then(like(DebitRequested))


def test_no_player_puts_chips_on_the_layout_of_a_streamed_table_by_his_own_word() -> None:
    """X-11: he stakes from a screen, which knows the limits; only who deals says what lies there."""
    house = {"out_of_limits": "VALID_UNLESS_REJECTED"}
    start = (sign({"*": Limit(1000, 5000)}), betting())
    streamed = spec(wager).given(opened("live-studio", changed=house), *start)
    beyond = place(amount=9000, channel="LAYOUT", by=PLAYER)
    streamed.when(beyond).then_raises("ROLE")
    streamed.when(place(amount=9000, channel="SCREEN", by=PLAYER)).then(refuses("ABOVE_MAXIMUM"))
    streamed.when(place(amount=9000, by=PLAYER)).then(refuses("ABOVE_MAXIMUM"))
    seen = like(DebitRequested, channel="LAYOUT", out_of_limits=True)
    streamed.when(place(amount=9000, channel="LAYOUT", by=DEALER)).then(seen)
    recorded = spec(wager).given(opened("live-studio", changed=house, mode="TEST"), *start)
    recorded.when(beyond).then(seen)
    table(least=1000).when(place(amount=9000, channel="LAYOUT", by=PLAYER)).then(seen)


def test_chips_outside_the_limits_stand_unless_the_dealer_rejects_them() -> None:
    """F-78, X-11: from a screen refused at once; on the layout marked, and the dealer's to reject."""
    start = table(least=1000)
    start.when(place(amount=500, channel="SCREEN")).then(refuses("BELOW_MINIMUM"))
    start.when(place(amount=500)).then(like(DebitRequested, channel="LAYOUT", out_of_limits=True))
    table("live-studio", 1000).when(place(amount=500)).then(refuses("BELOW_MINIMUM"))
    held = start.given(
        accepted("w1", stake=500, out_of_limits=True), accepted("w2", "p2", stake=1000)
    )
    reject = RejectWager(at_us=AT_US, by=DEALER, wager_id="w1")
    held.when(reject).then(
        like(
            WagerRejected, code="BY_DEALER", accepted=True, refund_minor=500, movement_id="T1/w1/2"
        )
    )
    held.when(RejectWager(at_us=AT_US, by=DEALER, wager_id="w2")).then_raises("STATE")
    held.when(RejectWager(at_us=AT_US, by=PLAYER, wager_id="w1")).then_raises("ROLE")
    topped = held.given(accepted("w3", stake=500))
    topped.when(reject).then_raises("STATE")


def test_a_change_or_cancel_may_leave_no_total_below_the_minimum() -> None:
    """F-74: above zero and below the minimum is BELOW_MINIMUM where that is refused; nothing is fine."""
    held = table("live-studio", 500).given(
        accepted("w1", stake=500, channel="SCREEN"), accepted("w2", stake=100, channel="SCREEN")
    )
    held.when(cancel("w1")).then_raises("BELOW_MINIMUM")
    held.when(change(399)).then_raises("BELOW_MINIMUM")
    held.when(change(400)).then(
        like(WagerChanged, from_minor=500, to_minor=400, refund_minor=100, movement_id="T1/w1/2")
    )
    held.when(cancel("w2")).then(like(WagerCancelled, refund_minor=100))
    held.when(change(0)).then_raises("BELOW_MINIMUM")
    held.when(change(500)).then_nothing()


def test_an_increase_is_debited_like_a_wager() -> None:
    """A-24, A-30: only the difference, under a key of its own; refused, the wager stands as it was."""
    held = table().given(accepted("w1", stake=1000))
    rising = held.when(change(1500)).then(
        like(DebitRequested, amount_minor=500, stake_minor=1500, movement_id="T1/w1/2")
    )
    rising.when(cancel()).then_raises("STATE")
    rising.when(paid("T1/w1/2")).then(like(WagerChanged, from_minor=1000, to_minor=1500))
    failed = rising.when(paid("T1/w1/2", "REFUSED")).then(refuses("INSUFFICIENT_FUNDS"))
    assert failed.state.book.wagers["w1"].stake_minor == 1000


def test_a_currency_that_the_table_does_not_take_is_refused() -> None:
    """N-10: each currency has its own limits."""
    both = spec(wager).given(
        opened("live-studio"), sign(others={"JPY": {"*": Limit(50, 60)}}), betting()
    )
    both.when(place(currency="USD")).then(refuses("CURRENCY"))
    both.when(place(amount=61, currency="JPY")).then(refuses("ABOVE_MAXIMUM"))
    both.when(place(amount=60, currency="JPY")).then(like(DebitRequested, currency="JPY"))


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"player_coup_maximum_minor": 1500}, "PLAYER_COUP_MAXIMUM"),
        ({"maximum_win_minor": 1500}, "MAXIMUM_WIN"),
        ({"table_exposure_minor": 1500}, "TABLE_EXPOSURE"),
    ],
)
def test_the_tables_own_maxima_refuse_at_once(setting: dict[str, Any], code: str) -> None:
    """A-30: distinct codes, on the layout too; what another player has counts for the exposure only."""
    start = spec(wager).given(opened(**setting), sign(), betting())
    mine = start.given(accepted("w1", stake=1000, area="PLAYER"))
    mine.when(place("w2", area="PLAYER", amount=501)).then(refuses(code))
    mine.when(place("w2", area="PLAYER", amount=500)).then(like(DebitRequested))
    other = mine.when(place("w2", "p2", "PLAYER", 501))
    other.then(refuses(code) if code == "TABLE_EXPOSURE" else like(DebitRequested))


def test_betting_opened_on_limits_published_since() -> None:
    """F-79: a coup binds to the version that its opening names, though a later one is known."""
    known = spec(wager).given(
        opened("live-studio"), sign({"*": Limit(100, 500)}), sign({"*": Limit(200, 500)}, version=2)
    )
    first = BettingOpened(
        coup_id=COUP,
        coup=1,
        shoe_id="S1",
        opened_at_us=AT_US,
        closes_at_us=None,
        limits_version=1,
        method="A",
    )
    known.given(first).when(place(amount=100)).then(like(DebitRequested, limits_version=1))


@pytest.mark.parametrize("amount", [-800, -1, 0])
def test_no_stake_is_below_one_unit(amount: int) -> None:
    """A negative stake beside a positive one would pass the limits of the total, and pay money out."""
    two = table().given(accepted("w1", stake=900), accepted("w2", stake=100))
    two.when(change(amount, "w2")).then_raises("BELOW_MINIMUM")
    two.when(place("w3", amount=amount)).then(refuses("BELOW_MINIMUM"))


def test_nobody_stakes_for_another_player() -> None:
    """1.3: a player acts for himself; at the table the dealer does what he is told."""
    now = table().given(accepted("w1", stake=1000))
    for by in (person("PLAYER", "p2"), person("AUDITOR"), person("INSPECTOR"), person("NOBODY")):
        now.when(replace(place("w2"), by=by)).then_raises("ROLE")
        now.when(replace(change(200), by=by)).then_raises("ROLE")
        now.when(replace(cancel(), by=by)).then_raises("ROLE")
    now.when(replace(cancel(), by=DEALER)).then(like(WagerCancelled))


@pytest.mark.parametrize(
    "coup", ["", "x", "a:b", "T2:1:1", "T1:1", "T1:1:\u0661", "T1:1:" + "9" * 30]
)
def test_what_is_no_coup_of_the_table_is_said_to_be_none(coup: str) -> None:
    """An answer, and no wait for a coup that can't come."""
    table().when(replace(place(), coup_id=coup)).then_raises("UNKNOWN")
