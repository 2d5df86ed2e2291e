"""Errors of calls, read from the `google.rpc.Status` that the services answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

STATUS_DETAILS: Final = "grpc-status-details-bin"
REPEATABLE: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
    }
)
"""After these nobody knows more than that it may be tried again, with the same command id."""


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One field of a request that cannot be taken."""

    field: str
    """Its path, such as `meta.command_id`."""

    problem: str


class CallFailed(Exception):
    """A call ended with an error. Whether its effects came about is unknown where it is repeatable."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        domain: str = "",
        metadata: Mapping[str, str] | None = None,
        fields: tuple[FieldFault, ...] = (),
    ) -> None:
        super().__init__(f"{code.name}{f' ({reason})' if reason else ''}: {message}")
        self.code = code
        self.message = message
        self.reason = reason
        """Stable code for machines, such as `COMMAND_ID_REUSED`; empty where no service answered."""

        self.domain = domain
        """Who answered, such as `wager.sabot`."""

        self.metadata = dict(metadata or {})
        self.fields = fields

    @property
    def repeatable(self) -> bool:
        """Whether the same call may be sent again as it is."""
        return self.code in REPEATABLE

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> CallFailed:
        """Read what the service says of it; a faulty or missing detail leaves code and message."""
        status = status_pb2.Status()
        for key, value in error.trailing_metadata() or ():
            if key == STATUS_DETAILS and isinstance(value, bytes):
                try:
                    status.ParseFromString(value)
                except DecodeError:
                    status.Clear()
        info, faulty = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        for detail in status.details:
            for known in (info, faulty):
                try:
                    detail.Unpack(known)
                except DecodeError:
                    known.Clear()
        return cls(
            error.code(),
            error.details() or "",
            reason=info.reason,
            domain=info.domain,
            metadata=dict(info.metadata),
            fields=tuple(
                FieldFault(each.field, each.description) for each in faulty.field_violations
            ),
        )
