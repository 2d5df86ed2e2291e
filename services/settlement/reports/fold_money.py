"""Wagers as facts: what each event adds to what a wager counts for, and what it takes away."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from msgspec.structs import fields

from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.core import Event
from services.settlement.reports.facts import MoneyFact, TokenFact
from services.settlement.reports.state import Amounts, CoupState, Here, WagerState

PROMO: Final = "PROMO"
_WITHOUT_RESULT: Final = ("VOID", "TERMINATED")
_EXACT: Final = ("commission_num", "rounding_num", "exact_den")
_WHOLE: Final = tuple(each.name for each in fields(Amounts) if each.name not in _EXACT)


def fold(here: Here) -> list[MoneyFact]:
    """What the event does to its wager, where it does anything."""
    event = here.event
    if isinstance(event, money.DropCounted):
        return [_drop(event, here)]
    take = TAKES.get(type(event))
    if take is None:
        return []
    coup = here.known.coup(event.coup_id)  # type: ignore[attr-defined]
    row = take(coup, event, here)
    return [] if row is None else [row]


def _row(
    kind: str, coup: CoupState, wager_id: str, wager: WagerState, here: Here, **said: Any
) -> MoneyFact:
    meta = here.each.meta
    return MoneyFact(
        **here.common(),
        kind=kind,
        transaction_id=f"{coup.coup_id}/{wager_id}",
        coup_id=coup.coup_id,
        coup_day=coup.coup_day or here.day,
        wager_id=wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        funding=wager.funding,
        shoe_id=coup.shoe_id,
        rulebook_id=coup.rulebook_id or meta.rulebook_id,
        rulebook_hash=coup.rulebook_hash or meta.rulebook_hash,
        decks=coup.decks or here.rules.decks,
        dealer=coup.dealer,
        actor=meta.actor.id,
        role=meta.actor.role,
        second=meta.second.id if meta.second else "",
        stake_minor=wager.stake_minor,
        **{"settlement_id": "", "outcome": "", "revision": 0, "reason": "", **said},
    )


def _drop(event: money.DropCounted, here: Here) -> MoneyFact:
    table_drop = WagerState(
        player="", area="", currency=event.currency, funding="", token="", stake_minor=0
    )
    nowhere = CoupState(coup_id="")
    return _row("DROP", nowhere, "", table_drop, here, drop_minor=event.amount_minor)


def _cash(wager: WagerState, amount: int) -> int:
    return 0 if wager.funding == PROMO else amount


def _closing(wager: WagerState) -> int:
    """What is no longer at stake from now on."""
    if not wager.open:
        return 0
    wager.open = False
    return -_cash(wager, wager.stake_minor)


def _accepted(coup: CoupState, event: book.WagerAccepted, here: Here) -> MoneyFact:
    wager = WagerState(
        player=event.player,
        area=event.area,
        currency=event.currency,
        funding=event.funding,
        token=event.token or "",
        stake_minor=event.stake_minor,
    )
    coup.accepted[event.wager_id] = wager
    at_stake = _cash(wager, wager.stake_minor)
    return _row("ACCEPTED", coup, event.wager_id, wager, here, open_minor=at_stake)


def _resized(kind: str) -> Callable[[CoupState, Any, Here], MoneyFact | None]:
    def take(
        coup: CoupState, event: book.WagerChanged | book.WagerReduced, here: Here
    ) -> MoneyFact | None:
        wager = coup.accepted.get(event.wager_id)
        if wager is None:
            return None
        wager.stake_minor = event.to_minor
        said: dict[str, Any] = {"open_minor": event.to_minor - event.from_minor}
        if isinstance(event, book.WagerReduced):
            said |= {"refunded_minor": event.excess_minor, "reason": "DIFFERENTIAL"}
        else:
            said["reason"] = event.reason
        return _row(kind, coup, event.wager_id, wager, here, **said)

    return take


def _given_back(kind: str) -> Callable[[CoupState, Any, Here], MoneyFact | None]:
    """A stake that goes back before there is a result, by the wager service."""

    def take(coup: CoupState, event: Any, here: Here) -> MoneyFact | None:
        wager = coup.accepted.get(event.wager_id)
        if wager is None or (isinstance(event, book.WagerRejected) and not event.accepted):
            return None
        refunded = _cash(wager, event.refund_minor)
        wager.counted.refunded_minor += refunded
        wager.outcome = kind
        reason = getattr(event, "reason", "") or getattr(event, "code", "")
        return _row(
            kind,
            coup,
            event.wager_id,
            wager,
            here,
            open_minor=_closing(wager),
            refunded_minor=refunded,
            outcome=kind,
            reason=reason,
        )

    return take


def _rejected(coup: CoupState, event: book.WagerRejected, here: Here) -> MoneyFact | None:
    """One that stood leaves the book; one that never did moves nothing, and is listed."""
    if event.accepted:
        return _given_back("REJECTED")(coup, event, here)
    never = WagerState(
        player=event.player,
        area=event.area,
        currency=event.currency,
        funding=PROMO if event.token else "CASH",
        token=event.token or "",
        stake_minor=event.amount_minor,
    )
    return _row("REFUSED", coup, event.wager_id, never, here, reason=event.code)


def _decided(kind: str) -> Callable[[CoupState, Any, Here], MoneyFact | None]:
    """A decision of settlement: what the wager counts for becomes what it says."""

    def take(coup: CoupState, event: Any, here: Here) -> MoneyFact | None:
        wager = coup.accepted.get(event.wager_id)
        if wager is None:
            return None
        before, wager.counted = wager.counted, _amounts(coup, wager, event)
        wager.outcome = getattr(event, "outcome", kind)
        reason = getattr(event, "reason", "") or (wager.reason if kind != "SETTLED" else "")
        return _row(
            kind,
            coup,
            event.wager_id,
            wager,
            here,
            settlement_id=event.settlement_id,
            outcome=wager.outcome,
            revision=event.revision,
            reason=reason,
            open_minor=_closing(wager),
            **_difference(before, wager.counted),
        )

    return take


def _amounts(coup: CoupState, wager: WagerState, event: Any) -> Amounts:
    stake = _cash(wager, wager.stake_minor)
    if isinstance(event, money.WagerRefunded):
        return Amounts(refunded_minor=event.returned_minor)
    if isinstance(event, money.WagerForfeited):
        token = wager.stake_minor - stake
        return Amounts(
            turnover_minor=stake,
            valid_minor=stake,
            forfeited_minor=stake,
            win_minor=stake,
            token_minor=token,
        )
    commission, rounding = Fraction(event.commission_exact), Fraction(event.rounding_exact)
    den = math.lcm(commission.denominator, rounding.denominator)
    amounts = Amounts(
        winnings_minor=event.winnings_minor,
        win_minor=-event.winnings_minor,
        commission_num=int(commission * den),
        rounding_num=int(rounding * den),
        exact_den=den,
    )
    if coup.status in _WITHOUT_RESULT:  # what the open cards had won already is paid all the same
        amounts.refunded_minor = event.returned_minor
        return amounts
    lost = stake - event.returned_minor
    amounts.turnover_minor = stake
    amounts.valid_minor = 0 if event.outcome == "PUSH" else stake
    amounts.returned_minor = event.returned_minor
    amounts.lost_minor = lost
    amounts.win_minor += lost
    amounts.token_minor = 0 if event.outcome == "PUSH" else wager.stake_minor - stake
    return amounts


def _difference(before: Amounts, after: Amounts) -> dict[str, int]:
    """What has to be added to come from one to the other."""
    moved = {name: getattr(after, name) - getattr(before, name) for name in _WHOLE}
    den = math.lcm(before.exact_den, after.exact_den)
    for name in ("commission_num", "rounding_num"):
        new = getattr(after, name) * (den // after.exact_den)
        moved[name] = new - getattr(before, name) * (den // before.exact_den)
    return {**moved, "exact_den": den}


def _reversed(coup: CoupState, event: money.SettlementReversed, here: Here) -> MoneyFact | None:
    """The decision counts no more; what the wager service had given back stays given back."""
    wager = coup.accepted.get(event.wager_id)
    if wager is None:
        return None
    before, wager.counted = wager.counted, Amounts()
    wager.reason = event.reason
    return _row(
        "REVERSED",
        coup,
        event.wager_id,
        wager,
        here,
        settlement_id=event.settlement_id,
        outcome=event.outcome,
        revision=event.revision,
        reason=event.reason,
        **_difference(before, wager.counted),
    )


TAKES: Final[dict[type[Event], Callable[[CoupState, Any, Here], MoneyFact | None]]] = {
    book.WagerAccepted: _accepted,
    book.WagerChanged: _resized("CHANGED"),
    book.WagerReduced: _resized("REDUCED"),
    book.WagerCancelled: _given_back("CANCELLED"),
    book.WagerRejected: _rejected,
    book.WagerWithdrawn: _given_back("WITHDRAWN"),
    book.WagerVoided: _given_back("VOIDED"),
    book.WagerRefunded: _given_back("REFUNDED"),
    money.WagerSettled: _decided("SETTLED"),
    money.WagerResettled: _decided("RESETTLED"),
    money.WagerRefunded: _decided("REFUNDED"),
    money.WagerForfeited: _decided("FORFEITED"),
    money.SettlementReversed: _reversed,
}

# Promotional tokens


def fold_tokens(here: Here) -> list[TokenFact]:
    """What the event does to tokens."""
    event = here.event
    if isinstance(event, money.PromoTokensDecided):
        said = {**dict.fromkeys(event.spent, "SPENT"), **dict.fromkeys(event.returned, "RETURNED")}
        accepted = here.known.coup(event.coup_id).accepted
        # One that came back from a wager may have been staked again: the last one is meant.
        last = {wager.token: wager_id for wager_id, wager in accepted.items()}
        return [
            _token(what, wager_id, here, event.coup_id, "")
            for token, wager_id in last.items()
            if (what := said.get(token))
        ]
    token = getattr(event, "token", None)
    if not token or not isinstance(event, _STAKED | _BACK):
        return []
    if isinstance(event, book.WagerRejected) and not event.accepted:
        return []
    what = "STAKED" if isinstance(event, _STAKED) else "RETURNED"
    reason = (
        "" if what == "STAKED" else here.known.coup(event.coup_id).accepted[event.wager_id].outcome
    )
    return [_token(what, event.wager_id, here, event.coup_id, reason)]


_STAKED: Final = book.WagerAccepted
_BACK: Final = (
    book.WagerCancelled
    | book.WagerRejected
    | book.WagerWithdrawn
    | book.WagerVoided
    | book.WagerRefunded
)


def _token(what: str, wager_id: str, here: Here, coup_id: str, reason: str) -> TokenFact:
    wager = here.known.coup(coup_id).accepted[wager_id]
    return TokenFact(
        **here.common(),
        token=wager.token,
        what=what,
        player=wager.player,
        coup_id=coup_id,
        wager_id=wager_id,
        area=wager.area,
        currency=wager.currency,
        face_minor=wager.stake_minor,
        reason=reason,
    )


WANTED: Final = frozenset(
    {*(kind.type for kind in TAKES), money.DropCounted.type, money.PromoTokensDecided.type}
)
