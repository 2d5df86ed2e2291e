"""Callers who repeat a command under its id until it is answered, and keep what they were told."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from msgspec import Struct

from services.contracts.core import Actor
from services.tablelog.calls import Services
from tests.e2e.desk import Desk

PATIENCE_S = 90.0
"""How long a caller repeats a command; no fault of the harness lasts nearly as long."""

PAUSE_S = 0.02, 0.15
PASSING = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.CANCELLED,
    }
)
"""Errors that say: try again. Any other is a breach."""


class Breach(AssertionError):
    """Something that must not be, found by a caller."""


class Acknowledged(Struct, frozen=True):
    """A command that was answered."""

    table_id: str
    service: str
    name: str
    by: Actor
    fields: dict[str, Any]
    command_id: str
    answer: bytes
    """Without what may differ in a repetition."""

    done: bool
    """Not refused and not rejected: it stands."""


class Callers:
    """All callers of a run."""

    def __init__(self, ways: list[Services], random: Random) -> None:
        self.ways = ways
        """Channels to the services; more than one while a service has more than one process."""

        self.acknowledged: dict[str, Acknowledged] = {}
        self.funded: dict[str, tuple[str, int]] = {}
        """Movements that were acknowledged: player and amount."""

        self.repeats: Counter[str] = Counter()
        self._random = random
        self._numbers = itertools.count(1)

    async def act(self, table_id: str, service: str, name: str, by: Actor, **fields: Any) -> Any:
        """The answer to a command, however often it has to be sent."""
        command_id = f"{table_id}:{next(self._numbers)}"
        answer = await self._insist(
            lambda way: Desk(way, table_id).ask(service, name, by, command_id=command_id, **fields),
            f"{service} {name} {command_id}",
        )
        self.acknowledged[command_id] = Acknowledged(
            table_id, service, name, by, fields, command_id, comparable(answer), stands(answer)
        )
        return answer

    async def again(self, told: Acknowledged) -> bytes:
        """Send an answered command once more; what is said now."""
        answer = await self._insist(
            lambda way: Desk(way, told.table_id).ask(
                told.service, told.name, told.by, command_id=told.command_id, **told.fields
            ),
            f"{told.service} {told.name} {told.command_id}, again",
        )
        if not answer.result.duplicate:
            raise Breach(f"{told.command_id} was carried out again")
        return comparable(answer)

    async def look(self, table_id: str, service: str, query: str) -> Any:
        return await self._insist(
            lambda way: Desk(way, table_id).look(service, query), f"{service} {query} {table_id}"
        )

    async def fund(self, player: str, amount_minor: int) -> None:
        movement = f"chaos/{player}/{next(self._numbers)}"
        await self._insist(
            lambda way: way.fund(movement, player, "EUR", amount_minor), f"fund {movement}"
        )
        self.funded[movement] = player, amount_minor

    async def _insist(self, call: Any, what: str) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await call(self._random.choice(self.ways))
            except Exception as error:
                code = _code(error)
                self.repeats[code.name if code else type(error).__name__] += 1
                if code not in PASSING:
                    raise Breach(f"{what}: {error!r}") from error
                if time.monotonic() > deadline:
                    raise Breach(f"{what}: no answer within {PATIENCE_S:g} s: {error!r}") from error
            await asyncio.sleep(self._random.uniform(*PAUSE_S))


def _code(error: Exception) -> grpc.StatusCode | None:
    failed = getattr(error, "failed", None)
    if failed is not None:
        code: grpc.StatusCode = failed.code
        return code
    return error.code() if isinstance(error, grpc.aio.AioRpcError) else None


def comparable(answer: Any) -> bytes:
    """An answer without the place in the log and the word that it was given before."""
    copy: Message = type(answer)()
    copy.CopyFrom(answer)
    result: Any = copy.result  # type: ignore[attr-defined]
    result.duplicate = False
    result.position_token = ""
    return copy.SerializeToString(deterministic=True)


def stands(answer: Any) -> bool:
    """Whether the command was carried out."""
    refused = answer.result.HasField("refusal")
    return not refused and getattr(answer, "status", "") in {"", "ACCEPTED"}
