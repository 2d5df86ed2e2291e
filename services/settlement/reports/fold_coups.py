"""Coups as facts: a row whenever what is said of a coup changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import asdict

from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts.core import Event
from services.rules.hands import is_pair
from services.settlement.reports.facts import CoupFact
from services.settlement.reports.state import CoupState, Here

_NOT_IN_THE_FACT: Final = ("accepted", "apart", "player", "banker", "in_shoe")


def fold(here: Here) -> list[CoupFact]:
    """The coup after the event, where the event changes it."""
    change = CHANGES.get(type(here.event))
    if change is None:
        return []
    coup = here.known.coup(here.event.coup_id)  # type: ignore[attr-defined]
    if coup.coup_day is None:
        coup.coup_day = here.day
    change(coup, here.event, here)
    return [_fact(coup, here)]


def _fact(coup: CoupState, here: Here) -> CoupFact:
    _table_id, session, number = coup.coup_id.rsplit(":", 2)
    said = {name: value for name, value in asdict(coup).items() if name not in _NOT_IN_THE_FACT}
    return CoupFact(
        **here.common(),
        **said,
        session=int(session),
        number=int(number),
        what=here.event.type,
        player=" ".join(coup.player),
        banker=" ".join(coup.banker),
        player_pair=is_pair(coup.player),
        banker_pair=is_pair(coup.banker),
    )


def _opened(
    coup: CoupState,
    event: table.BettingOpened | table.NoBetCoupDeclared | table.CoupBackfilled,
    here: Here,
) -> None:
    if not coup.opened_at_us:
        # Wagers may have been heard of before; the day is the one of the opening.
        coup.coup_day = here.day
        coup.opened_at_us = here.each.meta.occurred_at_us
    coup.shoe_id = event.shoe_id
    coup.dealer = here.table.dealer
    # A shoe may hold another number than the table is set to; the odds are those of its cards.
    shoe = here.known.shoe(here.each.meta.table_id, event.shoe_id)
    coup.decks = shoe.decks or here.rules.decks
    coup.rulebook_id = here.each.meta.rulebook_id or here.rules.rulebook_id
    coup.rulebook_hash = here.each.meta.rulebook_hash or here.rules.rulebook_hash
    coup.method = getattr(event, "method", coup.method)


def _backfilled(coup: CoupState, event: table.CoupBackfilled, here: Here) -> None:
    _opened(coup, event, here)
    coup.backfilled, coup.reason = True, event.reason


def _resulted(coup: CoupState, event: table.CoupResulted, _: Here) -> None:
    coup.player, coup.banker = event.player, event.banker
    coup.player_points, coup.banker_points = event.player_points, event.banker_points
    coup.winner, coup.any_natural = event.winner, event.natural
    if coup.status == "OPEN":
        coup.status = "RESULTED"


def _ended(status: str) -> Callable[[CoupState, Any, Here], None]:
    def end(coup: CoupState, event: Any, _: Here) -> None:
        coup.status, coup.reason = status, event.reason
        coup.player, coup.banker = event.player or coup.player, event.banker or coup.banker

    return end


def _settled(coup: CoupState, event: money.CoupSettled, _: Here) -> None:
    coup.status, coup.wagers, coup.revision = event.status, event.wagers, event.revision
    coup.reason = event.reason or coup.reason


def _closed(coup: CoupState, event: table.CoupClosed, here: Here) -> None:
    # A correction may have come first: what it says of the coup stands.
    if coup.revision <= 1 and coup.status != "INVALIDATED":
        coup.status = event.status
    coup.closed_at_us = here.each.meta.occurred_at_us


def _reviewed(to: str) -> Callable[[CoupState, Any, Here], None]:
    def review(coup: CoupState, _event: Any, _: Here) -> None:
        coup.review = to

    return review


CHANGES: Final[dict[type[Event], Callable[[CoupState, Any, Here], None]]] = {
    table.BettingOpened: _opened,
    table.NoBetCoupDeclared: _opened,
    table.CoupBackfilled: _backfilled,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _resulted,
    table.CoupVoided: _ended("VOID"),
    table.CoupTerminated: _ended("TERMINATED"),
    table.OutcomeInvalidated: _ended("INVALIDATED"),
    money.CoupSettled: _settled,
    table.CoupClosed: _closed,
    money.CoupReviewOpened: _reviewed("OPEN"),
    money.CoupReviewClosed: _reviewed("CLOSED"),
}
