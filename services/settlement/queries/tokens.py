"""Where a list or an export goes on: a place in its order, bound to what was asked for.

A token says nothing about who may read: whoever has it is asked again who he is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.chassis.inputs import LARGE_MAX
from services.chassis.positions import POSITION_MAX
from services.chassis.rpc_errors import FieldFault, InvalidCommand

TOKEN_CHARACTERS_MAX: Final = 2_000
_NOT_BOUND: Final = frozenset(
    {"page_size", "page_token", "resume_cursor", "min_position", "follow"}
)
"""Arguments that may be different from one page or attempt to the next."""

_pack = msgspec.msgpack.Encoder().encode


class Place(Struct, frozen=True, array_like=True):
    """The last resource that was given out, by its place in the order."""

    form: int
    bound: bytes
    """Hash of the arguments."""

    value: int
    """Its instant in a list, its position in an export."""

    id: str
    count: int = 0
    """Of an export: what was sent so far, and the checksum over it."""

    checksum: bytes = b""
    check: bytes = b""
    """Over all the rest: a token that was cut or made up is told from one that was given out."""


FORM: Final = 1


def bound_to(request: Any) -> bytes:
    """Hash of the arguments that a token holds for."""
    rest = type(request)()
    rest.CopyFrom(request)
    for name in _NOT_BOUND & set(rest.DESCRIPTOR.fields_by_name):
        rest.ClearField(name)
    name = rest.DESCRIPTOR.full_name.encode()
    written = name + b"\x00" + rest.SerializeToString(deterministic=True)
    return hashlib.sha256(written).digest()[:16]


def written(place: Place) -> str:
    """A token for callers."""
    whole = msgspec.structs.replace(place, check=_check(place))
    return base64.urlsafe_b64encode(_pack(whole)).decode().rstrip("=")


def read(token: str, request: Any, *, field: str) -> Place | None:
    """The place of a token that a caller gave back; None for the beginning."""
    if not token:
        return None
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        place = msgspec.msgpack.decode(raw, type=Place)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise _fault(field, "is no token of an answer") from None
    if place.form != FORM or place.check != _check(place) or not _can_be(place):
        raise _fault(field, "is no token of an answer")
    if place.bound != bound_to(request):
        raise _fault(field, "belongs to other arguments: begin again without it")
    return place


def _can_be(place: Place) -> bool:
    """Whether the database can look for it: the check is no secret, so anybody may make one up."""
    known = abs(place.value) <= POSITION_MAX and 0 <= place.count <= LARGE_MAX
    return known and place.id.isprintable()


def _check(place: Place) -> bytes:
    plain = msgspec.structs.replace(place, check=b"")
    return hashlib.sha256(b"sabot page" + _pack(plain)).digest()[:8]


def _fault(field: str, problem: str) -> InvalidCommand:
    return InvalidCommand(f"{field} {problem}", fields=[FieldFault(field, problem)])
