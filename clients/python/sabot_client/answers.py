"""What a service says to a command. A refusal by the rules is an answer, and no error of the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from google.protobuf.message import Message

Response = TypeVar("Response", bound=Message)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rules do not allow the command; nothing was changed."""

    reason: str
    """Stable code for machines, such as `BURN_OWED`."""

    message: str
    """For people; may change at any time."""

    clauses: tuple[str, ...]
    """The rule texts behind it, as `text:clause`."""


class Refused(Exception):
    """A refusal where the caller cannot go on with one; raised by `Answer.allowed` alone."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Answer(Generic[Response]):
    """What became of a command."""

    response: Response
    """The message as the service sent it, with what this command tells beyond its result."""

    command_id: str
    """Under which it was sent: sent again with it, the command is answered from what is stored."""

    refusal: Refusal | None
    """Why the rules did not allow it; None where it was carried out."""

    duplicate: bool
    """The command had been decided before; this is its stored answer."""

    position_token: str
    """Given as `min_position` to a query of the same service, its answer reflects the command."""

    @classmethod
    def of(cls, response: Response, command_id: str) -> Self:
        """Read the field `result` that every response to a command has."""
        result: Any = response.result  # type: ignore[attr-defined]
        no = result.refusal
        refusal = Refusal(no.reason, no.message, tuple(no.clauses))
        return cls(
            response=response,
            command_id=command_id,
            refusal=refusal if result.HasField("refusal") else None,
            duplicate=result.duplicate,
            position_token=result.position_token,
        )

    def allowed(self) -> Response:
        """The response; raises `Refused` where the rules did not allow the command."""
        if self.refusal is not None:
            raise Refused(self.refusal)
        return self.response
