"""docs/reference/grpc.md, from the comments of the protos and the table of errors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from google.protobuf import descriptor_pb2
from grpc_tools import protoc

from services.chassis.rpc_errors import EdgeError
from tests.reference.pages import NOTICE, cell, table

PROTO = Path(__file__).parents[2] / "proto"
FIELD = descriptor_pb2.FieldDescriptorProto
SERVICE_NUMBER, METHOD_NUMBER, MESSAGE_NUMBER, FIELD_NUMBER = 6, 2, 4, 2
"""Numbers of the fields of a file's descriptor, from which the places of comments are made."""

HEAD = f"""# Calls

{NOTICE}

The contracts are the files in `proto/sabot`, with a comment at every call and
field; stubs for Python are in `proto/gen` and installed with Sabot, and `sabot.<service>.v1` is their
package. Reflection is off unless `SABOT_GRPC_REFLECTION=true`.

## What all calls have in common

- **Commands** carry `meta.command_id`, made by the client. Sent again with the same id and input, a
  command is answered from what is stored and changes nothing; with another input it is
  `ALREADY_EXISTS`. So any command may be repeated after a timeout. Ids are each caller's own: nobody
  spends another's.
- **What became of a call that was not answered** is found out by its command id, in every service. Sent again,
  the command is answered as it was, or is carried out now. To look and not to act, `ListCommandEvents` with the
  table and the ids tells what they led to there; nothing means refused, not arrived, or not carried out yet.
- **A refusal by the rules is an answer**: the status is OK, and `result.refusal` holds a stable reason, a
  sentence and the clauses. A repetition gets the same refusal; to ask again is a new command. Only a
  `ROLE` for want of news of a new dealer is not kept (`CommandMeta.shift`).
- **Who calls** stands in the metadata: `authorization: Bearer ...` with a signed token, and
  `sabot-acting-role` where it grants several roles. A second person proves himself by
  `sabot-second-authorization`. In the environment `development` callers are believed:
  `sabot-actor-id`, `sabot-actor-role`, `sabot-second-id`, `sabot-second-role`.
- **Roles** are PLAYER, DEALER, GAME_SUPERVISOR, CASINO_SUPERVISOR, DUTY_MANAGER, INSPECTOR, AUDITOR and
  SYSTEM. A supervisor may do what a dealer may, a higher one what a lower one may. Which role a command
  needs is a rule, often the rulebook's, and a refusal `ROLE` names it.
- **Read your own writes**: `result.position_token` of a command, given as `min_position` where a query
  has that field.
- **Deadlines**: every call needs one. One with less than `SABOT_GRPC_DEADLINE_FLOOR_MS` left is
  refused before work begins.

## Errors

An error is a `google.rpc.Status` with an `ErrorInfo` (stable reason, domain `<service>.sabot`) and, for
faulty fields, a `BadRequest`. `UNAVAILABLE`, `ABORTED`, `RESOURCE_EXHAUSTED` and `DEADLINE_EXCEEDED` may be
sent again, with the same command id.
"""


def calls() -> str:
    """The page."""
    parts = [HEAD, table(("status", "reason", "meaning"), _errors())]
    for file in _files():
        parts += _services(file)
    return "\n".join(parts)


def _errors() -> Iterator[tuple[str, str, str]]:
    for kind in sorted(EdgeError.__subclasses__(), key=lambda each: each.code.value[0]):
        yield f"`{kind.code.name}`", f"`{kind.reason}`", cell(kind.__doc__ or "")
    yield (
        "`INTERNAL`",
        "`INTERNAL`",
        "A bug of the service; `trace_id` in the metadata leads to it.",
    )


def _files() -> list[descriptor_pb2.FileDescriptorProto]:
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("sabot/*/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "descriptors"
        include = resources.files("grpc_tools") / "_proto"
        status = protoc.main(
            (
                "protoc",
                f"-I{PROTO}",
                f"-I{include}",
                "--include_source_info",
                f"--descriptor_set_out={out}",
                *names,
            )
        )
        assert status == 0, "the protos do not compile"
        return list(descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file)


def _services(file: descriptor_pb2.FileDescriptorProto) -> Iterator[str]:
    comments = {
        tuple(place.path): " ".join(place.leading_comments.split())
        for place in file.source_code_info.location
    }
    messages = {message.name: index for index, message in enumerate(file.message_type)}
    for number, service in enumerate(file.service):
        about = comments.get((SERVICE_NUMBER, number), "")
        yield f"## `{file.package}.{service.name}`\n\n{about}\n"
        rows = []
        for place, method in enumerate(service.method):
            request = messages[method.input_type.rsplit(".", 1)[1]]
            stream = " (answers step by step)" if method.server_streaming else ""
            rows.append(
                (
                    f"`{method.name}`",
                    cell(comments.get((SERVICE_NUMBER, number, METHOD_NUMBER, place), "")) + stream,
                    ", ".join(_fields(file.message_type[request])),
                )
            )
        yield table(("call", "what", "takes"), rows)


def _fields(message: descriptor_pb2.DescriptorProto) -> Iterator[str]:
    for field in message.field:
        many = "[]" if field.label == FIELD.LABEL_REPEATED else ""
        optional = "?" if field.proto3_optional else ""
        yield f"`{field.name}{many}{optional}`"
