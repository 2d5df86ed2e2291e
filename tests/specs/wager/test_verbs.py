"""Which verb money moves by: a stake goes back by a cancel, and settlement alone pays (domain 4.1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.contracts import settlement
from services.contracts.core import Event
from services.contracts.wager import EVENTS, DebitRequested, SlipDebitRequested
from services.settlement.delivery import MOVING as OF_SETTLEMENT
from services.settlement.delivery import _amount
from services.wager.movements import MOVING, movement_of
from services.wager.wallet import CANCEL, DEBIT
from tests.contracts.cases import instances

ASKING = (DebitRequested, SlipDebitRequested)


@pytest.mark.parametrize("kind", [EVENTS[name] for name in sorted(MOVING)], ids=lambda k: k.type)
@given(data=st.data())
def test_before_settlement_money_goes_back_by_cancel_alone(
    kind: type[Event], data: st.DataObject
) -> None:
    """Taken back, lowered, cut, withdrawn, voided, refunded, rejected, undone: never a credit."""
    movement = movement_of(data.draw(instances(kind)), "T1")
    if movement is not None:
        assert movement.verb == (DEBIT if kind in ASKING else CANCEL)


def test_every_event_that_gives_money_back_moves_it() -> None:
    """Whatever has a refund is among the events that money follows from."""
    giving = {
        name
        for name, kind in EVENTS.items()
        if {"refund_minor", "excess_minor"} & set(kind.__struct_fields__)
    }
    assert giving <= MOVING


@given(data=st.data())
def test_a_first_settlement_takes_nothing_and_a_repeated_reversal_gives_nothing(
    data: st.DataObject,
) -> None:
    """After it money is taken back by reverse: what is below zero, and nothing else."""
    positive: dict[str, Any] = {"amount_minor": st.integers(0, 10**9)}
    repeated = data.draw(st.builds(settlement.ReversalRepeated, **_texts(), **positive))
    paid = data.draw(st.builds(settlement.CreditRepeated, **_texts(coup=True), **positive))
    assert _amount(repeated) <= 0 <= _amount(paid)
    assert set(OF_SETTLEMENT) >= {settlement.WagerSettled.type, settlement.WagerResettled.type}


def _texts(*, coup: bool = False) -> dict[str, Any]:
    names = ["movement_id", "player", "currency", *(["coup_id", "wager_id"] if coup else [])]
    return {name: st.just(name) for name in names}
