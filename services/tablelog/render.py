"""The one renderer: from the answers and events of a line to its lines of output. Pure.

It folds over the events of a table, so that the line of a coup can name wagers that were taken
back long before. Events come in the order of `sort_key`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event, Refused
from services.rules.hands import points

SERVICES = ("shoe", "round", "wager", "settlement")
_RANK = {service: rank for rank, service in enumerate(SERVICES)}

OutLine = dict[str, Any]


class Told(Struct, frozen=True):
    """An event that a line caused, with what its place among the others needs."""

    service: str
    version: int
    depth: int
    event: Event


def sort_key(told: Told) -> tuple[int, int, int]:
    """Depth in the chain, then shoe, round, wager, settlement, then stream version."""
    return (told.depth, _RANK[told.service], told.version)


class Renderer:
    """Makes the output lines of one table."""

    def __init__(self, *, prefix: str = "") -> None:
        self._prefix = prefix
        self._wagers: dict[str, dict[str, OutLine]] = {}
        self._results: dict[str, table.CoupResulted] = {}
        self._ends: dict[str, table.CoupVoided | table.CoupTerminated] = {}
        """How coups without a result ended, until they are closed."""

        self._over: dict[str, OutLine] = {}
        """Of closed coups without a result, the fields of their line."""

        self._invalidated: dict[str, table.OutcomeInvalidated] = {}
        self._told: set[str] = set()
        """Coups whose line did not wait for the money, as there was none."""

        self._tokens: set[str] = set()
        """Ids of wagers whose stake is a promotional token."""

        self._backfilled: set[str] = set()
        """Coups that were dealt in an outage and entered afterwards."""

        self._coups: dict[int, OutLine] = {}
        """The last line of each coup, by number."""

        self._last_line = 0

    def line(
        self, number: int, do: str, refused: Refused | None, told: Sequence[Told], **extra: Any
    ) -> Iterator[OutLine]:
        """The output of one input line. `extra` goes into a refusal, such as a wager's id."""
        self._last_line = number
        if refused is not None:
            yield {
                "kind": "refused",
                "line": number,
                "do": do,
                "reason": refused.reason,
                "message": refused.message,
                **extra,
            }
        for each in sorted([one for one in told if type(one.event) in _RENDER], key=sort_key):
            out = _RENDER[type(each.event)](self, each.event)
            if out is not None:
                yield {"kind": out.pop("kind"), "line": number, **out}

    def summary(self) -> OutLine:
        """The last line: the sums over all coups, each at its last revision."""
        lines = list(self._coups.values())
        wagers = [wager for line in lines for wager in line["wagers"]]
        counted = [w for w in wagers if w["outcome"] != "cancelled"]
        staked = [w for w in counted if w["id"] not in self._tokens] or counted
        currencies = list(dict.fromkeys(w["currency"] for w in staked))
        sums = {
            code: _sums([w for w in counted if w["currency"] == code], self._tokens)
            for code in currencies
        }
        totals: OutLine
        if len(sums) > 1:
            names = next(iter(sums.values()))
            totals = {name: {code: sums[code][name] for code in sums} for name in names}
        else:
            totals = next(iter(sums.values())) if sums else _sums([], self._tokens)
        return {
            "kind": "summary",
            "line": self._last_line,
            "coups": len(lines),
            "void": sum(line["status"] == "void" for line in lines),
            "no_bet": sum(line["status"] == "no_bet" for line in lines),
            **totals,
        }

    def bare(self, name: str) -> str:
        """A name without what keeps it apart from those of other runs."""
        return name.removeprefix(self._prefix)

    # --- what is remembered ---

    def remember(self, coup_id: str, wager_id: str, **fields: Any) -> None:
        """Keep what is known of a wager, in order of acceptance."""
        self._wagers.setdefault(coup_id, {}).setdefault(wager_id, {}).update(fields)

    def forget(self, coup_id: str, wager_id: str) -> None:
        """A rejected wager is in no coup's line."""
        self._wagers.get(coup_id, {}).pop(wager_id, None)

    def has_open_wagers(self, coup_id: str) -> bool:
        """Whether a wager of the coup has no outcome yet."""
        return any("outcome" not in wager for wager in self._wagers.get(coup_id, {}).values())

    def coup_line(self, coup_id: str, number: int, *, revision: int = 1, **fields: Any) -> OutLine:
        """The line of a coup, remembered for the summary."""
        wagers = [dict(wager) for wager in self._wagers.get(coup_id, {}).values()]
        line = {"kind": "coup", "coup": number, **fields, "wagers": wagers, "revision": revision}
        self._coups[number] = line
        return dict(line)


def _sums(wagers: Sequence[OutLine], tokens: Collection[str]) -> OutLine:
    """Sums of a currency; promotional tokens count in `winnings` only."""
    cash = [w for w in wagers if w["id"] not in tokens]
    staked = sum(w["stake"] for w in cash)
    returned = sum(w["returned"] for w in cash)
    winnings = sum(w["winnings"] for w in wagers)
    return {
        "staked": staked,
        "returned": returned,
        "winnings": winnings,
        "commission": str(sum((Fraction(w["commission"]) for w in cash), Fraction())),
        "forfeited": sum(w["stake"] for w in cash if w["outcome"] == "forfeited"),
        "house": staked - returned - winnings,
    }


def _burned(_: Renderer, event: cards.CardsBurned) -> OutLine:
    return {
        "kind": "burned",
        "reason": event.reason.lower(),
        "cards": event.count,
        "first": event.first_card,
    }


def _last_coup(_: Renderer, event: cards.LastCoupDesignated) -> OutLine:
    return {"kind": "last_coup", "coup": event.coup}


def _shoe_over(renderer: Renderer, event: cards.ShoeRetired | cards.ShoeInvalidated) -> OutLine:
    status = "retired" if isinstance(event, cards.ShoeRetired) else "invalid"
    return {
        "kind": "shoe",
        "shoe": renderer.bare(event.shoe_id),
        "status": status,
        "dealt": event.dealt,
        "burned": event.burned,
        "left": event.left,
    }


def _incident(_: Renderer, event: table.IncidentRecorded) -> OutLine:
    return {
        "kind": "incident",
        "code": event.code,
        "coup": event.coup,
        "clause": list(event.clauses),
    }


def _not_opened(_: Renderer, event: table.BettingNotOpened) -> OutLine:
    return {
        "kind": "refused",
        "do": "open_betting",
        "reason": event.reason,
        "message": event.message,
    }


def _accepted(renderer: Renderer, event: book.WagerAccepted) -> None:
    if event.token is not None:
        renderer._tokens.add(event.wager_id)  # noqa: SLF001
    renderer.remember(
        event.coup_id,
        event.wager_id,
        id=event.wager_id,
        player=renderer.bare(event.player),
        area=event.area.lower(),
        currency=event.currency,
        stake=event.stake_minor,
    )


def _changed(renderer: Renderer, event: book.WagerChanged) -> None:
    renderer.remember(event.coup_id, event.wager_id, stake=event.to_minor)


def _reduced(renderer: Renderer, event: book.WagerReduced) -> OutLine:
    renderer.remember(event.coup_id, event.wager_id, stake=event.to_minor)
    return {
        "kind": "reduced",
        "wager": event.wager_id,
        "from": event.from_minor,
        "to": event.to_minor,
    }


def _rejected(renderer: Renderer, event: book.WagerRejected) -> OutLine | None:
    if not event.accepted:
        return None  # the answer to the wager's own line says it
    renderer.forget(event.coup_id, event.wager_id)
    return {
        "kind": "refused",
        "do": "wager",
        "id": event.wager_id,
        "reason": event.code,
        "message": event.message,
    }


_Back = book.WagerCancelled | book.WagerWithdrawn | book.WagerVoided | book.WagerRefunded


def _back(outcome: str) -> Callable[[Renderer, _Back], None]:
    """A stake that went back before a result."""
    return lambda renderer, event: _nothing_won(renderer, event, outcome, event.refund_minor)


def _set_aside(renderer: Renderer, event: money.WagerRefunded) -> None:
    _nothing_won(renderer, event, event.outcome.lower(), event.returned_minor)


def _forfeited(renderer: Renderer, event: money.WagerForfeited) -> None:
    _nothing_won(renderer, event, "forfeited", 0)


def _nothing_won(renderer: Renderer, event: Any, outcome: str, returned: int) -> None:
    renderer.remember(
        event.coup_id,
        event.wager_id,
        outcome=outcome,
        returned=returned,
        winnings=0,
        commission="0",
        rounding="0",
    )


def _settled(renderer: Renderer, event: money.WagerSettled) -> None:
    renderer.remember(
        event.coup_id,
        event.wager_id,
        outcome=event.outcome.lower(),
        returned=event.returned_minor,
        winnings=event.winnings_minor,
        commission=event.commission_exact,
        rounding=event.rounding_exact,
    )


def _resulted(renderer: Renderer, event: table.CoupResulted) -> OutLine | None:
    """The line waits for the money; where there is none, it comes before what follows the coup."""
    renderer._results[event.coup_id] = event  # noqa: SLF001
    if event.revision > 1 or renderer.has_open_wagers(event.coup_id):
        return None
    renderer._told.add(event.coup_id)  # noqa: SLF001
    return _result_line(renderer, event, status=_status(renderer, event))


def _status(renderer: Renderer, event: table.CoupResulted) -> str:
    if event.coup_id in renderer._backfilled:  # noqa: SLF001
        return "backfilled"
    return "no_bet" if event.no_bet else "settled"


def _backfilled(renderer: Renderer, event: table.CoupBackfilled) -> None:
    renderer._backfilled.add(event.coup_id)  # noqa: SLF001


def _ended(renderer: Renderer, event: table.CoupVoided | table.CoupTerminated) -> None:
    renderer._ends[event.coup_id] = event  # noqa: SLF001


def _invalidated(renderer: Renderer, event: table.OutcomeInvalidated) -> None:
    renderer._invalidated[event.coup_id] = event  # noqa: SLF001


def _coup_settled(renderer: Renderer, event: money.CoupSettled) -> OutLine | None:
    result = renderer._results.get(event.coup_id)  # noqa: SLF001
    over = renderer._over.get(event.coup_id)  # noqa: SLF001
    if over and event.revision > 1:
        return renderer.coup_line(event.coup_id, revision=event.revision, **over)
    if result is None or event.coup_id in renderer._ends:  # noqa: SLF001
        return None  # a void coup that paid what was won already: its line comes at its close
    if event.revision == 1 and event.coup_id in renderer._told:  # noqa: SLF001
        return None
    aside = renderer._invalidated.get(event.coup_id)  # noqa: SLF001
    reason = {"reason": aside.reason} if aside and event.status == "INVALIDATED" else {}
    return _result_line(
        renderer, result, status=event.status.lower(), revision=event.revision, **reason
    )


def _result_line(
    renderer: Renderer, result: table.CoupResulted, *, status: str, revision: int = 1, **more: Any
) -> OutLine:
    return renderer.coup_line(
        result.coup_id,
        result.coup,
        revision=revision,
        status=status,
        **more,
        player=list(result.player),
        banker=list(result.banker),
        player_points=result.player_points,
        banker_points=result.banker_points,
        winner=result.winner.lower(),
        natural=result.natural,
        decisions=[
            {"hand": made.hand.lower(), "draw": made.draw, "clause": made.clause}
            for made in result.decisions
        ],
    )


def _coup_closed(renderer: Renderer, event: table.CoupClosed) -> OutLine | None:
    end = renderer._ends.pop(event.coup_id, None)  # noqa: SLF001
    if end is None:
        return None
    fields = renderer._over[event.coup_id] = {  # noqa: SLF001
        "number": end.coup,
        "status": event.status.lower(),
        "reason": end.reason,
        "player": list(end.player),
        "banker": list(end.banker),
        "player_points": points(end.player) if end.player else None,
        "banker_points": points(end.banker) if end.banker else None,
        "winner": None,
        "natural": False,
        "decisions": [],
    }
    return renderer.coup_line(event.coup_id, **fields)


_CARRIED_TO = {"NEXT_BURN": "next_burn", "NEXT_COUP": "next_coup_first", "BANKER_3": "banker_third"}


def _carried(_: Renderer, event: cards.CardCarriedOver | hands.CardReassigned) -> OutLine | None:
    to = _CARRIED_TO.get(event.to)
    return {"kind": "carried", "card": event.card, "to": to} if to else None


def _offer(what: str, seat: int, hand: str | None = None) -> OutLine:
    return {"kind": "offer", "what": what, "seat": seat, "hand": hand.lower() if hand else None}


def _window(
    _: Renderer, event: table.WithdrawalWindowOpened | table.WithdrawalWindowClosed
) -> OutLine:
    status = "open" if isinstance(event, table.WithdrawalWindowOpened) else "closed"
    return {"kind": "window", "what": "withdrawal", "status": status, "coup": event.coup}


def _dispute(_: Renderer, event: Any) -> OutLine:
    """How a dispute stands, with the level of its latest decision; 0 before there is one."""
    return {
        "kind": "dispute",
        "id": event.dispute_id,
        "status": _DISPUTE_STATUS.get(type(event)) or event.status.lower(),
        "level": getattr(event, "level", 0),
    }


_DISPUTE_STATUS: dict[type[Event], str] = {
    money.DisputeOpened: "open",
    money.InspectorAdvised: "closed",
    money.DisputeClosed: "closed",
}


_RENDER: dict[type[Event], Callable[[Renderer, Any], OutLine | None]] = {
    cards.CardsBurned: _burned,
    cards.LastCoupDesignated: _last_coup,
    cards.ShoeRetired: _shoe_over,
    cards.ShoeInvalidated: _shoe_over,
    table.IncidentRecorded: _incident,
    table.BettingNotOpened: _not_opened,
    table.CoupBackfilled: _backfilled,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _resulted,
    table.OutcomeInvalidated: _invalidated,
    table.CoupVoided: _ended,
    table.CoupTerminated: _ended,
    table.CoupClosed: _coup_closed,
    table.WithdrawalWindowOpened: _window,
    table.WithdrawalWindowClosed: _window,
    hands.CardReassigned: _carried,
    hands.CardsOffered: lambda _, event: _offer("cards", event.seat, event.hand),
    hands.ShoeOffered: lambda _, event: _offer("shoe", event.seat),
    cards.CutOffered: lambda _, event: _offer("cut", event.seat),
    cards.CardCarriedOver: _carried,
    book.WagerAccepted: _accepted,
    book.WagerChanged: _changed,
    book.WagerReduced: _reduced,
    book.WagerCancelled: _back("cancelled"),
    book.WagerRejected: _rejected,
    book.WagerWithdrawn: _back("withdrawn"),
    book.WagerVoided: _back("voided"),
    book.WagerRefunded: _back("refunded"),
    money.WagerSettled: _settled,
    money.WagerResettled: _settled,
    money.WagerRefunded: _set_aside,
    money.WagerForfeited: _forfeited,
    money.CoupSettled: _coup_settled,
    money.DisputeOpened: _dispute,
    money.DisputeDecided: _dispute,
    money.DisputeReviewed: _dispute,
    money.InspectorAdvised: _dispute,
    money.DisputeClosed: _dispute,
}
