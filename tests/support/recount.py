"""Money of a log counted once more, for tests of reports: from what each wager came to in the end.

Nothing of the code of reports is used, and the way is another one: reports add up what every event
changed, this looks at each wager's last word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct, field

from services.chassis.decider import Record
from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts import wager as book
from services.settlement.reading import read

DECIDED = money.WagerSettled | money.WagerRefunded | money.WagerForfeited
BACK = (
    book.WagerCancelled
    | book.WagerWithdrawn
    | book.WagerVoided
    | book.WagerRefunded
    | book.WagerRejected
)


class Recount(Struct):
    """By currency where it is money; minor units."""

    turnover: Counter[str] = field(default_factory=Counter)
    valid: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    forfeited: Counter[str] = field(default_factory=Counter)
    refunded: Counter[str] = field(default_factory=Counter)
    winnings: Counter[str] = field(default_factory=Counter)
    rounding: dict[str, Fraction] = field(default_factory=dict)
    commission: dict[str, Fraction] = field(default_factory=dict)
    open: Counter[str] = field(default_factory=Counter)
    coups: dict[str, str] = field(default_factory=dict)
    """Status of every coup that betting opened on."""

    winners: Counter[str] = field(default_factory=Counter)
    house: Counter[str] = field(default_factory=Counter)
    """What the books of the coups say, as settlement published them."""


def recounted(records: Sequence[Record]) -> Recount:
    """Count it all."""
    accepted: dict[tuple[str, str], book.WagerAccepted] = {}
    stakes: dict[tuple[str, str], int] = {}
    cut: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], object] = {}
    void: set[str] = set()
    backfilled: set[str] = set()
    found = Recount()
    books: dict[str, money.CoupSettled] = {}
    winners: dict[str, str] = {}
    for record in records:
        each = read(record)
        if each is None:
            continue
        event = each.event
        coup_id = getattr(event, "coup_id", "")
        key = (coup_id, getattr(event, "wager_id", ""))
        match event:
            case table.BettingOpened() | table.NoBetCoupDeclared():
                found.coups.setdefault(coup_id, "OPEN")
            case table.CoupBackfilled():
                backfilled.add(coup_id)
                found.coups.setdefault(coup_id, "OPEN")
            case table.CoupResulted():
                winners[coup_id] = event.winner
                if found.coups[coup_id] == "OPEN":
                    found.coups[coup_id] = "RESULTED"
            case table.CoupVoided() | table.CoupTerminated():
                found.coups[coup_id] = (
                    "VOID" if isinstance(event, table.CoupVoided) else "TERMINATED"
                )
                void.add(coup_id)
            case table.OutcomeInvalidated():
                found.coups[coup_id] = "INVALIDATED"
            case money.CoupSettled():
                found.coups[coup_id] = event.status
                books[coup_id] = event
            case book.WagerAccepted():
                accepted[key], stakes[key] = event, event.stake_minor
            case book.WagerChanged() | book.WagerReduced():
                if key in stakes:
                    stakes[key] = event.to_minor
                    if isinstance(event, book.WagerReduced):
                        cut[key] += event.excess_minor
            case book.WagerRejected() if not event.accepted:
                pass
            case money.WagerSettled() | money.WagerRefunded() | money.WagerForfeited():
                last[key] = event
            case money.SettlementReversed():
                last[key] = event  # what it comes to instead is the next event's to say
            case _ if isinstance(event, BACK) and not isinstance(last.get(key), DECIDED):
                last[key] = event
    for key, wager in accepted.items():
        _count(found, wager, stakes[key], last.get(key), void=key[0] in void)
        found.refunded[wager.currency] += cut[key]
    for settled in books.values():
        for currency, totals in settled.totals.items():
            found.house[currency] += totals.house_minor
    for coup_id, winner in winners.items():
        if coup_id in backfilled:
            continue
        if found.coups[coup_id] in ("RESULTED", "SETTLED", "NO_BET"):
            found.winners[winner] += 1
    return found


def _count(
    found: Recount, wager: book.WagerAccepted, stake: int, end: object, *, void: bool
) -> None:
    currency = wager.currency
    cash = 0 if wager.funding == "PROMO" else stake
    match end:
        case money.SettlementReversed():
            pass
        case None:
            found.open[currency] += cash
        case money.WagerForfeited():
            found.turnover[currency] += cash
            found.valid[currency] += cash
            found.forfeited[currency] += cash
        case money.WagerRefunded():
            found.refunded[currency] += end.returned_minor
        case money.WagerSettled():
            found.winnings[currency] += end.winnings_minor
            for name, text in (
                ("rounding", end.rounding_exact),
                ("commission", end.commission_exact),
            ):
                sums = getattr(found, name)
                sums[currency] = sums.get(currency, Fraction()) + Fraction(text)
            if void:
                found.refunded[currency] += end.returned_minor
                return
            found.turnover[currency] += cash
            found.valid[currency] += 0 if end.outcome == "PUSH" else cash
            found.lost[currency] += cash - end.returned_minor
        case _:
            found.refunded[currency] += end.refund_minor if wager.funding != "PROMO" else 0  # type: ignore[attr-defined]
