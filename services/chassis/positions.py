"""Places in logs, as callers carry them from a command to a query and from one answer to the next."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from msgspec import Struct

from services.chassis.rpc_errors import FieldFault, InvalidCommand

POSITION_MAX: Final = 2**63 - 1
"""Of a column of the database; a token beyond it was made up."""


class Position(Struct, frozen=True):
    """A place in a service's log, which callers carry around without looking into it."""

    service: str
    head: int
    """Which of the service's logs; there is one so far."""

    position: int

    def token(self) -> str:
        """Write it for a caller."""
        # The dot at the end tells a whole token from one that was cut.
        text = f"1:{self.service}:{self.head}:{self.position}."
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def position_of(token: str, *, field: str) -> Position:
    """Read a token that a caller gave back, of whatever service."""
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        form, named, head, position = text.decode("ascii").split(":")
        if not position.endswith("."):
            form = ""
        read = Position(named, int(head), int(position.removesuffix(".")))
    except (ValueError, binascii.Error):
        form, read = "", Position("", 0, 0)
    if form != "1" or read.head != 0 or not 0 <= read.position <= POSITION_MAX:
        raise InvalidCommand("a position is malformed", fields=[FieldFault(field, "is no token")])
    return read


def read_position(token: str, *, service: str, field: str) -> int:
    """Read a token of this service that a caller gave back; empty is the beginning of the log."""
    if not token:
        return 0
    read = position_of(token, field=field)
    if read.service != service:
        fault = FieldFault(field, f"a token of {read.service}, not of {service}")
        raise InvalidCommand("a position is of another service", fields=[fault])
    return read.position
