"""Corrections after payment: reversals, new revisions, and what moves."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from services.contracts import round as table
from services.contracts import wager as book
from services.contracts.core import Event, Refused
from services.contracts.round_table import VariantChanged
from services.contracts.settlement import (
    CommissionCollected,
    CoupSettled,
    CreditDelivered,
    CreditOutstanding,
    CreditRepeated,
    PlayerNotified,
    PromoTokensDecided,
    ReversalCollected,
    ReversalOutstanding,
    ReversalRepeated,
    SettlementReversed,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
)
from services.settlement import domain as settlement
from services.settlement.commands import (
    RecordCredit,
    RecordReversal,
    RepeatCredit,
    RepeatReversal,
    VoidWager,
)
from services.settlement.domain import state as limits
from tests.support.spec import AT_US, Spec, heard, like, person, spec
from tests.support.tables import (
    COUP,
    accepted,
    betting,
    book_closed,
    corrected,
    opened,
    over,
    resulted,
    settings,
    voided,
)

CASINO_SUPERVISOR = person("CASINO_SUPERVISOR", "cs1")
SECOND = person("GAME_SUPERVISOR", "gs1")
PLAYER_WINS = ("6S", "3D"), ("7H", "KC")


def settled(*wagers: book.WagerAccepted, rulebook: str = "nsw-mini", **result: Any) -> Spec:
    """Coup 1, settled by a Banker win with 7 against 6, and closed."""
    now = spec(settlement).given(opened(rulebook), betting(), *wagers, book_closed(len(wagers)))
    told = now.when_heard(resulted(**result))
    return told.before.given(*told.events, over())


BOTH = (accepted("w1", "p1", "BANKER", 1000), accepted("w2", "p2", "PLAYER", 400))


def invalidated(reason: str = "FIRE", *forfeit: str) -> table.OutcomeInvalidated:
    return table.OutcomeInvalidated(
        coup_id=COUP, coup=1, reason=reason, persons=forfeit, forfeit=forfeit, book_revision=1
    )


def void(wager_id: str = "w1", second: Any = SECOND, by: Any = CASINO_SUPERVISOR) -> VoidWager:
    return VoidWager(
        at_us=AT_US, by=by, second=second, wager_id=wager_id, reason="PROHIBITED_DEVICE"
    )


# --- a corrected result ---


def test_a_corrected_result_reverses_every_payment_and_pays_anew() -> None:
    """X-55, X-54, procedure 12: revision 2 of every area; the difference moves, after its notice."""
    told = settled(*BOTH).when_heard(corrected(*PLAYER_WINS))
    after = told.then(
        like(
            SettlementReversed,
            settlement_id=f"{COUP}/w1/1",
            returned_minor=1000,
            winnings_minor=950,
            commission_exact="50",
            revision=2,
        ),
        like(SettlementReversed, settlement_id=f"{COUP}/w2/1", returned_minor=0),
        like(PlayerNotified, player="p1", amount_minor=1950, currency="EUR", revision=2),
        like(
            WagerResettled,
            settlement_id=f"{COUP}/w1/2",
            outcome="LOST",
            already_minor=1950,
            due_minor=-1950,
        ),
        like(WagerResettled, wager_id="w2", outcome="WON", credit_minor=800, due_minor=800),
        like(CoupSettled, revision=2, status="SETTLED", wagers=2, reason="misread"),
    )
    [done] = told.only(CoupSettled)
    assert done.totals["EUR"].house_minor == 600
    assert after.state.settled[COUP].revision == 2


def test_a_second_correction_is_the_third_revision() -> None:
    """D7: it reverses the second; the amounts of all reversals and decisions come to the last one."""
    once = settled(*BOTH).when_heard(corrected(*PLAYER_WINS))
    twice = once.before.given(*once.events).when_heard(
        corrected(("6S", "TD"), ("7H", "KC"), revision=3)
    )
    twice.then_among(
        like(SettlementReversed, settlement_id=f"{COUP}/w1/2", revision=3),
        like(PlayerNotified, player="p2", amount_minor=800),
        like(WagerResettled, wager_id="w1", due_minor=1950, revision=3),
        like(WagerResettled, wager_id="w2", due_minor=-800),
        like(CoupSettled, revision=3),
    )
    moved = [
        event.due_minor
        for event in (*once.events, *twice.events)
        if isinstance(event, WagerResettled) and event.wager_id == "w1"
    ]
    assert moved == [-1950, 1950]


def test_a_correction_that_changes_no_payment_moves_nothing() -> None:
    """N-7: a reversal and a decision of the same amounts; nobody is told of a debit."""
    other_six = ("5S", "AD"), ("7H", "KC")
    told = settled(*BOTH).when_heard(corrected(*other_six))
    assert [event.due_minor for event in told.only(WagerResettled)] == [0, 0]
    assert not told.only(PlayerNotified)
    assert len(told.only(SettlementReversed)) == 2
    assert len(told.only(CommissionCollected)) == 1


def test_what_a_player_gains_needs_no_notice_and_what_he_loses_is_told_once() -> None:
    """N-7: debits of one player in a coup are told in one sum, before they are made."""
    wagers = (
        accepted("w1", "p1", "BANKER", 1000),
        accepted("w2", "p1", "TIE", 100),
        accepted("w3", "p2", "PLAYER", 400),
    )
    tie = ("7S", "KD"), ("7H", "KC")
    told = settled(*wagers).when_heard(corrected(*tie))
    kinds = [type(event) for event in told.events]
    assert kinds.index(PlayerNotified) < kinds.index(WagerResettled)
    told.then_among(like(PlayerNotified, player="p1", amount_minor=950))
    dues = {event.wager_id: event.due_minor for event in told.only(WagerResettled)}
    assert dues == {"w1": -950, "w2": 900, "w3": 400}


def test_a_correction_keeps_the_rules_of_its_own_coup() -> None:
    """F-10, F-182: the table plays even money by now; the coup is corrected by its own pay table."""
    changed = VariantChanged(settings=settings("nsw-mini-even-money"), before="nsw-mini")
    six = ("2S", "3D", "KD"), ("6H", "KC")
    told = settled(BOTH[0]).given(changed).when_heard(corrected(*six))
    told.then_among(like(WagerResettled, outcome="WON", winnings_minor=950))


def test_a_correction_of_a_coup_that_nobody_knows_is_never_passed_over() -> None:
    """D7, N-7: the reaction is refused, so that somebody looks."""
    with pytest.raises(Refused, match="UNKNOWN"):
        spec(settlement).given(opened()).when_heard(corrected(*PLAYER_WINS, number=9))


def test_the_correctable_coups_of_a_session_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """D7: the oldest go first; a new session begins with none."""
    module = import_module("services.settlement.domain.evolve")
    monkeypatch.setattr(module, "SETTLED_COUPS_MAX", 2)
    now = spec(settlement).given(opened())
    for number in (1, 2, 3):
        wager = accepted(f"w{number}", number=number)
        told = now.given(betting(number), wager, book_closed(1, number=number)).when_heard(
            resulted(number=number)
        )
        now = told.before.given(*told.events, over(number))
    assert [coup.coup for coup in now.state.settled.values()] == [2, 3]
    assert now.state.settled_wagers == 2
    assert now.given(opened(session=2)).state.settled == {}
    assert limits.SETTLED_COUPS_MAX >= 1000


# --- an outcome set aside ---


@pytest.mark.parametrize("reason", ["FIRE", "RIOT", "ACT_OF_GOD"])
def test_an_outcome_set_aside_after_payment_refunds_every_stake(reason: str) -> None:
    """F-171, F-173: reversal lines sum to zero with the settlement; refund by default."""
    told = settled(*BOTH).when_heard(invalidated(reason))
    told.then(
        like(SettlementReversed, wager_id="w1"),
        like(SettlementReversed, wager_id="w2"),
        like(PlayerNotified, player="p1", amount_minor=950),
        like(WagerRefunded, wager_id="w1", returned_minor=1000, due_minor=-950, reason=reason),
        like(WagerRefunded, wager_id="w2", returned_minor=400, due_minor=400),
        like(CoupSettled, status="INVALIDATED", revision=2, reason=reason),
    )
    [done] = told.only(CoupSettled)
    assert done.totals["EUR"].house_minor == 0
    assert (done.totals["EUR"].commission_exact, done.totals["EUR"].winnings_minor) == ("0", 0)


def test_the_stakes_of_those_named_in_a_fraud_are_kept() -> None:
    """F-172, F-173, X-38: a line of its own in the books, and the winnings go back."""
    told = settled(*BOTH).when_heard(invalidated("FRAUD", "p1"))
    told.then_among(
        like(PlayerNotified, player="p1", amount_minor=1950),
        like(WagerForfeited, wager_id="w1", stake_minor=1000, due_minor=-1950),
        like(WagerRefunded, wager_id="w2", due_minor=400),
        like(CoupSettled, status="INVALIDATED"),
    )
    money = told.only(CoupSettled)[0].totals["EUR"]
    assert (money.forfeited_minor, money.lost_minor, money.house_minor) == (1000, 0, 1000)


def test_a_forfeited_token_is_gone_and_a_refunded_one_comes_back() -> None:
    """F-05, F-173: tokens follow the latest revision."""
    tokens = (
        accepted("w1", "p1", "BANKER", 1000, token="k1"),
        accepted("w2", "p2", "PLAYER", 400, token="k2"),
    )
    told = settled(*tokens).when_heard(invalidated("FRAUD", "p1"))
    told.then_among(like(PromoTokensDecided, spent=("k1",), returned=("k2",), revision=2))
    assert told.only(CoupSettled)[0].totals["EUR"].forfeited_minor == 0


# --- one wager ---


def test_a_wager_that_was_paid_is_voided_as_a_correction_by_two_persons() -> None:
    """F-167: reversal and a new revision of the coup; other wagers are left alone."""
    told = settled(*BOTH).when(void())
    after = told.then(
        like(SettlementReversed, wager_id="w1"),
        like(PlayerNotified, player="p1", amount_minor=950),
        like(WagerRefunded, wager_id="w1", outcome="VOIDED", returned_minor=1000, due_minor=-950),
        like(CoupSettled, revision=2, status="SETTLED", wagers=2, reason="PROHIBITED_DEVICE"),
    )
    assert told.only(CoupSettled)[0].totals["EUR"].house_minor == 400
    after.when(void()).then_raises("STATE")
    later = after.when_heard(corrected(*PLAYER_WINS, revision=3))
    later.then_among(
        like(WagerResettled, wager_id="w2", outcome="WON"), like(CoupSettled, revision=3)
    )
    assert [event.wager_id for event in later.only(WagerResettled)] == ["w2"]


def test_who_voids_a_wager_that_was_paid() -> None:
    """F-167, clauses 1.3: the role, then the second person, then that he is another and of rank."""
    now = settled(*BOTH)
    now.when(void(by=person("GAME_SUPERVISOR"))).then_raises("ROLE")
    now.when(void(second=None)).then_raises("APPROVAL")
    now.when(void(second=CASINO_SUPERVISOR)).then_raises("ROLE")
    now.when(void(second=person("DEALER"))).then_raises("ROLE")
    now.when(void("w9")).then_raises("UNKNOWN")


def test_a_wager_of_a_coup_in_progress_is_not_settlements_to_void() -> None:
    """F-167: until settlement directly, by the wager service."""
    running = spec(settlement).given(opened(), betting(), BOTH[0])
    running.when(void()).then_raises("STATE")


def voided_by_wager() -> book.WagerVoided:
    return book.WagerVoided(
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        stake_minor=1000,
        refund_minor=1000,
        movement_id="T1/w1/2",
        reason="PROHIBITED_DEVICE",
    )


def test_a_void_that_crosses_the_result_takes_the_payment_back() -> None:
    """F-167, D6: the stake came from the book already, so that all that was paid goes back."""
    told = settled(*BOTH).when_heard(heard(voided_by_wager(), service="wager"))
    after = told.then(
        like(SettlementReversed, wager_id="w1"),
        like(PlayerNotified, player="p1", amount_minor=1950),
        like(WagerRefunded, outcome="VOIDED", already_minor=2950, due_minor=-1950),
        like(CoupSettled, revision=2),
    )
    after.when_heard(heard(voided_by_wager(), service="wager")).then_nothing()


def test_a_void_that_arrives_before_the_settlement_is_simply_not_settled() -> None:
    """F-167, D6: the result names the book before it; the later revision without it is the one."""
    waiting = spec(settlement).given(opened(), betting(), *BOTH, book_closed(2))
    gone = waiting.given(voided_by_wager())
    half = gone.when_heard(resulted()).then_nothing()
    told = half.when_heard(
        book.BookRevised(
            coup_id=COUP, revision=2, wagers=1, totals={}, digest="d", reason="WAGER_VOIDED"
        )
    )
    told.then_among(like(CoupSettled, wagers=1, book_revision=2))


# --- debits that the wallet has to make ---


def debit(outcome: str, key: str = f"{COUP}/w1/2") -> RecordReversal:
    return RecordReversal(
        at_us=AT_US, by=SECOND, movement_id=key, outcome=outcome, reason="no funds"
    )


def test_a_debit_that_the_wallet_refuses_stays_due_until_it_is_made() -> None:
    """N-7: outstanding, asked for again by hand, never dropped, not even with the session."""
    told = settled(*BOTH).when_heard(corrected(*PLAYER_WINS))
    now = told.before.given(*told.events)
    due = now.when(debit("REFUSED")).then(
        like(ReversalOutstanding, amount_minor=1950, player="p1", attempts=1, wager_id="w1")
    )
    again = RepeatReversal(at_us=AT_US, by=CASINO_SUPERVISOR, movement_id=f"{COUP}/w1/2")
    now.when(again).then_raises("STATE")
    repeated = due.when(again).then(like(ReversalRepeated, amount_minor=1950))
    repeated.when(again).then_raises("STATE")
    due.when(RepeatReversal(at_us=AT_US, by=SECOND, movement_id=again.movement_id)).then_raises(
        "ROLE"
    )
    tomorrow = due.given(opened(session=2))
    made = tomorrow.when(debit("DONE")).then(like(ReversalCollected, amount_minor=1950))
    made.when(debit("DONE")).then_raises("UNKNOWN")
    made.when(again).then_raises("UNKNOWN")


def test_a_credit_is_no_debit() -> None:
    """N-7: what a correction gives is credited at once, without a further approval."""
    told = settled(*BOTH).when_heard(corrected(*PLAYER_WINS))
    now = told.before.given(*told.events)
    now.when(debit("REFUSED", f"{COUP}/w2/2")).then_raises("UNKNOWN")


def credit(outcome: str) -> RecordCredit:
    return RecordCredit(
        at_us=AT_US,
        by=SECOND,
        movement_id=f"{COUP}/w1/1",
        outcome=outcome,
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        currency="EUR",
        amount_minor=1950,
        reason="" if outcome == "DONE" else "BALANCE_MAXIMUM",
    )


def test_a_credit_that_the_wallet_refuses_is_owed_until_it_takes_it() -> None:
    """D13, N-7: an open item, delivered again by hand, never dropped, not even with the session."""
    now = settled(*BOTH)
    now.when(credit("DONE")).then_nothing()
    owed = now.when(credit("REFUSED")).then(
        like(CreditOutstanding, amount_minor=1950, attempts=1, reason="BALANCE_MAXIMUM")
    )
    again = RepeatCredit(at_us=AT_US, by=CASINO_SUPERVISOR, movement_id=f"{COUP}/w1/1")
    now.when(again).then_raises("UNKNOWN")
    owed.when(RepeatCredit(at_us=AT_US, by=SECOND, movement_id=again.movement_id)).then_raises(
        "ROLE"
    )
    repeated = owed.when(again).then(like(CreditRepeated, amount_minor=1950, wager_id="w1"))
    repeated.when(again).then_raises("STATE")
    twice = repeated.when(credit("REFUSED")).then(like(CreditOutstanding, attempts=2))
    tomorrow = twice.given(opened(session=2))
    done = tomorrow.when(credit("DONE")).then(like(CreditDelivered, amount_minor=1950))
    done.when(again).then_raises("UNKNOWN")


def test_a_void_coup_that_paid_early_winners_can_be_looked_at_like_any_other() -> None:
    """Procedure 13, F-167: its wagers are voided as a correction too."""
    pair = accepted("w1", "p1", "PLAYER_PAIR", 100)
    void_coup = voided(reason="SUPERVISOR", player=("2S", "2D"), banker=("3H", "KC"))
    revised = book.BookRevised(
        coup_id=COUP, revision=2, wagers=1, totals={}, digest="d", reason="VOID"
    )
    now = spec(settlement).given(opened("super-six"), betting(), pair, book_closed(1), void_coup)
    told = now.when_heard(revised)
    paid = told.before.given(*told.events, over())
    paid.when(void()).then_among(
        like(WagerRefunded, outcome="VOIDED", due_minor=-1100), like(CoupSettled, status="VOID")
    )


def amounts(events: list[Event], wager_id: str) -> int:
    return sum(
        event.returned_minor + event.winnings_minor
        for event in events
        if isinstance(event, SettlementReversed) and event.wager_id == wager_id
    )


def test_reversals_take_exactly_what_was_given() -> None:
    """F-171, D7: line by line, commission and rounding too."""
    told = settled(*BOTH).when_heard(invalidated())
    assert amounts(told.events, "w1") == 1950
    assert amounts(told.events, "w2") == 0
    [first, _] = told.only(SettlementReversed)
    assert (first.commission_exact, first.rounding_exact, first.outcome) == ("50", "0", "WON")
