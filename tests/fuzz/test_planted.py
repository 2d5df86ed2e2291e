"""The fuzz can fail: faults that are planted in a small server, and in a reader, are found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from sabot.round.v1 import round_service_pb2 as pb
from sabot.round.v1 import round_service_pb2_grpc as pb_grpc
from services.chassis import auth, rpc
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import GrpcSettings
from services.chassis.inputs import Inputs
from services.chassis.rpc_errors import EdgeError, NotFound
from services.contracts.access import ACCESS
from services.rules.roles import ROLES
from tests.fuzz import texts
from tests.fuzz.calls import Attempts, Sent, methods, run
from tests.fuzz.requests import Table
from tests.fuzz.tally import Tally

NAME = "sabot.round.v1.RoundService"


class AnyInputs(Inputs):
    """Looks at nothing: then whatever comes reaches the handler."""

    def check(self, request: Message) -> None:
        """Let it pass."""


class Planted:
    """A query with a fault in it; no other call is made."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def __getattr__(self, name: str) -> Any:
        """Stand for the calls that are not made."""
        return None

    async def GetTable(self, request: Any, context: Any) -> pb.GetTableResponse:  # noqa: N802
        """Answer, unless the table's id holds a NUL."""
        if "\0" in request.table_id:
            if self.fault == "raises":
                raise ValueError("a null character")
            if self.fault == "tells":
                raise NotFound('asyncpg: relation "tables" knows no such row')
            if self.fault == "unknown":
                raise EdgeError("who knows")
        return pb.GetTableResponse()


@asynccontextmanager
async def serving(fault: str, inputs: Inputs) -> AsyncIterator[Any]:
    """A server with the fault, and a channel to it."""
    settings = GrpcSettings(port=0)
    edge = rpc.Edge(
        service="round",
        authenticator=auth.DevelopmentAuthenticator(
            environment="development", roles=frozenset(ROLES)
        ),
        settings=settings,
        clock=SYSTEM_CLOCK,
        inputs={NAME: inputs},
        access=ACCESS,
    )
    add = pb_grpc.add_RoundServiceServicer_to_server
    served = [rpc.Served(NAME, add, Planted(fault), inputs)]
    server = rpc.GrpcServer(settings=settings, edge=edge, served=served)
    await server.start()
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{server.port}")
    try:
        yield channel
    finally:
        await channel.close()
        await server.stop(2.0)


async def tried(fault: str, inputs: Inputs) -> tuple[Tally, list[Sent]]:
    tally = Tally()
    calls = [method for method in methods([NAME]) if method.name == "GetTable"]
    async with serving(fault, inputs) as channel:
        attempts = Attempts(calls, Table("t"), seed=1)
        unchanged = await run(attempts, {NAME: channel}, tally, seconds=20, inputs_max=160)
    return tally, unchanged


@pytest.mark.parametrize("fault", ["raises", "tells", "unknown"])
async def test_a_handler_with_a_fault_is_caught(fault: str) -> None:
    """One that fails at a NUL, or says too much of its database."""
    tally, _ = await tried(fault, AnyInputs())
    assert tally["RoundService"].breaches, tally.lines()
    assert any("GetTable" in breach for breach in tally.breaches)


async def test_the_same_handler_behind_the_rules_of_form_does_no_harm() -> None:
    """What it fails at never reaches it."""
    tally, _ = await tried("raises", Inputs())
    assert tally.breaches == []
    assert {"OK", "INVALID_ARGUMENT"} <= set(tally["RoundService"].seen)


def test_a_reader_with_a_fault_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that it is not said to raise."""

    def decode(*_: object) -> object:
        raise KeyError("x")

    monkeypatch.setattr(texts, "decode", decode)
    tally = Tally()
    texts.fuzz_events(tally, seconds=5, seed=1, inputs_max=20)
    assert len(tally["messages on the bus"].breaches) == 20
    assert tally["events in the log"].breaches == []


async def test_a_seed_makes_the_same_calls_again() -> None:
    """A run that failed can be had again."""
    made = [
        [
            sent
            for sent, _ in zip(iter(Attempts(methods(), Table("t"), seed)), range(50), strict=False)
        ]
        for seed in (3, 3, 4)
    ]
    assert made[0] == made[1] != made[2]
    await asyncio.sleep(0)
