"""What the wager service knows of a table."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from services.contracts.common import Limit, Limits, TableSettings
from services.contracts.core import Scope
from services.contracts.pinned import pinned
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 1


OPEN, CLOSED, FINAL, LOCKED = "OPEN", "CLOSED", "FINAL", "LOCKED"


SCREEN, LAYOUT = "SCREEN", "LAYOUT"


OUTSIDE_LIMITS = ("BELOW_MINIMUM", "ABOVE_MAXIMUM")


class Wager(Struct, frozen=True):
    """A wager of the coup that the wallet has paid for."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    channel: str
    out_of_limits: bool = False
    box: str | None = None
    placements: int = 1
    """The wager and its increases: each counts against the area's number of wagers."""

    movements: int = 1
    """Money movements so far: the running number of the next one's key."""


class Pending(Struct, frozen=True):
    """A debit that the wallet has not answered yet."""

    wager: Wager
    """The wager as it will be once the debit is done."""

    amount_minor: int
    from_minor: int
    """Its stake before; 0 for a new wager."""

    limits_version: int


class Book(Struct, frozen=True):
    """The book of the coup in progress."""

    coup_id: str
    coup: int
    phase: str
    no_bet: bool = False
    closes_at_us: int | None = None
    closed_at_us: int | None = None
    close_requested: bool = False
    void: bool = False
    revision: int = 0
    wagers: dict[str, Wager] = {}
    """Live wagers in order of acceptance."""

    pending: dict[str, Pending] = {}
    """By the key of the money movement."""


class BookState(Struct, frozen=True):
    """All that the wager service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    limits_version: int = 0
    limits: dict[str, Limits] = {}
    seated: frozenset[str] = frozenset()
    standing: bool = False
    """Players without a seat may wager."""

    last_coup: int = 0
    """Number of the last coup that is over."""

    book: Book | None = None


def initial_state() -> BookState:
    """A table that nobody has opened."""
    return BookState()


def scope(state: BookState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test)


def rules_of(state: BookState) -> Rulebook:
    return pinned(settings_of(state))


def settings_of(state: BookState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def clauses_for(state: BookState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def live(book: Book) -> Iterable[Wager]:
    """Accepted wagers as they stand, with pending ones as they will be."""
    rising = {pending.wager.wager_id: pending.wager for pending in book.pending.values()}
    for wager_id, wager in book.wagers.items():
        yield rising.pop(wager_id, wager)
    yield from rising.values()


def limit_of(state: BookState, currency: str, area: str) -> Limit | None:
    limits = state.limits[currency]
    return limits.get(area, limits.get("*"))


def movement(state: BookState, wager_id: str, number: int) -> str:
    """Key of a money movement: it follows from its cause, so that a repeat moves nothing."""
    return f"{settings_of(state).table_id}/{wager_id}/{number}"
