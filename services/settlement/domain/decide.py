"""The commands of the settlement service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.core import Command, Decided, Event, NotYet
from services.contracts.guards import require_meaning
from services.settlement.commands import (
    ActivateRulebook,
    AdviseInspector,
    CloseDispute,
    CloseReview,
    Correct,
    CountDrop,
    DecideDispute,
    EscalateDispute,
    ExportEvidence,
    Invalidate,
    OpenDispute,
    OpenReviews,
    PublishPayTable,
    RecordCredit,
    RecordReversal,
    RepeatCredit,
    RepeatReversal,
    Settle,
    TakeVoid,
    VoidWager,
)
from services.settlement.domain.correcting import (
    correct,
    invalidate,
    take_void,
    void_wager,
)
from services.settlement.domain.disputing import (
    advise_inspector,
    close_dispute,
    decide_dispute,
    escalate_dispute,
    export_evidence,
    open_dispute,
)
from services.settlement.domain.evolve import evolve
from services.settlement.domain.owing import (
    record_credit,
    record_reversal,
    repeat_credit,
    repeat_reversal,
)
from services.settlement.domain.reviewing import close_review, count_drop, open_reviews
from services.settlement.domain.settling import Operators, activate, publish_pay_table, settle
from services.settlement.domain.state import SettlementState


def answer(command: Command, events: Sequence[Event], state: SettlementState) -> Mapping[str, Any]:
    """How a dispute stands, what was exported; of other commands nothing needs telling."""
    if isinstance(command, ExportEvidence):
        return {"position": command.position, "digest": command.digest} if events else {}
    held = state.disputes.get(getattr(command, "dispute_id", ""))
    return {} if held is None else {"status": held.status, "level": held.level}


def _by_wager(operator: str) -> bool:
    """Every wager has a credit of its own."""
    del operator
    return False


def decide(command: Command, state: SettlementState, together: Operators = _by_wager) -> Decided:
    """Events that the command causes, and the states after them; raises `Refused` where the rules do not allow it.

    `together`: whose players are paid all their wagers of a coup by one credit.
    """
    decided = Decided(state, evolve)
    if isinstance(command, ActivateRulebook):
        return decided.take(activate(command))
    require_meaning(command)
    if state.settings is None:
        raise NotYet("the settlement service has not heard yet that this table is open")
    if isinstance(command, Settle):
        return decided.take(settle(command, state, together))
    return decided.take(_DECIDE[type(command)](command, state))


_DECIDE: dict[type[Command], Callable[[Any, SettlementState], Sequence[Event]]] = {
    PublishPayTable: publish_pay_table,
    Correct: correct,
    Invalidate: invalidate,
    VoidWager: void_wager,
    TakeVoid: take_void,
    RecordReversal: record_reversal,
    RepeatReversal: repeat_reversal,
    RecordCredit: record_credit,
    RepeatCredit: repeat_credit,
    OpenReviews: open_reviews,
    CloseReview: close_review,
    CountDrop: count_drop,
    OpenDispute: open_dispute,
    DecideDispute: decide_dispute,
    AdviseInspector: advise_inspector,
    EscalateDispute: escalate_dispute,
    ExportEvidence: export_evidence,
    CloseDispute: close_dispute,
}
