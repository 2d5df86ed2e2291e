"""The first settlement of a coup: complete, exact, once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import wager as book
from services.contracts.core import Caused, Event
from services.contracts.round_table import VariantChanged
from services.contracts.settlement import (
    CommissionCollected,
    CoupSettled,
    PayTablePublished,
    PromoTokensDecided,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
    WagerSettled,
)
from services.settlement import domain as settlement
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

TIE = ("7S", "KH"), ("7C", "QC")
PLAYER_WINS = ("9S", "KD"), ("7D", "TC")


def coup(*wagers: book.WagerAccepted, rulebook: str = "nsw-mini", **others: Any) -> Spec:
    """A coup whose book is closed with these wagers."""
    return spec(settlement).given(
        opened(rulebook, **others), betting(), *wagers, book_closed(len(wagers))
    )


def revised(wagers: int, *, revision: int = 2, reason: str) -> book.BookRevised:
    return book.BookRevised(
        coup_id=COUP, revision=revision, wagers=wagers, totals={}, digest="d2", reason=reason
    )


MAIN = (
    accepted("w1", "p1", "BANKER", 1000),
    accepted("w2", "p2", "PLAYER", 400),
    accepted("w3", "p3", "TIE", 100),
)


def outcomes(events: list[Event]) -> dict[str, tuple[str, int, int]]:
    """Outcome, returned and winnings by wager."""
    return {
        event.wager_id: (event.outcome, event.returned_minor, event.winnings_minor)
        for event in events
        if isinstance(event, WagerSettled)
    }


PLACED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_the_first_decision_on_a_wager_ends_the_trace_of_its_placing() -> None:
    """Of it alone: the coup's events, and what a correction says later, have their chain's."""
    placing = heard(accepted("w1", "p1", "BANKER", 1000), service="wager")
    placing = replace(placing, meta=replace(placing.meta, traceparent=PLACED))
    played = spec(settlement).given(opened(), betting(), placing, MAIN[1], book_closed(2))
    told = played.when_heard(resulted())
    state, traces = told.before.state, []
    for event in told.events:
        state = settlement.evolve(state, event)
        traces.append((type(event), settlement.scope(state, event).traceparent))
    assert (WagerSettled, PLACED) in traces
    assert (WagerSettled, "") in traces
    assert (CoupSettled, "") in traces
    again = Spec(settlement, state).when_heard(corrected(*PLAYER_WINS))
    state = again.before.state
    assert any(isinstance(event, WagerResettled) for event in again.events)
    for event in again.events:
        state = settlement.evolve(state, event)
        assert settlement.scope(state, event).traceparent == ""


def test_banker_player_and_tie_after_a_banker_win() -> None:
    """A-20, A-21, A-22, A-27, A-31, A-32, F-62, F-63, F-64, F-137: less 5 percent, at payment."""
    told = coup(*MAIN).when_heard(resulted())
    assert outcomes(told.events) == {
        "w1": ("WON", 1000, 950),
        "w2": ("LOST", 0, 0),
        "w3": ("LOST", 0, 0),
    }
    told.then_among(
        like(WagerSettled, wager_id="w1", settlement_id=f"{COUP}/w1/1", revision=1),
        like(CommissionCollected, wager_id="w1", amount_exact="50", amount_minor=50),
        like(CoupSettled, status="SETTLED", wagers=3, revision=1),
    )


def test_a_tie_pays_tie_and_gives_the_hands_back() -> None:
    """A-22, A-23, A-33, D-17, D-18, D-19, F-138: stakes whole, without commission; 8 to 1."""
    told = coup(*MAIN).when_heard(resulted(*TIE))
    assert outcomes(told.events) == {
        "w1": ("PUSH", 1000, 0),
        "w2": ("PUSH", 400, 0),
        "w3": ("WON", 100, 800),
    }
    assert not told.only(CommissionCollected)


def test_a_player_win_pays_even_money() -> None:
    """A-21, A-31, F-136: 1 to 1, nothing taken."""
    told = coup(*MAIN).when_heard(resulted(*PLAYER_WINS))
    assert outcomes(told.events)["w2"] == ("WON", 400, 400)
    assert not told.only(CommissionCollected)


def test_winnings_are_rounded_up_to_the_smallest_chip() -> None:
    """D-27, F-73, X-15: the exact value and the difference are kept."""
    told = coup(accepted(stake=125), smallest_chip_minor=25).when_heard(resulted())
    told.then_among(
        like(
            WagerSettled,
            winnings_minor=125,
            winnings_exact="475/4",
            commission_exact="25/4",
            rounding_exact="25/4",
        )
    )


def test_even_money_pays_half_on_a_six_and_takes_no_commission() -> None:
    """F-07, F-139, F-140, F-141, C-09: on two cards or three, rounded as ever."""
    six = ("2S", "3D", "KD"), ("6H", "KC")
    told = coup(accepted(stake=5), rulebook="nsw-mini-even-money").when_heard(resulted(*six))
    assert outcomes(told.events) == {"w1": ("WON", 5, 3)}
    assert not told.only(CommissionCollected)


def test_side_areas_are_paid_with_the_coup() -> None:
    """C-08, C-12, C-13, C-14: pairs by rank, BIG and SMALL by the number of cards."""
    areas = ("PLAYER_PAIR", "BANKER_PAIR", "BIG", "SMALL")
    wagers = [accepted(f"w{n}", area=area, stake=100) for n, area in enumerate(areas, 1)]
    five = ("2S", "2D", "KD"), ("7H", "KC")
    told = coup(*wagers, rulebook="super-six").when_heard(resulted(*five))
    assert outcomes(told.events) == {
        "w1": ("WON", 100, 1100),
        "w2": ("LOST", 0, 0),
        "w3": ("WON", 100, 54),
        "w4": ("LOST", 0, 0),
    }


@pytest.mark.parametrize("place", range(4))
def test_a_coup_is_settled_when_result_and_book_are_complete(place: int) -> None:
    """D6, A-26, A-27: wherever the result comes among the book's events: whole, and once."""
    events: list[Event] = [MAIN[0], MAIN[1], book_closed(2)]
    events.insert(place, resulted())
    now = spec(settlement).given(opened())
    settled: list[Event] = []
    for event in events:
        told = now.when_heard(event)
        settled += told.events
        now = told.before.given(*told.events)
    assert set(outcomes(settled)) == {"w1", "w2"}
    assert sum(isinstance(event, CoupSettled) for event in settled) == 1


def test_settlement_waits_for_the_book_that_the_result_rests_on() -> None:
    """D6: a withdrawal made a second revision; the first is not enough."""
    off = book.WagerWithdrawn(
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        stake_minor=1000,
        refund_minor=1000,
        movement_id="T1/w1/2",
    )
    waiting = coup(*MAIN).when_heard(resulted(book=2)).then_nothing()
    half = waiting.when_heard(off).then_nothing()
    told = half.when_heard(revised(2, reason="WITHDRAWAL"))
    assert set(outcomes(told.events)) == {"w2", "w3"}


def test_a_reduced_wager_is_settled_with_what_is_left_of_it() -> None:
    """F-77, F-78: one cut by the differential, and one outside the limits that nobody rejected."""
    cut = book.WagerReduced(
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        from_minor=1000,
        to_minor=600,
        excess_minor=400,
        movement_id="T1/w1/2",
    )
    outside = accepted("w2", "p2", "PLAYER", 5, out_of_limits=True)
    now = spec(settlement).given(opened(), betting(), MAIN[0], outside, cut, book_closed(2))
    told = now.when_heard(resulted())
    assert outcomes(told.events) == {"w1": ("WON", 600, 570), "w2": ("LOST", 0, 0)}


def test_a_book_that_is_heard_of_before_the_table_was_opened_is_not_lost() -> None:
    """D6: wager's topic may be ahead of round's; coups of an earlier session are over."""
    early = spec(settlement).given(MAIN[0], book_closed(1))
    told = early.when_heard(table.TableOpened(session=1, settings=settings()))
    now = told.before.given(*told.events)
    assert set(outcomes(now.when_heard(resulted()).events)) == {"w1"}
    tomorrow = now.given(opened(session=2))
    assert tomorrow.state.coups == {}


def test_an_increase_that_failed_leaves_the_wager_and_a_rejection_takes_it_off() -> None:
    """A-24, F-78: by what the event says, not by what it gives back."""

    def rejected(code: str, *, stood: bool) -> book.WagerRejected:
        return book.WagerRejected(
            coup_id=COUP,
            wager_id="w1",
            player="p1",
            area="BANKER",
            currency="EUR",
            amount_minor=1000,
            code=code,
            message="",
            accepted=stood,
        )

    failed = spec(settlement).given(
        opened(), betting(), MAIN[0], rejected("INSUFFICIENT_FUNDS", stood=False), book_closed(1)
    )
    assert set(outcomes(failed.when_heard(resulted()).events)) == {"w1"}
    gone = spec(settlement).given(
        opened(), betting(), MAIN[0], rejected("BY_DEALER", stood=True), book_closed(0)
    )
    gone.when_heard(resulted()).then(like(CoupSettled, wagers=0))


def test_a_coup_without_wagers_is_settled_with_nothing() -> None:
    """N-15, F-151: an empty book, and a no-bet coup."""
    coup().when_heard(resulted()).then(like(CoupSettled, wagers=0, status="SETTLED"))
    none = spec(settlement).given(opened())
    none.when_heard(resulted(no_bet=True, book=0)).then(like(CoupSettled, status="NO_BET"))


def test_a_coup_without_wagers_is_settled_though_its_book_comes_last() -> None:
    """N-15, D6: round closes it by its result; the book is heard of afterwards, and nothing is left."""
    closed = spec(settlement).given(opened(), betting(), resulted(), over())
    done = closed.when_heard(book_closed(0)).then(like(CoupSettled, wagers=0))
    assert done.state.coups == {}
    late = done.given(accepted(), book_closed(1))
    assert late.state.coups == {}


def test_a_no_bet_coup_waits_until_its_wagers_are_back() -> None:
    """F-150: they were taken before it was known; none of them is settled."""
    back = book.WagerRefunded(
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        refund_minor=1000,
        movement_id="T1/w1/2",
        reason="NO_BET_COUP",
    )
    waiting = coup(MAIN[0]).when_heard(resulted(no_bet=True, book=1)).then_nothing()
    half = waiting.when_heard(back).then_nothing()
    half.when_heard(revised(0, reason="NO_BET_COUP")).then(like(CoupSettled, status="NO_BET"))


def test_a_void_coup_is_not_settled() -> None:
    """F-16, F-146: the stakes go back from the book; no winner, no books of a coup."""
    ended = coup(MAIN[0]).when_heard(voided()).then_nothing()
    back = book.WagerRefunded(
        coup_id=COUP,
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        refund_minor=1000,
        movement_id="T1/w1/2",
        reason="VOID",
    )
    ended.given(back).when_heard(revised(0, reason="VOID")).then_nothing()


def test_what_the_open_cards_had_won_is_paid_on_a_void_coup() -> None:
    """Procedure 13, BETTER_FOR_PLAYER: what the book kept after the void is won, and nothing else."""
    wagers = [accepted("w1", "p1", "PLAYER_PAIR", 100), accepted("w2", "p2", "BANKER", 500)]
    void = voided(reason="SUPERVISOR", player=("2S", "2D"), banker=("3H", "KC"))
    back = book.WagerRefunded(
        coup_id=COUP,
        wager_id="w2",
        player="p2",
        area="BANKER",
        currency="EUR",
        refund_minor=500,
        movement_id="T1/w2/2",
        reason="VOID",
    )
    ended = coup(*wagers, rulebook="super-six").when_heard(void).then_nothing()
    told = ended.given(back).when_heard(revised(1, reason="VOID"))
    told.then(
        like(WagerSettled, wager_id="w1", outcome="WON", returned_minor=100, winnings_minor=1100),
        like(CoupSettled, status="VOID", wagers=1, reason="SUPERVISOR"),
    )


def test_a_promotional_token_wins_winnings_only() -> None:
    """F-05, X-37: no stake is returned; lost 0; a tie gives the token back, in no cash."""
    tokens = [
        accepted("w1", "p1", "PLAYER", 500, token="k1"),
        accepted("w2", "p2", "BANKER", 300, token="k2"),
    ]
    won = coup(*tokens).when_heard(resulted(*PLAYER_WINS))
    assert outcomes(won.events) == {"w1": ("WON", 0, 500), "w2": ("LOST", 0, 0)}
    won.then_among(like(PromoTokensDecided, spent=("k1", "k2"), returned=()))
    [done] = won.only(CoupSettled)
    money = done.totals["EUR"]
    assert (money.staked_minor, money.returned_minor, money.winnings_minor) == (0, 0, 500)
    assert (money.house_minor, money.tokens_spent_minor) == (-500, 800)
    tied = coup(*tokens).when_heard(resulted(*TIE))
    assert outcomes(tied.events) == {"w1": ("PUSH", 0, 0), "w2": ("PUSH", 0, 0)}
    tied.then_among(like(PromoTokensDecided, spent=(), returned=("k1", "k2")))


def test_each_currency_has_books_of_its_own() -> None:
    """N-10: nothing is converted; rounding by each currency's smallest unit."""
    both = [
        accepted("w1", "p1", "BANKER", 1050),
        accepted("w2", "p2", "BANKER", 50, currency="JPY"),
    ]
    [done] = coup(*both, rulebook="live-studio").when_heard(resulted()).only(CoupSettled)
    assert done.totals["EUR"].winnings_minor == 998
    assert done.totals["JPY"].winnings_minor == 48
    assert done.totals["JPY"].commission_exact == "5/2"


def test_a_result_corrected_before_it_was_settled_is_the_first_revision() -> None:
    """X-55, F-134: a correction that ends a hold pays for the first time, as nothing was paid."""
    held = coup(*MAIN[:2])
    told = held.when_heard(corrected(*PLAYER_WINS, revision=1))
    told.then(
        like(WagerSettled, wager_id="w1", outcome="LOST", revision=1),
        like(WagerSettled, wager_id="w2", outcome="WON", revision=1),
        like(CoupSettled, revision=1, status="SETTLED"),
    )


def test_a_correction_that_overtakes_the_book_follows_the_settlement() -> None:
    """D6, D7: the first result is settled when the book is there, and corrected at once after it."""
    both = spec(settlement).given(opened(), betting(), *MAIN[:2], resulted())
    waiting = both.when_heard(corrected(*PLAYER_WINS)).then_nothing()
    told = waiting.when_heard(book_closed(2))
    told.then_among(
        like(WagerSettled, wager_id="w1", outcome="WON", revision=1),
        like(CoupSettled, revision=1),
        like(WagerResettled, wager_id="w1", outcome="LOST", revision=2),
        like(CoupSettled, revision=2, reason="misread"),
    )


def test_an_outcome_set_aside_before_it_was_settled_refunds_and_forfeits() -> None:
    """F-171, F-172, F-173: nothing to reverse; refund by default, forfeits by name."""
    aside = table.OutcomeInvalidated(
        coup_id=COUP, coup=1, reason="FRAUD", persons=("p1",), forfeit=("p1",), book_revision=1
    )
    coup(*MAIN[:2]).when_heard(aside).then(
        like(WagerForfeited, wager_id="w1", stake_minor=1000, due_minor=0, reason="FRAUD"),
        like(WagerRefunded, wager_id="w2", outcome="REFUNDED", returned_minor=400, due_minor=400),
        like(CoupSettled, status="INVALIDATED", reason="FRAUD"),
    )


def test_the_pay_table_in_force_is_published() -> None:
    """A-34, F-10: with the table, and again with another game."""
    told = spec(settlement).when_heard(table.TableOpened(session=1, settings=settings()))
    now = told.then_among(like(PayTablePublished, commission={"BANKER": "1/20"}))
    changed = settlement_of("nsw-mini-even-money")
    now.when_heard(changed).then(like(PayTablePublished, commission={}))


def settlement_of(rulebook: str) -> Event:
    return VariantChanged(settings=settings(rulebook), before="nsw-mini")


def test_what_was_heard_keeps_its_cause() -> None:
    """D6: the settlement's time and person are the result's, though the book came last."""
    supervisor = person("DEALER", "d7")
    waiting = (
        spec(settlement)
        .given(opened(), betting(), MAIN[0])
        .given(heard(resulted(), at_us=AT_US + 5, by=supervisor))
    )
    closing = heard(book_closed(1), service="wager", at_us=AT_US + 9)
    [reaction] = settlement.react(closing, waiting.given(closing).state)
    assert isinstance(reaction, Caused)
    assert (reaction.command.at_us, reaction.command.by) == (AT_US + 5, supervisor)
    assert reaction.heard.event_id == "round:T1:1"
