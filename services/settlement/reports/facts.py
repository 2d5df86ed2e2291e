"""What reports are made of: rows that are added and never changed, each with its place in the log.

A correction is a further row under the same transaction and a new record id. So a report as of a
position is whatever stands up to it, today and in ten years.

The fields of a class are the columns of its table. Amounts are minor units of `currency`.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from msgspec import Struct


class Fact(Struct, frozen=True, kw_only=True):
    """What every row says of itself."""

    position: int
    """Place in settlement's log of the event that the row took effect with."""

    ordinal: int = 0
    """Among the rows of that event."""

    record_id: str
    """Id of the event where it was published, `service:stream:version`."""

    at_us: int
    """When it happened, and when it was recorded."""

    recorded_at_us: int
    gaming_day: dt.date
    """On which the row counts, by the table's zone and hour: of `at_us`, or of when settlement
    recorded the event in its log, whichever is later. A day that is over gets no row any more."""

    table_id: str
    test: bool
    """From a table in TEST mode; never added to the others."""


class CoupFact(Fact, frozen=True, kw_only=True):
    """A coup as it stood from this position on; the last one up to a position is what counts."""

    coup_id: str
    coup_day: dt.date
    """The gaming day on which betting on it opened."""

    session: int
    number: int
    shoe_id: str
    what: str
    """Type of the event that changed it."""

    status: str
    """OPEN, RESULTED, SETTLED, NO_BET, BACKFILLED, VOID, TERMINATED or INVALIDATED."""

    reason: str
    backfilled: bool
    """It was dealt without the platform and entered afterwards."""

    review: str
    """OPEN while it is under review, CLOSED after it."""

    rulebook_id: str
    rulebook_hash: str
    decks: int
    dealer: str
    method: str
    player: str
    """Cards, in the order they were dealt."""

    banker: str
    player_points: int | None
    banker_points: int | None
    winner: str
    any_natural: bool
    player_pair: bool
    banker_pair: bool
    wagers: int
    revision: int
    opened_at_us: int
    closed_at_us: int


class MoneyFact(Fact, frozen=True, kw_only=True):
    """What one event did to one wager: amounts are added up, a correction's are negative first."""

    kind: str
    """ACCEPTED, CHANGED, REDUCED, CANCELLED, REJECTED, WITHDRAWN, VOIDED, REFUNDED, SETTLED,
    REVERSED, RESETTLED, FORFEITED; REFUSED where a wager never stood, DROP for what was counted in a
    drop box."""

    transaction_id: str
    """`coup/wager`: the same for a wager and all its corrections."""

    settlement_id: str
    coup_id: str
    coup_day: dt.date
    wager_id: str
    player: str
    area: str
    currency: str
    funding: str
    outcome: str
    revision: int
    shoe_id: str
    rulebook_id: str
    rulebook_hash: str
    decks: int
    dealer: str
    reason: str
    actor: str
    role: str
    second: str
    stake_minor: int
    """Of the wager, cash or token; not to be added up."""

    open_minor: int = 0
    """Cash that came to be at stake, negative where it was decided or went back."""

    turnover_minor: int = 0
    """Cash stakes that a result decided: returned + lost + forfeited."""

    valid_minor: int = 0
    """The part of it that was at risk: nothing of a push."""

    returned_minor: int = 0
    lost_minor: int = 0
    forfeited_minor: int = 0
    refunded_minor: int = 0
    """Stakes that went back undecided."""

    winnings_minor: int = 0
    win_minor: int = 0
    """Of the house: lost + forfeited - winnings."""

    token_minor: int = 0
    """Face value of promotional stakes that a result decided."""

    drop_minor: int = 0
    commission_num: int = 0
    rounding_num: int = 0
    exact_den: int = 1
    """Commission and rounding difference are exactly `..._num / exact_den` minor units."""


class NoteFact(Fact, frozen=True, kw_only=True):
    """Something to look at, on a list of its kind."""

    list: str
    """EXCEPTION, SIGNIFICANT or ERROR."""

    severity: str
    """INFO, WARNING or ALARM."""

    code: str
    coup_id: str
    shoe_id: str
    wager_id: str
    person: str
    dealer: str
    actor: str
    role: str
    second: str
    second_role: str
    currency: str
    amount_minor: int | None
    before: str
    after: str
    reason: str
    clauses: str


class ShoeFact(Fact, frozen=True, kw_only=True):
    """A shoe as it stood from this position on."""

    shoe_id: str
    shoe_day: dt.date
    """The gaming day on which it was loaded."""

    what: str
    status: str
    """LOADED, RETIRED, INVALIDATED."""

    reason: str
    source: str
    device: bool
    decks: int
    cards: int
    deck_ids: str
    procedure: str
    inspected: str
    """Stages of inspection with their witnesses."""

    cut_at: int | None
    cuts_after: int | None
    commitment: str
    commitment_number: int | None
    revealed: bool
    dealt: int
    burned: int
    left_over: int | None
    """Of the cards, when it was retired."""

    coups: int
    lapsed: str
    loading: int
    """How often its id was loaded at the table by then: more than 1 where it was used again."""


class LimitFact(Fact, frozen=True, kw_only=True):
    """A limit that came into force."""

    what: str
    version: int
    currency: str
    area: str
    min_minor: int
    max_minor: int
    unit_minor: int
    differential_minor: int | None
    actor: str
    role: str


class TokenFact(Fact, frozen=True, kw_only=True):
    """What became of a promotional token."""

    token: str
    what: str
    """STAKED, SPENT or RETURNED."""

    player: str
    coup_id: str
    wager_id: str
    area: str
    currency: str
    face_minor: int
    reason: str


class DisputeFact(Fact, frozen=True, kw_only=True):
    """One step of a dispute."""

    dispute_id: str
    """At its table."""

    coup_id: str
    coup_day: dt.date
    what: str
    """DISPUTE_OPENED, DISPUTE_DECIDED, DISPUTE_REVIEWED, INSPECTOR_ADVISED, DISPUTE_ESCALATED or
    DISPUTE_CLOSED."""

    status: str
    """Of the dispute after it: OPEN, DECIDED, REVIEWED, UNRESOLVED, ESCALATED or CLOSED."""

    level: int
    """Of the last decision; 0 where there is none, or where the event does not say."""

    decision: str
    """UPHELD, DISMISSED or UNRESOLVED."""

    said: str
    """The claim, or the note to the decision."""

    evidence_digest: str
    dealer: str
    """Who dealt the coup."""

    actor: str
    role: str
    clauses: str


class RulebookFact(Fact, frozen=True, kw_only=True):
    """A table was put under another rulebook than it had."""

    what: str
    """Type of the event that says so: TABLE_OPENED or VARIANT_CHANGED."""

    rulebook_id: str
    rulebook_hash: str
    before_id: str
    """Nothing where it is the first one of the table."""

    before_hash: str
    actor: str
    role: str


TABLES: Final[dict[str, type[Fact]]] = {
    "coups": CoupFact,
    "money": MoneyFact,
    "notes": NoteFact,
    "shoes": ShoeFact,
    "limits": LimitFact,
    "tokens": TokenFact,
    "disputes": DisputeFact,
    "rulebook_changes": RulebookFact,
}
"""By the name of the table."""

NAMES: Final = {kind: name for name, kind in TABLES.items()}
