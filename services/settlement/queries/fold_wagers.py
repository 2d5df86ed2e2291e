"""Wagers, from the debit that was asked for to the last correction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.common import PlayerContext
from services.settlement.queries.desk import Desk, Fold, Folds, Said
from services.settlement.queries.fold_tables import day_of
from services.settlement.queries.resources import COUPS, WAGERS, Coup, Wager

PUSH = "PUSH"


def wager_of(desk: Desk, said: Said) -> Wager:
    """The event's wager, as it is; topics arrive in any order, so it may be new.

    It is also new where the id was spent for nothing before: one that was rejected before money or a
    token was asked for has left its id to whoever stakes under it, be it another player.
    """
    event: Any = said.event
    known: Wager | None = desk.find(WAGERS, said.named("wager_id"))
    if known is not None and not _never_was(known):
        return known
    return Wager(
        id=said.named("wager_id"),
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=day_of(desk, said),
        test=said.meta.test,
        rulebook_id=said.meta.rulebook_id,
        wager_id=event.wager_id,
        coup_id=event.coup_id,
        player=event.player,
        area=event.area,
        currency=event.currency,
    )


def _never_was(wager: Wager) -> bool:
    return wager.status == "REJECTED" and not (wager.accepted_us or wager.movement_ids)


def change_wager(desk: Desk, said: Said, **changes: Any) -> None:
    """Keep the event's wager with these changes, and with the movement that it names."""
    known = wager_of(desk, said)
    event: Any = said.event
    moved = (
        getattr(event, "movement_id", None),
        getattr(event, "settlement_id", None),
        getattr(event, "credit_id", None),
    )
    new = [key for key in moved if key and key not in known.movement_ids]
    context: PlayerContext | None = getattr(event, "context", None)
    if context is not None:
        changes |= {
            "operator": context.operator,
            "brand": context.brand,
            "jurisdiction": context.jurisdiction,
        }
    desk.put(WAGERS, known, movement_ids=(*known.movement_ids, *new), **changes)


def _requested(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = wager_of(desk, said)
    if known.accepted_us:
        change_wager(desk, said)  # an increase: until it is accepted the wager stands as it was
        return
    change_wager(
        desk,
        said,
        status="PENDING",
        stake_minor=event.stake_minor,
        channel=event.channel,
        limits_version=event.limits_version,
        box=event.box or "",
    )


def _slip_requested(desk: Desk, said: Said) -> None:
    """All wagers of a slip wait for one debit."""
    event: Any = said.event
    for stake in event.wagers:
        asked = book.DebitRequested(
            coup_id=event.coup_id,
            wager_id=stake.wager_id,
            movement_id=event.movement_id,
            player=event.player,
            currency=event.currency,
            amount_minor=stake.stake_minor,
            area=stake.area,
            stake_minor=stake.stake_minor,
            channel=event.channel,
            limits_version=event.limits_version,
            box=event.box,
            context=event.context,
        )
        _requested(desk, replace(said, event=asked))


def _accepted(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_wager(
        desk,
        said,
        status="OPEN",
        reason="",
        message="",
        stake_minor=event.stake_minor,
        channel=event.channel,
        limits_version=event.limits_version,
        box=event.box or "",
        funding=event.funding,
        token=event.token or "",
        accepted_us=event.accepted_at_us or said.at_us,
    )


def _rejected(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = wager_of(desk, said)
    if known.accepted_us and not event.accepted:
        change_wager(desk, said)  # an increase that failed: the wager stands as it was
        return
    change_wager(
        desk,
        said,
        status="REJECTED",
        reason=event.code,
        message=event.message,
        stake_minor=known.stake_minor or event.amount_minor,
        returned_minor=event.refund_minor,
        token=event.token or "",
        clauses=event.clauses,
        decided_us=said.at_us,
    )


def _stake(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_wager(desk, said, stake_minor=event.to_minor)


def _known_only(fold: Fold) -> Fold:
    """Of events that do not tell the whole of a wager."""

    def known(desk: Desk, said: Said) -> None:
        if desk.find(WAGERS, said.named("wager_id")) is not None:
            fold(desk, said)

    return known


def _given_back(status: str) -> Fold:
    """The stake went back before there was a result to decide it."""

    def fold(desk: Desk, said: Said) -> None:
        event: Any = said.event
        change_wager(
            desk,
            said,
            status=status,
            returned_minor=event.refund_minor,
            reason=getattr(event, "reason", ""),
            clauses=getattr(event, "clauses", ()),
            decided_us=said.at_us,
        )

    return fold


def _at_risk(desk: Desk, said: Said) -> dict[str, int]:
    """Turnover and valid bet of a wager that was decided: a push turned over and risked nothing.

    Without a result nothing was turned over, though what the open cards had won already is paid.
    """
    event: Any = said.event
    coup: Coup | None = desk.find(COUPS, event.coup_id)
    over = coup is not None and coup.status in ("VOID", "TERMINATED")
    return {
        "turnover_minor": 0 if over else event.stake_minor,
        "valid_bet_minor": 0 if over or event.outcome == PUSH else event.stake_minor,
    }


def _decided(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_wager(
        desk,
        said,
        status=event.outcome,
        reason="",
        stake_minor=event.stake_minor,
        returned_minor=event.returned_minor,
        winnings_minor=event.winnings_minor,
        commission_exact=event.commission_exact,
        rounding_exact=event.rounding_exact,
        revision=event.revision,
        clauses=event.clauses,
        decided_us=said.at_us,
        **_at_risk(desk, said),
    )


def _set_aside(status: Callable[[Any], str], returned: Callable[[Any], int]) -> Fold:
    """A decision that a result does not stand behind any more."""

    def fold(desk: Desk, said: Said) -> None:
        event: Any = said.event
        change_wager(
            desk,
            said,
            status=status(event),
            reason=event.reason,
            stake_minor=event.stake_minor,
            returned_minor=returned(event),
            winnings_minor=0,
            commission_exact="0",
            rounding_exact="0",
            turnover_minor=0,
            valid_bet_minor=0,
            revision=event.revision,
            clauses=event.clauses,
            decided_us=said.at_us,
        )

    return fold


FOLDS: Folds = {
    book.DebitRequested: _requested,
    book.SlipDebitRequested: _slip_requested,
    book.WagerAccepted: _accepted,
    book.WagerRejected: _rejected,
    book.WagerChanged: _known_only(_stake),
    book.WagerReduced: _stake,
    book.WagerCancelled: _given_back("CANCELLED"),
    book.WagerWithdrawn: _given_back("WITHDRAWN"),
    book.WagerVoided: _given_back("VOIDED"),
    book.WagerRefunded: _given_back("REFUNDED"),
    money.WagerSettled: _decided,
    money.WagerResettled: _decided,
    money.WagerRefunded: _set_aside(
        lambda event: str(event.outcome), lambda event: int(event.returned_minor)
    ),
    money.WagerForfeited: _set_aside(lambda _: "FORFEITED", lambda _: 0),
}
