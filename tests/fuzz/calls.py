"""Calls with odd requests, and what may never be answered to one."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from msgspec import Struct

from sabot.query.v1 import query_service_pb2, watch_service_pb2
from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import report_service_pb2, settlement_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from services.chassis.rpc_errors import call_failed
from tests.fuzz.requests import Table, broken, caller, mutated, valid
from tests.fuzz.tally import Tally

SERVICES = {
    file.DESCRIPTOR.services_by_name[name].full_name: process
    for file, name, process in (
        (shoe_service_pb2, "ShoeService", "shoe"),
        (round_service_pb2, "RoundService", "round"),
        (wager_service_pb2, "WagerService", "wager"),
        (wallet_service_pb2, "WalletService", "wager"),
        (settlement_service_pb2, "SettlementService", "settlement"),
        (query_service_pb2, "QueryService", "settlement"),
        (watch_service_pb2, "WatchService", "settlement"),
        (report_service_pb2, "ReportService", "settlement"),
    )
}
"""The services of the stack by their full names, with the process that offers each."""

NEVER = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED", "DEADLINE_EXCEEDED"})
"""Statuses that no input of a caller may bring about; a call that hangs is the last of them."""

MAY_BE_AWAY = frozenset({"NOT_YET", "OVERLOADED", "STOPPING"})
"""Reasons with which a service that is well may be unavailable."""

INSIDES = re.compile(
    r"Traceback|File \"|\.py\b|asyncpg|SQLSTATE|\bselect \w+ from\b|insert into|"
    r"relation \"|invalid byte sequence|\wException|\bException[(:]|\bat 0x[0-9a-f]+",
    re.IGNORECASE,
)
"""What a message to a caller never holds."""

DEADLINE_S = 60.0
QUIET_S = 1.0
"""So long a watch that tells nothing is looked at."""

AT_ONCE = 8


class Sent(Struct):
    """A request on its way, with what is known of it."""

    method: MethodDescriptor
    data: bytes
    command_id: str
    table_id: str
    metadata: tuple[tuple[str, str], ...]


class Answered(Struct):
    """What came of a request."""

    code: str
    reason: str
    message: str
    response: Any


def methods(names: Sequence[str] = tuple(SERVICES)) -> list[MethodDescriptor]:
    """Every call of these services."""
    pool = descriptor_pool.Default()
    return [method for name in names for method in pool.FindServiceByName(name).methods]


class Attempts:
    """Requests for the calls of some services, made from a seed."""

    def __init__(self, calls: Sequence[MethodDescriptor], table: Table, seed: int) -> None:
        self.calls = calls
        self.table = table
        self.dice = random.Random(seed)

    def __iter__(self) -> Iterator[Sent]:
        while True:
            yield self.one(self.dice.choice(self.calls))

    def one(self, method: MethodDescriptor) -> Sent:
        """A request that is valid, odd in one to three places, or no message at all."""
        dice = self.dice
        request = valid(method, self.table, dice)
        for _ in range(dice.choice((0, 0, 1, 1, 2, 3))):
            mutated(request, dice)
        return self.sent(method, request)

    def sent(self, method: MethodDescriptor, request: Message) -> Sent:
        """The request as bytes, now and then with some of them spoiled."""
        data = request.SerializeToString()
        if self.dice.random() < 0.1:
            data = broken(data, self.dice)
            request = _read(method, data)
        return Sent(
            method,
            data,
            getattr(getattr(request, "meta", None), "command_id", ""),
            getattr(request, "table_id", ""),
            caller(self.dice, self.table),
        )


def _read(method: MethodDescriptor, data: bytes) -> Any:
    request = GetMessageClass(method.input_type)()
    try:
        request.ParseFromString(data)
    except DecodeError:
        return None
    return request


async def send(channel: Any, sent: Sent) -> Answered:
    """Send the bytes as they are."""
    method = sent.method
    path = f"/{method.containing_service.full_name}/{method.name}"
    options: Any = {"metadata": sent.metadata, "timeout": DEADLINE_S}
    data = b""
    try:
        if method.server_streaming:
            stream = channel.unary_stream(path)(sent.data, **options)
            if method.containing_service.name == "WatchService":
                data = await _news(stream)
                if not data:
                    return Answered("OK", "", "", None)  # it watches what has nothing to tell
            else:
                endless = "follow" in method.input_type.fields_by_name
                async for part in stream:
                    data = part
                    if endless:
                        stream.cancel()
                        break
        else:
            data = await channel.unary_unary(path)(sent.data, **options)
    except grpc.aio.AioRpcError as error:
        failed = call_failed(error)
        return Answered(failed.code.name, failed.reason, failed.message, None)
    response = GetMessageClass(method.output_type)()
    response.ParseFromString(data)
    return Answered("OK", "", "", response)


async def _news(stream: Any) -> bytes:
    """The first message of a watch, which has no end; nothing where none comes."""
    try:
        first = await asyncio.wait_for(stream.read(), QUIET_S)
    except TimeoutError:
        return b""
    finally:
        stream.cancel()
    return b"" if first is grpc.aio.EOF else bytes(first)


def breach_of(answered: Answered) -> str:
    """Why an answer should never have been; empty where it may be."""
    if answered.code in NEVER:
        return f"{answered.code}: {answered.message[:200]}"
    if answered.code == "UNAVAILABLE" and answered.reason not in MAY_BE_AWAY:
        return f"UNAVAILABLE with {answered.reason or 'no reason'}: {answered.message[:200]}"
    if answered.code == "CANCELLED":
        return "CANCELLED by nobody"
    told = [answered.message]
    if answered.response is not None:
        refusals = [getattr(getattr(answered.response, "result", None), "refusal", None)]
        for one in getattr(answered.response, "responses", ()):
            refusals.append(one.result.refusal)
            told.append(one.error.message)
            if one.error.code in NEVER:
                return f"{one.error.code} for one of several: {one.error.message}"
        told += [refusal.message for refusal in refusals if refusal is not None]
    found = next((INSIDES.search(text) for text in told if INSIDES.search(text)), None)
    return "" if found is None else f"a message tells of {found.group()!r}"


def changed_nothing(answered: Answered) -> bool:
    """Whether the answer says that nothing was done."""
    if answered.code != "OK":
        return answered.code not in {"CANCELLED", "DEADLINE_EXCEEDED"}
    result = getattr(answered.response, "result", None)
    return result is not None and result.HasField("refusal")


async def run(
    attempts: Attempts,
    channels: Mapping[str, Any],
    tally: Tally,
    *,
    seconds: float,
    inputs_max: int | None = None,
    between: Callable[[], Awaitable[None]] | None = None,
) -> list[Sent]:
    """Send for so long, or so many; returns the commands that are said to have changed nothing."""
    ends = time.monotonic() + seconds
    unchanged: list[Sent] = []
    did: set[str] = set()
    tried = 0
    stream = iter(attempts)
    while time.monotonic() < ends and (inputs_max is None or tried < inputs_max):
        group = [next(stream) for _ in range(AT_ONCE)]
        tried += len(group)
        answers = await asyncio.gather(
            *(send(channels[s.method.containing_service.full_name], s) for s in group)
        )
        for sent, answered in zip(group, answers, strict=True):
            surface = tally[sent.method.containing_service.name]
            surface.saw(answered.code)
            if breach := breach_of(answered):
                surface.breaches.append(f"{sent.method.name} {sent.data[:300]!r}: {breach}")
            if not sent.command_id:
                continue
            if changed_nothing(answered):
                unchanged.append(sent)
            else:
                did.add(sent.command_id)
        if between is not None:
            await between()
    return [sent for sent in unchanged if sent.command_id not in did]
