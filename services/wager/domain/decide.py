"""The commands of the wager service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.core import Command, Decided, Event, NotYet
from services.contracts.crew import require_heard, require_on_shift
from services.contracts.guards import require_meaning
from services.contracts.wager import (
    DebitRequested,
    SlipDebitRequested,
    SlipRejected,
    WagerAccepted,
    WagerChanged,
    WagerRejected,
)
from services.wager.commands import (
    COMMANDS,
    ActivateRulebook,
    ApproveOpposing,
    BarPlayer,
    CancelWager,
    ChangeLimits,
    ChangeWager,
    ExpireDebits,
    GrantLimits,
    KeepWager,
    LiftBar,
    LiftStop,
    Lock,
    NotifyMinimum,
    OrderStop,
    PermitSharing,
    PermitStanding,
    PlaceSlip,
    PlaceWager,
    Proceed,
    RecordDebit,
    RecordRefund,
    RejectWager,
    RemoveSign,
    RepeatRefund,
    ReturnTokens,
    RevokePermission,
    VoidWager,
    WithdrawWager,
)
from services.wager.domain.changing import cancel, change, reject
from services.wager.domain.closing import (
    activate,
    expire_debits,
    lock,
    proceed,
    record_debit,
    return_tokens,
)
from services.wager.domain.evolve import evolve
from services.wager.domain.facts import NOTHING, Facts
from services.wager.domain.giving_back import keep, void_wager, withdraw
from services.wager.domain.owing import record_refund, repeat_refund
from services.wager.domain.permissions import (
    approve_opposing,
    bar,
    grant_limits,
    lift_bar,
    permit_sharing,
    permit_standing,
    revoke,
    with_facts,
)
from services.wager.domain.placing import place
from services.wager.domain.signs import change_limits, notify_minimum, remove_sign
from services.wager.domain.slips import place_slip
from services.wager.domain.state import BookState
from services.wager.domain.stops import lift_stop, order_stop


def answer(command: Command, events: Sequence[Event], state: BookState) -> Mapping[str, Any]:
    """What became of a wager, or of a slip by its first one.

    The answer to a debit may close the book, and that may reject wagers of others.
    """
    del state
    if not isinstance(command, PlaceWager | PlaceSlip | ChangeWager | RecordDebit):
        return {}
    decided = [each for each in events if isinstance(each, _DECIDED)]
    own = [each for each in decided if each.wager_id == decided[0].wager_id]
    if own:
        return verdict(own[-1])
    for event in events:
        if isinstance(event, DebitRequested | SlipDebitRequested):
            return {"status": "PENDING", "movement_id": event.movement_id}
    return {"status": "PENDING"}


def verdict(event: WagerAccepted | WagerChanged | WagerRejected | SlipRejected) -> dict[str, Any]:
    """What whoever staked is told of a decision."""
    if isinstance(event, WagerAccepted):
        return {"status": "ACCEPTED", "stake_minor": event.stake_minor}
    if isinstance(event, WagerChanged):
        return {"status": "ACCEPTED", "stake_minor": event.to_minor}
    return {"status": "REJECTED", "code": event.code, "message": event.message}


_DECIDED = (WagerAccepted, WagerChanged, WagerRejected)


def decide(command: Command, state: BookState, facts: Facts = NOTHING) -> Decided:
    """Events that the command causes, and the states after them; raises `Refused` where the rules do not allow it.

    `facts` are what the service looked up for this command beside the table's own log.
    """
    if isinstance(command, ActivateRulebook):
        return Decided(state, evolve).take(activate(command))
    require_meaning(command)
    if state.settings is None:
        raise NotYet("the wager service has not heard yet that this table is open")
    if type(command) in _ASKED and not state.settings.test:
        require_heard(command, state.crew, service="wager")
        require_on_shift(command, state.crew, hears_late=True)
    events = _DECIDE[type(command)](command, with_facts(state, facts))
    return Decided(state, evolve).take(events)


_ASKED = frozenset(COMMANDS.values())
"""Commands of persons: those of dealers and supervisors are held against who is assigned."""

_DECIDE: dict[type[Command], Callable[[Any, BookState], Sequence[Event]]] = {
    PlaceWager: place,
    PlaceSlip: place_slip,
    ChangeWager: change,
    CancelWager: cancel,
    RejectWager: reject,
    RecordDebit: record_debit,
    ExpireDebits: expire_debits,
    RecordRefund: record_refund,
    RepeatRefund: repeat_refund,
    WithdrawWager: withdraw,
    KeepWager: keep,
    VoidWager: void_wager,
    PermitStanding: permit_standing,
    PermitSharing: permit_sharing,
    ApproveOpposing: approve_opposing,
    GrantLimits: grant_limits,
    RevokePermission: revoke,
    BarPlayer: bar,
    LiftBar: lift_bar,
    OrderStop: order_stop,
    LiftStop: lift_stop,
    ChangeLimits: change_limits,
    NotifyMinimum: notify_minimum,
    RemoveSign: remove_sign,
    ReturnTokens: return_tokens,
    Lock: lock,
    Proceed: proceed,
}
