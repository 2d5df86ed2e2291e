"""Evidence that is handed out is put on record."""

from __future__ import annotations

from typing import Any

from services.contracts.core import Actor
from services.contracts.settlement import EvidenceExported
from services.settlement import domain as settlement
from services.settlement.commands import (
    AdviseInspector,
    DecideDispute,
    ExportEvidence,
    OpenDispute,
)
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import COUP, betting, coup_id, opened

PLAYER = person("PLAYER", "p1")
SUPERVISOR = person("GAME_SUPERVISOR", "gs1")
INSPECTOR = person("INSPECTOR", "i1")


def disputed() -> Spec:
    """A coup that was played, and a dispute about it."""
    complaint = OpenDispute(at_us=AT_US, by=PLAYER, dispute_id="q1", coup=1, claim="a late call")
    table = spec(settlement).given(opened(), betting())
    return table.given(*table.when(complaint).events)


def export(by: Actor = INSPECTOR, **changed: Any) -> ExportEvidence:
    fields: dict[str, Any] = {
        "coup_id": COUP,
        "purpose": "the inspector asked",
        "dispute_id": "q1",
        "position": 41,
        "digest": "ab12",
    }
    return ExportEvidence(at_us=AT_US, by=by, **{**fields, **changed})


def test_f_181_an_export_says_what_was_handed_out_and_what_for() -> None:
    """F-181: the dispute, the purpose, and the hash and position by which it is made again."""
    disputed().when(export()).then(
        EvidenceExported(
            coup_id=COUP,
            position=41,
            digest="ab12",
            purpose="the inspector asked",
            dispute_id="q1",
            clauses=("004:14.12", "004:14.13"),
        )
    )
    told = settlement.answer(export(), disputed().when(export()).events, disputed().state)
    assert told == {"position": 41, "digest": "ab12"}


def test_f_181_the_inspector_and_supervisors_take_evidence_and_nobody_else() -> None:
    """F-181: not the player, the dealer, an auditor, or the platform by itself."""
    for role in ("INSPECTOR", "GAME_SUPERVISOR", "CASINO_SUPERVISOR", "DUTY_MANAGER"):
        disputed().when(export(person(role))).then(like(EvidenceExported))
    for role in ("PLAYER", "DEALER", "AUDITOR", "SYSTEM"):
        disputed().when(export(person(role))).then_raises("ROLE")


def test_f_181_evidence_for_a_dispute_is_that_of_its_coup() -> None:
    """F-181: a dispute that exists and is about this coup; without one it is handed out as well."""
    disputed().when(export(dispute_id="q2")).then_raises("UNKNOWN")
    disputed().when(export(coup_id=coup_id(2))).then_raises("UNKNOWN")
    disputed().when(export(coup_id="T9:1:1", dispute_id="")).then_raises("UNKNOWN")
    disputed().when(export(coup_id=coup_id(2), dispute_id="")).then(
        like(EvidenceExported, dispute_id="", clauses=())
    )


def test_f_181_a_case_left_to_the_inspector_is_known_after_the_table_opened_again() -> None:
    """F-181: he looks into it on request, which may come days later; a closed case is forgotten."""
    unresolved = DecideDispute(
        at_us=AT_US, by=SUPERVISOR, dispute_id="q1", level=1, decision="UNRESOLVED"
    )
    decided = disputed().given(*disputed().when(unresolved).events)
    advise = AdviseInspector(at_us=AT_US, by=SUPERVISOR, dispute_id="q1")
    advised = decided.given(*decided.when(advise).events)
    assert advised.state.disputes["q1"].status == "CLOSED"
    advised.given(opened(session=2)).when(export()).then(like(EvidenceExported, dispute_id="q1"))
