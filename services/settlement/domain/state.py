"""What the settlement service needs to know of a table."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from services.contracts import round as table
from services.contracts.common import Card, PlayerContext, TableSettings
from services.contracts.core import Event, Meta, Refused, Scope
from services.contracts.pinned import pinned
from services.contracts.settlement import CreditShare
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 8

SETTLED_COUPS_MAX = 3_000
"""Settled coups that can still be corrected: more than a gaming day of a fast table."""

SETTLED_WAGERS_MAX = 100_000
"""Wagers in them, at the most: the oldest coups go first. They are gone with the session too."""

NO_BET, SETTLED, VOID, INVALIDATED = "NO_BET", "SETTLED", "VOID", "INVALIDATED"

BACKFILLED = "BACKFILLED"

REFUNDED, VOIDED, FORFEITED = "REFUNDED", "VOIDED", "FORFEITED"

PROMO = "PROMO"


class Staked(Struct, frozen=True, array_like=True):
    """A live wager, as the wager service published it."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    funding: str
    token: str | None = None
    context: PlayerContext | None = None
    traceparent: str = ""
    """W3C trace context in which the wager was placed; not kept once it is settled."""

    @property
    def cash_minor(self) -> int:
        """What goes back in cash when the stake does."""
        return 0 if self.funding == PROMO else self.stake_minor


class Paid(Struct, frozen=True, array_like=True):
    """What the latest revision made of a wager."""

    settlement_id: str
    outcome: str
    """WON, LOST, PUSH, REFUNDED, VOIDED or FORFEITED."""

    returned_minor: int = 0
    winnings_minor: int = 0
    commission_exact: str = "0"
    rounding_exact: str = "0"

    @property
    def credit_minor(self) -> int:
        """What the player's account has for the wager, in all."""
        return self.returned_minor + self.winnings_minor


class SettledWager(Struct, frozen=True, array_like=True):
    """A wager with what became of it."""

    staked: Staked
    paid: Paid


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[SettledWager]).decode


def packed(wagers: Iterable[SettledWager]) -> bytes:
    """Wagers of a settled coup as bytes: as values they take several times the memory.

    Hardly a coup is ever corrected, but each can be, as long as its session lasts.
    """
    return _pack(list(wagers))


class BookView(Struct, frozen=True):
    """The book's latest revision."""

    revision: int
    wagers: int
    digest: str
    reason: str = ""


EMPTY_BOOK = BookView(0, 0, "")


class End(Struct, frozen=True):
    """How the coup ended, as it was heard, with its place in the chain of causes: one of three."""

    meta: Meta
    event_id: str
    result: table.CoupResulted | None = None
    void: table.CoupVoided | None = None
    invalidated: table.OutcomeInvalidated | None = None
    reason: str = ""
    """Of a corrected result."""

    @property
    def event(self) -> Event:
        """What was heard."""
        event = self.result or self.void or self.invalidated
        assert event is not None
        return event


class Coup(Struct, frozen=True):
    """A coup in progress, until round has closed it and its last book was heard."""

    coup_id: str
    coup: int
    shoe_id: str = ""
    backfilled: bool = False
    """It was dealt without the platform, and entered afterwards."""

    wagers: dict[str, Staked] = {}
    """Live wagers in order of acceptance."""

    book: BookView | None = None
    end: End | None = None
    later: tuple[End, ...] = ()
    """Corrections that arrived before the coup was settled: they follow its settlement."""

    paid: dict[str, SettledWager] = {}
    """By wager, while the coup is being settled."""

    settled: bool = False
    closed: bool = False
    """Round closed it, and what the wager service said of its book is still to come."""


class SettledCoup(Struct, frozen=True):
    """A settled coup, with what a correction needs."""

    coup_id: str
    coup: int
    status: str
    revision: int
    book: BookView
    rulebook_hash: str
    """Of the rulebook that it was played under."""

    shoe_id: str = ""
    decided: bytes = packed(())
    """Its wagers, as `packed` writes them."""

    anew: dict[str, SettledWager] = {}
    """What a correction decided by now, until it is whole."""

    @property
    def wagers(self) -> dict[str, SettledWager]:
        """Its wagers with what the latest decisions made of them, in order of acceptance."""
        wagers = {wager.staked.wager_id: wager for wager in _unpack(self.decided)}
        return wagers | self.anew

    def may_hold(self, wager_id: str) -> bool:
        """False where the wager is certainly none of its own: a look at the bytes alone."""
        return wager_id.encode() in self.decided


class Dispute(Struct, frozen=True):
    """A dispute about a coup."""

    coup_id: str
    status: str
    """OPEN, DECIDED, REVIEWED, UNRESOLVED or CLOSED."""

    level: int = 0
    """Of the latest decision."""

    deciders: tuple[str, ...] = ()
    """Who decided so far: nobody reviews himself."""

    advised: bool = False


class Outstanding(Struct, frozen=True):
    """A debit of a correction that the wallet has not made, or a credit that it refused."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    attempts: int
    reason: str = ""
    """The wallet's word of its last refusal."""

    under_way: bool = False
    """It was asked for again, and the answer is not here yet."""

    context: PlayerContext | None = None
    wagers: tuple[CreditShare, ...] = ()
    """Of a credit for several wagers: what each has of it."""


class SettlementState(Struct, frozen=True):
    """All that the settlement service needs to know of one table."""

    session: int = 0
    settings: TableSettings | None = None
    games: dict[str, TableSettings] = {}
    """Settings by the hash of their rulebook, for all games of this session."""

    coups: dict[str, Coup] = {}
    """Coups in progress, by id."""

    settled: dict[str, SettledCoup] = {}
    """Settled coups of this session that can still be corrected, the oldest first."""

    settled_wagers: int = 0
    """Wagers in them."""

    closed: tuple[int, int] = (0, 0)
    """Session and number of the last coup that round has closed."""

    suspect: frozenset[str] = frozenset()
    """Shoes of this session whose integrity was breached."""

    reviews: frozenset[int] = frozenset()
    """Numbers of coups under review."""

    disputes: dict[str, Dispute] = {}
    debits: dict[str, Outstanding] = {}
    """Debits of corrections that the wallet has not acknowledged, by movement."""

    credits: dict[str, Outstanding] = {}
    """Credits that the wallet refused and has not taken since, by movement."""


def initial_state() -> SettlementState:
    """A table that nobody has opened."""
    return SettlementState()


def scope(state: SettlementState, event: Event) -> Scope:
    """What of the state goes into the envelope of an event.

    The first decision on a wager ends the trace of its placing; the chain is that of the dealing.
    """
    settings = state.settings
    if settings is None:
        return Scope()
    coup = state.coups.get(getattr(event, "coup_id", ""))
    staked = coup.wagers.get(getattr(event, "wager_id", "")) if coup else None
    traceparent = staked.traceparent if staked else ""
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test, traceparent)


def place_of(coup_id: str) -> tuple[int, int]:
    """Session and number of a coup, which is how coups follow each other."""
    _, session, number = coup_id.rsplit(":", 2)
    return int(session), int(number)


def was_played(state: SettlementState, number: int) -> bool:
    """Whether this session had, or has, a coup with that number."""
    place = (state.session, number)
    over = number > 0 and place <= state.closed
    return over or any(place_of(coup_id) == place for coup_id in state.coups)


def settings_of(state: SettlementState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def rules_of(state: SettlementState) -> Rulebook:
    assert state.settings is not None
    return pinned(state.settings)


def clauses_for(state: SettlementState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def settled_coup(state: SettlementState, coup_id: str) -> SettledCoup:
    found = state.settled.get(coup_id)
    if found is None:
        raise Refused("UNKNOWN", f"coup {coup_id} is none that can be corrected here")
    return found


def hands_of(end: End) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Both hands as they lie at the end."""
    event = end.result or end.void or end.invalidated
    assert event is not None
    return event.player, event.banker


def is_complete(coup: Coup) -> bool:
    """Its end is known, with a book that is as new as the end says, and nothing is settled yet.

    The book may be newer: a wager that was voided while the result was on its way is not in it.
    """
    end = coup.end
    if end is None or coup.settled:
        return False
    held = coup.book or EMPTY_BOOK
    if held.wagers != len(coup.wagers):
        return False
    if end.void is not None:
        return held.reason == VOID and held.wagers > 0
    if end.result is not None and end.result.no_bet:
        return held.wagers == 0  # what had been staked before is back
    named = end.result or end.invalidated
    assert named is not None
    return held.revision >= named.book_revision
