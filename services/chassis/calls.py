"""From requests to commands and back: what every servicer does with a call that changes something.

A field of a request goes into the command's field of the same name; an optional one that is absent
leaves the command's default. What an answer holds goes into the response's field of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from google.protobuf.message import Message
from msgspec import Struct
from msgspec.structs import fields

from sabot.common.v1 import common_pb2
from services.chassis.app import Carried, Runtime, stored_event
from services.chassis.auth import Stamp
from services.chassis.rpc_errors import FieldFault, InvalidCommand
from services.contracts.core import Command, Noted

COMMAND_IDS_MAX: Final = 100
"""Commands of which the events are read in one call."""

TABLE_ID_CHARACTERS_MAX: Final = 100
_TABLE_ID: Final = re.compile(rf"[A-Za-z0-9._~-]{{1,{TABLE_ID_CHARACTERS_MAX}}}")
"""Ids of coups and keys of movements are made of it with colons and slashes: it has none."""

TEXT_CHARACTERS_MAX: Final = 200
"""Of ids of wagers and players."""

STAMPED: Final = frozenset({"at_us", "by", "second"})
"""Fields of a command that come with the caller, not with the request."""


def made(kind: type[Command], request: Message, stamp: Stamp, **more: Any) -> Command:
    """The command that a request asks for; `more` are fields that need a hand."""
    values: dict[str, Any] = {"at_us": stamp.at_us, "by": stamp.by, "second": stamp.second, **more}
    for taken in _taken(kind, request.DESCRIPTOR):
        name = taken.name
        if name in values or (taken.presence and not request.HasField(name)):
            continue
        value = getattr(request, name)
        if not value and not taken.presence and not taken.required:
            continue  # what a caller left out is the command's own default
        values[name] = tuple(value) if taken.repeated else value
    return kind(**values)


class _Taken(Struct, frozen=True):
    """A field that request and command share."""

    name: str
    required: bool
    presence: bool
    repeated: bool


@cache
def _taken(kind: type[Command], descriptor: Any) -> tuple[_Taken, ...]:
    """Looked up once for each command: type hints are slow to read."""
    known = descriptor.fields_by_name
    return tuple(
        _Taken(
            field.name,
            field.required,
            known[field.name].has_presence,
            bool(known[field.name].is_repeated),
        )
        for field in fields(kind)
        if field.name in known
    )


def fill(response: Message, answer: Mapping[str, Any]) -> Message:
    """Put what a service says to a command into the response."""
    known = response.DESCRIPTOR.fields_by_name
    for name, value in answer.items():
        if name in known and value is not None:
            setattr(response, name, value)
    return response


def command(kind: type[Command], response: type[Message]) -> Any:
    """A handler for a request whose fields are those of a command."""

    async def handle(self: Any, request: Any, context: Any) -> Message:  # noqa: ARG001
        check_table_id(request.table_id)
        carried: Carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(kind, request, stamp),
            test_table=None,
            key=None,
        )
        return fill(response(result=carried.result), carried.answer)

    return handle


def check_table_id(table_id: str) -> None:
    """Refuse a call that names no table, or one whose id would not go into other ids."""
    if not table_id:
        raise InvalidCommand("no table", fields=[FieldFault("table_id", "is missing")])
    if not _TABLE_ID.fullmatch(table_id):
        problem = f"1 to {TABLE_ID_CHARACTERS_MAX} characters of A-Z a-z 0-9 . _ ~ -"
        raise InvalidCommand("no table has this id", fields=[FieldFault("table_id", problem)])


def check_text(request: Message, *names: str) -> None:
    """Refuse texts that could not be stored, indexed or read by people."""
    faults = [
        FieldFault(name, f"at most {TEXT_CHARACTERS_MAX} printable characters")
        for name in names
        if not (text := getattr(request, name)).isprintable() or len(text) > TEXT_CHARACTERS_MAX
    ]
    if faults:
        raise InvalidCommand("a text can't be taken", fields=faults)


async def command_events(
    runtime: Runtime, table_id: str, command_ids: list[str]
) -> list[common_pb2.StoredEvent]:
    """What the commands led to in this service, in log order, without what was only heard."""
    if len(command_ids) > COMMAND_IDS_MAX:
        raise InvalidCommand(
            "too many commands",
            fields=[FieldFault("command_ids", f"{COMMAND_IDS_MAX} at the most")],
        )
    records = await runtime.store.read_by_command(command_ids)
    return [
        stored_event(record)
        for record in records
        if record.stream == table_id and record.type != Noted.type
    ]
