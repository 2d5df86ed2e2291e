"""What the settlement service does about what it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Caused, Command, Event, Heard
from services.contracts.round_table import VariantChanged
from services.settlement.commands import (
    ActivateRulebook,
    Correct,
    Invalidate,
    OpenReviews,
    PublishPayTable,
    Settle,
    TakeVoid,
)
from services.settlement.domain.evolve import EVOLVE_HEARD
from services.settlement.domain.state import End, SettlementState, is_complete

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    module.SERVICE: {kind.type: kind for kind in module.EVENTS.values() if kind.published}
    for module in (cards, table, book)
}
"""Everything that the others publish: a coup is rebuilt from what was heard (D9)."""


FOLLOWS = frozenset({table.TableOpened, *EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: SettlementState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    event, meta = heard.event, heard.meta
    if isinstance(event, table.TableOpened):
        opened = ActivateRulebook(
            at_us=meta.occurred_at_us,
            by=meta.actor,
            session=event.session,
            settings=event.settings,
        )
        return [opened]
    if isinstance(event, VariantChanged):
        return [PublishPayTable(at_us=meta.occurred_at_us, by=meta.actor)]
    if isinstance(event, cards.ShoeRetired):
        if event.shoe_id not in state.suspect:
            return ()
        return [OpenReviews(at_us=meta.occurred_at_us, by=meta.actor, shoe_id=event.shoe_id)]
    correction = _correction(heard, state)
    if correction is not None:
        return [correction]
    if not isinstance(event, _MAY_COMPLETE):
        return ()
    coup = state.coups.get(event.coup_id)
    if coup is None or coup.end is None or not is_complete(coup):
        return ()
    end = coup.end.meta
    command = Settle(at_us=end.occurred_at_us, by=end.actor, coup_id=coup.coup_id)
    later = [_caused(_correct(each, coup.coup_id), each) for each in coup.later]
    return [_caused(command, coup.end), *later]


def _caused(command: Command, end: End) -> Caused:
    """The command, caused by what was heard of the coup's end, whatever came last."""
    return Caused(command, Heard(end.event, end.meta, table.SERVICE, end.event_id))


_MAY_COMPLETE = (
    table.CoupResulted,
    table.OutcomeInvalidated,
    table.CoupVoided,
    book.BookClosed,
    book.BookRevised,
)


def _correction(heard: Heard, state: SettlementState) -> Command | None:
    """What changes a coup that is settled, or that nothing is known of any more.

    The latter is refused, which stops the table here until somebody looks at it: a correction is
    never passed over in silence.
    """
    event, meta = heard.event, heard.meta
    at_us, by, second = meta.occurred_at_us, meta.actor, meta.second
    if isinstance(event, book.WagerVoided):
        if event.coup_id not in state.settled:
            return None
        return TakeVoid(
            at_us=at_us,
            by=by,
            second=second,
            coup_id=event.coup_id,
            wager_id=event.wager_id,
            refund_minor=event.refund_minor,
            reason=event.reason,
        )
    if not isinstance(event, table.ResultCorrected | table.OutcomeInvalidated):
        return None
    coup = state.coups.get(event.coup_id)
    if coup is not None and not coup.settled:
        return None
    if isinstance(event, table.OutcomeInvalidated):
        return _correct(End(meta, heard.event_id, invalidated=event), event.coup_id)
    end = End(meta, heard.event_id, result=event, reason=event.reason)
    return _correct(end, event.coup_id)


def _correct(end: End, coup_id: str) -> Command:
    """The command that makes a settled coup end otherwise."""
    at_us, by, second = end.meta.occurred_at_us, end.meta.actor, end.meta.second
    if end.invalidated is not None:
        return Invalidate(
            at_us=at_us,
            by=by,
            second=second,
            coup_id=coup_id,
            reason=end.invalidated.reason,
            forfeit=end.invalidated.forfeit,
        )
    assert end.result is not None
    return Correct(
        at_us=at_us,
        by=by,
        second=second,
        coup_id=coup_id,
        player=end.result.player,
        banker=end.result.banker,
        reason=end.reason,
    )
