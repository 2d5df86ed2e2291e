"""From requests to commands and back: what every servicer does with a call that changes something.

A field of a request goes into the command's field of the same name; an optional one that is absent
leaves the command's default. What an answer holds goes into the response's field of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from google.protobuf.message import Message
from msgspec import Struct
from msgspec.structs import fields

from sabot.common.v1 import common_pb2
from services.chassis import logs
from services.chassis.app import Carried, Runtime, stored_event
from services.chassis.auth import Stamp
from services.chassis.rpc_errors import RETRIABLE, TRANSLATIONS, EdgeError, translate
from services.contracts.core import Command, Noted

log = logs.logger(__name__)

STAMPED: Final = frozenset({"at_us", "by", "second", "shift"})
"""Fields of a command that come with the caller, not with the request."""


def made(kind: type[Command], request: Message, stamp: Stamp, **more: Any) -> Command:
    """The command that a request asks for; `more` are fields that need a hand."""
    values: dict[str, Any] = {
        "at_us": stamp.at_us,
        "by": stamp.by,
        "second": stamp.second,
        "shift": stamp.shift,
        **more,
    }
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
        carried: Carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(kind, request, stamp),
            test_table=None,
            key=None,
        )
        return fill(response(result=carried.result), carried.answer)

    return handle


def each_alone(what: str, answers: Sequence[Any]) -> list[Any]:
    """The answers to several commands of one call; an error of one becomes its own `CallError`.

    Raises where all of them failed by something that passes: then the call itself may be repeated.
    """
    errors = [_edge_error(what, each) for each in answers if isinstance(each, Exception)]
    if errors and len(errors) == len(answers) and all(each.code in RETRIABLE for each in errors):
        raise errors[0]
    told = iter(errors)
    return [_call_error(next(told)) if isinstance(each, Exception) else each for each in answers]


def _edge_error(what: str, error: Exception) -> EdgeError:
    found = translate(error, TRANSLATIONS)
    if found is None:
        log.error("one of several failed", method=what, exc_info=error)
        return EdgeError("internal error")
    return found


def _call_error(error: EdgeError) -> common_pb2.CallError:
    return common_pb2.CallError(
        code=error.code.name, reason=error.stable_reason, message=error.message
    )


async def command_events(
    runtime: Runtime, table_id: str, command_ids: list[str]
) -> list[common_pb2.StoredEvent]:
    """What the commands led to in this service, in log order, without what was only heard."""
    records = await runtime.store.read_by_command(command_ids)
    return [
        stored_event(record)
        for record in records
        if record.stream == table_id and record.type != Noted.type
    ]
