"""Coups under review after a breach of their shoe's integrity (N-6), and the drop (004 2.4)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.settlement import CoupReviewClosed, CoupReviewOpened, DropCounted
from services.rules.roles import CASINO_SUPERVISOR, GAME_SUPERVISOR
from services.settlement.commands import CloseReview, CountDrop, OpenReviews
from services.settlement.domain.state import (
    SettlementState,
    clauses_for,
    rules_of,
    settings_of,
)


def under_review(
    state: SettlementState, coup_id: str, number: int, shoe_id: str
) -> CoupReviewOpened:
    return CoupReviewOpened(
        coup_id=coup_id,
        coup=number,
        shoe_id=shoe_id,
        reason="INTEGRITY",
        clauses=clauses_for(state, "integrity"),
    )


def open_reviews(command: OpenReviews, state: SettlementState) -> Sequence[Event]:
    """Every settled coup of the shoe; one that is settled later follows by itself."""
    return [
        under_review(state, coup.coup_id, coup.coup, coup.shoe_id)
        for coup in state.settled.values()
        if coup.shoe_id == command.shoe_id and coup.coup not in state.reviews
    ]


def close_review(command: CloseReview, state: SettlementState) -> Sequence[Event]:
    require_role(
        command,
        CASINO_SUPERVISOR,
        what="closing a review",
        game_supervisor_counts=rules_of(state).games_supervisor_counts_as_casino_supervisor,
    )
    if command.coup not in state.reviews:
        raise Refused("UNKNOWN", f"coup {command.coup} is not under review")
    coup_id = f"{settings_of(state).table_id}:{state.session}:{command.coup}"
    return [CoupReviewClosed(coup_id=coup_id, coup=command.coup, note=command.note)]


def count_drop(command: CountDrop, state: SettlementState) -> Sequence[Event]:
    """The figure is imported, for the hold report; nothing here follows from it."""
    require_role(command, GAME_SUPERVISOR, what="taking in the drop")
    if command.currency not in settings_of(state).limits:
        raise Refused("CURRENCY", f"this table takes no {command.currency}")
    return [
        DropCounted(
            session=state.session, currency=command.currency, amount_minor=command.counted_minor
        )
    ]
