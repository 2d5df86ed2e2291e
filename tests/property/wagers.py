"""Invariants 3 to 6 and 10: what is taken when, how it ends, and that the money adds up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    CardDealt,
    CoupBackfilled,
    CoupClosed,
    CoupResulted,
    CoupStarted,
    CoupTerminated,
    CoupVoided,
    NoBetCoupDeclared,
    ResultCorrected,
)
from services.contracts.shoe import CardDrawn
from tests.property import hands
from tests.property.accounts import BEFORE_RESULT, endings, final, moved
from tests.property.wanderer import Wanderer

DRAIN_US = 1_000_000


def nothing_comes_at_the_wrong_time(w: Wanderer) -> None:
    """Invariant 3: no card before betting and book are closed, no wager after; A-25 excepted.

    A wager that was taken before the news of the close had come is turned down before the book closes,
    or goes back with all the others of a coup that is to have none (004 12.6).
    """
    closes: dict[str, int] = {}
    closed: dict[str, int] = {}
    booked: set[str] = set()
    void: set[str] = set()
    late: dict[str, set[str]] = {}
    refunds = [each for each in w.events(book.WagerRefunded) if each.reason == "NO_BET_COUP"]
    refunded = {each.wager_id for each in refunds}
    for event in (sent.event for sent in w.sent):
        if isinstance(event, BettingOpened):
            assert event.coup_id not in closes, "betting opens once"
            closes[event.coup_id] = event.closes_at_us or 1 << 62
        elif isinstance(event, BettingClosed):
            assert event.coup_id not in closed, "betting closes once"
            closed[event.coup_id] = event.closed_at_us
        elif isinstance(event, NoBetCoupDeclared | CoupBackfilled):
            closed.setdefault(event.coup_id, 0)
            booked.add(event.coup_id)
        elif isinstance(event, CoupVoided | CoupTerminated):
            void.add(event.coup_id)
        elif isinstance(event, book.BookClosed):
            assert event.coup_id in closed
            assert late.get(event.coup_id, set()) <= refunded, "a late wager stays in the book"
            booked.add(event.coup_id)
        elif isinstance(event, book.WagerRejected) and event.accepted:
            late.get(event.coup_id, set()).discard(event.wager_id)
        elif isinstance(event, CardDrawn):
            assert event.before_close or event.coup_id in closed
        elif isinstance(event, CoupStarted | CardDealt):
            assert event.coup_id in booked & closed.keys()
        elif isinstance(event, book.DebitRequested):
            assert event.coup_id not in booked, "a stake is asked for behind the close"
        elif isinstance(event, book.WagerAccepted):
            assert event.coup_id not in booked, "a wager joins a closed book"
            end = min(closes[event.coup_id], closed.get(event.coup_id, 1 << 62))
            drain = DRAIN_US if event.funding == "CASH" else -1
            # Of a coup that was void while a debit was under way it goes back at once.
            if event.accepted_at_us > end + drain and event.coup_id not in void:
                late.setdefault(event.coup_id, set()).add(event.wager_id)


def every_wager_ends_once(w: Wanderer) -> None:
    """Invariant 4: one end; every further decision follows the reversal of the one before."""
    events = [sent.event for sent in w.sent]
    over = {event.coup_id for event in w.events(CoupClosed)}
    coup_of = {event.wager_id: event.coup_id for event in w.events(book.WagerAccepted)}
    taken_back = [event.settlement_id for event in w.events(money.SettlementReversed)]
    assert len(taken_back) == len(set(taken_back))
    for wager_id, ends in endings(events).items():
        if not ends:
            assert coup_of[wager_id] not in over, f"{wager_id} never ended"
            continue
        before = [each for each in ends if isinstance(each, BEFORE_RESULT)]
        decided = [each for each in ends if not isinstance(each, BEFORE_RESULT)]
        if before and decided:
            # A void crossed the settlement on its way: settlement takes it up as a correction.
            assert [type(each) for each in before] == [book.WagerVoided], ends
            assert decided[-1].outcome == "VOIDED", ends
        assert len(before) <= 1, f"{wager_id} ended twice: {ends}"
        ids = [each.settlement_id for each in decided]
        assert len(set(ids)) == len(ids)
        assert set(ids[:-1]) == {each for each in taken_back if f"/{wager_id}/" in each}


def the_money_adds_up(w: Wanderer) -> None:
    """Invariant 5: what moved is what the books say, per coup and currency, to the minor unit."""
    events = [sent.event for sent in w.sent]
    books, over = final(events), {event.coup_id for event in w.events(CoupClosed)}
    for (coup_id, currency), gained in moved(events).items():
        if coup_id in over:
            totals = books[coup_id].totals.get(currency) if coup_id in books else None
            assert gained == (totals.house_minor if totals else 0), coup_id
    for done in books.values():
        for totals in done.totals.values():
            lost = totals.lost_minor + totals.forfeited_minor
            assert totals.staked_minor == totals.returned_minor + lost
            assert totals.house_minor == lost - totals.winnings_minor


def payments_are_the_rulebooks(w: Wanderer) -> None:
    """Invariants 2 and 5: every area by the cards, and winnings = gross - commission + rounding."""
    games = w.games()
    results: dict[tuple[str, int], Any] = {}
    chip = w.opening.get("chip", 1)
    for event in (sent.event for sent in w.sent):
        if isinstance(event, CoupResulted):
            results[event.coup_id, event.revision] = event
        elif isinstance(event, money.WagerSettled):
            result = results.get((event.coup_id, event.revision)) or _last(results, event.coup_id)
            if result is not None:
                _paid(event, result, games[event.coup_id], chip)


def _last(results: dict[tuple[str, int], Any], coup_id: str) -> Any:
    revisions = [revision for coup, revision in results if coup == coup_id]
    return results[coup_id, max(revisions)] if revisions else None


def _paid(event: money.WagerSettled, result: Any, game: str, chip: int) -> None:
    cash = event.stake_minor if event.funding == "CASH" else 0
    player, banker = result.player, result.banker
    assert event.outcome == hands.outcome(event.area, player, banker), event
    assert event.returned_minor == (cash if event.outcome != "LOST" else 0), event
    net, commission = hands.exact(game, event.area, event.stake_minor, player, banker)
    if event.outcome != "WON":
        net, commission = Fraction(0), Fraction(0)
    assert event.winnings_minor == hands.rounded(game, net, chip), event
    assert Fraction(event.winnings_exact) == net
    assert Fraction(event.commission_exact) == commission
    assert event.winnings_minor == net + Fraction(event.rounding_exact)


def tokens_are_spent_or_returned(w: Wanderer) -> None:
    """Invariant 5: no cash moves for the stake of a token; it is gone where it won, lost or was kept."""
    events = [sent.event for sent in w.sent]
    last = {each.token: each.wager_id for each in w.events(book.WagerAccepted) if each.token}
    gone: set[str] = set()
    for event in w.events(book.PromoTokenConsumed, book.PromoTokenReturned):
        if isinstance(event, book.PromoTokenReturned):
            gone.discard(event.token)
        else:
            assert event.token not in gone, "a token is spent twice"
            gone.add(event.token)
    ended = endings(events)
    for token, wager_id in last.items():
        if ended[wager_id]:
            end = ended[wager_id][-1]
            assert not getattr(end, "refund_minor", 0)
            assert not getattr(end, "returned_minor", 0)
            kept = isinstance(end, money.WagerForfeited)
            spent = kept or getattr(end, "outcome", "") in {"WON", "LOST"}
            assert (token in gone) is spent, (token, end)


def the_book_keeps_the_differential(w: Wanderer) -> None:
    """Invariant 6: at the close the gap between both hands is at most what the sign says.

    The book of a coup that turned out to be dealt without wagers goes back whole, and is not cut.
    """
    no_bet = {event.coup_id for event in w.events(NoBetCoupDeclared)}
    bound: dict[str, int | None] = {}
    signs: dict[int, int | None] = {}
    for event in w.events(book.LimitsPublished, BettingOpened, book.BookClosed):
        if isinstance(event, book.LimitsPublished):
            signs[event.limits_version] = event.differential_minor
        elif isinstance(event, BettingOpened):
            bound[event.coup_id] = signs.get(event.limits_version)
        elif event.coup_id not in no_bet and (most := bound.get(event.coup_id)) is not None:
            areas = event.totals.get("EUR", {})
            player, banker = (
                areas[area].cash_minor + areas[area].tokens_minor if area in areas else 0
                for area in ("PLAYER", "BANKER")
            )
            assert abs(player - banker) <= most, event


def void_coups_change_nothing(w: Wanderer) -> None:
    """Invariant 10: but for what BETTER_FOR_PLAYER pays on the open cards."""
    events = [sent.event for sent in w.sent]
    gained, books = moved(events), final(events)
    over = {event.coup_id for event in w.events(CoupClosed)}
    for event in w.events(CoupVoided, CoupTerminated):
        better = w.rulebook.startswith(("live", "super")) and event.reason == "SUPERVISOR"
        if event.coup_id in books:
            assert better, event
            assert all(each.house_minor <= 0 for each in books[event.coup_id].totals.values())
        elif event.coup_id in over:
            assert not [1 for (coup, _), sum_ in gained.items() if coup == event.coup_id and sum_]
    voided = {event.coup_id for event in w.events(CoupVoided, CoupTerminated)}
    resulted = {event.coup_id for event in w.events(CoupResulted, ResultCorrected)}
    assert not voided & resulted, "a coup is void and has a result"
