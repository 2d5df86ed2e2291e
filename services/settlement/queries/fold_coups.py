"""Coups, their cards and books."""

from __future__ import annotations

from typing import Any

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.rules.hands import is_pair
from services.settlement.queries.desk import Desk, Fold, Folds, Said
from services.settlement.queries.fold_shoes import shoe_of
from services.settlement.queries.fold_tables import day_of, table_of
from services.settlement.queries.resources import (
    COUPS,
    SHOES,
    CardDecision,
    Coup,
    DealtCard,
    Money,
)


def coup_of(desk: Desk, said: Said) -> Coup:
    """The event's coup, as it is; topics arrive in any order, so it may be new."""
    event: Any = said.event
    known: Coup | None = desk.find(COUPS, event.coup_id)
    if known is not None:
        return known
    _, session, number = event.coup_id.rsplit(":", 2)
    return Coup(
        id=event.coup_id,
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=day_of(desk, said),
        session=int(session),
        number=int(number),
        rulebook_id=said.meta.rulebook_id,
        rulebook_hash=said.meta.rulebook_hash,
        test=said.meta.test,
    )


def change_coup(desk: Desk, said: Said, **changes: Any) -> None:
    """Keep the event's coup with these changes."""
    desk.put(COUPS, coup_of(desk, said), **changes)


def _at(name: str) -> Fold:
    """A fold that notes when something happened."""

    def fold(desk: Desk, said: Said) -> None:
        change_coup(desk, said, **{name: said.at_us})

    return fold


def _opened(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known, at = coup_of(desk, said), table_of(desk, said)
    changes: dict[str, Any] = {"shoe_id": event.shoe_id, "dealer": at.kept_dealer}
    if not known.number_in_shoe:
        shoe = shoe_of(desk, said)
        changes |= {"shoe_number": shoe.number, "number_in_shoe": shoe.coups + 1}
        desk.put(SHOES, shoe, coups=shoe.coups + 1)
    if isinstance(event, table.CoupBackfilled):
        changes |= {"no_bet": True, "backfilled": True, "dealt_us": event.dealt_at_us}
    elif isinstance(event, table.NoBetCoupDeclared):
        changes["no_bet"] = True
    else:
        changes |= {"method": event.method, "limits_version": event.limits_version}
    desk.put(COUPS, known, **changes)


def _dealt(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = coup_of(desk, said)
    card = event.card or known.kept_turned.get(str(event.draw_number), "")
    dealt = DealtCard(event.draw_number, event.hand, event.position, card)
    others = [each for each in known.cards if each.draw_number != event.draw_number]
    in_order = tuple(sorted([*others, dealt], key=lambda each: each.draw_number))
    desk.put(COUPS, known, cards=in_order, **_open_hands(in_order))


def _turned(desk: Desk, said: Said) -> None:
    """Which topic is heard first is chance: the card may be turned before it was dealt."""
    event: Any = said.event
    known = coup_of(desk, said)
    turned = tuple(
        DealtCard(each.draw_number, each.hand, each.place, event.card)
        if each.draw_number == event.draw_number
        else each
        for each in known.cards
    )
    kept = {**known.kept_turned, str(event.draw_number): event.card}
    open_hands = {} if known.winner else _open_hands(turned)
    desk.put(COUPS, known, cards=turned, kept_turned=kept, **open_hands)


def _open_hands(dealt: tuple[DealtCard, ...]) -> dict[str, tuple[str, ...]]:
    """The cards of both hands that lie open."""
    return {
        hand.lower(): tuple(
            each.card
            for each in sorted(dealt, key=lambda card: card.place)
            if each.hand == hand and each.card
        )
        for hand in ("PLAYER", "BANKER")
    }


def _laid_anew(desk: Desk, said: Said) -> None:
    """Cards were laid where the draw order wants them: places follow from the order in a hand."""
    event: Any = said.event
    if isinstance(event, hands.CardReassigned):
        moved = {event.draw_number: event.to.partition("_")[0]}
    else:
        moved = dict(zip(event.draw_numbers, event.hands, strict=False))
    known = coup_of(desk, said)
    places: dict[str, int] = {}
    laid = []
    for each in known.cards:
        hand = moved.get(each.draw_number, each.hand)
        places[hand] = places.get(hand, 0) + 1
        laid.append(DealtCard(each.draw_number, hand, places[hand], each.card))
    in_order = tuple(laid)
    open_hands = {} if known.winner else _open_hands(in_order)
    desk.put(COUPS, known, cards=in_order, **open_hands)


def _resulted(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_coup(
        desk,
        said,
        player=event.player,
        banker=event.banker,
        player_points=event.player_points,
        banker_points=event.banker_points,
        winner=event.winner,
        natural=event.natural,
        player_pair=is_pair(event.player),
        banker_pair=is_pair(event.banker),
        decisions=tuple(
            CardDecision(each.hand, each.draw, each.rule, each.clause) for each in event.decisions
        ),
        resulted_us=coup_of(desk, said).resulted_us or said.at_us,
    )


def _ended(desk: Desk, said: Said) -> None:
    event: Any = said.event
    status = "VOID" if isinstance(event, table.CoupVoided) else "TERMINATED"
    change_coup(
        desk,
        said,
        status=status,
        reason=event.reason,
        player=event.player,
        banker=event.banker,
    )


def _closed(desk: Desk, said: Said) -> None:
    event: Any = said.event
    # A correction may have come first: what it says of the coup stands.
    known = coup_of(desk, said)
    status = event.status if known.revision <= 1 else known.status
    desk.put(COUPS, known, status=status, closed_us=said.at_us)


def _book(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_coup(
        desk, said, book_revision=event.revision, book_digest=event.digest, wagers=event.wagers
    )


def _settled(desk: Desk, said: Said) -> None:
    event: Any = said.event
    totals = tuple(
        Money(
            currency=currency,
            staked_minor=each.staked_minor,
            returned_minor=each.returned_minor,
            lost_minor=each.lost_minor,
            forfeited_minor=each.forfeited_minor,
            winnings_minor=each.winnings_minor,
            house_minor=each.house_minor,
            commission_exact=each.commission_exact,
            rounding_exact=each.rounding_exact,
            tokens_spent_minor=each.tokens_spent_minor,
        )
        for currency, each in event.totals.items()
    )
    known = coup_of(desk, said)
    desk.put(
        COUPS,
        known,
        status=event.status,
        totals=totals,
        revision=event.revision,
        reason=event.reason or known.reason,
    )


def _incident(desk: Desk, said: Said) -> None:
    event: Any = said.event
    if event.coup_id:
        known = coup_of(desk, said)
        desk.put(COUPS, known, incidents=(*known.incidents, event.code))


def _review(*, open_now: bool) -> Fold:
    def fold(desk: Desk, said: Said) -> None:
        change_coup(desk, said, under_review=open_now)

    return fold


FOLDS: Folds = {
    table.BettingOpened: _opened,
    table.NoBetCoupDeclared: _opened,
    table.CoupBackfilled: _opened,
    table.BettingClosed: _at("betting_closed_us"),
    table.CoupStarted: _at("started_us"),
    table.CardDealt: _dealt,
    cards.CardRevealed: _turned,
    hands.PlacementCorrected: _laid_anew,
    hands.CardReassigned: _laid_anew,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _resulted,
    table.CoupVoided: _ended,
    table.CoupTerminated: _ended,
    table.CoupClosed: _closed,
    table.IncidentRecorded: _incident,
    book.BookClosed: _book,
    book.BookRevised: _book,
    money.CoupSettled: _settled,
    money.CoupReviewOpened: _review(open_now=True),
    money.CoupReviewClosed: _review(open_now=False),
}
