"""What the settlement service needs to know of a table."""

from __future__ import annotations

from msgspec import Struct

from services.contracts import round as table
from services.contracts.common import TableSettings
from services.contracts.core import Meta, Scope

STATE_SCHEMA = 1


class Staked(Struct, frozen=True):
    """A live wager, as the wager service published it."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    funding: str


class BookView(Struct, frozen=True):
    """The book's latest revision."""

    revision: int
    wagers: int
    digest: str


EMPTY_BOOK = BookView(0, 0, "")


class Result(Struct, frozen=True):
    """The result as it was heard, with its place in the chain of causes."""

    event: table.CoupResulted
    meta: Meta
    event_id: str


class Coup(Struct, frozen=True):
    """A coup that is not settled yet."""

    coup_id: str
    coup: int
    wagers: dict[str, Staked] = {}
    """Live wagers in order of acceptance."""

    book: BookView | None = None
    result: Result | None = None
    settled: bool = False


class SettlementState(Struct, frozen=True):
    """All that the settlement service needs to know of one table."""

    session: int = 0
    settings: TableSettings | None = None
    coups: dict[str, Coup] = {}
    """Coups in progress, by id."""


def initial_state() -> SettlementState:
    """A table that nobody has opened."""
    return SettlementState()


def scope(state: SettlementState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test)


def is_complete(coup: Coup) -> bool:
    """The result is there, with exactly the book it rests on, and nothing is settled yet."""
    if coup.result is None or coup.settled:
        return False
    result = coup.result.event
    held = coup.book or EMPTY_BOOK
    return result.book_revision == held.revision and held.wagers == len(coup.wagers)
