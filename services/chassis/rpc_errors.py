"""Errors of calls: one model on the wire, one table from exceptions to it, and the way back.

An error is a `google.rpc.Status` with an `ErrorInfo` (stable reason, domain `<service>.sabot`,
metadata) and, for faulty fields, a `BadRequest`. What the rules refuse is no error: it is part of
the answer, see `sabot.common.v1.CommandResult`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

import asyncpg
import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status
from msgspec import Struct

from services.chassis import executor
from services.chassis.projection import RebuildRuns
from services.chassis.registry import BodyTooLarge
from services.chassis.store import ConcurrencyConflict, StoreUnavailable
from services.contracts.core import NotYet, Refused

TEXT_CHARACTERS_MAX: Final = 1_000
"""Of a message on the wire: it travels in headers, which the other side limits."""

FIELDS_MAX: Final = 50
"""Faulty fields named in one error."""

METADATA_ITEMS_MAX: Final = 16


class FieldFault(Struct, frozen=True):
    """One field of a request that cannot be taken."""

    field: str
    """Its path, such as `meta.command_id`."""

    problem: str


class EdgeError(Exception):
    """An error with a place in the model; raised by handlers and answered by the edge."""

    code: ClassVar[grpc.StatusCode] = grpc.StatusCode.INTERNAL
    reason: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        metadata: Mapping[str, str] | None = None,
        fields: Sequence[FieldFault] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.stable_reason = self.reason if reason is None else reason
        self.metadata: Mapping[str, str] = {} if metadata is None else metadata
        self.fields = tuple(fields)


class InvalidCommand(EdgeError):
    """The request is malformed, whatever the state of anything: the caller has to mend it."""

    code = grpc.StatusCode.INVALID_ARGUMENT
    reason = "INVALID_COMMAND"


class NotFound(EdgeError):
    """What was asked for does not exist."""

    code = grpc.StatusCode.NOT_FOUND
    reason = "NOT_FOUND"


class CommandIdReused(EdgeError):
    """The command id was used before with another input: a bug at the caller."""

    code = grpc.StatusCode.ALREADY_EXISTS
    reason = "COMMAND_ID_REUSED"


class NotAllowedHere(EdgeError):
    """The request is right, but this installation or this state of things does not allow it."""

    code = grpc.StatusCode.FAILED_PRECONDITION
    reason = "NOT_ALLOWED_HERE"


class Conflict(EdgeError):
    """Others wrote first, again and again: the caller may try once more."""

    code = grpc.StatusCode.ABORTED
    reason = "CONFLICT"


class Overloaded(EdgeError):
    """More is asked for than can be done: back off."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    reason = "OVERLOADED"


class Unavailable(EdgeError):
    """Something this service rests on is away or not ready: back off and try again."""

    code = grpc.StatusCode.UNAVAILABLE
    reason = "UNAVAILABLE"


class TooLate(EdgeError):
    """The caller's deadline leaves no time for the work, or it ran out."""

    code = grpc.StatusCode.DEADLINE_EXCEEDED
    reason = "DEADLINE_TOO_SHORT"


class Unauthenticated(EdgeError):
    """Nobody knows who calls."""

    code = grpc.StatusCode.UNAUTHENTICATED
    reason = "UNAUTHENTICATED"


class PermissionDenied(EdgeError):
    """The caller is known and may not. Names what would be needed."""

    code = grpc.StatusCode.PERMISSION_DENIED
    reason = "PERMISSION_DENIED"


Translate = Callable[[Exception], EdgeError]


def _refused(error: Exception) -> EdgeError:
    # A query may be refused too, and has no command result to say so in.
    assert isinstance(error, Refused)
    clauses = ",".join(error.clauses)
    return NotAllowedHere(
        error.message, reason=error.reason, metadata={"clauses": clauses} if clauses else None
    )


def _as(kind: type[EdgeError], message: str) -> Translate:
    def translate(error: Exception) -> EdgeError:
        del error  # its text may say more than a caller should know
        return kind(message)

    return translate


TRANSLATIONS: Mapping[type[Exception], Translate] = {
    Refused: _refused,
    NotYet: lambda error: Unavailable(str(error) or "not heard of yet", reason="NOT_YET"),
    executor.NotATestTable: lambda error: NotAllowedHere(str(error), reason="NOT_A_TEST_TABLE"),
    executor.Overloaded: lambda error: Overloaded(str(error)),
    RebuildRuns: lambda error: Conflict(
        f"a rebuild of {error} runs already", reason="REBUILD_RUNS"
    ),
    BodyTooLarge: _as(InvalidCommand, "what follows from it would not fit into one event"),
    ConcurrencyConflict: _as(Conflict, "others wrote first"),
    StoreUnavailable: _as(Unavailable, "the database is away"),
    asyncpg.TooManyConnectionsError: _as(Overloaded, "no database connection is free"),
    asyncpg.PostgresConnectionError: _as(Unavailable, "the database is away"),
    asyncpg.InternalClientError: _as(Unavailable, "the database is away"),
    asyncpg.InsufficientResourcesError: _as(Overloaded, "the database is at its limit"),
    asyncpg.OperatorInterventionError: _as(Unavailable, "the database ended the statement"),
    ConnectionError: _as(Unavailable, "a connection was lost"),
    TimeoutError: _as(Unavailable, "something this service rests on did not answer in time"),
}
"""What exceptions of others mean for a caller, by class. The nearest base class counts."""


def translate(
    error: Exception, translations: Mapping[type[Exception], Translate]
) -> EdgeError | None:
    """Place an exception in the model; None is a bug of ours, of which callers learn nothing."""
    if isinstance(error, EdgeError):
        return error
    for kind in type(error).__mro__:
        found = translations.get(kind)
        if found is not None:
            return found(error)
    return None


def to_status(error: EdgeError, *, domain: str) -> status_pb2.Status:
    """Write an error as it goes over the wire."""
    status = status_pb2.Status(
        code=error.code.value[0], message=error.message[:TEXT_CHARACTERS_MAX]
    )
    info = error_details_pb2.ErrorInfo(reason=error.stable_reason, domain=domain)
    for key, value in list(error.metadata.items())[:METADATA_ITEMS_MAX]:
        info.metadata[key] = value[:TEXT_CHARACTERS_MAX]
    _pack(status, info)
    if error.fields:
        bad = error_details_pb2.BadRequest()
        for fault in error.fields[:FIELDS_MAX]:
            bad.field_violations.add(
                field=fault.field, description=fault.problem[:TEXT_CHARACTERS_MAX]
            )
        _pack(status, bad)
    return status


def _pack(
    status: status_pb2.Status, detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest
) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    status.details.append(packed)


def internal_status(*, domain: str, trace_id: str) -> status_pb2.Status:
    """Write the answer to a bug of ours: where to look it up, and nothing else."""
    metadata = {"trace_id": trace_id} if trace_id else {}
    return to_status(EdgeError("internal error", metadata=metadata), domain=domain)


class CallFailed(Exception):
    """A call to another service ended with an error; what the wire said of it."""

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        domain: str,
        metadata: Mapping[str, str],
        fields: Sequence[FieldFault],
    ) -> None:
        super().__init__(f"{code.name} {reason}: {message}")
        self.code = code
        self.reason = reason
        """Empty where the error came from the transport and not from a service of ours."""
        self.message = message
        self.domain = domain
        self.metadata = dict(metadata)
        self.fields = tuple(fields)

    @property
    def may_retry(self) -> bool:
        """Tell whether the same request may succeed later, command id and all."""
        return self.code in RETRIABLE


RETRIABLE = frozenset(
    {
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAVAILABLE,
    }
)


def call_failed(error: grpc.aio.AioRpcError) -> CallFailed:
    """Read an error of a call; details that cannot be read leave code and message."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in _details(error):
        # `Unpack` tells by its answer whether the type fits.
        if not detail.Unpack(info):
            detail.Unpack(bad)
    return CallFailed(
        error.code(),
        info.reason,
        error.details() or "",
        domain=info.domain,
        metadata=info.metadata,
        fields=[FieldFault(v.field, v.description) for v in bad.field_violations],
    )


def _details(error: grpc.aio.AioRpcError) -> Sequence[any_pb2.Any]:
    try:
        # The plain function and not its `aio` sibling, which wants a call and fails on an error.
        status = rpc_status.from_call(error)  # type: ignore[arg-type]
    except ValueError:
        return ()
    return () if status is None else tuple(status.details)
