"""The table and its coups: betting, the book, the deal, the result. Pure.

What follows from what was heard is worked out in one place, `following`: a coup goes from
betting to the closed book, from the book to the cards, and from the cards to the result, one
step at a time, whatever order the other services' events arrive in.
"""

from services.contracts.round import EVENTS, SERVICE
from services.round.domain.decide import answer, decide
from services.round.domain.evolve import evolve
from services.round.domain.opening import number_of
from services.round.domain.react import FOLLOWS, HEARS, react
from services.round.domain.state import (
    STATE_SCHEMA,
    TableState,
    initial_state,
    scope,
    waits_for,
)
from services.round.domain.timers import is_due, next_due_us

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "TableState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "is_due",
    "next_due_us",
    "number_of",
    "react",
    "scope",
    "waits_for",
]
