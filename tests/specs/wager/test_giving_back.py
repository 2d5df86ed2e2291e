"""Stakes that go back before a result: voids, windows, rulings, and a card that was early."""

from __future__ import annotations

import pytest

from services.contracts.core import Actor
from services.contracts.round import CoupTerminated, NoBetCoupDeclared
from services.contracts.round_hands import WithdrawalWindowExtended
from services.contracts.wager import (
    BookClosed,
    BookRevised,
    DebitRequested,
    WagerAccepted,
    WagerChanged,
    WagerKept,
    WagerRefunded,
    WagerRejected,
    WagerVoided,
    WagerWithdrawn,
)
from services.wager import domain as wager
from services.wager.commands import (
    CancelWager,
    ChangeWager,
    KeepWager,
    RecordDebit,
    VoidWager,
    WithdrawWager,
)
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import (
    COUP,
    accepted,
    asked,
    betting,
    book_closed,
    closed,
    opened,
    place,
    sign,
    started,
    voided,
    window,
    window_over,
)

PLAYER = person("PLAYER", "p1")
SUPERVISOR = person("CASINO_SUPERVISOR")


def table(rulebook: str = "nsw-mini") -> Spec:
    return spec(wager).given(opened(rulebook), sign(), betting())


def dealt(rulebook: str = "nsw-mini", *areas: str) -> Spec:
    """Wagers of 1000 by as many players, the book closed, the first card out."""
    staked = [
        accepted(f"w{n}", f"p{n}", area) for n, area in enumerate(areas or ("BANKER", "TIE"), 1)
    ]
    return table(rulebook).given(*staked, closed(), book_closed(len(staked)), started())


def owner(wager_id: str) -> Actor:
    """Of w1 it is p1, and so on."""
    return person("PLAYER", wager_id.replace("w", "p"))


def withdraw(wager_id: str = "w1", *, at_us: int = AT_US) -> WithdrawWager:
    return WithdrawWager(at_us=at_us, by=owner(wager_id), wager_id=wager_id)


# --- coups that end without a result ---


@pytest.mark.parametrize("reason", ["NOT_RECONSTRUCTIBLE", "EXCESS_INITIAL", "INSUFFICIENT_CARDS"])
def test_a_void_coup_gives_every_stake_back_once(reason: str) -> None:
    """F-146, F-153, F-16: all stakes whole, and a book with nothing in it."""
    (
        dealt()
        .when_heard(voided(reason=reason))
        .then(
            like(
                WagerRefunded,
                wager_id="w1",
                refund_minor=1000,
                reason="VOID",
                movement_id="T1/w1/2",
            ),
            like(WagerRefunded, wager_id="w2", refund_minor=1000, would_have_paid_minor=None),
            like(BookRevised, revision=2, wagers=0, reason="VOID", totals={}),
        )
    )


def test_a_void_before_the_book_closes_gives_back_what_is_in_it() -> None:
    """F-16: also a wager whose debit is answered after the void."""
    pending = table().given(accepted("w1")).when(place("w2", "p2")).then(like(DebitRequested))
    waiting = pending.when_heard(voided(reason="SUPERVISOR")).then_nothing()
    paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w2/1", outcome="DONE")
    waiting.when(paid).then(
        like(WagerAccepted, wager_id="w2"),
        like(WagerRefunded, wager_id="w1"),
        like(WagerRefunded, wager_id="w2"),
        like(BookRevised, wagers=0),
    )


def test_a_fault_that_harmed_somebody_gives_every_stake_back() -> None:
    """F-160: refunds equal accepted stakes."""
    fault = CoupTerminated(coup_id=COUP, coup=1, reason="SHUFFLER")
    told = dealt().when_heard(fault)
    told.then(
        like(WagerRefunded, wager_id="w1", reason="TERMINATED"),
        like(WagerRefunded, wager_id="w2", reason="TERMINATED"),
        like(BookRevised, wagers=0, reason="TERMINATED"),
    )
    assert sum(event.refund_minor for event in told.only(WagerRefunded)) == 2000
    assert "004:13.4" in told.only(WagerRefunded)[0].clauses


def test_wagers_taken_before_a_coup_was_known_to_be_without_them_go_back() -> None:
    """F-150, F-151: accepted ones refunded, new ones NO_BET_COUP."""
    none = NoBetCoupDeclared(coup_id=COUP, coup=1, shoe_id="S1", reason="EXPOSED_CARD")
    after = (
        table()
        .given(accepted("w1"))
        .when_heard(none)
        .then(
            like(WagerRefunded, wager_id="w1", reason="NO_BET_COUP"),
            like(BookRevised, wagers=0, reason="NO_BET_COUP"),
        )
    )
    after.when(place("w2")).then(like(WagerRejected, code="NO_BET_COUP"))
    fresh = spec(wager).given(opened(), sign()).when_heard(none).then_nothing()
    fresh.when(place()).then(like(WagerRejected, code="NO_BET_COUP"))


def test_a_book_that_closes_for_a_coup_without_wagers_is_not_cut() -> None:
    """F-150, F-77: everything in it goes back, so the differential has nothing to do."""
    wide = spec(wager).given(
        opened(), sign(differential=100), betting(), accepted("w1", area="PLAYER"), closed()
    )
    wide.when_heard(asked(reason="NO_BET")).then(like(BookClosed, wagers=1))


# --- a supervisor's void ---


def test_a_supervisors_void_says_what_the_open_cards_would_have_paid() -> None:
    """Procedure 13: per wager, none where they do not decide it; refunds all the same."""
    ended = voided(reason="SUPERVISOR", note="EVACUATION", player=("6S", "6D"), banker=("7H",))
    cut = dealt("nsw-mini", "BANKER", "TIE").when_heard(ended)
    assert [e.would_have_paid_minor for e in cut.only(WagerRefunded)] == [None, None]
    whole = voided(reason="SUPERVISOR", player=("6S", "TD"), banker=("7H", "KC"))
    paid = dealt("nsw-mini", "BANKER", "TIE", "PLAYER").when_heard(whole)
    assert [e.would_have_paid_minor for e in paid.only(WagerRefunded)] == [1950, 0, 0]
    assert [e.refund_minor for e in paid.only(WagerRefunded)] == [1000] * 3


def test_wagers_that_the_open_cards_have_won_are_kept_to_be_paid() -> None:
    """Procedure 13, BETTER_FOR_PLAYER: a pair on the fourth card, BIG on the fifth; losers go back."""
    areas = ("PLAYER_PAIR", "BANKER_PAIR", "BIG", "SMALL", "TIE")
    ended = voided(
        reason="SUPERVISOR", player=("2S", "2D"), banker=("3H", "KC"), note="EQUIPMENT_FAILED"
    )
    told = dealt("super-six", *areas).when_heard(ended)
    after = told.then_among(like(BookRevised, wagers=1, reason="VOID"))
    assert set(after.state.book.wagers) == {"w1"}
    refunds = {e.wager_id: e.would_have_paid_minor for e in told.only(WagerRefunded)}
    assert refunds == {"w2": 0, "w3": None, "w4": None, "w5": None}
    fifth = voided(reason="SUPERVISOR", player=("2S", "3D", "4H"), banker=("3H", "KC"))
    big = dealt("super-six", *areas).when_heard(fifth)
    assert set(big.before.given(*big.events).state.book.wagers) == {"w3"}
    refunds = {e.wager_id: e.would_have_paid_minor for e in big.only(WagerRefunded)}
    assert refunds == {"w1": 0, "w2": 0, "w4": 0, "w5": None}


def test_a_void_by_rule_pays_nobody() -> None:
    """F-16, procedure 13: `cannot_continue` speaks of a supervisor's void alone."""
    by_rule = voided(reason="INTEGRITY", player=("2S", "2D"), banker=("3H", "KC"))
    told = dealt("super-six", "PLAYER_PAIR").when_heard(by_rule)
    told.then(like(WagerRefunded, would_have_paid_minor=None), like(BookRevised, wagers=0))


# --- windows ---


def test_a_wager_comes_off_only_in_an_open_window() -> None:
    """F-143: outside refused; until its last instant, and not after `WithdrawalWindowClosed`."""
    dealt().when(withdraw()).then_raises("LOCKED")
    table().given(accepted("w1")).when(withdraw()).then_raises("STATE")
    now = dealt().given(window())
    until = AT_US + 60_000_000
    now.when(withdraw(at_us=until)).then_raises("LOCKED")
    now.when(withdraw(at_us=until - 1)).then(
        like(WagerWithdrawn, refund_minor=1000, answered=True, movement_id="T1/w1/2")
    )
    now.given(window_over()).when(withdraw()).then_raises("LOCKED")
    shut = now.when_heard(window_over()).then(like(BookRevised))
    shut.when(withdraw()).then_raises("LOCKED")


def test_what_is_taken_off_stays_off_and_the_rest_is_locked() -> None:
    """F-144, F-69: no second stake, no part of one, no other change while the window is open."""
    off = dealt().given(window()).when(withdraw()).then(like(WagerWithdrawn))
    off.when(withdraw()).then_raises("UNKNOWN")
    off.when(place("w9")).then(like(WagerRejected, code="LATE"))
    part = ChangeWager(at_us=AT_US, by=owner("w2"), wager_id="w2", amount_minor=500)
    off.when(part).then_raises("LOCKED")
    off.when(CancelWager(at_us=AT_US, by=owner("w2"), wager_id="w2")).then_raises("LOCKED")


def test_the_book_is_told_when_the_last_wager_comes_off() -> None:
    """F-145: at once, so that the coup can be void."""
    one_left = dealt().given(window()).when(withdraw("w2")).then(like(WagerWithdrawn))
    one_left.when(withdraw("w1")).then(
        like(WagerWithdrawn), like(BookRevised, wagers=0, reason="WITHDRAWAL", revision=2)
    )


def test_in_a_window_nobody_answers_for_another_player() -> None:
    """F-143, F-161: taking off and staying are the player's own words, or the dealer's for him."""
    for cause in ("RECONSTRUCTION", "DEVICE"):
        open_ = dealt().given(window(cause))
        for by in (person("PLAYER", "p9"), person("AUDITOR")):
            open_.when(WithdrawWager(at_us=AT_US, by=by, wager_id="w1")).then_raises("ROLE")
            open_.when(KeepWager(at_us=AT_US, by=by, wager_id="w1")).then_raises("ROLE")
        by_dealer = WithdrawWager(at_us=AT_US, by=person("DEALER"), wager_id="w1")
        open_.when(by_dealer).then_among(like(WagerWithdrawn, wager_id="w1"))


def test_a_wager_comes_off_until_the_end_of_a_window_that_was_lengthened() -> None:
    """F-143, Procedure 8: the supervisor's longer window is wager's as well, and no other coup's."""
    until = AT_US + 60_000_000
    longer = WithdrawalWindowExtended(coup_id=COUP, until_us=until + 30_000_000)
    now = dealt().given(window(), longer)
    now.when(withdraw(at_us=until + 29_999_999)).then(like(WagerWithdrawn, wager_id="w1"))
    now.when(withdraw(at_us=until + 30_000_000)).then_raises("LOCKED")
    keep = KeepWager(at_us=until, by=PLAYER, wager_id="w1")
    kept = now.when(keep).then(like(WagerKept))
    assert kept.state.book.window.kept == {"w1"}
    elsewhere = WithdrawalWindowExtended(coup_id="T1:1:9", until_us=until + 30_000_000)
    dealt().given(window(), elsewhere).when(withdraw(at_us=until)).then_raises("LOCKED")


def test_silence_after_a_reconstruction_leaves_the_wager() -> None:
    """F-143: STAYS; the closed window is answered with the book, changed or not."""
    dealt().given(window()).when_heard(window_over()).then(
        like(BookRevised, wagers=2, revision=2, reason="WITHDRAWAL")
    )


def test_silence_after_a_fault_of_the_device_returns_the_stake() -> None:
    """F-161: choice per wager; who said that he stays is played for, F-164."""
    keep = KeepWager(at_us=AT_US, by=PLAYER, wager_id="w1")
    kept = dealt().given(window("DEVICE")).when(keep).then(WagerKept(coup_id=COUP, wager_id="w1"))
    kept.when(keep).then_nothing()
    kept.when_heard(window_over()).then(
        like(WagerWithdrawn, wager_id="w2", answered=False, refund_minor=1000),
        like(BookRevised, wagers=1),
    )
    dealt().given(window("DEVICE")).when_heard(window_over()).then(
        like(WagerWithdrawn, wager_id="w1"),
        like(WagerWithdrawn, wager_id="w2"),
        like(BookRevised, wagers=0),
    )
    dealt().when(keep).then_raises("LOCKED")


def test_later_withdrawals_do_not_reopen_the_differential() -> None:
    """F-77, procedure 7: the check is at the close of the book and nowhere else."""
    held = spec(wager).given(
        opened(),
        sign(differential=100),
        betting(),
        accepted("w1", "p1", "PLAYER"),
        accepted("w2", "p2", "BANKER"),
        closed(),
        book_closed(2),
        started(),
        window(),
    )
    held.when(withdraw("w2")).then(like(WagerWithdrawn))


# --- one wager, by a supervisor ---


def void(wager_id: str = "w1", *, role: str = "CASINO_SUPERVISOR") -> VoidWager:
    return VoidWager(at_us=AT_US, by=person(role), wager_id=wager_id, reason="PROHIBITED_DEVICE")


def test_a_supervisor_voids_a_wager_until_there_is_a_result() -> None:
    """F-167: per wager, with reason; the stake returns and the closed book is revised."""
    early = table().given(accepted("w1"), accepted("w2", "p2"))
    early.when(void()).then(
        like(WagerVoided, wager_id="w1", refund_minor=1000, reason="PROHIBITED_DEVICE")
    )
    dealt().when(void()).then(
        like(WagerVoided, wager_id="w1"),
        like(BookRevised, wagers=1, revision=2, reason="WAGER_VOIDED"),
    )
    early.when(void(role="GAME_SUPERVISOR")).then_raises("ROLE")
    early.when(void("w9")).then_raises("UNKNOWN")


def test_a_voided_wager_is_not_in_the_book_that_closes_after_it() -> None:
    """F-167: one book, not two, where the void comes before the close or inside a window."""
    gone = table().given(accepted("w1")).when(void()).then(like(WagerVoided))
    gone.given(closed()).when_heard(asked()).then(like(BookClosed, wagers=0, revision=1))
    inside = dealt().given(window()).when(void()).then(like(WagerVoided))
    inside.when_heard(window_over()).then(like(BookRevised, wagers=1, revision=2))


# --- a card that was out before betting closed ---

SECOND_US = 1_000_000


def test_wagers_from_the_cards_instant_on_do_not_count() -> None:
    """A-25: accepted at or after it: LATE and given back; before it: they stand."""
    card = AT_US + 10 * SECOND_US
    held = table().given(
        accepted("w1", accepted_at_us=card - 1),
        accepted("w2", "p2", accepted_at_us=card),
        accepted("w3", "p3", accepted_at_us=card + SECOND_US, token="k1"),
    )
    after = held.when_heard(closed(by="CARD", at_us=card)).then(
        like(WagerRejected, wager_id="w2", code="LATE", accepted=True, refund_minor=1000),
        like(WagerRejected, wager_id="w3", code="LATE", accepted=True, refund_minor=0),
    )
    assert set(after.state.book.wagers) == {"w1"}
    assert after.state.tokens.fault("k1", 1000, "EUR") is None
    after.when(place("w4", at_us=card)).then(like(WagerRejected, code="LATE"))
    held.when_heard(closed(by="CALL", at_us=card)).then_nothing()


def test_an_increase_after_the_cards_instant_is_undone() -> None:
    """A-25, A-24: the wager stands with what it was before."""
    card = AT_US + 10 * SECOND_US
    held = table().given(
        accepted("w1", stake=500, accepted_at_us=card - 5),
        WagerChanged(
            coup_id=COUP,
            wager_id="w1",
            player="p1",
            currency="EUR",
            from_minor=500,
            to_minor=800,
            movement_id="T1/w1/2",
            changed_at_us=card,
        ),
    )
    early = closed(by="CARD", at_us=card)
    after = held.when_heard(early).then(
        like(WagerChanged, from_minor=800, to_minor=500, refund_minor=300, reason="LATE")
    )
    after.when_heard(early).then_nothing()


def test_a_debit_answered_after_the_cards_instant_makes_no_wager() -> None:
    """A-25: not accepted when the card came out; what was debited goes back."""
    card = AT_US + SECOND_US
    pending = table().when(place()).then(like(DebitRequested))
    shut = pending.when_heard(closed(by="CARD", at_us=card)).then_nothing()
    paid = RecordDebit(at_us=card + 1, by=PLAYER, movement_id="T1/w1/1", outcome="DONE")
    after = shut.when(paid).then(
        like(WagerRejected, code="LATE", accepted=False, refund_minor=1000, movement_id="T1/w1/2")
    )
    assert not after.state.book.wagers
    after.when_heard(asked()).then(like(BookClosed, wagers=0))
