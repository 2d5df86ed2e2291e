"""Who calls: what is added to the metadata of every call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

Metadata = tuple[tuple[str, str], ...]
Credentials = Callable[[], Awaitable[Metadata]]
"""Asked before every call, so that a token may be renewed between two of them."""

Token = str | Callable[[], str] | Callable[[], Awaitable[str]]
"""A signed token, or a function that returns the one that is valid now."""


AUTHORIZATION: Final = "authorization"
SECOND_AUTHORIZATION: Final = "sabot-second-authorization"
SECRET: Final = frozenset({AUTHORIZATION, SECOND_AUTHORIZATION})
"""Names of metadata with which whoever reads them can call in the caller's name."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody and his role, for services in the environment `development`, which believe it."""

    id: str
    role: str
    """Such as `GAME_SUPERVISOR`."""


def bearer(
    token: Token, *, acting_role: str = "", second: Token = "", second_acting_role: str = ""
) -> Credentials:
    """Show a signed token; `acting_role` says which of its roles acts, where it grants several.

    `second` is the token of the second person whom some commands take.
    """

    async def metadata() -> Metadata:
        pairs = [(AUTHORIZATION, f"Bearer {await _now(token)}")]
        if acting_role:
            pairs.append(("sabot-acting-role", acting_role))
        if second:
            pairs.append((SECOND_AUTHORIZATION, f"Bearer {await _now(second)}"))
        if second_acting_role:
            pairs.append(("sabot-second-acting-role", second_acting_role))
        return tuple(pairs)

    return metadata


async def _now(token: Token) -> str:
    if isinstance(token, str):
        return token
    found = token()
    return await found if inspect.isawaitable(found) else found


def development(person: Person, *, second: Person | None = None) -> Credentials:
    """Say who calls, to services on the same machine that believe it."""
    pairs = [("sabot-actor-id", person.id), ("sabot-actor-role", person.role)]
    if second is not None:
        pairs += [("sabot-second-id", second.id), ("sabot-second-role", second.role)]
    fixed = tuple(pairs)

    async def metadata() -> Metadata:
        return fixed

    return metadata
