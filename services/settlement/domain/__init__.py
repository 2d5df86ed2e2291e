"""Who is paid what: `settle(rulebook, hands, book) -> payments` (D7). Pure.

A coup is settled whole or not at all, once its result and exactly the book revision that the
result names are known, whatever order they arrive in (D6).
"""

from services.contracts.settlement import EVENTS, SERVICE
from services.settlement.domain.decide import answer, decide
from services.settlement.domain.evolve import evolve
from services.settlement.domain.react import FOLLOWS, HEARS, react
from services.settlement.domain.state import STATE_SCHEMA, SettlementState, initial_state, scope

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "SettlementState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
]
