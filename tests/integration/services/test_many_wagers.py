"""PlaceWagers where an operator's wallet has the money: each answered alone, all waited for at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from sabot.common.v1 import common_pb2
from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis.app import Asked, Carried
from services.chassis.auth import Identity, set_identity
from services.chassis.executor import Outcome
from services.chassis.rpc_errors import CommandIdReused, Unavailable
from services.contracts.core import Actor, NotYet
from services.wager.api import WagerService


@pytest.fixture(autouse=True)
def at_the_desk() -> None:
    """Who stakes for others, and is told what became of it."""
    set_identity(Identity(Actor("d1", "DEALER"), frozenset(), None))


PENDING = {"status": "PENDING", "movement_id": "T1/w/1"}


class Wallet:
    """Gives its verdicts when it has been asked for all of them."""

    def __init__(
        self, asked_for: int, verdicts: Mapping[str, Mapping[str, Any] | Exception]
    ) -> None:
        self._verdicts = verdicts
        self._all = asyncio.Barrier(asked_for)

    async def verdict(self, key: str, *, timeout_s: float) -> Mapping[str, Any]:
        async with asyncio.timeout(timeout_s), self._all:
            verdict = self._verdicts[key]
        if isinstance(verdict, Exception):
            raise verdict
        return verdict


class Runtime:
    """Has carried everything out already."""

    def __init__(self, wallet: Wallet, carried: Sequence[Carried | Exception]) -> None:
        self._wallet = wallet
        self._carried = carried

    async def carry_out_all(
        self, several: Sequence[Asked], check: Callable[[Any], None]
    ) -> list[Carried | Exception]:
        del check
        assert [asked.key for asked in several] == [
            f"wager/T1/w{number}" for number in range(len(self._carried))
        ]
        return list(self._carried)

    def has(self, _name: str) -> bool:
        return True

    def take(self, _name: str) -> Wallet:
        return self._wallet


def carried(answer: dict[str, Any]) -> Carried:
    outcome = Outcome(refused=None, duplicate=False, conflict=False, answer=answer, records=())
    return Carried(outcome=outcome, result=common_pb2.CommandResult(position_token="p"))


def service(wallet: Wallet, *several: Carried | Exception) -> WagerService:
    runtime: Any = Runtime(wallet, several)
    return WagerService(runtime)


def wagers(number: int) -> pb.PlaceWagersRequest:
    placed = [pb.PlaceWagerRequest(table_id="T1", wager_id=f"w{each}") for each in range(number)]
    return pb.PlaceWagersRequest(wagers=placed)


async def test_the_wallet_is_waited_for_once_for_all_wagers_of_a_call() -> None:
    """N-1: a verdict may take seconds; one after the other they would outlast the call."""
    wallet = Wallet(
        3,
        {
            "T1/w0/1": {"status": "ACCEPTED", "stake_minor": 5},
            "T1/w2/1": {"status": "REJECTED", "code": "INSUFFICIENT_FUNDS", "message": "no"},
            "T1/w5/1": Unavailable("the wallet is away"),
        },
    )
    told = await service(
        wallet,
        carried(PENDING),
        carried({"status": "ACCEPTED", "stake_minor": 7}),
        carried(PENDING),
        CommandIdReused("used before"),
        NotYet("not heard of yet"),
        carried(PENDING),
    ).PlaceWagers(wagers(6), None)
    assert [
        (each.status, each.stake_minor, each.code, each.result.refusal.reason, each.error.code)
        for each in told.responses
    ] == [
        ("ACCEPTED", 5, "", "", ""),
        ("ACCEPTED", 7, "", "", ""),
        ("REJECTED", 0, "INSUFFICIENT_FUNDS", "", ""),
        ("", 0, "", "DUPLICATE", ""),
        ("", 0, "", "", "UNAVAILABLE"),
        ("", 0, "", "", "UNAVAILABLE"),
    ]


async def test_where_all_fail_by_something_that_passes_the_call_may_be_repeated() -> None:
    """One error of the call tells a client to send it again; a hundred answers do not."""
    handler = service(Wallet(1, {}), NotYet("early"), NotYet("early"))
    with pytest.raises(Unavailable):
        await handler.PlaceWagers(wagers(2), None)
