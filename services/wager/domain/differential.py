"""The differential: how far apart both hands' totals may be when the book closes (004 6.2).

Procedure 7. It counts the table's own currency, and binds only where the table sets one and the
rulebook has a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.contracts.core import Event
from services.contracts.wager import (
    DifferentialBreached,
    DifferentialUpdated,
    WagerReduced,
    WagerRejected,
)
from services.rules.betting import BookWager, Reduction, reduce_to_differential
from services.rules.payout import payable_unit
from services.wager.domain.state import (
    Book,
    BookState,
    Wager,
    clauses_for,
    movement,
    rules_of,
    settings_of,
)


def bound_of(state: BookState, book: Book) -> int | None:
    """The differential of this coup; None where nothing bounds the gap."""
    if rules_of(state).differential_policy == "OFF":
        return None
    return book.sign.differential_minor


def as_book(state: BookState, wagers: Iterable[Wager]) -> list[BookWager]:
    """The wagers that count for the differential, in order of acceptance."""
    currency = settings_of(state).currency
    return [
        BookWager(wager.wager_id, wager.area, wager.stake_minor, token=wager.token is not None)
        for wager in wagers
        if wager.currency == currency
    ]


def _totals(state: BookState, book: Book) -> tuple[int, int]:
    held = as_book(state, book.wagers.values())
    player, banker = (
        sum(wager.stake_minor for wager in held if wager.area == area)
        for area in ("PLAYER", "BANKER")
    )
    return player, banker


def crossed(before: BookState, after: BookState) -> Sequence[Event]:
    """Tell when the gap of the book came to lie on the other side of the differential."""
    old, new = before.book, after.book
    bound = bound_of(after, new) if new else None
    if old is None or new is None or bound is None:
        return ()
    was, player_banker = _totals(before, old), _totals(after, new)
    if was == player_banker:
        return ()
    player, banker = player_banker
    within = abs(player - banker) <= bound
    if within == (abs(was[0] - was[1]) <= bound):
        return ()
    return [
        DifferentialUpdated(
            coup_id=new.coup_id,
            currency=settings_of(after).currency,
            player_minor=player,
            banker_minor=banker,
            differential_minor=bound,
            within=within,
        )
    ]


def reductions(state: BookState, book: Book) -> Sequence[Event]:
    """What brings the book within the differential before it closes; nothing where it is."""
    bound = bound_of(state, book)
    if bound is None:
        return ()
    held = as_book(state, book.wagers.values())
    unit = payable_unit(rules_of(state), settings_of(state).smallest_chip_minor)
    cuts = reduce_to_differential(held, differential_minor=bound, unit_minor=unit)
    if not cuts:
        return ()
    player, banker = _totals(state, book)
    breached = DifferentialBreached(
        coup_id=book.coup_id,
        currency=settings_of(state).currency,
        player_minor=player,
        banker_minor=banker,
        differential_minor=bound,
        clauses=clauses_for(state, "differential"),
    )
    return [breached, *(_cut(book.wagers[cut.wager], cut, state, book) for cut in cuts)]


def _cut(wager: Wager, cut: Reduction, state: BookState, book: Book) -> Event:
    key = movement(state, wager.wager_id, wager.movements + 1)
    clauses = clauses_for(state, "differential")
    if cut.to_minor == 0:
        return WagerRejected(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            amount_minor=wager.stake_minor,
            code="REDUCED_TO_ZERO",
            message="the differential left nothing of it",
            accepted=True,
            refund_minor=wager.cash_minor,
            movement_id=key if wager.cash_minor else None,
            token=wager.token,
            clauses=clauses,
            context=wager.context,
        )
    return WagerReduced(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        from_minor=cut.from_minor,
        to_minor=cut.to_minor,
        excess_minor=cut.excess_minor,
        movement_id=key,
        clauses=clauses,
        context=wager.context,
    )
