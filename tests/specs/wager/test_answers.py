"""Who is told what became of a wager: the answer that is kept under its id is not for strangers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sabot.common.v1 import common_pb2
from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis.auth import Identity, set_identity
from services.chassis.inputs import WORDS_CHARACTERS_MAX
from services.chassis.rpc_errors import InvalidCommand
from services.contracts.core import Actor
from services.wager.api import WagerService
from services.wager.domain.state import slip_wager
from services.wager.inputs import INPUTS, SLIP_WAGERS_MAX

KEPT = "wager/T1/w1"


class Edge:
    """What the calls need of the service: it keeps the keys under which they are carried out."""

    def __init__(self) -> None:
        self.keys: list[str | None] = []

    async def carry_out_asked(self, asked: Any) -> Any:
        return self._carried(asked.key)

    async def carry_out(self, _request: Any, _table_id: str, _command: Any, **how: Any) -> Any:
        return self._carried(how["key"])

    def _carried(self, key: str | None) -> Any:
        self.keys.append(key)
        return SimpleNamespace(result=common_pb2.CommandResult(), answer={"status": "ACCEPTED"})


@pytest.mark.parametrize(
    ("role", "name", "key"),
    [
        ("PLAYER", "p1", KEPT),
        ("DEALER", "d1", KEPT),
        ("SYSTEM", "gateway", KEPT),
        ("PLAYER", "p2", None),
    ],
)
async def test_the_kept_answer_is_for_who_may_see_the_wager(
    role: str, name: str, key: str | None
) -> None:
    """N-3: a stranger who asks for the same wager is decided upon, and refused by the rules."""
    set_identity(Identity(Actor(name, role), frozenset(), None))
    edge: Any = Edge()
    service = WagerService(edge)
    await service.PlaceWager(pb.PlaceWagerRequest(table_id="T1", wager_id="w1", player="p1"), None)
    slip = pb.PlaceSlipRequest(table_id="T1", slip_id="w1", player="p1")
    slip.wagers.add(area="TIE", amount_minor=100)
    await service.PlaceSlip(slip, None)
    assert edge.keys == [key, key]


def test_whatever_a_slip_is_called_its_wagers_can_be_named() -> None:
    """They have longer ids, by which they are taken back and voided."""
    longest = WORDS_CHARACTERS_MAX - len(slip_wager("", SLIP_WAGERS_MAX))
    slip = pb.PlaceSlipRequest(table_id="T1", slip_id="s" * longest, player="p1")
    slip.meta.command_id = "c1"
    INPUTS.check(slip)
    last = slip_wager(slip.slip_id, SLIP_WAGERS_MAX)
    cancel = pb.CancelWagerRequest(table_id="T1", wager_id=last)
    cancel.meta.command_id = "c2"
    INPUTS.check(cancel)
    slip.slip_id += "s"
    with pytest.raises(InvalidCommand, match="slip_id needs at most"):
        INPUTS.check(slip)
