"""The applications at a table: calls to the services, each under the name of who makes it.

What has not arrived yet in one service is no failure: the call is made again a moment later, as
every dealer's and player's application does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import grpc

from sabot.round.v1 import round_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2
from services.chassis.auth import development_credentials
from services.contracts.core import Actor, Refused
from services.tablelog.calls import Services

PATIENCE_S: Final = 30.0
"""How long a call is made again before the demo gives up."""

PAUSE_S: Final = 0.02
PAUSE_S_MAX: Final = 0.25
PAUSE_GROWTH: Final = 1.4

NOT_YET: Final = frozenset({"STATE", "CUT_ORDER", "BURN_OWED"})
"""Refusals that may only mean that an event is still on its way."""

AWAY: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)

MODULES: Final[dict[str, Any]] = {
    "shoe": shoe_service_pb2,
    "round": round_service_pb2,
    "wager": wager_service_pb2,
}

T = TypeVar("T")


class Stuck(Exception):
    """The table waits for something that does not come."""


class Pauses:
    """Growing pauses between looks at the same thing, until patience ends."""

    def __init__(self, waiting_for: str) -> None:
        self._waiting_for = waiting_for
        self._pause_s = PAUSE_S
        self._deadline = time.monotonic() + PATIENCE_S

    def over(self) -> bool:
        """True when it is time to give up."""
        return time.monotonic() > self._deadline

    async def next(self) -> None:
        """Wait a little; raises `Stuck` when it has been too long."""
        if self.over():
            raise Stuck(f"{self._waiting_for} did not come in {PATIENCE_S:.0f} s")
        await asyncio.sleep(self._pause_s)
        self._pause_s = min(self._pause_s * PAUSE_GROWTH, PAUSE_S_MAX)


async def insist(call: Callable[[], Awaitable[T]], what: str) -> T:
    """Make a call that may be repeated until the service is there."""
    pauses = Pauses(what)
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() not in AWAY or pauses.over():
                raise Stuck(f"{what}: {error.code().name}: {error.details()}") from error
            await pauses.next()


async def called(services: Services, service: str, name: str, by: Actor, request: Any) -> Any:
    """Make any call under somebody's name, again and again where the service is away."""
    method = getattr(services.stub(service), name)
    return await insist(lambda: method(request, metadata=metadata_of(by)), name)


def metadata_of(actor: Actor) -> tuple[tuple[str, str], ...]:
    """What says who calls."""
    return development_credentials(actor)()


class Desk:
    """One table, as those who work and play at it reach it."""

    def __init__(self, services: Services, table_id: str) -> None:
        self.table_id = table_id
        self.shift = 0
        """The shift in which its dealer came: a service that has not heard of him yet waits."""

        self._services = services
        self._number = 0

    async def act(self, service: str, name: str, by: Actor, **fields: Any) -> Any:
        """Carry out a command; raises `Refused` where the rules do not allow it."""
        pauses = Pauses(f"{name} at {self.table_id}")
        while True:
            response = await self.ask(service, name, by, **fields)
            if not response.result.HasField("refusal"):
                return response
            no = response.result.refusal
            refused = Refused(no.reason, f"{name}: {no.message}", tuple(no.clauses))
            if no.reason not in NOT_YET or pauses.over():
                raise refused
            await pauses.next()

    async def ask(self, service: str, name: str, by: Actor, **fields: Any) -> Any:
        """Send a command once, under a new id; a service that is away is called again."""
        request = getattr(MODULES[service], f"{name}Request")(table_id=self.table_id, **fields)
        request.meta.command_id = self.command_id()
        request.meta.shift = self.shift
        return await self.call(service, name, by, request)

    def command_id(self) -> str:
        """A new one; unique, because the demo's services have seen nothing before."""
        self._number += 1
        return f"demo:{self.table_id}:{self._number}"

    async def call(self, service: str, name: str, by: Actor, request: Any) -> Any:
        """Any call under somebody's name."""
        return await called(self._services, service, name, by, request)

    async def table(self, by: Actor) -> Any:
        """The table, its coup and what it waits for."""
        request = round_service_pb2.GetTableRequest(table_id=self.table_id)
        return await self.call("round", "GetTable", by, request)

    async def shoe(self, by: Actor) -> Any:
        """The shoe on the table."""
        request = shoe_service_pb2.GetShoeRequest(table_id=self.table_id)
        return await self.call("shoe", "GetShoe", by, request)

    async def until_closed(self, coup_id: str, by: Actor) -> None:
        """Wait until the wager service takes no more for the coup."""
        pauses = Pauses(f"the closed book of {coup_id}")
        request = wager_service_pb2.GetBookRequest(table_id=self.table_id)
        while True:
            book = await self.call("wager", "GetBook", by, request)
            if book.coup_id != coup_id or book.phase != "OPEN":
                return
            await pauses.next()

    async def until(self, by: Actor, seen: Callable[[Any], bool], what: str) -> Any:
        """Look at the table until it is as it should be."""
        pauses = Pauses(f"{what} at {self.table_id}")
        while True:
            table = await self.table(by)
            if seen(table):
                return table
            if pauses.over():
                raise Stuck(
                    f"{self.table_id} should come to: {what}; it waits for: "
                    f"{table.waits_for or 'nothing'}"
                )
            await pauses.next()
