"""What is on record off the normal course: incidents, exceptions and disputes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts import round_table as signs
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event
from services.settlement.queries.desk import Desk, Fold, Folds, Said
from services.settlement.queries.fold_tables import booked_day_of, change_table, table_of
from services.settlement.queries.resources import (
    COUPS,
    DISPUTES,
    EXCEPTIONS,
    INCIDENTS,
    WAGERS,
    Dispute,
    DisputeDecision,
    ExceptionEntry,
    Incident,
)

# --- incidents ---


def _incident(kind: str, code: str, *, opens: bool = False) -> Fold:
    """A fold that puts an incident on record; `code` names the event's field with it, or is it."""

    def fold(desk: Desk, said: Said) -> None:
        event: Any = said.event
        what = str(getattr(event, code, code) or code)
        incident = Incident(
            id=said.event_id,
            at_us=said.at_us,
            table_id=said.table_id,
            gaming_day=booked_day_of(desk, said),
            test=said.meta.test,
            coup_id=getattr(event, "coup_id", None) or said.meta.coup_id,
            shoe_id=getattr(event, "shoe_id", None) or said.meta.shoe_id,
            kind=kind,
            code=what,
            note=getattr(event, "note", ""),
            person=getattr(event, "person", None) or "",
            status="OPEN" if opens else "RECORDED",
            by=said.meta.actor,
            second=said.meta.second,
            clauses=getattr(event, "clauses", ()),
            detail_json=said.detail(),
        )
        desk.put(INCIDENTS, incident)
        if opens:
            known = table_of(desk, said)
            kept = {**known.kept_incidents, _place(event, what): said.event_id}
            change_table(desk, said, kept_incidents=kept, incidents_open=len(kept))

    return fold


def _place(event: Any, code: str) -> str:
    return f"{code}:{getattr(event, 'coup_id', None) or ''}"


def _misdeal(desk: Desk, said: Said) -> None:
    _incident("GAME_ERROR", "kind")(desk, said)


def _resolved(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = table_of(desk, said)
    place = _place(event, event.code)
    incident = known.kept_incidents.get(place)
    if incident is None:
        return
    desk.change(
        INCIDENTS, incident, status="RESOLVED", resolved_how=event.how, resolved_us=said.at_us
    )
    kept = {key: value for key, value in known.kept_incidents.items() if key != place}
    change_table(desk, said, kept_incidents=kept, incidents_open=len(kept))


def _ended_with_coup(desk: Desk, said: Said) -> None:
    """What held a coup that is over holds nothing any more."""
    event: Any = said.event
    known = table_of(desk, said)
    kept = dict(known.kept_incidents)
    for place, incident in known.kept_incidents.items():
        if place.partition(":")[2] == event.coup_id:
            del kept[place]
            desk.change(
                INCIDENTS,
                incident,
                status="RESOLVED",
                resolved_how=event.status,
                resolved_us=said.at_us,
            )
    if len(kept) != len(known.kept_incidents):
        change_table(desk, said, kept_incidents=kept, incidents_open=len(kept))


# --- exceptions ---

Told = Callable[[Desk, Said], dict[str, Any]]


def _exception(kind: str, told: Told) -> Fold:
    """A fold that puts a decision on record, with what it changed."""

    def fold(desk: Desk, said: Said) -> None:
        event: Any = said.event
        player = getattr(event, "player", "")
        entry = ExceptionEntry(
            id=said.event_id,
            at_us=said.at_us,
            table_id=said.table_id,
            gaming_day=booked_day_of(desk, said),
            test=said.meta.test,
            kind=kind,
            what=event.type,
            coup_id=getattr(event, "coup_id", None) or said.meta.coup_id,
            wager_id=getattr(event, "wager_id", ""),
            reason=getattr(event, "reason", ""),
            # Events of a coup have the cards of a hand under this name.
            player=player if isinstance(player, str) else "",
            currency=getattr(event, "currency", ""),
            amount_minor=getattr(event, "amount_minor", 0),
            by=said.meta.actor,
            second=said.meta.second,
            clauses=getattr(event, "clauses", ()),
            detail_json=said.detail(),
        )
        desk.put(EXCEPTIONS, replace(entry, **told(desk, said)))

    return fold


def _became(parameter: str, before: str, after: str) -> Told:
    """The fields of the event with what was before and what is after; words stand for themselves."""

    def told(_: Desk, said: Said) -> dict[str, Any]:
        event = said.event

        def value(name: str) -> str:
            found = getattr(event, name, name)
            return "" if found is None else str(found)

        return {"parameter": parameter, "before": value(before), "after": value(after)}

    return told


_STATUSES: dict[type[Event], str] = {table.CoupVoided: "VOID", table.CoupTerminated: "TERMINATED"}


def _coup_status(desk: Desk, said: Said) -> dict[str, Any]:
    event: Any = said.event
    coup = desk.find(COUPS, event.coup_id)
    note = getattr(event, "note", "")
    return {
        "parameter": "status",
        "before": coup.status if coup is not None else "",
        "after": _STATUSES.get(type(event), "INVALIDATED"),
        "reason": f"{event.reason}: {note}" if note else event.reason,
    }


def _result(desk: Desk, said: Said) -> dict[str, Any]:
    event: Any = said.event
    coup = desk.find(COUPS, event.coup_id)
    before = "" if coup is None else _hands(coup.winner, coup.player, coup.banker)
    return {
        "parameter": "result",
        "before": before,
        "after": _hands(event.winner, event.player, event.banker),
    }


def _hands(winner: str, player: tuple[str, ...], banker: tuple[str, ...]) -> str:
    return f"{winner} ({' '.join(player)} / {' '.join(banker)})" if winner else ""


def _wager(desk: Desk, said: Said) -> dict[str, Any]:
    event: Any = said.event
    wager = desk.find(WAGERS, said.named("wager_id"))
    after = getattr(event, "outcome", "")
    if isinstance(event, money.WagerForfeited):
        after = "FORFEITED"
    return {
        "parameter": "outcome",
        "before": wager.status if wager is not None else "",
        "after": after or "VOIDED",
        "amount_minor": getattr(event, "due_minor", getattr(event, "refund_minor", 0)),
    }


def _limits(desk: Desk, said: Said) -> dict[str, Any]:
    event: Any = said.event
    before = table_of(desk, said).limits_version
    return {
        "parameter": "limits_version",
        "before": str(before) if before != event.limits_version else str(before - 1),
        "after": str(event.limits_version),
    }


def _released(*, closed: str) -> Told:
    def told(_: Desk, said: Said) -> dict[str, Any]:
        event: Any = said.event
        return {"parameter": closed, "before": event.code, "after": event.how}

    return told


def _stop(_: Desk, said: Said) -> dict[str, Any]:
    event: Any = said.event
    lifted = isinstance(event, book.StopLifted)
    told = {
        "parameter": f"stop of {event.of}",
        "before" if lifted else "after": event.value or event.of,
    }
    return {**told, "player": event.value if event.of == "PLAYER" else ""}


# --- disputes ---


def _dispute_opened(desk: Desk, said: Said) -> None:
    event: Any = said.event
    opened = Dispute(
        id=said.named("dispute_id"),
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=booked_day_of(desk, said),
        test=said.meta.test,
        dispute_id=event.dispute_id,
        coup_id=event.coup_id,
        claim=event.claim,
        opened_by=said.meta.actor,
    )
    desk.put(DISPUTES, opened)


def _dispute(desk: Desk, said: Said, **changes: Any) -> None:
    desk.change(DISPUTES, said.named("dispute_id"), **changes)


def _dispute_decided(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known: Dispute | None = desk.find(DISPUTES, said.named("dispute_id"))
    if known is None:
        return
    decision = DisputeDecision(
        said.at_us,
        event.level,
        event.decision,
        event.decided_by,
        event.note,
        event.evidence_digest or "",
    )
    desk.put(
        DISPUTES,
        known,
        status=event.status,
        level=event.level,
        decisions=(*known.decisions, decision),
    )


def _exported(desk: Desk, said: Said) -> None:
    known: Dispute | None = desk.find(DISPUTES, said.named("dispute_id"))
    if known is not None:
        desk.put(DISPUTES, known, evidence_exports=known.evidence_exports + 1)


INCIDENT_FOLDS: Folds = {
    table.IncidentRecorded: _incident("INCIDENT", "code"),
    table.BettingNotOpened: _incident("INCIDENT", "reason"),
    hands.MisdealDetected: _misdeal,
    hands.CoupHeld: _incident("HOLD", "code", opens=True),
    hands.AlarmRaised: _incident("HOLD", "code"),
    hands.HoldEscalated: _incident("HOLD", "code"),
    hands.IncidentResolved: _resolved,
    hands.ReconstructionFailed: _incident("GAME_ERROR", "RECONSTRUCTION_FAILED"),
    cards.CardExposedEarly: _incident("GAME_ERROR", "CARD_EXPOSED_EARLY"),
    cards.CardFoundExposed: _incident("GAME_ERROR", "CARD_FOUND_EXPOSED"),
    cards.ShufflerFaulted: _incident("DEVICE", "branch"),
    cards.ShoeIntegrityBreached: _incident("INTEGRITY", "TOO_MANY_OF_A_CARD"),
    cards.ShoeInvalidated: _incident("INTEGRITY", "reason"),
    cards.DeckRejected: _incident("INTEGRITY", "DECK_REJECTED"),
    money.CoupReviewOpened: _incident("INTEGRITY", "COUP_UNDER_REVIEW"),
    table.CoupClosed: _ended_with_coup,
}

EXCEPTION_FOLDS: Folds = {
    table.CoupBackfilled: _exception("BACKFILL", _became("coup", "", "winner")),
    table.CoupVoided: _exception("VOID", _coup_status),
    table.CoupTerminated: _exception("VOID", _coup_status),
    table.OutcomeInvalidated: _exception("INVALIDATION", _coup_status),
    table.ResultCorrected: _exception("CORRECTION", _result),
    book.WagerVoided: _exception("WAGER_VOID", _wager),
    money.WagerRefunded: _exception("WAGER_VOID", _wager),
    money.WagerForfeited: _exception("INVALIDATION", _wager),
    money.WagerResettled: _exception("CORRECTION", _wager),
    book.LimitsChanged: _exception("LIMITS", _limits),
    book.PlayerLimitsGranted: _exception("LIMITS", _became("player_limits", "", "maximum_minor")),
    book.StandingWagerPermitted: _exception("PERMISSION", _became("standing", "", "PERMITTED")),
    book.AreaSharingPermitted: _exception("PERMISSION", _became("sharing", "", "players_max")),
    book.OpposingWagerApproved: _exception("PERMISSION", _became("opposing", "", "APPROVED")),
    book.PermissionRevoked: _exception("PERMISSION", _became("permission", "permission", "")),
    book.PlayerBarred: _exception("BAR", _became("barred", "", "scope")),
    book.BarLifted: _exception("BAR", _became("barred", "scope", "")),
    book.BettingStopped: _exception("STOP", _stop),
    book.StopLifted: _exception("STOP", _stop),
    signs.MethodApproved: _exception("APPROVAL", _became("method", "", "method")),
    signs.RoleApproved: _exception("APPROVAL", _became("role", "", "PLAYER_HAND")),
    signs.VariantChanged: _exception("APPROVAL", _became("rulebook", "before", "by_consent")),
    signs.TableSuspended: _exception("SUSPENSION", _became("status", "OPEN", "SUSPENDED")),
    signs.TableResumed: _exception("SUSPENSION", _became("status", "SUSPENDED", "OPEN")),
    hands.ErrorApproved: _exception("APPROVAL", _became("error", "", "what")),
    hands.CardAttested: _exception("RULING", _became("seen", "", "seen")),
    hands.PlacementCorrected: _exception("RULING", _became("placement", "", "hands")),
    hands.WithdrawalWindowExtended: _exception("RULING", _became("window", "", "until_us")),
    hands.IncidentResolved: _exception("RULING", _released(closed="incident")),
    cards.ErrorBurnApproved: _exception("APPROVAL", _became("error_burn", "", "APPROVED")),
    cards.ShoeInvalidated: _exception("INVALIDATION", _became("shoe", "IN_USE", "INVALIDATED")),
    money.CoupReviewClosed: _exception("RULING", _became("review", "OPEN", "note")),
    money.CreditOutstanding: _exception("OUTSTANDING", _became("credit", "", "OUTSTANDING")),
    money.CreditDelivered: _exception("OUTSTANDING", _became("credit", "OUTSTANDING", "DELIVERED")),
    money.ReversalOutstanding: _exception("OUTSTANDING", _became("debit", "", "OUTSTANDING")),
    money.ReversalCollected: _exception("OUTSTANDING", _became("debit", "OUTSTANDING", "MADE")),
    book.RefundOutstanding: _exception("OUTSTANDING", _became("refund", "", "OUTSTANDING")),
    book.RefundDelivered: _exception("OUTSTANDING", _became("refund", "OUTSTANDING", "DELIVERED")),
    money.DropCounted: _exception("DROP", _became("drop", "", "amount_minor")),
}

DISPUTE_FOLDS: Folds = {
    money.DisputeOpened: _dispute_opened,
    money.DisputeDecided: _dispute_decided,
    money.DisputeReviewed: _dispute_decided,
    money.InspectorAdvised: lambda desk, said: _dispute(
        desk, said, inspector_advised=True, status="CLOSED", closed_us=said.at_us
    ),
    money.DisputeEscalated: lambda desk, said: _dispute(desk, said, escalated=True),
    money.DisputeClosed: lambda desk, said: _dispute(
        desk, said, status="CLOSED", closed_us=said.at_us
    ),
    money.EvidenceExported: _exported,
}
