"""A table whose shoe is known to the test, and every place where an undealt card could come out."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sabot.settlement.v1 import settlement_service_pb2
from services.chassis.auth import Credentials
from services.chassis.topics import topic
from services.devstack.brokers import SERVICES
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, DECKS, Desk, betting
from tests.e2e.forging import kafka
from tests.e2e.support import database, until
from tests.fuzz.calls import methods
from tests.integration.messaging.rig import read_topic
from tests.support.otlp import Receiver

DEALT: Final = ["9H", "7D", "KD", "TH"]
UNDEALT: Final = ["8S", "8C", "QS", "5C", "AS", "6C", "JS", "3C", "4S", "2C"]
ORDER: Final = [*["2H"] * 6, *DEALT, *UNDEALT]
"""The shoe: six cards are burnt, four dealt."""

IN_WORDS: Final = re.compile(rb"(?<![A-Za-z0-9])[A2-9TJQK][SC](?![A-Za-z0-9])")
"""A spade or a club, where only hearts and diamonds were dealt."""

IN_BYTES: Final = re.compile(rb'"[A2-9TJQK][SC]"')
"""The same in JSON, among digests and sealed bytes that may look like anything."""


def written_orders() -> list[bytes]:
    """Three undealt cards in a row as a program might write them: text, MessagePack, hex, base64."""
    forms = []
    for at in range(len(UNDEALT) - 2):
        row = UNDEALT[at : at + 3]
        plain = [mark.join(row).encode() for mark in ("", ",", " ", '","')]
        plain.append(b"".join(b"\xa2" + card.encode() for card in row))
        for each in plain:
            forms += [each, each.hex().encode(), each.hex().upper().encode()]
            for before in range(3):  # where it may begin in a group of three bytes
                whole = base64.b64encode(b"\0" * before + each)
                forms.append(whole[-(-8 * before // 6) : 4 * ((before + len(each)) // 3)])
    return [form for form in forms if len(form) >= ORDER_BYTES_MIN]


ORDER_BYTES_MIN: Final = 6
"""Shorter ones stand in digests by chance."""

HEXADECIMAL: Final = re.compile(rb"\\\\x((?:[0-9a-f]{2})+)")
"""Bytes as PostgreSQL writes them."""

ANSWER_S: Final = 10.0
ORDERS: Final = re.compile(b"|".join(map(re.escape, written_orders())))


async def stored_bytes(stack: Stack, word: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
    """Every row of every table of every service that has the word: its texts, and its bytes."""
    columns = (
        "select table_schema, table_name, column_name, data_type from information_schema.columns "
        "where table_schema not in ('pg_catalog', 'information_schema') "
        "and data_type in ('text', 'bytea')"
    )
    for service in stack.services:
        async with database(stack, service) as connection:
            tables: dict[str, dict[str, list[str]]] = {}
            for schema, name, column, kind in await connection.fetch(columns):
                parts = tables.setdefault(f'"{schema}"."{name}"', {"text": ["''"], "bytea": ["''"]})
                parts[kind].append(f"coalesce(\"{column}\", '')")
            for table, parts in tables.items():
                text = f"convert_to(concat_ws(' ', {', '.join(parts['text'])}), 'UTF8')"
                data = " || ' '::bytea || ".join(f"{part}::bytea" for part in parts["bytea"])
                found = await connection.fetch(
                    f"select {text}, {data} from {table} "
                    f"where position($1::bytea in {text}) > 0 or position($1::bytea in {data}) > 0",
                    word.encode(),
                )
                for row in found:
                    yield f"{service} {table}", row[0], row[1]


def logged_bytes(stack: Stack, word: str) -> Iterator[tuple[str, bytes]]:
    for service in stack.services:
        for line in (stack.logs / f"{service}.log").read_bytes().splitlines():
            if word.encode() in line:
                yield f"log of {service}", line


async def told_bytes(
    stack: Stack, services: Services, desk: Desk
) -> AsyncIterator[tuple[str, bytes]]:
    """Messages on the topics, and answers to everything that can be asked of the table."""
    for service in stack.services:
        for message in await read_topic(kafka(stack), topic(service)):
            if message.key == desk.table_id.encode():
                headers = b" ".join(data for _, data in message.headers)
                yield f"topic of {service}", message.value + b" " + headers
    for service, query in (("shoe", "GetShoe"), ("round", "GetTable"), ("wager", "GetBook")):
        yield query, (await desk.look(service, query)).SerializeToString()
    coups = settlement_service_pb2.ListCoupsRequest(table_id=desk.table_id)
    for coup in (await services.stub("settlement").ListCoups(coups)).coups:
        yield "ListCoups", coup.SerializeToString()
        wanted = settlement_service_pb2.RebuildCoupRequest(coup_id=coup.coup_id)
        yield "RebuildCoup", (await services.stub("settlement").RebuildCoup(wanted)).evidence


class Scan:
    """What was looked at, and what was found there."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        """Where something was looked at, with how often the first dealt card was seen there."""

        self.leaks: list[str] = []

    def look(self, place: str, data: bytes, secret: re.Pattern[bytes] = IN_WORDS) -> None:
        """Look for an undealt card, and for several in whatever form."""
        self.places[place] = self.places.get(place, 0) + (DEALT[0].encode() in data)
        for form in (secret, ORDERS):
            for found in form.finditer(data):
                self.leaks.append(f"{place}: {found.group()!r} in {data[:200]!r}")

    async def refusals(self, services: Services, desk: Desk, shown: Credentials) -> None:
        """What every call says to somebody, most of which is no: words, details, and answers."""
        refused = 0
        for method in methods():
            for request in requests_of(method, desk.table_id):
                try:
                    answer = await called(services, method, request, shown)
                except grpc.aio.AioRpcError as error:
                    refused += 1
                    for data in said_in(error):
                        self.look("refusals", data)
                else:
                    self.look("answers", answer, IN_BYTES)
        assert refused > len(methods()) / 2

    async def misread(self, desk: Desk) -> None:
        """What a dealer is told who brings the order with a card in it that is none."""
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await desk.ask("shoe", "LoadShoe", DEALER, **_shoe(desk, 2, [*ORDER, "1?"]))
        for data in said_in(refused.value):
            self.look("refusals", data)

    def spans(self, found: Iterable[tuple[str, str, Any]]) -> None:
        """Every text of every span that was sent to a collector."""
        for process, _, span in found:
            place = f"spans of {process}"
            self.look(place, span.name.encode())
            for each in (span, *span.events):
                for attribute in each.attributes:
                    text = attribute.value.string_value.encode()
                    sql = attribute.key.startswith("db.")
                    self.look(place, text, IN_BYTES if sql else IN_WORDS)
        for service in SERVICES:
            assert f"spans of sabot-{service}" in self.places

    def statements(self, log: Path, word: str) -> None:
        """Every parameter that the database was given for a table, its bytes as they were."""
        for line in log.read_bytes().splitlines():
            if b"arameters: " not in line:
                continue
            data = HEXADECIMAL.sub(lambda found: bytes.fromhex(found[1].decode()), line)
            if word.encode() in data:
                self.look("statements", data, IN_BYTES)
        assert self.places["statements"] > 0

    async def everywhere(self, stack: Stack, services: Services, desk: Desk) -> None:
        """Every row of any database, every line of the logs, every message and answer."""
        async for place, text, data in stored_bytes(stack, desk.table_id):
            self.look(place, text)
            self.look(place, data, IN_BYTES)
        for place, data in logged_bytes(stack, desk.table_id):
            self.look(place, data)
        async for place, data in told_bytes(stack, services, desk):
            self.look(place, data)
        assert self.places['shoe "public"."events"'] > 0
        assert self.places["topic of round"] > 0
        assert self.places["GetTable"] + self.places["ListCoups"] > 0
        assert self.places["RebuildCoup"] > 0
        assert 'shoe "public"."sealed_orders"' in self.places


def requests_of(method: MethodDescriptor, table_id: str) -> Iterator[Message]:
    """A request that says only which table, and one that has something in every field of text."""
    for filled in (False, True):
        request: Any = GetMessageClass(method.input_type)()
        for field in method.input_type.fields:
            if field.name == "table_id":
                setattr(request, field.name, table_id)
            elif field.name == "meta":
                request.meta.command_id = f"{table_id}:{method.name}:{filled}"
            elif filled and field.type == field.TYPE_STRING:
                text = [*ORDER, "1S"] if field.name == "order" else [DEALT[0]]
                if field.is_repeated:
                    getattr(request, field.name).extend(text)
                else:
                    setattr(request, field.name, text[0])
        yield request


async def called(
    services: Services, method: MethodDescriptor, request: Message, shown: Credentials
) -> bytes:
    """The bytes of the answer; of a stream, of its first part."""
    channel = services.channel(method.full_name.split(".")[1].replace("query", "settlement"))
    path = f"/{method.containing_service.full_name}/{method.name}"
    options: Any = {"metadata": shown(), "timeout": ANSWER_S}
    if not method.server_streaming:
        return bytes(await channel.unary_unary(path)(request.SerializeToString(), **options))
    stream = channel.unary_stream(path)(request.SerializeToString(), **options)
    try:
        async for part in stream:
            return bytes(part)
    finally:
        stream.cancel()
    return b""


def said_in(error: grpc.aio.AioRpcError) -> Iterator[bytes]:
    """All that a caller is told with an error, what machines read included."""
    yield (error.details() or "").encode()
    for _, value in error.trailing_metadata():
        yield value if isinstance(value, bytes) else value.encode()


async def exported(services: Services, desk: Desk, received: Receiver) -> None:
    """Wait until every service has sent the spans of all that was done before."""
    trace_id = secrets.token_hex(16)
    hop = (("traceparent", f"00-{trace_id}-00000000000000a1-01"),)
    for service in SERVICES:
        await desk.look(service, "GetTableProgress", metadata=hop)

    async def sent() -> bool:
        there = {name for name, _, span in received.spans if span.trace_id.hex() == trace_id}
        return len(there) == len(SERVICES)

    await until(sent, what="the spans of every service")


async def loaded(desk: Desk) -> None:
    """A table in TEST mode with the order of the test in its shoe, burnt as it should be."""
    await desk.open("live-studio", mode="TEST", decks=DECKS, manual_burns=True)
    await desk.act("shoe", "LoadShoe", DEALER, **_shoe(desk, 1, ORDER))
    await desk.act("shoe", "BurnCards", DEALER, reason="NEW_SHOE")
    await desk.waits_for("")


def _shoe(desk: Desk, number: int, order: list[str]) -> dict[str, Any]:
    named = {"shoe_id": f"{desk.table_id}-{number}", "order": order}
    return {**named, "source": "PRESET", "partial": True, "stands_for_preparation": True}


async def coup_of(desk: Desk) -> None:
    """A coup with a stake."""
    await betting(desk)
    await desk.fund("a", 1_000)
    assert (await desk.wager("w1", "a", "PLAYER", 1_000)).status == "ACCEPTED"
    await desk.act("round", "CallNoMoreBets", DEALER)
    await desk.act("round", "DealCoup", DEALER)
    await desk.coup_over()
