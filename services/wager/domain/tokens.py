"""Promotional tokens: each stakes once at a time, and is gone once its wager is won or lost.

Kept per table for now. Everything about tokens goes through this value and the events that name
a token, so that it can become a stream of its own beside the tables.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

STAKED, FREE, SPENT = "STAKED", "FREE", "SPENT"


class Token(Struct, frozen=True):
    """One promotional token that was staked at least once."""

    face_minor: int
    currency: str
    status: str
    coup_id: str
    """The coup that it is staked on, or was staked on last."""

    wager_id: str


class Tokens(Struct, frozen=True):
    """All tokens that were ever staked, by id: as many as the promotions give out."""

    known: dict[str, Token] = {}

    def fault(self, token: str, face_minor: int, currency: str) -> tuple[str, str] | None:
        """Why the token can't be staked with this face value, as code and words."""
        held = self.known.get(token)
        if held is None:
            return None
        if held.status == STAKED:
            return "TOKEN_USED", f"token {token} is staked already"
        if held.status == SPENT:
            return "TOKEN_USED", f"token {token} was won or lost before"
        if (held.face_minor, held.currency) != (face_minor, currency):
            return "NOT_PERMITTED", f"token {token} is worth {held.face_minor} {held.currency}"
        return None

    def stake(self, token: str, held: Token) -> Tokens:
        """The token is on a wager."""
        return self._with(token, held)

    def give_back(self, token: str | None, wager_id: str) -> Tokens:
        """The wager ended before a result: its token is free again."""
        held = self.known.get(token) if token else None
        if token is None or held is None or held.wager_id != wager_id or held.status != STAKED:
            return self
        return self._with(token, replace(held, status=FREE))

    def is_to_spend(self, token: str) -> bool:
        """Whether a settlement that spends the token changes anything."""
        held = self.known.get(token)
        return held is not None and held.status != SPENT

    def is_to_return(self, token: str, coup_id: str) -> bool:
        """Whether a settlement of this coup that returns the token changes anything.

        A correction may come after the token was staked anew: then it is no more this coup's.
        """
        held = self.known.get(token)
        return held is not None and held.coup_id == coup_id and held.status != FREE

    def mark(self, token: str, status: str) -> Tokens:
        """The token is spent, or free."""
        held = self.known.get(token)
        return self if held is None else self._with(token, replace(held, status=status))

    def _with(self, token: str, held: Token) -> Tokens:
        return Tokens({**self.known, token: held})
