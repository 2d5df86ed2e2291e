"""What can be asked for, as it is kept: one value for each table, shoe, coup, wager and so on.

A field has the name of the field in `sabot/query/v1/resources.proto`, where its meaning is told.
Those that begin with `kept_` are needed to go on folding and are shown to nobody.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from services.contracts.core import Actor


class Resource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all of them have."""

    id: str
    at_us: int = 0
    """Orders the lists, and never changes once it is set."""

    position: int = 0
    """Of the last event that changed it, in settlement's log."""

    table_id: str = ""
    gaming_day: str = ""
    test: bool = False


class AreaLimit(Struct, frozen=True):
    """The limits of one area in one currency."""

    currency: str
    area: str
    min_minor: int
    max_minor: int
    unit_minor: int = 0


class Seated(Struct, frozen=True):
    """A player at a numbered seat."""

    seat: int
    player: str


class RoadMark(Struct, frozen=True, omit_defaults=True):
    """One coup as the roads show it."""

    coup: int
    result: str
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False
    no_bet: bool = False


class Custody(Struct, frozen=True, omit_defaults=True):
    """Something that was done with cards or shoe."""

    at_us: int
    what: str
    by: Actor
    second: Actor | None = None
    detail_json: str = ""


class Table(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A table as it stands."""

    table_number: str = ""
    session: int = 0
    status: str = "CLOSED"
    phase: str = "CLOSED"
    held: str = ""
    reason: str = ""
    rulebook_id: str = ""
    rulebook_hash: str = ""
    currency: str = ""
    method: str = ""
    dealer: str = ""
    supervisor: str = ""
    shift: int = 0
    shoe_id: str = ""
    coup_id: str = ""
    betting_closes_us: int = 0
    limits_version: int = 0
    limits: tuple[AreaLimit, ...] = ()
    differential_minor: int = 0
    seats: tuple[Seated, ...] = ()
    road_tail: tuple[RoadMark, ...] = ()
    opened_us: int = 0
    closed_us: int = 0
    updated_us: int = 0
    incidents_open: int = 0
    book: str = "KEPT"
    latest_gaming_day: str = ""
    kept_sessions: dict[str, int] = {}
    """By service, the session that it has taken up: what it says is of that one."""

    kept_dealer: str = ""
    """Who deals at this place of what round says, which may be behind the session."""

    kept_zone: str = "UTC"
    kept_day_starts: int = 0
    """Zone, and minute after midnight, of its gaming days."""

    kept_incidents: dict[str, str] = {}
    """Ids of open incidents, by code and coup."""

    kept_custody: tuple[Custody, ...] = ()
    """What was done with the cards of the next shoe."""

    kept_shoes: int = 0
    """Shoes of the gaming day so far."""

    kept_shoe_day: str = ""
    kept_commitment: tuple[int, str, str] = (0, "", "")
    """Number, digest and shoe of a commitment that came before its shoe was loaded."""


class Shoe(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A shoe from its loading to its end."""

    shoe_id: str = ""
    session: int = 0
    number: int = 0
    status: str = "IN_USE"
    reason: str = ""
    source: str = ""
    decks: int = 0
    cards: int = 0
    device: bool = False
    drawn: int = 0
    burned: int = 0
    cuts_after: int = 0
    cut_card_after: int = 0
    last_coup: int = 0
    coups: int = 0
    banker_wins: int = 0
    player_wins: int = 0
    ties: int = 0
    ended_us: int = 0
    commitment_number: int = 0
    commitment: str = ""
    revealed_order: tuple[str, ...] = ()
    revealed_secret: str = ""
    custody: tuple[Custody, ...] = ()
    rulebook_id: str = ""
    kept_road: tuple[RoadMark, ...] = ()
    """Every coup of the shoe that has a result, in their order."""


class DealtCard(Struct, frozen=True):
    """A card that was dealt; empty while it lies face down."""

    draw_number: int
    hand: str
    place: int
    card: str = ""


class CardDecision(Struct, frozen=True):
    """One decision on a third card."""

    hand: str
    draw: bool
    rule: str
    clause: str


class Money(Struct, frozen=True, omit_defaults=True):
    """The books of a coup in one currency."""

    currency: str
    staked_minor: int = 0
    returned_minor: int = 0
    lost_minor: int = 0
    forfeited_minor: int = 0
    winnings_minor: int = 0
    house_minor: int = 0
    commission_exact: str = "0"
    rounding_exact: str = "0"
    tokens_spent_minor: int = 0


class Coup(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A coup with its cards, result and books."""

    session: int = 0
    number: int = 0
    shoe_id: str = ""
    shoe_number: int = 0
    number_in_shoe: int = 0
    status: str = "OPEN"
    reason: str = ""
    under_review: bool = False
    rulebook_id: str = ""
    rulebook_hash: str = ""
    no_bet: bool = False
    backfilled: bool = False
    dealt_us: int = 0
    method: str = ""
    dealer: str = ""
    limits_version: int = 0
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    player_points: int = 0
    banker_points: int = 0
    winner: str = ""
    natural: bool = False
    player_pair: bool = False
    banker_pair: bool = False
    book_revision: int = 0
    book_digest: str = ""
    wagers: int = 0
    revision: int = 0
    betting_closed_us: int = 0
    started_us: int = 0
    resulted_us: int = 0
    closed_us: int = 0
    totals: tuple[Money, ...] = ()
    cards: tuple[DealtCard, ...] = ()
    decisions: tuple[CardDecision, ...] = ()
    incidents: tuple[str, ...] = ()
    kept_turned: dict[str, str] = {}
    """Cards that were turned before it was heard that they were dealt, by draw number."""


class Wager(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A wager and what became of it."""

    wager_id: str = ""
    coup_id: str = ""
    player: str = ""
    area: str = ""
    box: str = ""
    channel: str = ""
    currency: str = ""
    stake_minor: int = 0
    funding: str = "CASH"
    token: str = ""
    status: str = "PENDING"
    reason: str = ""
    message: str = ""
    returned_minor: int = 0
    winnings_minor: int = 0
    commission_exact: str = "0"
    rounding_exact: str = "0"
    turnover_minor: int = 0
    valid_bet_minor: int = 0
    revision: int = 0
    accepted_us: int = 0
    decided_us: int = 0
    limits_version: int = 0
    rulebook_id: str = ""
    movement_ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    operator: str = ""
    brand: str = ""
    jurisdiction: str = ""


class Incident(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """Something out of the ordinary that was put on record."""

    coup_id: str = ""
    shoe_id: str = ""
    kind: str = "INCIDENT"
    code: str = ""
    note: str = ""
    person: str = ""
    status: str = "RECORDED"
    resolved_how: str = ""
    resolved_us: int = 0
    by: Actor | None = None
    second: Actor | None = None
    clauses: tuple[str, ...] = ()
    detail_json: str = ""


class ExceptionEntry(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a person decided or allowed off the normal course."""

    coup_id: str = ""
    wager_id: str = ""
    kind: str = ""
    what: str = ""
    parameter: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""
    player: str = ""
    currency: str = ""
    amount_minor: int = 0
    by: Actor | None = None
    second: Actor | None = None
    clauses: tuple[str, ...] = ()
    detail_json: str = ""


class DisputeDecision(Struct, frozen=True):
    """One decision of a dispute."""

    at_us: int
    level: int
    decision: str
    decided_by: str
    note: str = ""
    evidence_digest: str = ""


class Dispute(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A dispute of a coup."""

    dispute_id: str = ""
    coup_id: str = ""
    status: str = "OPEN"
    level: int = 0
    claim: str = ""
    inspector_advised: bool = False
    escalated: bool = False
    closed_us: int = 0
    opened_by: Actor | None = None
    evidence_exports: int = 0
    decisions: tuple[DisputeDecision, ...] = ()


class Limits(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """One version of the limits on a table's sign."""

    session: int = 0
    version: int = 0
    limits: tuple[AreaLimit, ...] = ()
    differential_minor: int = 0
    replaced_us: int = 0
    by: Actor | None = None


class Rulebook(Resource, frozen=True, kw_only=True, omit_defaults=True):
    """A rulebook that some table was played under."""

    rulebook_id: str = ""
    document: bytes = b""


class Kind(Struct, frozen=True, kw_only=True):
    """How one kind of resource is kept, filtered and shown: all that lists and exports know of it."""

    name: str
    """Of its table in the database."""

    value: type[Resource]
    filters: tuple[str, ...]
    """Fields that a filter may name; they have columns. Text, or whole numbers."""

    indexed: tuple[str, ...] = ()
    """Those of them that narrow enough to be worth an index, each in the order of the lists."""

    full: tuple[str, ...] = ()
    """Fields that the view BASIC leaves out."""

    private: tuple[str, ...] = ()
    """Fields that players are not shown."""

    events: bool = False
    """Each is an event and has its id, `service:table:version`; others begin with their table's."""

    owner: str = ""
    """The field with the player whose it is; others are not shown it."""

    def table_of(self, key: str) -> str:
        """The table that an id belongs to."""
        if self.events:
            return key.partition(":")[2].rpartition(":")[0]
        return key.partition("/")[0].partition(":")[0]

    def columns(self) -> dict[str, str]:
        """Names and types of the columns that filters read."""
        kinds = self.value.__annotations__
        return {name: _column(kinds.get(name, "str")) for name in self.filters}


def _column(annotation: Any) -> str:
    return {"int": "bigint", "bool": "boolean"}.get(str(annotation), 'text collate "C"')


TABLES = Kind(
    name="tables",
    value=Table,
    filters=("status", "phase", "rulebook_id", "dealer", "currency", "held"),
    full=("seats",),
    private=("seats",),
)
SHOES = Kind(
    name="shoes",
    value=Shoe,
    filters=("status", "reason", "source", "rulebook_id", "session"),
    indexed=("status",),
    full=("revealed_order", "revealed_secret", "custody"),
    private=("custody",),
)
COUPS = Kind(
    name="coups",
    value=Coup,
    filters=(
        "status",
        "reason",
        "shoe_id",
        "session",
        "number",
        "shoe_number",
        "number_in_shoe",
        "winner",
        "rulebook_id",
        "dealer",
        "revision",
        "wagers",
    ),
    indexed=("status", "dealer"),
    full=("cards", "decisions", "incidents"),
    private=("totals",),
)
WAGERS = Kind(
    name="wagers",
    value=Wager,
    filters=(
        "status",
        "reason",
        "coup_id",
        "player",
        "area",
        "currency",
        "funding",
        "rulebook_id",
        "revision",
        "stake_minor",
        "winnings_minor",
        "turnover_minor",
        "valid_bet_minor",
        "returned_minor",
        "operator",
        "brand",
    ),
    indexed=("status", "coup_id", "player", "stake_minor", "winnings_minor"),
    full=("movement_ids", "clauses"),
    owner="player",
)
INCIDENTS = Kind(
    name="incidents",
    events=True,
    value=Incident,
    filters=("kind", "code", "coup_id", "shoe_id", "status", "person"),
    indexed=("kind", "coup_id", "status"),
    full=("clauses", "detail_json"),
)
EXCEPTIONS = Kind(
    name="exceptions",
    events=True,
    value=ExceptionEntry,
    filters=("kind", "what", "coup_id", "wager_id", "player", "reason"),
    indexed=("kind", "coup_id"),
    full=("clauses", "detail_json"),
)
DISPUTES = Kind(
    name="disputes",
    value=Dispute,
    filters=("coup_id", "status", "level"),
    indexed=("coup_id", "status"),
    full=("decisions",),
)
LIMITS = Kind(name="limits", value=Limits, filters=("session", "version"))
RULEBOOKS = Kind(name="rulebooks", value=Rulebook, filters=("rulebook_id",), full=("document",))

KINDS: tuple[Kind, ...] = (
    TABLES,
    SHOES,
    COUPS,
    WAGERS,
    INCIDENTS,
    EXCEPTIONS,
    DISPUTES,
    LIMITS,
    RULEBOOKS,
)
