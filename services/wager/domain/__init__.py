"""Limits and the book of each coup: what may be staked, and what was. Pure.

A wager exists once the wallet has answered the debit that was asked for (`DebitRequested`); the
book closes only when no debit is pending, so that what is in it is complete (D5, D6). Money that
goes back before a result always goes back by an event of this service.
"""

from services.contracts.wager import EVENTS, SERVICE
from services.wager.domain.closing import next_due_us
from services.wager.domain.decide import answer, decide, verdict
from services.wager.domain.evolve import evolve
from services.wager.domain.permissions import (
    changes_casino_bar,
    staked_under,
    staking_player,
)
from services.wager.domain.placing import is_staked
from services.wager.domain.react import FOLLOWS, HEARS, react
from services.wager.domain.state import STATE_SCHEMA, BookState, initial_state, scope

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "BookState",
    "answer",
    "changes_casino_bar",
    "decide",
    "evolve",
    "initial_state",
    "is_staked",
    "next_due_us",
    "react",
    "scope",
    "staked_under",
    "staking_player",
    "verdict",
]
