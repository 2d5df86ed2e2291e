"""What the round service does about what it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Caused, Command, Event, Heard
from services.round.commands import (
    Proceed,
)
from services.round.domain.hearing import EVOLVE_HEARD
from services.round.domain.state import TableState

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    module.SERVICE: {kind.type: kind for kind in EVOLVE_HEARD if kind.type in module.EVENTS}
    for module in (cards, book, money)
}
"""What round listens to."""


FOLLOWS = frozenset({*EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: TableState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    if type(heard.event) not in EVOLVE_HEARD:
        return ()
    if isinstance(heard.event, book.LimitsPublished) or not state.session:
        return ()
    return [Proceed(at_us=heard.meta.occurred_at_us, by=heard.meta.actor)]
