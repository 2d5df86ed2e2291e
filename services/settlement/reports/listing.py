"""Reports that list facts one by one: coups, money, notes, shoes, limits, tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from services.settlement.reports.asked import Asked
from services.settlement.reports.reader import Reader
from services.settlement.reports.report import Check, Column, Kind, Report, Row, Rows

LARGE_MINOR: Final = 1_000_000
"""What counts as a large wager or win where nobody says otherwise: 10,000.00 in most currencies."""

_T, _N, _M, _E = Kind.TEXT, Kind.COUNT, Kind.MINOR, Kind.EXACT

AT: Final = Column("at", Kind.INSTANT, "when it happened")
DAY: Final = Column(
    "gaming_day",
    Kind.DATE,
    "on which it counts: of the event, or of its recording in settlement's log if later",
)
COUP_DAY: Final = Column("coup_day", Kind.DATE, "on which betting on the coup opened")
TABLE: Final = Column("table_id", _T, "the table")
COUP: Final = Column("coup_id", _T, "the coup, as table:session:number")
WAGER: Final = Column("wager_id", _T, "the wager")
PLAYER: Final = Column("player", _T, "who staked")
AREA: Final = Column("area", _T, "what was staked on")
CURRENCY: Final = Column("currency", _T, "of the amounts")
RULEBOOK: Final = Column("rulebook_id", _T, "the rulebook")
DEALER: Final = Column("dealer", _T, "who dealt")
RECORD: Final = Column("record_id", _T, "the event that says so")
ACTOR: Final = Column("actor", _T, "who did it")
ROLE: Final = Column("role", _T, "under which role")
SECOND: Final = Column("second", _T, "the second person, where one was needed")
REASON: Final = Column("reason", _T, "why")
CLAUSES: Final = Column("clauses", _T, "clauses of the rule text")

_RENAMED: Final = {"at": "at_us", "opened_at": "opened_at_us", "closed_at": "closed_at_us"}


def field_of(column: Column) -> str:
    """The field of the facts that a column shows."""
    return _RENAMED.get(column.name, column.name)


def lists(
    table: str,
    columns: Sequence[Column],
    *,
    where: str | Callable[[Asked], str] = "true",
    derived: Callable[[Any], dict[str, Any]] | None = None,
    needs: Sequence[str] = (),
    **how: Any,
) -> Rows:
    """Rows that are facts; `derived` makes columns that are no field, from the fields it `needs`."""

    async def rows(reader: Reader) -> AsyncIterator[Row]:
        condition = where if isinstance(where, str) else where(reader.asked)
        made = {} if derived is None else derived(None)
        fields = [field_of(column) for column in columns if column.name not in made]
        async for fact in reader.listed(table, (*fields, *needs), where=condition, **how):
            more = derived(fact) if derived is not None else {}
            yield [
                more[column.name] if column.name in more else fact[field_of(column)]
                for column in columns
            ]

    return rows


_REGISTER: Final = (
    COUP_DAY,
    TABLE,
    COUP,
    Column("number", _N, "of the coup in its session"),
    Column("shoe_id", _T, "the shoe"),
    Column("status", _T, "how it ended"),
    REASON,
    Column("review", _T, "OPEN while it is under review for its shoe"),
    RULEBOOK,
    Column("decks", _N, "in the shoe"),
    DEALER,
    Column("method", _T, "of dealing"),
    Column("player", _T, "Player's cards"),
    Column("banker", _T, "Banker's cards"),
    Column("player_points", _N, "Player's count"),
    Column("banker_points", _N, "Banker's count"),
    Column("winner", _T, "PLAYER, BANKER or TIE"),
    Column("any_natural", Kind.FLAG, "a natural was dealt"),
    Column("player_pair", Kind.FLAG, "Player's first two are of one rank"),
    Column("banker_pair", Kind.FLAG, "Banker's first two are of one rank"),
    Column("wagers", _N, "that were decided", total=True),
    Column("revision", _N, "of the settlement: above 1 it was corrected"),
    Column("opened_at", Kind.INSTANT, "when betting opened"),
    Column("closed_at", Kind.INSTANT, "when the coup was over"),
    Column("backfilled", Kind.FLAG, "it was dealt in an outage and entered afterwards"),
)

COUP_REGISTER: Final = Report(
    name="coups",
    title="Coup register",
    version=1,
    about="Every coup with its cards, its result and how it ended.",
    columns=_REGISTER,
    filters=("table_id", "rulebook_id", "dealer"),
    rows=lists(
        "coups",
        _REGISTER,
        order=("table_id", "session", "number"),
        last_of=("coup_id",),
        day="coup_day",
    ),
)

MONEY_SUMS: Final = (
    Column("turnover_minor", _M, "cash stakes that a result decided", total=True),
    Column("valid_minor", _M, "the part of it that was at risk: no push", total=True),
    Column("returned_minor", _M, "stakes that went back to winners and on a push", total=True),
    Column("lost_minor", _M, "stakes that were lost", total=True),
    Column("forfeited_minor", _M, "stakes kept from players who committed a fraud", total=True),
    Column("refunded_minor", _M, "stakes that went back undecided", total=True),
    Column("winnings_minor", _M, "paid on top, after commission and rounding", total=True),
    Column("win_minor", _M, "of the house", total=True),
    Column("token_minor", _M, "face value of promotional stakes that were decided", total=True),
)
MONEY_CHECKS: Final = (
    Check("turnover_minor", ("returned_minor", "lost_minor", "forfeited_minor")),
    Check("win_minor", ("lost_minor", "forfeited_minor"), ("winnings_minor",)),
)
FORMULA: Final = (
    "win = stakes lost + stakes forfeited - winnings paid; promotional stakes are not in it, "
    "winnings on them are; void coups only with what was paid on them"
)
_EXACT_NEEDS: Final = ("commission_num", "rounding_num", "exact_den")
_COMMISSION: Final = Column("commission_exact", _E, "commission before rounding", total=True)
_ROUNDING: Final = Column("rounding_exact", _E, "paid less exact winnings", total=True)


def exact(fact: Any) -> dict[str, Any]:
    """Commission and rounding difference of a fact as exact numbers."""
    if fact is None:
        return {"commission_exact": 0, "rounding_exact": 0}
    den = fact["exact_den"]
    return {
        "commission_exact": Fraction(fact["commission_num"], den),
        "rounding_exact": Fraction(fact["rounding_num"], den),
    }


_SETTLEMENT: Final = (
    AT,
    DAY,
    COUP_DAY,
    TABLE,
    COUP,
    WAGER,
    Column("transaction_id", _T, "the same for a wager and all its corrections"),
    RECORD,
    Column("kind", _T, "SETTLED, REVERSED, RESETTLED, REFUNDED and so on"),
    Column("outcome", _T, "of the wager"),
    Column("revision", _N, "of the settlement"),
    PLAYER,
    AREA,
    CURRENCY,
    Column("funding", _T, "CASH or PROMO"),
    Column("stake_minor", _M, "of the wager; not added up, as a correction has it again"),
    *MONEY_SUMS,
    _COMMISSION,
    _ROUNDING,
    REASON,
)

SETTLEMENTS: Final = Report(
    name="settlements",
    title="Settlements and commission",
    version=2,
    about="Every decision on a wager. A correction is a negative row and a new one, on its own day.",
    columns=_SETTLEMENT,
    filters=("table_id", "rulebook_id", "dealer", "area", "currency", "player"),
    formula=FORMULA,
    checks=MONEY_CHECKS,
    rows=lists(
        "money",
        _SETTLEMENT,
        where="f.kind not in ('ACCEPTED', 'CHANGED', 'REFUSED', 'DROP')",
        derived=exact,
        needs=_EXACT_NEEDS,
    ),
)

_ROUNDINGS: Final = (
    AT,
    DAY,
    TABLE,
    COUP,
    WAGER,
    RECORD,
    AREA,
    CURRENCY,
    Column("winnings_minor", _M, "as paid", total=True),
    _COMMISSION,
    _ROUNDING,
)

ROUNDING: Final = Report(
    name="rounding",
    title="Rounding differences",
    version=2,
    about="Every payment that is not what the odds give exactly, and by how much.",
    columns=_ROUNDINGS,
    filters=("table_id", "rulebook_id", "area", "currency"),
    rows=lists("money", _ROUNDINGS, where="f.rounding_num <> 0", derived=exact, needs=_EXACT_NEEDS),
)


def _large(column: str) -> Callable[[Asked], str]:
    return lambda asked: f"f.{column} >= {int(asked.threshold_minor or LARGE_MINOR)}"


_LARGE: Final = (
    AT,
    DAY,
    TABLE,
    COUP,
    WAGER,
    RECORD,
    PLAYER,
    AREA,
    CURRENCY,
    Column("kind", _T, "what happened to the wager"),
)
_LARGE_FILTERS: Final = ("table_id", "area", "currency", "player", "threshold_minor")
_LARGE_WAGERS: Final = (*_LARGE, Column("stake_minor", _M, "of the wager"))
_LARGE_WINS: Final = (*_LARGE, Column("winnings_minor", _M, "paid on top of the stake", total=True))

LARGE_WAGERS: Final = Report(
    name="large-wagers",
    title="Large wagers",
    version=2,
    about=f"Wagers of at least threshold_minor, {LARGE_MINOR:,} where none is given.",
    columns=_LARGE_WAGERS,
    filters=_LARGE_FILTERS,
    rows=lists(
        "money",
        _LARGE_WAGERS,
        where=lambda asked: f"f.kind in ('ACCEPTED', 'CHANGED') and {_large('stake_minor')(asked)}",
    ),
)
LARGE_WINS: Final = Report(
    name="large-wins",
    title="Large wins",
    version=2,
    about=f"Winnings of at least threshold_minor, {LARGE_MINOR:,} where none is given.",
    columns=_LARGE_WINS,
    filters=_LARGE_FILTERS,
    rows=lists("money", _LARGE_WINS, where=_large("winnings_minor")),
)

_NOTES: Final = (
    AT,
    DAY,
    TABLE,
    Column("code", _T, "what happened"),
    Column("severity", _T, "INFO, WARNING or ALARM"),
    COUP,
    Column("shoe_id", _T, "the shoe"),
    WAGER,
    Column("person", _T, "whom it is about"),
    DEALER,
    ACTOR,
    ROLE,
    SECOND,
    Column("second_role", _T, "his role"),
    CURRENCY,
    Column("amount_minor", _M, "that it is about"),
    Column("before", _T, "what was before"),
    Column("after", _T, "what is after"),
    REASON,
    CLAUSES,
    RECORD,
)


def _noted(name: str, title: str, about: str, which: str, *, version: int = 2) -> Report:
    return Report(
        name=name,
        title=title,
        version=version,
        about=about,
        columns=_NOTES,
        filters=("table_id", "dealer"),
        rows=lists("notes", _NOTES, where=f"f.list = '{which}'"),
    )


EXCEPTIONS: Final = _noted(
    "exceptions",
    "Exception report",
    "What supervisors decided, corrected, permitted, stopped or voided: before, after, why, by whom.",
    "EXCEPTION",
    version=3,
)
SIGNIFICANT: Final = _noted(
    "significant-events",
    "Significant events",
    "Alarms, incidents, coups held or void, and money that the wallet refused.",
    "SIGNIFICANT",
)

_SHOES: Final = (
    Column("shoe_day", Kind.DATE, "on which it was loaded"),
    TABLE,
    Column("shoe_id", _T, "the shoe"),
    Column("status", _T, "LOADED, RETIRED or INVALIDATED"),
    REASON,
    Column("source", _T, "SCANNED, GENERATED or PRESET"),
    Column("device", Kind.FLAG, "a shuffling device stands for the shoe"),
    Column("decks", _N, "in it"),
    Column("deck_ids", _T, "of the decks, where they are told"),
    Column("inspected", _T, "stages of the inspection and their witnesses"),
    Column("procedure", _T, "of the shuffle"),
    Column("cuts_after", _N, "cards in front of the cutting card"),
    Column("cut_at", _N, "draw after which the cutting card came in sight"),
    Column("commitment", _T, "to the order of a generated shoe"),
    Column("revealed", Kind.FLAG, "its order was published"),
    Column("coups", _N, "of it, with wagers or without", total=True),
    Column("cards", _N, "put into it", total=True),
    Column("dealt", _N, "to coups", total=True),
    Column("burned", _N, "unplayed", total=True),
    Column("left_over", _N, "in it when it was retired", total=True),
    Column(
        "unaccounted",
        _N,
        "cards that left a retired shoe and were neither dealt nor burned: 0 unless it was spoiled",
        total=True,
    ),
    Column("lapsed", _T, "burns and cards that lapsed with it"),
    Column("loading", _N, "how often its id was loaded by then: above 1 it was used again"),
)


def _unaccounted(fact: Any) -> dict[str, Any]:
    if fact is None or fact["left_over"] is None:
        return {"unaccounted": None}
    return {"unaccounted": fact["cards"] - fact["dealt"] - fact["burned"] - fact["left_over"]}


SHOES: Final = Report(
    name="shoes",
    title="Shoe register",
    version=2,
    about="Every shoe: assembly, inspection, shuffle, cut, burns, and where its cards went.",
    columns=_SHOES,
    filters=("table_id",),
    rows=lists(
        "shoes",
        _SHOES,
        derived=_unaccounted,
        order=("table_id", "shoe_id", "position"),
        last_of=("table_id", "shoe_id", "loading"),
        day="shoe_day",
    ),
)

_LIMITS: Final = (
    AT,
    DAY,
    TABLE,
    Column("version", _N, "of the sign"),
    Column("what", _T, "PUBLISHED or CHANGED"),
    CURRENCY,
    Column("area", _T, "* stands for every area without a limit of its own"),
    Column("min_minor", _M, "minimum"),
    Column("max_minor", _M, "maximum"),
    Column("unit_minor", _M, "step above the minimum"),
    Column("differential_minor", _M, "largest gap between both hands"),
    ACTOR,
    ROLE,
    RECORD,
)
LIMITS: Final = Report(
    name="limits",
    title="Limits history",
    version=2,
    about="Every limit that came into force, from when and by whom.",
    columns=_LIMITS,
    filters=("table_id", "area", "currency"),
    rows=lists("limits", _LIMITS),
)

_TOKENS: Final = (
    AT,
    DAY,
    TABLE,
    Column("token", _T, "the promotional token"),
    Column("what", _T, "STAKED, SPENT or RETURNED"),
    REASON,
    PLAYER,
    COUP,
    WAGER,
    AREA,
    CURRENCY,
    Column("face_minor", _M, "face value"),
    RECORD,
)
TOKENS: Final = Report(
    name="tokens",
    title="Promotional tokens",
    version=2,
    about="What became of every promotional token that was staked.",
    columns=_TOKENS,
    filters=("table_id", "area", "currency", "player"),
    rows=lists("tokens", _TOKENS),
)

_DISPUTES: Final = (
    AT,
    DAY,
    TABLE,
    Column("dispute_id", _T, "the dispute"),
    COUP,
    COUP_DAY,
    DEALER,
    Column("what", _T, "what was done in it"),
    Column("status", _T, "of the dispute after it"),
    Column("level", _N, "of the last decision, where the step says it"),
    Column("decision", _T, "UPHELD, DISMISSED or UNRESOLVED"),
    Column("said", _T, "the claim, or the note to the decision"),
    Column("evidence_digest", _T, "of the rebuilt coup that was looked at"),
    ACTOR,
    ROLE,
    CLAUSES,
    RECORD,
)
DISPUTES: Final = Report(
    name="disputes",
    title="Disputes",
    version=2,
    about="Every step of every dispute, with who took it.",
    columns=_DISPUTES,
    filters=("table_id", "dealer"),
    rows=lists("disputes", _DISPUTES),
)

_RULEBOOK_CHANGES: Final = (
    AT,
    DAY,
    TABLE,
    Column("what", _T, "by what: TABLE_OPENED or VARIANT_CHANGED"),
    RULEBOOK,
    Column("rulebook_hash", _T, "its document"),
    Column("before_id", _T, "the rulebook before; nothing of a new table"),
    Column("before_hash", _T, "its document"),
    ACTOR,
    ROLE,
    RECORD,
)
RULEBOOK_CHANGES: Final = Report(
    name="rulebook-changes",
    title="Changes of rulebooks",
    version=2,
    about="Tables that were put under another rulebook than they had, or under other words of it.",
    columns=_RULEBOOK_CHANGES,
    filters=("table_id", "rulebook_id"),
    rows=lists("rulebook_changes", _RULEBOOK_CHANGES),
)

REPORTS: Final = (
    COUP_REGISTER,
    SETTLEMENTS,
    ROUNDING,
    EXCEPTIONS,
    SIGNIFICANT,
    LARGE_WAGERS,
    LARGE_WINS,
    SHOES,
    LIMITS,
    TOKENS,
    DISPUTES,
    RULEBOOK_CHANGES,
)
