"""Disputes: the table's supervisor decides, another person reviews (004 14.12, 14.13, X-33)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.settlement import (
    DisputeClosed,
    DisputeDecided,
    DisputeEscalated,
    DisputeOpened,
    DisputeReviewed,
    EvidenceExported,
    InspectorAdvised,
)
from services.rules.roles import (
    AUDITOR,
    GAME_SUPERVISOR,
    INSPECTOR,
    PLAYER,
    SYSTEM,
)
from services.settlement.commands import (
    AdviseInspector,
    CloseDispute,
    DecideDispute,
    EscalateDispute,
    ExportEvidence,
    OpenDispute,
)
from services.settlement.domain.state import (
    Dispute,
    SettlementState,
    clauses_for,
    rules_of,
    settings_of,
    was_played,
)

UNRESOLVED = "UNRESOLVED"
DECISIONS = ("UPHELD", "DISMISSED", UNRESOLVED)


def open_dispute(command: OpenDispute, state: SettlementState) -> Sequence[Event]:
    if command.by.role in (AUDITOR, SYSTEM):
        raise Refused("ROLE", f"{command.by.id} has the role {command.by.role}: no complainant")
    if command.dispute_id in state.disputes:
        raise Refused("DUPLICATE", f"there is a dispute {command.dispute_id} already")
    if not was_played(state, command.coup):
        raise Refused("UNKNOWN", f"there was no coup {command.coup}")
    return [
        DisputeOpened(
            dispute_id=command.dispute_id,
            coup_id=f"{settings_of(state).table_id}:{state.session}:{command.coup}",
            coup=command.coup,
            claim=command.claim,
            clauses=clauses_for(state, "dispute"),
        )
    ]


def _held(dispute_id: str, state: SettlementState) -> Dispute:
    held = state.disputes.get(dispute_id)
    if held is None:
        raise Refused("UNKNOWN", f"there is no dispute {dispute_id}")
    return held


def decide_dispute(command: DecideDispute, state: SettlementState) -> Sequence[Event]:
    """Levels in their order, each by its role and by somebody who has not decided before.

    A game supervisor never counts as a casino supervisor here, whatever the house chose.
    """
    levels = rules_of(state).dispute_levels
    held = _held(command.dispute_id, state)
    if not 1 <= command.level <= len(levels):
        raise Refused("UNKNOWN", f"disputes have {len(levels)} levels, not {command.level}")
    require_role(command, levels[command.level - 1], what=f"deciding at level {command.level}")
    clauses = clauses_for(state, "dispute")
    if command.by.id in held.deciders:
        raise Refused("ROLE", f"{command.by.id} decided before: another person reviews", clauses)
    if held.status == "CLOSED" or command.level != held.level + 1:
        raise Refused(
            "STATE",
            f"dispute {command.dispute_id} is {held.status.lower()} after level {held.level}",
            clauses,
        )
    first = command.level == 1
    status = "DECIDED" if first else "REVIEWED"
    make = DisputeDecided if first else DisputeReviewed
    return [
        make(
            dispute_id=command.dispute_id,
            coup_id=held.coup_id,
            level=command.level,
            decision=command.decision,
            status=UNRESOLVED if command.decision == UNRESOLVED else status,
            decided_by=command.by.id,
            note=command.note,
            evidence_digest=command.evidence_digest,
            clauses=clauses,
        )
    ]


def advise_inspector(command: AdviseInspector, state: SettlementState) -> Sequence[Event]:
    """The complainant of an unresolved case is told; with that the house's part is closed."""
    held = _held(command.dispute_id, state)
    if not rules_of(state).inspector_advice:
        raise Refused("NOT_PERMITTED", "this rulebook knows no inspector")
    require_role(command, GAME_SUPERVISOR, what="advice about the inspector")
    if held.status != UNRESOLVED:
        raise Refused("STATE", f"dispute {command.dispute_id} is {held.status.lower()}")
    return [
        InspectorAdvised(
            dispute_id=command.dispute_id,
            coup_id=held.coup_id,
            level=held.level,
            clauses=clauses_for(state, "dispute"),
        )
    ]


def escalate_dispute(command: EscalateDispute, state: SettlementState) -> Sequence[Event]:
    """The complainant asks the inspector, or the inspector takes it up."""
    held = _held(command.dispute_id, state)
    if command.by.role not in (PLAYER, INSPECTOR):
        raise Refused("ROLE", "the complainant or the inspector takes it further")
    if not held.advised:
        raise Refused("STATE", f"nobody was advised in dispute {command.dispute_id} yet")
    return [
        DisputeEscalated(
            dispute_id=command.dispute_id,
            coup_id=held.coup_id,
            clauses=clauses_for(state, "dispute"),
        )
    ]


def export_evidence(command: ExportEvidence, state: SettlementState) -> Sequence[Event]:
    """The inspector takes evidence, or the table's supervisors hand it out; for a case, that case's."""
    if command.by.role != INSPECTOR:
        require_role(command, GAME_SUPERVISOR, what="handing out evidence")
    table_id = settings_of(state).table_id
    if command.coup_id.rsplit(":", 2)[0] != table_id:
        raise Refused("UNKNOWN", f"{command.coup_id} is no coup of table {table_id}")
    clauses: tuple[str, ...] = ()
    if command.dispute_id:
        held = _held(command.dispute_id, state)
        clauses = clauses_for(state, "dispute")
        if held.coup_id != command.coup_id:
            raise Refused(
                "UNKNOWN",
                f"dispute {command.dispute_id} is about {held.coup_id}, not {command.coup_id}",
                clauses,
            )
    return [
        EvidenceExported(
            coup_id=command.coup_id,
            position=command.position,
            digest=command.digest,
            purpose=command.purpose,
            dispute_id=command.dispute_id,
            clauses=clauses,
        )
    ]


def close_dispute(command: CloseDispute, state: SettlementState) -> Sequence[Event]:
    """A decided case closes; an unresolved one not before the advice, where there is one to give."""
    held = _held(command.dispute_id, state)
    require_role(command, GAME_SUPERVISOR, what="closing a dispute")
    waits = held.status == UNRESOLVED and rules_of(state).inspector_advice
    if waits or held.status in ("OPEN", "CLOSED"):
        raise Refused(
            "STATE",
            f"dispute {command.dispute_id} is {held.status.lower()}"
            + (" and the complainant was not advised of the inspector" if waits else ""),
            clauses_for(state, "dispute"),
        )
    return [DisputeClosed(dispute_id=command.dispute_id, coup_id=held.coup_id, level=held.level)]
