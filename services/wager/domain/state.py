"""What the wager service knows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from services.contracts.common import Card, Limits, PlayerContext, TableSettings
from services.contracts.core import Event, Scope
from services.contracts.crew import Crew
from services.contracts.pinned import pinned
from services.rules.citations import cite
from services.rules.rulebook import Rulebook
from services.wager.domain.facts import NOTHING, Facts, Stop
from services.wager.domain.parts import dropped, found, found_in_order, put, values
from services.wager.domain.tokens import Tokens

STATE_SCHEMA = 7


OPEN, CLOSED, FINAL, LOCKED = "OPEN", "CLOSED", "FINAL", "LOCKED"


SCREEN, LAYOUT = "SCREEN", "LAYOUT"


PROMO = "PROMO"


GAME, CASINO = "GAME", "CASINO"


STANDING, AREA_SHARING = "STANDING", "AREA_SHARING"


OPPOSING_WAGERS, PLAYER_LIMITS = "OPPOSING_WAGERS", "PLAYER_LIMITS"


SLIP_MARK = "#slip-"


OUTSIDE_LIMITS = ("BELOW_MINIMUM", "ABOVE_MAXIMUM")


class Mark(Struct, frozen=True):
    """What a wager's stake became, and when: what a card that was out too early takes back."""

    at_us: int
    stake_minor: int


class Wager(Struct, frozen=True, omit_defaults=True):
    """A wager of the coup that the wallet, or a promotional token, has paid for."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    channel: str
    out_of_limits: bool = False
    box: str | None = None
    standing: bool = False
    """Accepted on a permission for players without a seat."""

    token: str | None = None
    """The promotional token that is the stake; else it is cash."""

    placements: int = 1
    """The wager and its increases: each counts against the area's number of wagers."""

    movements: int = 1
    """Money movements so far: the running number of the next one's key."""

    marks: tuple[Mark, ...] = ()
    """Acceptance and later changes, in order."""

    context: PlayerContext | None = None

    @property
    def cash_minor(self) -> int:
        """What goes back in cash when the stake does."""
        return 0 if self.token else self.stake_minor


class Slip(Struct, frozen=True):
    """Wagers with one debit: they stand together, or none does."""

    slip_id: str
    movement_id: str
    """Of the debit."""


class Wagers(Struct, frozen=True):
    """Wagers in order of acceptance, and which of them are whose."""

    parts: tuple[dict[str, Wager], ...] = ()
    players: tuple[dict[str, tuple[str, ...]], ...] = ()

    def get(self, wager_id: str) -> Wager | None:
        return found(self.parts, wager_id)

    def __getitem__(self, wager_id: str) -> Wager:
        wager = found(self.parts, wager_id)
        if wager is None:
            raise KeyError(wager_id)
        return wager

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[str]:
        return (wager.wager_id for wager in self.values())

    def values(self) -> Iterator[Wager]:
        return values(self.parts)

    def of(self, player: str) -> list[Wager]:
        """The wagers of one player."""
        named = found(self.players, player)
        return found_in_order(self.parts, named) if named else []

    def put(self, wager: Wager) -> Wagers:
        """With a wager at the end, or in the place of the one with its id."""
        players = self.players
        held = found(players, wager.player) or ()
        if wager.wager_id not in held:
            players = put(players, wager.player, (*held, wager.wager_id))
        return Wagers(put(self.parts, wager.wager_id, wager), players)

    def without(self, wager_id: str) -> Wagers:
        """Without a wager, if it is there."""
        wager = self.get(wager_id)
        if wager is None:
            return self
        rest = tuple(each for each in found(self.players, wager.player) or () if each != wager_id)
        players = dropped(self.players, wager.player)
        if rest:
            players = put(self.players, wager.player, rest)
        return Wagers(dropped(self.parts, wager_id), players)


class Pending(Struct, frozen=True):
    """A debit that the wallet has not answered yet."""

    wager: Wager
    """The wager as it will be once the debit is done."""

    amount_minor: int
    from_minor: int
    """Its stake before; 0 for a new wager."""

    limits_version: int
    requested_at_us: int = 0
    """When it was asked for; 0 in logs that do not say so."""

    slip: Slip | None = None
    """Of which it is a part."""


class Sign(Struct, frozen=True):
    """Limits as they were published."""

    version: int = 0
    limits: dict[str, Limits] = {}
    """By currency."""

    differential_minor: int | None = None
    """In the table's own currency."""


class Window(Struct, frozen=True):
    """A withdrawal window."""

    cause: str
    until_us: int
    kept: frozenset[str] = frozenset()
    """Wagers whose players said that they stay."""

    closed: bool = False
    """Nothing comes off any more; what silence means is still to be done."""


class End(Struct, frozen=True):
    """Why the coup takes no wagers, or has no result: what the book holds is to go back."""

    reason: str
    """VOID, TERMINATED or NO_BET_COUP."""

    by_supervisor: bool = False
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    """The cards that lie open."""


class Book(Struct, frozen=True):
    """The book of the coup in progress."""

    coup_id: str
    coup: int
    phase: str
    sign: Sign = Sign()
    """The limits that bind in this coup."""

    no_bet: bool = False
    closes_at_us: int | None = None
    closed_at_us: int | None = None
    card_out: bool = False
    """A card that was out too early closed betting: nothing from that instant on counts."""

    close_for: str = ""
    """Why round asked for the book to be closed; empty until it does."""

    end: End | None = None
    window: Window | None = None
    revision: int = 0
    wagers: Wagers = Wagers()
    """Live wagers."""

    pending: dict[str, Pending] = {}
    """By the key of the money movement; of a slip, by wager."""


class Permission(Struct, frozen=True):
    """How long a permission holds."""

    until_coup: int | None = None
    """The last coup that it holds for."""

    until_us: int | None = None

    def holds(self, coup: int, at_us: int) -> bool:
        """Whether it holds for a wager on this coup at this instant."""
        in_coup = self.until_coup is None or coup <= self.until_coup
        return in_coup and (self.until_us is None or at_us < self.until_us)


class OwnLimits(Struct, frozen=True):
    """One player's own limits, in the table's currency."""

    minimum_minor: int | None
    maximum_minor: int | None
    holds: Permission


class Notice(Struct, frozen=True):
    """The sign of a higher minimum."""

    minimum_minor: int
    displayed_at_us: int
    effective_at_us: int


EVERYBODY = ""
"""Stands for every player, or every box, where a permission is by player or by box."""


class Permissions(Struct, frozen=True):
    """What supervisors allowed, or forbade, beyond the rulebook's default."""

    standing: frozenset[str] = frozenset()
    """Players without a seat who may wager, or EVERYBODY."""

    sharing: dict[str, int] = {}
    """Players that a box takes, by box or EVERYBODY."""

    opposing: dict[str, Permission] = {}
    """Who may stake on both hands: by player or EVERYBODY."""

    limits: dict[str, OwnLimits] = {}
    """By player."""

    stops: tuple[Stop, ...] = ()
    """Of what no new wagers are taken at this table."""

    barred: dict[str, frozenset[str]] = {}
    """Players of whom no wager is taken, with the scopes of their bars: GAME, CASINO."""


class Outstanding(Struct, frozen=True):
    """Money of a player that the wallet refused to take back into his account."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    attempts: int
    reason: str
    """The wallet's word of its last refusal."""

    under_way: bool = False
    """It was asked for again, and the answer is not here yet."""

    context: PlayerContext | None = None


class BookState(Struct, frozen=True):
    """All that the wager service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    crew: Crew = Crew()
    signs: tuple[Sign, ...] = ()
    """The limits of the last coup with betting and all published since, in order of version."""

    notice: Notice | None = None
    permissions: Permissions = Permissions()
    seats: dict[str, int] = {}
    """Seat by player."""

    tokens: Tokens = Tokens()
    refunds: dict[str, Outstanding] = {}
    """Refunds that the wallet refused and has not taken since, by movement."""

    last_coup: int = 0
    """Number of the last coup that is over."""

    book: Book | None = None
    facts: Facts = NOTHING
    """What was looked up for the command at hand; empty in every state that is kept."""

    @property
    def sign(self) -> Sign:
        """The limits that were published last."""
        return self.signs[-1] if self.signs else Sign()

    @property
    def limits_version(self) -> int:
        """The version that was published last; 0 where none was."""
        return self.sign.version


def initial_state() -> BookState:
    """A table that nobody has opened."""
    return BookState()


def scope(state: BookState, event: Event) -> Scope:
    """What of the state goes into the envelope of an event."""
    del event
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test)


def rules_of(state: BookState) -> Rulebook:
    assert state.settings is not None
    return pinned(state.settings)


def settings_of(state: BookState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def clauses_for(state: BookState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def live(book: Book) -> Iterable[Wager]:
    """Accepted wagers as they stand, with pending ones as they will be."""
    return _risen(book.wagers.values(), (each.wager for each in book.pending.values()))


def live_of(book: Book, player: str) -> list[Wager]:
    """Those of one player."""
    pending = (each.wager for each in book.pending.values() if each.wager.player == player)
    return list(_risen(book.wagers.of(player), pending))


def _risen(wagers: Iterable[Wager], pending: Iterable[Wager]) -> Iterator[Wager]:
    rising = {wager.wager_id: wager for wager in pending}
    for wager in wagers:
        yield rising.pop(wager.wager_id, wager)
    yield from rising.values()


def movement(state: BookState, wager_id: str, number: int) -> str:
    """Key of a money movement: it follows from its cause, so that a repeat moves nothing."""
    return f"{settings_of(state).table_id}/{wager_id}/{number}"


def first_debit(table_id: str, wager_id: str) -> str:
    """Key of the debit that a wager begins with."""
    return f"{table_id}/{wager_id}/1"


def slip_of(wager_id: str) -> str:
    """The slip that a wager is part of, by its id; "" where it was placed alone."""
    return wager_id.rpartition(SLIP_MARK)[0]


def slip_wager(slip_id: str, number: int) -> str:
    """Id of a wager of a slip. No id that a client makes has the mark."""
    return f"{slip_id}{SLIP_MARK}{number}"


def is_late(at_us: int, book: Book) -> bool:
    """Whether a command that was received at this instant is behind the cut-off."""
    timer = book.closes_at_us is not None and at_us >= book.closes_at_us
    closed = book.closed_at_us is not None and at_us >= book.closed_at_us
    return timer or closed or book.phase != OPEN


def is_box(box: str, state: BookState) -> bool:
    """Whether the table has a seat with this box."""
    return box.isdecimal() and 1 <= int(box) <= settings_of(state).seats
