"""What somebody has to look at, as facts: exceptions, significant events, errors of dealers.

One table says of each event on which lists it stands and how it is told. An exception says what was
before and what is after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts import round_table as at_table
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event
from services.settlement.reports.facts import NoteFact
from services.settlement.reports.report import instant
from services.settlement.reports.state import CoupState, Here

EXCEPTION, SIGNIFICANT, ERROR = "EXCEPTION", "SIGNIFICANT", "ERROR"
INFO, WARNING, ALARM = "INFO", "WARNING", "ALARM"

_Text = Callable[[Any, Here], str]
_Amount = Callable[[Any, Here], int | None]


class Telling(Struct, frozen=True, kw_only=True):
    """How an event stands on the lists."""

    lists: tuple[str, ...]
    severity: str = INFO
    code: _Text | None = None
    """By default the type of the event in capitals."""

    before: _Text | None = None
    after: _Text | None = None
    reason: _Text | None = None
    """By default the event's own `reason`, `note` or `what`."""

    amount: _Amount | None = None


def fold(here: Here) -> list[NoteFact]:
    """What stands on the lists because of the event."""
    event = here.event
    telling = TELLINGS.get(type(event))
    if telling is None:
        return []
    if isinstance(event, book.LimitsPublished) and here.table.limits in ({}, event.limits):
        return []  # the first limits replace none, and the same limits again nothing
    if isinstance(event, cards.ShoeDeviceRegistered) and not event.replaces:
        return []
    if isinstance(event, cards.CardsBurned) and event.reason != "GAME_ERROR":
        return []
    if isinstance(event, cards.CardRevealed) and event.source != "MANUAL":
        return []
    return [_fact(name, telling, here) for name in telling.lists]


def _fact(name: str, telling: Telling, here: Here) -> NoteFact:
    event, meta = here.event, here.each.meta
    coup_id = getattr(event, "coup_id", None) or ""
    coup = here.known.coups.get(coup_id)

    def text(tell: _Text | None, default: str) -> str:
        return default if tell is None else tell(event, here)

    return NoteFact(
        **here.common(),
        list=name,
        severity=telling.severity,
        code=text(telling.code, event.type.upper().replace("-", "_")),
        coup_id=coup_id,
        shoe_id=getattr(event, "shoe_id", "") or meta.shoe_id,
        wager_id=getattr(event, "wager_id", None) or "",
        person=getattr(event, "person", None) or getattr(event, "player", None) or ""
        if not isinstance(getattr(event, "player", None), tuple)
        else "",
        dealer=(coup.dealer if coup else "") or here.table.dealer,
        actor=meta.actor.id,
        role=meta.actor.role,
        second=meta.second.id if meta.second else "",
        second_role=meta.second.role if meta.second else "",
        currency=getattr(event, "currency", "") or "",
        amount_minor=None if telling.amount is None else telling.amount(event, here),
        before=text(telling.before, ""),
        after=text(telling.after, ""),
        reason=text(telling.reason, _reason(event)),
        clauses=" ".join(getattr(event, "clauses", ())),
    )


def _reason(event: Any) -> str:
    said = [getattr(event, name, None) for name in ("reason", "note", "what", "message")]
    return ": ".join(part for part in said if part)


def _json(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), sort_keys=True, separators=(",", ":"))


def _coup(event: Any, here: Here) -> CoupState | None:
    return here.known.coups.get(event.coup_id)


def _result(player: tuple[str, ...], banker: tuple[str, ...], winner: str) -> str:
    hands_told = " ".join(
        f"{name} {' '.join(held)}"
        for name, held in (("PLAYER", player), ("BANKER", banker))
        if held
    )
    return f"{winner} ({hands_told})" if hands_told else winner


def _result_before(event: Any, here: Here) -> str:
    coup = _coup(event, here)
    return _result(coup.player, coup.banker, coup.winner) if coup else ""


def _status_before(event: Any, here: Here) -> str:
    coup = _coup(event, here)
    return coup.status if coup else ""


def _wager_before(event: Any, here: Here) -> str:
    coup = _coup(event, here)
    wager = coup.accepted.get(event.wager_id) if coup else None
    return "" if wager is None else f"{wager.outcome or 'OPEN'} {wager.stake_minor}"


def _named(name: str) -> _Text:
    return lambda event, _: str(getattr(event, name))


def _said(text: str) -> _Text:
    return lambda _event, _here: text


def _amount(name: str) -> _Amount:
    return lambda event, _: int(getattr(event, name))


def _exception(**told: Any) -> Telling:
    return Telling(lists=(EXCEPTION,), **told)


def _alarm(**told: Any) -> Telling:
    return Telling(lists=(EXCEPTION, SIGNIFICANT), severity=ALARM, **told)


def _significant(severity: str, **told: Any) -> Telling:
    return Telling(lists=(SIGNIFICANT,), severity=severity, **told)


def _error(**told: Any) -> Telling:
    return Telling(lists=(ERROR,), severity=WARNING, **told)


def _permission(event: Any, _: Here) -> str:
    names = ("player", "box", "players_max", "minimum_minor", "maximum_minor", "until_coup")
    said = {name: value for name in names if (value := getattr(event, name, None)) is not None}
    return _json(said)


def _stop(event: Any, _: Here) -> str:
    """What a stop is of, and whose players and which tables it binds."""
    where = "every table" if event.everywhere else "this table"
    whose = f"players of {event.operator}" if event.operator else "everybody"
    return f"{event.of} {event.value}".strip() + f": {whose}, {where}"


def _instant(event: Any, _: Here) -> str:
    return instant(event.until_us)


def _voided_wager(event: Any, _: Here) -> str:
    return f"VOIDED {event.refund_minor}"


def _resettled_reason(event: Any, here: Here) -> str:
    coup = _coup(event, here)
    wager = coup.accepted.get(event.wager_id) if coup else None
    return getattr(event, "reason", "") or (wager.reason if wager else "")


_DECISION: Final = {
    "before": _named("already_minor"),
    "reason": _resettled_reason,
    "amount": _amount("due_minor"),
}

_MONEY: Final[Mapping[type[Event], Telling]] = {
    money.WagerResettled: _exception(after=_named("credit_minor"), **_DECISION),
    money.WagerRefunded: _exception(after=_named("returned_minor"), **_DECISION),
    money.WagerForfeited: _alarm(after=_said("0"), **_DECISION),
    money.ReversalOutstanding: _significant(WARNING, amount=_amount("amount_minor")),
    money.CreditOutstanding: _significant(WARNING, amount=_amount("amount_minor")),
    book.RefundOutstanding: _significant(WARNING, amount=_amount("amount_minor")),
    money.DisputeDecided: _exception(after=_named("decision"), before=_said("OPEN")),
    money.DisputeReviewed: _exception(after=_named("decision"), before=_said("DECIDED")),
    money.CoupReviewOpened: _significant(ALARM),
    money.CoupReviewClosed: _exception(before=_said("OPEN"), after=_said("CLOSED")),
    money.DropCounted: _exception(amount=_amount("amount_minor")),
    book.WagerVoided: _exception(before=_wager_before, after=_voided_wager),
}
_COUP: Final[Mapping[type[Event], Telling]] = {
    table.ResultCorrected: _alarm(
        before=_result_before, after=lambda e, _: _result(e.player, e.banker, e.winner)
    ),
    table.OutcomeInvalidated: _alarm(before=_result_before, after=_said("INVALIDATED")),
    table.CoupVoided: _alarm(before=_status_before, after=_said("VOID")),
    table.CoupTerminated: _alarm(before=_status_before, after=_said("TERMINATED")),
    table.CoupBackfilled: _alarm(
        after=lambda e, _: f"BACKFILLED {e.winner} {' '.join(e.cards)}",
        reason=lambda e, _: f"{e.reason}: video {e.video}",
    ),
    hands.MisdealDetected: _error(code=lambda e, _: f"MISDEAL_{e.kind}"),
    hands.CoupHeld: Telling(
        lists=(ERROR, SIGNIFICANT), severity=WARNING, code=lambda e, _: f"HELD_{e.code}"
    ),
    hands.PlacementCorrected: _exception(
        after=lambda e, _: " ".join(e.hands), reason=_named("cause")
    ),
    hands.ErrorApproved: _exception(after=_named("what")),
    hands.CardAttested: _exception(after=lambda e, _: "SEEN" if e.seen else "UNSEEN"),
    hands.WithdrawalWindowExtended: _exception(after=_instant),
    hands.IncidentResolved: _exception(before=_named("code"), after=_named("how")),
    hands.HoldEscalated: _significant(ALARM, code=lambda e, _: f"HELD_{e.code}"),
    hands.AlarmRaised: _significant(ALARM, code=_named("code")),
    table.IncidentRecorded: Telling(
        lists=(ERROR, SIGNIFICANT), severity=WARNING, code=_named("code")
    ),
}
_TABLE: Final[Mapping[type[Event], Telling]] = {
    book.LimitsPublished: _exception(
        code=_said("LIMITS_CHANGED"),
        before=lambda _, here: _json(here.table.limits),
        after=lambda e, _: _json(e.limits),
    ),
    book.PlayerLimitsGranted: _exception(after=_permission),
    book.StandingWagerPermitted: _exception(after=_permission),
    book.AreaSharingPermitted: _exception(after=_permission),
    book.OpposingWagerApproved: _exception(after=_permission),
    book.PermissionRevoked: _exception(before=_named("permission"), after=_said("REVOKED")),
    book.PlayerBarred: _alarm(after=_named("scope")),
    book.BarLifted: _exception(before=_named("scope"), after=_said("LIFTED")),
    book.BettingStopped: _exception(after=_stop),
    book.StopLifted: _exception(before=_stop, after=_said("LIFTED")),
    at_table.VariantChanged: _exception(
        before=_named("before"), after=lambda e, _: e.settings.rulebook_id
    ),
    at_table.MethodApproved: _exception(after=_named("method")),
    at_table.RoleApproved: _exception(after=_permission),
    at_table.TableSuspended: _alarm(before=_said("OPEN"), after=_said("SUSPENDED")),
    at_table.TableResumed: _exception(before=_said("SUSPENDED"), after=_said("OPEN")),
}
_SHOE: Final[Mapping[type[Event], Telling]] = {
    cards.ShoeIntegrityBreached: _significant(ALARM, after=_named("card")),
    cards.ShoeInvalidated: _significant(ALARM),
    cards.ShufflerFaulted: _significant(WARNING, after=_named("branch")),
    cards.DeckRejected: _significant(WARNING, after=_named("deck_id"), reason=_named("defect")),
    cards.CardsReplaced: _exception(after=lambda e, _: " ".join((*e.cards, *e.new_deck_ids))),
    cards.CardExposedEarly: _error(),
    cards.CardsBurned: _error(code=_said("BURN_FOR_ERROR")),
    cards.CardRevealed: _exception(code=_said("CARD_ENTERED"), after=_named("card")),
    cards.ErrorBurnApproved: _exception(),
    cards.ShoeDeviceRegistered: _exception(before=_named("replaces"), after=_named("device_id")),
}

TELLINGS: Final[Mapping[type[Event], Telling]] = {**_MONEY, **_COUP, **_TABLE, **_SHOE}

WANTED: Final = frozenset(kind.type for kind in TELLINGS)
