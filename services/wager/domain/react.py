"""What the wager service does about what it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts.core import Caused, Command, Event, Heard
from services.wager.commands import (
    ActivateRulebook,
    Lock,
    Proceed,
    ReturnTokens,
)
from services.wager.domain.evolve import EVOLVE_HEARD
from services.wager.domain.state import BookState

_KINDS: tuple[type[Event], ...] = (table.TableOpened, *EVOLVE_HEARD)

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    table.SERVICE: {kind.type: kind for kind in _KINDS},
    money.SERVICE: {money.PromoTokensDecided.type: money.PromoTokensDecided},
}
"""What wager listens to."""


FOLLOWS = frozenset({*_KINDS, money.PromoTokensDecided})
"""Heard events that change the state or cause something; the rest is only kept."""

_DUE = (
    table.BookCloseRequested,
    table.WithdrawalWindowClosed,
    table.NoBetCoupDeclared,
    table.CoupVoided,
    table.CoupTerminated,
)
"""After these something in the book may have fallen due."""


def react(heard: Heard, state: BookState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    event = heard.event
    at_us, by = heard.meta.occurred_at_us, heard.meta.actor
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(at_us=at_us, by=by, session=event.session, settings=event.settings)
        ]
    if isinstance(event, money.PromoTokensDecided):
        return [
            ReturnTokens(
                at_us=at_us,
                by=by,
                coup_id=event.coup_id,
                spent=event.spent,
                returned=event.returned,
            )
        ]
    if isinstance(event, table.CoupStarted):
        staked = state.book is not None and state.book.wagers
        return [Lock(at_us=at_us, by=by)] if staked else ()
    early = isinstance(event, table.BettingClosed) and event.closed_by == "CARD"
    return [Proceed(at_us=at_us, by=by)] if early or isinstance(event, _DUE) else ()
