"""The commands of the settlement service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.contracts.core import Command, Event, NotYet, Refused
from services.contracts.pinned import pinned
from services.settlement.commands import ActivateRulebook, Settle
from services.settlement.domain.settling import activate, settle
from services.settlement.domain.state import SettlementState, is_complete


def answer(command: Command, events: Sequence[Event], state: SettlementState) -> Mapping[str, Any]:
    """Nothing needs telling."""
    del command, events, state
    return {}


def decide(command: Command, state: SettlementState) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, ActivateRulebook):
        return activate(command)
    if state.settings is None:
        raise NotYet("the settlement service has not heard yet that this table is open")
    assert isinstance(command, Settle)
    coup = state.coups.get(command.coup_id)
    if coup is None or not is_complete(coup):
        raise Refused("STATE", f"coup {command.coup_id} can't be settled yet")
    return settle(coup, pinned(state.settings), state.settings)
