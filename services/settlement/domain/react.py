"""What the settlement service does about what it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Caused, Command, Event, Heard
from services.settlement.commands import ActivateRulebook, Settle
from services.settlement.domain.evolve import EVOLVE_HEARD
from services.settlement.domain.state import SettlementState, is_complete

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    module.SERVICE: {kind.type: kind for kind in module.EVENTS.values() if kind.published}
    for module in (cards, table, book)
}
"""Everything that the others publish: a coup is rebuilt from what was heard (D9)."""


FOLLOWS = frozenset({table.TableOpened, *EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: SettlementState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    event = heard.event
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(
                at_us=heard.meta.occurred_at_us,
                by=heard.meta.actor,
                session=event.session,
                settings=event.settings,
            )
        ]
    if not isinstance(event, table.CoupResulted | book.BookClosed | book.BookRevised):
        return ()
    coup = state.coups.get(event.coup_id)
    if coup is None or coup.result is None or not is_complete(coup):
        return ()
    result = coup.result.meta
    command = Settle(at_us=result.occurred_at_us, by=result.actor, coup_id=coup.coup_id)
    cause = Heard(coup.result.event, result, table.SERVICE, coup.result.event_id)
    return [Caused(command, cause)]
