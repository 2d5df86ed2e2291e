"""Clients: they send a command until it is answered, under one id however often."""

from __future__ import annotations

import asyncio
from typing import Any

from services.chassis.executor import Outcome, Overloaded
from services.chassis.store import ConcurrencyConflict, StoreUnavailable
from services.contracts.core import Actor, Command, NotYet
from tests.simulation.nodes import CALL_S, NobodyThere, Request

DEADLINE_S = 3.0
ATTEMPTS_MAX = 30
TOO_EARLY_MAX = 8
PAUSE_S = 0.02, 0.6
REPEAT_S = 0.0, 8.0
_PASSING = (NobodyThere, StoreUnavailable, Overloaded, TimeoutError, ConcurrencyConflict)


class Desk:
    """Where all calls of a table come from."""

    def __init__(self, world: Any, table_id: str) -> None:
        self.table_id = table_id
        self._world = world
        self._number = 0

    async def act(
        self,
        service: str,
        command: type[Command],
        by: Actor,
        *,
        second: Actor | None = None,
        key: str | None = None,
        order: Any = None,
        **fields: Any,
    ) -> Outcome | None:
        """The answer; None where there was none until the client gave up."""
        self._number += 1
        named = {"by": by, **fields}
        if second is not None:
            named["second"] = second
        request = Request(
            service=service,
            table_id=self.table_id,
            command=command,
            fields=named,
            command_id=f"{self.table_id}-c{self._number}",
            key=key,
            order=order,
        )
        outcome = await self._insist(request)
        if outcome is not None and self._world.chance.hits("command repeated"):
            self._world.begin(self._repeat(request), f"repeat {request.command_id}")
        return outcome

    async def _insist(self, request: Request) -> Outcome | None:
        too_early = 0
        for _ in range(ATTEMPTS_MAX):
            try:
                return await self._once(request)
            except NotYet:
                too_early += 1
                if too_early > TOO_EARLY_MAX:
                    return None
            except _PASSING:
                pass
            await asyncio.sleep(self._world.chance.between(*PAUSE_S))
        return None

    async def _repeat(self, request: Request) -> None:
        """Somebody sends an answered command once more, much later."""
        await asyncio.sleep(self._world.chance.between(*REPEAT_S))
        await self._insist(request)

    async def _once(self, request: Request) -> Outcome:
        world, chance = self._world, self._world.chance
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.sleep(chance.between(*CALL_S))
            if chance.hits("request lost"):
                raise NobodyThere("the request was lost")
            node = world.node(request.service)
            outcome: Outcome = await node.called(node.carry_out(request))
            await asyncio.sleep(chance.between(*CALL_S))
            if chance.hits("answer lost"):
                raise NobodyThere("the answer was lost")
        world.answered(request, outcome)
        return outcome
