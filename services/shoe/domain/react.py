"""What the shoe service does about what it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts.core import Caused, Command, Event, Heard
from services.shoe.commands import (
    ActivateRulebook,
    Proceed,
)
from services.shoe.domain.hearing import EVOLVE_HEARD
from services.shoe.domain.state import ShoeState

_KINDS: tuple[type[Event], ...] = (table.TableOpened, *EVOLVE_HEARD)

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    table.SERVICE: {kind.type: kind for kind in _KINDS}
}
"""What the shoe listens to."""


_PROCEED_ON = frozenset(
    {
        table.TableClosed,
        table.DealerChanged,
        table.BettingRequested,
        table.DealingOpened,
        table.DrawInstructed,
        table.CoupVoided,
        table.CoupClosed,
        hands.MisdealDetected,
        hands.TurnInstructed,
    }
)


FOLLOWS = frozenset(_KINDS)
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: ShoeState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    event = heard.event
    at_us, by = heard.meta.occurred_at_us, heard.meta.actor
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(at_us=at_us, by=by, session=event.session, settings=event.settings)
        ]
    came_late = isinstance(event, table.CoupResulted) and bool(state.course.extra)
    if came_late or type(event) in _PROCEED_ON:
        return [Proceed(at_us=at_us, by=by)]
    return ()
