"""The shoe of a table: preparation, burns, draws, the cutting card, the end of the shoe. Pure.

The draw number is the truth: every card that leaves the shoe gets the next one, burned or dealt.
Cards that nobody has seen are not in this state; `decide` is given a sealed source for them (D8).
"""

from services.contracts.shoe import EVENTS, SERVICE
from services.shoe.domain.decide import answer, decide
from services.shoe.domain.evolve import evolve
from services.shoe.domain.react import FOLLOWS, HEARS, react
from services.shoe.domain.state import (
    NO_CARDS,
    STATE_SCHEMA,
    Cards,
    NoCards,
    ShoeState,
    initial_state,
    scope,
)

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "NO_CARDS",
    "SERVICE",
    "STATE_SCHEMA",
    "Cards",
    "NoCards",
    "ShoeState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
]
