"""Disputes: levels, persons, the inspector."""

from __future__ import annotations

from typing import Any

import pytest

from services.contracts.core import Actor
from services.contracts.settlement import (
    DisputeClosed,
    DisputeDecided,
    DisputeEscalated,
    DisputeOpened,
    DisputeReviewed,
    InspectorAdvised,
)
from services.settlement import domain as settlement
from services.settlement.commands import (
    AdviseInspector,
    CloseDispute,
    DecideDispute,
    EscalateDispute,
    OpenDispute,
)
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import COUP, betting, opened

PLAYER = person("PLAYER", "p1")
GAME_SUPERVISOR = person("GAME_SUPERVISOR", "gs1")
CASINO_SUPERVISOR = person("CASINO_SUPERVISOR", "cs1")


def table(rulebook: str = "nsw-mini", **changed: Any) -> Spec:
    return spec(settlement).given(opened(rulebook, changed=changed), betting())


def complaint(dispute: str = "q1", coup: int = 1) -> OpenDispute:
    return OpenDispute(at_us=AT_US, by=PLAYER, dispute_id=dispute, coup=coup, claim="a late call")


def disputed(rulebook: str = "nsw-mini", **changed: Any) -> Spec:
    return (
        table(rulebook, **changed)
        .when(complaint())
        .then(like(DisputeOpened, dispute_id="q1", coup_id=COUP, claim="a late call"))
    )


def decision(
    level: int, decision: str = "DISMISSED", by: Actor | None = None, **others: Any
) -> DecideDispute:
    actor = by or (GAME_SUPERVISOR if level == 1 else CASINO_SUPERVISOR)
    return DecideDispute(
        at_us=AT_US,
        by=actor,
        dispute_id="q1",
        level=level,
        decision=decision,
        **others,
    )


def test_a_coup_is_disputed_once_under_an_id_of_its_own() -> None:
    """F-180: the coup is one that was played, the id not used before."""
    opened_ = disputed()
    opened_.when(complaint()).then_raises("DUPLICATE")
    opened_.when(complaint("q2", coup=2)).then_raises("UNKNOWN")
    opened_.when(complaint("q2", coup=0)).then_raises("UNKNOWN")
    by_auditor = OpenDispute(
        at_us=AT_US, by=person("AUDITOR"), dispute_id="q2", coup=1, claim="figures"
    )
    opened_.when(by_auditor).then_raises("ROLE")


def test_the_game_supervisor_decides_and_a_casino_supervisor_reviews() -> None:
    """F-180: levels in their order, each with its status."""
    disputed().when(decision(2)).then_raises("STATE")
    disputed().when(decision(1, by=person("DEALER"))).then_raises("ROLE")
    decided = (
        disputed()
        .when(decision(1, "UPHELD", note="the clip shows it"))
        .then(
            like(
                DisputeDecided,
                level=1,
                status="DECIDED",
                decided_by="gs1",
                note="the clip shows it",
            )
        )
    )
    decided.when(decision(1, by=person("GAME_SUPERVISOR", "gs2"))).then_raises("STATE")
    reviewed = decided.when(decision(2)).then(
        like(DisputeReviewed, level=2, status="REVIEWED", decided_by="cs1")
    )
    reviewed.when(decision(2, by=person("DUTY_MANAGER"))).then_raises("STATE")
    reviewed.when(decision(3)).then_raises("UNKNOWN")
    disputed().when(decision(1, "PERHAPS")).then_raises("UNKNOWN")


def test_the_reviewer_is_a_different_person_and_a_casino_supervisor_in_his_own_right() -> None:
    """F-180, X-33, F-06: the same person is refused under whatever role; a game supervisor never."""
    for counts in (False, True):
        house: dict[str, Any] = {"games_supervisor_counts_as_casino_supervisor": counts}
        decided = disputed(**house).when(decision(1)).then(like(DisputeDecided))
        decided.when(decision(2, by=person("GAME_SUPERVISOR", "gs2"))).then_raises("ROLE")
        decided.when(decision(2, by=person("CASINO_SUPERVISOR", "gs1"))).then_raises("ROLE")
        decided.when(decision(2, by=person("DUTY_MANAGER", "dm1"))).then(like(DisputeReviewed))


def test_a_decision_without_opened_evidence_shows_it() -> None:
    """F-180: the digest of the rebuilt coup that was looked at, or none."""
    disputed().when(decision(1)).then(like(DisputeDecided, evidence_digest=None))
    disputed().when(decision(1, evidence_digest="ab12")).then(
        like(DisputeDecided, evidence_digest="ab12")
    )


@pytest.mark.parametrize("level", [1, 2])
def test_an_unresolved_case_closes_with_the_advice_about_the_inspector(level: int) -> None:
    """F-181: the complainant is told; before that it does not close."""
    now = disputed()
    for step in range(1, level + 1):
        kind = DisputeDecided if step == 1 else DisputeReviewed
        now = now.when(decision(step, "UNRESOLVED")).then(like(kind, status="UNRESOLVED"))
    now.when(CloseDispute(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")).then_raises("STATE")
    advise = AdviseInspector(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")
    now.when(AdviseInspector(at_us=AT_US, by=PLAYER, dispute_id="q1")).then_raises("ROLE")
    advised = now.when(advise).then(like(InspectorAdvised, level=level))
    assert advised.state.disputes["q1"].status == "CLOSED"
    advised.when(advise).then_raises("STATE")
    advised.when(decision(level + 1)).then_raises("STATE" if level == 1 else "UNKNOWN")


def test_advice_is_for_unresolved_cases_and_for_houses_with_an_inspector() -> None:
    """F-181: not for an open or a decided case; unknown where the rulebook has no inspector."""
    advise = AdviseInspector(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")
    table().when(advise).then_raises("UNKNOWN")
    disputed().when(advise).then_raises("STATE")
    decided = disputed().when(decision(1)).then(like(DisputeDecided))
    decided.when(advise).then_raises("STATE")
    streamed = disputed("live-studio").when(decision(1, "UNRESOLVED")).then(like(DisputeDecided))
    streamed.when(advise).then_raises("NOT_PERMITTED")
    close = CloseDispute(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")
    streamed.when(close).then(like(DisputeClosed))


def test_a_decided_case_closes_on_a_supervisors_word() -> None:
    """F-180: once, and not while it is open."""
    close = CloseDispute(at_us=AT_US, by=GAME_SUPERVISOR, dispute_id="q1")
    disputed().when(close).then_raises("STATE")
    decided = disputed().when(decision(1)).then(like(DisputeDecided))
    decided.when(CloseDispute(at_us=AT_US, by=PLAYER, dispute_id="q1")).then_raises("ROLE")
    closed = decided.when(close).then(like(DisputeClosed, level=1))
    closed.when(close).then_raises("STATE")
    closed.when(decision(2)).then_raises("STATE")


def test_the_inspector_looks_into_it_after_the_advice() -> None:
    """F-181: at the complainant's request, and not before he was told."""
    ask = EscalateDispute(at_us=AT_US, by=PLAYER, dispute_id="q1")
    unresolved = disputed().when(decision(1, "UNRESOLVED")).then(like(DisputeDecided))
    unresolved.when(ask).then_raises("STATE")
    advised = unresolved.when(
        AdviseInspector(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")
    ).then(like(InspectorAdvised))
    advised.when(ask).then(like(DisputeEscalated, dispute_id="q1"))
    advised.when(EscalateDispute(at_us=AT_US, by=CASINO_SUPERVISOR, dispute_id="q1")).then_raises(
        "ROLE"
    )


def test_open_disputes_outlast_the_session() -> None:
    """F-180: closed ones need not be kept."""
    now = disputed().given(opened(session=2), betting())
    now.when(decision(1)).then(like(DisputeDecided, coup_id=COUP))
