"""Disputes, and the rulebooks that tables went over to, as facts: a row for each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from services.contracts import settlement as money
from services.contracts.core import Event
from services.contracts.round import TableOpened
from services.contracts.round_table import VariantChanged
from services.settlement.reports.facts import DisputeFact, RulebookFact
from services.settlement.reports.state import Here

_STATUSES: Final[Mapping[type[Event], str]] = {
    money.DisputeOpened: "OPEN",
    money.DisputeDecided: "",
    money.DisputeReviewed: "",
    money.InspectorAdvised: "CLOSED",
    money.DisputeEscalated: "ESCALATED",
    money.DisputeClosed: "CLOSED",
}
"""What the dispute is after the event; of a decision the event says it itself."""

WANTED: Final = frozenset(kind.type for kind in _STATUSES)


def fold_disputes(here: Here) -> list[DisputeFact]:
    """A row for each step of a dispute."""
    event, meta = here.event, here.each.meta
    status = _STATUSES.get(type(event))
    if status is None:
        return []
    coup_id: str = event.coup_id  # type: ignore[attr-defined]
    coup = here.known.coups.get(coup_id)
    return [
        DisputeFact(
            **here.common(),
            dispute_id=event.dispute_id,  # type: ignore[attr-defined]
            coup_id=coup_id,
            coup_day=(coup.coup_day if coup else None) or here.day,
            what=event.type.upper().replace("-", "_"),
            status=getattr(event, "status", status),
            level=getattr(event, "level", 0),
            decision=getattr(event, "decision", ""),
            said=getattr(event, "claim", "") or getattr(event, "note", ""),
            evidence_digest=getattr(event, "evidence_digest", None) or "",
            dealer=coup.dealer if coup else "",
            actor=meta.actor.id,
            role=meta.actor.role,
            clauses=" ".join(getattr(event, "clauses", ())),
        )
    ]


def fold_rulebooks(here: Here) -> list[RulebookFact]:
    """A row where round puts a table under another rulebook than it had, or other words of it.

    The other services only follow round, some of them late: what they take up changes nothing.
    """
    event, before = here.event, here.before
    if not isinstance(event, TableOpened | VariantChanged):
        return []
    settings = event.settings
    if settings.rulebook_hash == before.rulebook_hash:
        return []
    meta = here.each.meta
    return [
        RulebookFact(
            **here.common(),
            what=event.type.upper().replace("-", "_"),
            rulebook_id=settings.rulebook_id,
            rulebook_hash=settings.rulebook_hash,
            before_id=before.rulebook_id,
            before_hash=before.rulebook_hash,
            actor=meta.actor.id,
            role=meta.actor.role,
        )
    ]
