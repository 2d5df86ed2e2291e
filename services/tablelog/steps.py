"""From lines to commands: the one translation that `replay` and `play` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from services.contracts.common import Card, Limit, Limits
from services.contracts.core import Command, Event
from services.round import commands as table
from services.rulebooks.settings import table_settings
from services.settlement import commands as money
from services.shoe import commands as cards
from services.tablelog import lines as log
from services.tablelog.lines import Line
from services.wager import commands as book
from services.wager.domain import is_staked

SHOE, ROUND, WAGER, SETTLEMENT = "shoe", "round", "wager", "settlement"
SECOND_US = 1_000_000


class Unsupported(Exception):
    """The platform does not play this action yet."""


class Step(Struct, frozen=True):
    """One command of a line, and the service that it goes to."""

    service: str
    command: Command
    order: tuple[Card, ...] | None = None
    """The preset order of a shoe; it travels beside the command, never in it."""

    secret: bytes = b""
    """What hides the order of a generated shoe in its commitment; beside the command likewise."""

    key: str | None = None
    """What makes a repeat of the step recognisable across lines: a wager's id."""

    named_by: Callable[[Sequence[Event]], bool] | None = None
    """Of which of its events the key is taken for everybody; see `Executor.command`."""

    otherwise: Step | None = None
    """The step to take in its place where this one's service has not, or no more, what it is about:
    it refuses with a reason of ELSEWHERE."""


ELSEWHERE = ("UNKNOWN", "STATE")


def steps(line: Line, table_id: str, shoe_prefix: str = "") -> list[Step]:
    """The commands of a line, in order. Raises `Unsupported`, or `Refused` for unknown rulebooks.

    `shoe_prefix` keeps the shoes of several runs apart.
    """
    make = _STEPS.get(type(line))
    if make is None:
        raise Unsupported(f"the action {line.do} is not played yet")
    return [make(line, table_id, shoe_prefix)]


def _limits(limits: Any) -> Limits:
    return {
        area: Limit(each.min, each.max, each.unit or 0) for area, each in (limits or {}).items()
    }


def _open_table(line: log.OpenTable, table_id: str, _: str) -> Step:
    by_currency: dict[str, Limits] = {}
    if line.limits:
        by_currency[line.currency] = _limits(line.limits)
    for code, limits in (line.currencies or {}).items():
        by_currency[code] = _limits(limits)
    settings = table_settings(
        table_id=table_id,
        table_number=line.table,
        rulebook_id=line.rulebook,
        options=line.options or {},
        decks=line.decks,
        currency=line.currency,
        limits=by_currency,
        mode="TEST",
        smallest_chip_minor=line.chip,
        seats=line.seats,
        left_of_dealer=line.left_of_dealer,
        layout=line.layout,
        method=line.method,
        auto_burn=line.auto_burn,
        differential_minor=line.differential,
        player_coup_maximum_minor=line.player_coup_maximum,
        maximum_win_minor=line.maximum_win,
        table_exposure_minor=line.exposure,
        time_zone=line.time_zone,
        day_starts_minute=line.day_starts_minute,
        book=line.book,
    )
    return Step(ROUND, table.OpenTable(at_us=line.at_us, by=line.by, settings=settings))


def _load_shoe(line: log.LoadShoe, _: str, prefix: str) -> Step:
    order = line.cards
    source = "GENERATED" if order is None else ("PRESET" if order else "SCANNED")
    command = cards.LoadShoe(
        at_us=line.at_us,
        by=line.by,
        shoe_id=f"{prefix}{line.shoe}",
        source=source,
        decks=line.decks,
        partial=line.partial,
        cuts_after=line.cut_card_after,
        device=line.source == "device",
        stands_for_preparation=True,
    )
    return Step(SHOE, command, order=order)


def _draw(line: log.Draw, _: str, __: str) -> Step:
    command = cards.DrawCard(
        at_us=line.at_us,
        by=line.by,
        count=line.count,
        card=line.card,
        to=line.to.upper() if line.to else None,
        face_up=line.face != "down",
        face=line.face.upper() if line.face else None,
    )
    return Step(SHOE, command)


def _wager(line: log.Wager, table_id: str, _: str) -> Step:
    command = book.PlaceWager(
        at_us=line.at_us,
        by=line.by,
        wager_id=line.id,
        player=line.player,
        area=line.area,
        amount_minor=line.amount,
        currency=line.currency,
        channel=line.channel.upper() if line.channel else None,
        box=None if line.box is None else str(line.box),
        token=line.token,
    )
    return Step(WAGER, command, key=wager_key(table_id, line.id), named_by=is_staked)


def wager_key(table_id: str, wager_id: str) -> str:
    """What a wager's repeats are recognised by, across all commands of the table."""
    return f"wager/{table_id}/{wager_id}"


def _open_betting(line: log.OpenBetting, _: str, __: str) -> Step:
    closes = None if line.closes_in_s is None else line.closes_in_s * SECOND_US
    command = table.OpenBetting(
        at_us=line.at_us, by=line.by, closes_in_us=closes, no_bet=line.no_bet
    )
    return Step(ROUND, command)


def _to(
    service: str, make: type[Any], **fields: Callable[[Any], Any]
) -> Callable[[Any, str, str], Step]:
    """A translation that takes fields over as they are, or through a function."""

    def translate(line: Line, _: str, __: str) -> Step:
        values = {name: take(line) for name, take in fields.items()}
        second = getattr(line, "second", None)
        return Step(service, make(at_us=line.at_us, by=line.by, second=second, **values))

    return translate


def _chosen(
    field: str, choices: dict[str, Callable[[Any, str, str], Step]]
) -> Callable[[Any, str, str], Step]:
    """A translation that depends on what a field says."""

    def translate(line: Line, table_id: str, prefix: str) -> Step:
        kind = getattr(line, field)
        make = choices.get(kind)
        if make is None:
            raise Unsupported(f"{line.do} of {kind} is not played yet")
        return make(line, table_id, prefix)

    return translate


def _void_wager(line: log.Ruling, table_id: str, prefix: str) -> Step:
    """Wager has it until there is a result; settlement then corrects."""
    of_line = {"wager_id": lambda x: x.wager, "reason": lambda x: x.reason or ""}
    first = _to(WAGER, book.VoidWager, **of_line)(line, table_id, prefix)
    then = _to(SETTLEMENT, money.VoidWager, **of_line)(line, table_id, prefix)
    return Step(first.service, first.command, otherwise=then)


def _change_game(line: log.ChangeGame, _: str, __: str) -> Step:
    """The table's other settings stay: the driver puts them to the rulebook."""
    command = table.ChangeGame(at_us=line.at_us, by=line.by, rulebook_id=line.rulebook)
    return Step(ROUND, command)


def _resume_coup(line: log.ResumeCoup, _: str, __: str) -> Step:
    command = cards.ResumeCoup(at_us=line.at_us, by=line.by, new_order=line.cards is not None)
    return Step(SHOE, command, order=line.cards)


def _on_deal(ruling: str) -> Callable[[Any, str, str], Step]:
    return _to(ROUND, table.RuleOnDeal, ruling=lambda _: ruling, coup=lambda x: x.coup)


def _hand(make: type[Any]) -> Callable[[Any, str, str], Step]:
    return _to(ROUND, make, hand=lambda x: x.hand.upper(), seat=lambda x: x.seat)


def _seat(make: type[Any]) -> Callable[[Any, str, str], Step]:
    return _to(ROUND, make, seat=lambda x: x.seat)


_APPROVALS: dict[str, Callable[[Any, str, str], Step]] = {
    "opposing_wagers": _to(
        WAGER, book.ApproveOpposing, player=lambda x: x.player, coups=lambda x: x.coups
    ),
    "area_sharing": _to(
        WAGER,
        book.PermitSharing,
        players_max=lambda x: x.max,
        box=lambda x: None if x.seat is None else str(x.seat),
    ),
    "method": _to(
        ROUND, table.ApproveMethod, method=lambda x: x.method or "A", coups=lambda x: x.coups
    ),
    "act_as_player": _to(
        ROUND, table.ApproveRole, player=lambda x: x.player, coups=lambda x: x.coups
    ),
    "three_card_burn": _to(SHOE, cards.ApproveErrorBurn),
    "multi_pull": _to(ROUND, table.ApproveError, what=lambda _: "MULTI_PULL"),
    "extra_cards": _to(ROUND, table.ApproveError, what=lambda _: "EXTRA_CARDS"),
}

_RULINGS: dict[str, Callable[[Any, str, str], Step]] = {
    "void_wager": _void_wager,
    "bar_player": _to(
        WAGER, book.BarPlayer, player=lambda x: x.player, reason=lambda x: x.reason or ""
    ),
    "lift_bar": _to(
        WAGER, book.LiftBar, player=lambda x: x.player, reason=lambda x: x.reason or ""
    ),
    "reconstruct": _on_deal("RECONSTRUCT"),
    "not_reconstructible": _on_deal("NOT_RECONSTRUCTIBLE"),
    "correct_placement": _on_deal("CORRECT_PLACEMENT"),
    "void": _to(ROUND, table.VoidCoup, coup=lambda x: x.coup, reason=lambda x: x.reason),
    "confirm_result": _to(ROUND, table.ConfirmResult, coup=lambda x: x.coup),
    "correct_result": _to(
        ROUND,
        table.CorrectResult,
        coup=lambda x: x.coup,
        player=lambda x: x.cards.player,
        banker=lambda x: x.cards.banker,
        reason=lambda x: x.reason,
    ),
    "invalidate": _to(
        ROUND,
        table.InvalidateOutcome,
        coup=lambda x: x.coup,
        reason=lambda x: x.reason,
        player=lambda x: x.player,
        forfeit=lambda x: x.forfeit or (),
    ),
    "vacate_seat": _seat(table.VacateSeat),
    "forfeit_shoe": _seat(table.ForfeitShoe),
    "attest": _to(ROUND, table.AttestCard, seen=lambda x: x.seen),
}

_NOTICES: dict[str, Callable[[Any, str, str], Step]] = {
    "min": _to(
        WAGER,
        book.NotifyMinimum,
        minimum_minor=lambda x: x.value,
        effective_at_us=lambda x: x.effective_at,
    ),
    "close": _to(
        ROUND,
        table.DisplayNotice,
        change=lambda _: "CLOSE",
        effective_at_us=lambda x: x.effective_at,
    ),
    "game": _to(
        ROUND,
        table.DisplayNotice,
        change=lambda _: "GAME",
        effective_at_us=lambda x: x.effective_at,
        rulebook_id=lambda x: x.value,
    ),
}


_STEPS: dict[type[Line], Callable[[Any, str, str], Step]] = {
    log.OpenTable: _open_table,
    log.Seat: _to(ROUND, table.TakeSeat, seat=lambda x: x.seat, player=lambda x: x.player),
    log.Unseat: _to(ROUND, table.LeaveSeat, seat=lambda x: x.seat, player=lambda x: x.player),
    log.Standing: _to(WAGER, book.PermitStanding, permitted=lambda x: x.permitted),
    log.AssignDealer: _to(ROUND, table.AssignDealer, dealer=lambda x: x.dealer),
    log.ChangeDealer: _to(ROUND, table.ChangeDealer, dealer=lambda x: x.dealer),
    log.InspectCards: _to(
        SHOE,
        cards.InspectCards,
        witness=lambda x: x.witness,
        video=lambda x: x.video,
        stage=lambda x: x.stage.upper(),
        defects=lambda x: x.defects,
    ),
    log.Shuffle: _to(SHOE, cards.ShuffleCards, procedure=lambda x: x.procedure.upper()),
    log.RequestRiffle: _to(SHOE, cards.RequestRiffle, player=lambda x: x.player),
    log.OfferCut: _to(SHOE, cards.OfferCut, seat=lambda x: x.seat),
    log.DeclineCut: _to(SHOE, cards.DeclineCut, seat=lambda x: x.seat),
    log.Cut: _to(SHOE, cards.CutCards, position=lambda x: x.position, seat=lambda x: x.seat),
    log.PlaceCutCard: _to(SHOE, cards.PlaceCutCard, from_back=lambda x: x.from_back),
    log.LoadShoe: _load_shoe,
    log.Burn: _to(
        SHOE, cards.BurnCards, reason=lambda x: x.reason.upper(), count=lambda x: x.count
    ),
    log.OpenBetting: _open_betting,
    log.Wager: _wager,
    log.ChangeWager: _to(
        WAGER, book.ChangeWager, wager_id=lambda x: x.id, amount_minor=lambda x: x.amount
    ),
    log.CancelWager: _to(WAGER, book.CancelWager, wager_id=lambda x: x.id),
    log.RejectWager: _to(WAGER, book.RejectWager, wager_id=lambda x: x.id),
    log.WithdrawWager: _to(WAGER, book.WithdrawWager, wager_id=lambda x: x.id),
    log.KeepWager: _to(WAGER, book.KeepWager, wager_id=lambda x: x.id),
    log.Approve: _chosen("what", _APPROVALS),
    log.Ruling: _chosen("kind", _RULINGS),
    log.Notice: _chosen("change", _NOTICES),
    log.ChangeLimits: _to(
        WAGER,
        book.ChangeLimits,
        limits=lambda x: _limits(x.limits),
        differential_minor=lambda x: x.differential,
    ),
    log.GrantLimits: _to(
        WAGER,
        book.GrantLimits,
        player=lambda x: x.player,
        minimum_minor=lambda x: x.min,
        maximum_minor=lambda x: x.max,
    ),
    log.Dispute: _to(
        SETTLEMENT,
        money.OpenDispute,
        dispute_id=lambda x: x.id,
        coup=lambda x: x.coup,
        claim=lambda x: x.claim,
    ),
    log.DecideDispute: _to(
        SETTLEMENT,
        money.DecideDispute,
        dispute_id=lambda x: x.id,
        level=lambda x: x.level,
        decision=lambda x: x.decision.upper(),
        note=lambda x: x.note or "",
    ),
    log.AdviseInspector: _to(SETTLEMENT, money.AdviseInspector, dispute_id=lambda x: x.id),
    log.NoMoreBets: _to(ROUND, table.CallNoMoreBets),
    log.CloseBook: _to(ROUND, table.CloseBook),
    log.Draw: _draw,
    log.Deal: _to(ROUND, table.DealCoup),
    log.Announce: _to(
        ROUND,
        table.AnnounceResult,
        winner=lambda x: x.winner.upper() if x.winner else None,
        player_points=lambda x: x.player_points,
        banker_points=lambda x: x.banker_points,
    ),
    log.ExposeNext: _to(SHOE, cards.ExposeNext),
    log.OfferCards: _hand(table.OfferCards),
    log.AcceptCards: _hand(table.AcceptCards),
    log.DeclineCards: _hand(table.DeclineCards),
    log.ReturnCards: _hand(table.ReturnCards),
    log.OfferShoe: _seat(table.OfferShoe),
    log.AcceptShoe: _hand(table.AcceptShoe),
    log.DeclineShoe: _seat(table.DeclineShoe),
    log.PassShoe: _seat(table.PassShoe),
    log.CloseWithdrawals: _to(ROUND, table.CloseWithdrawals),
    log.ShufflerFault: _to(
        SHOE,
        cards.ReportFault,
        disadvantage=lambda x: x.disadvantage,
        spare=lambda x: x.spare,
        transferable=lambda x: x.transferable,
        damaged=lambda x: x.damaged,
    ),
    log.ResumeCoup: _resume_coup,
    log.Consent: _to(ROUND, table.GiveConsent, player=lambda x: x.player),
    log.ChangeGame: _change_game,
    log.ResumeTable: _to(ROUND, table.ResumeTable),
    log.Incident: _to(ROUND, table.RecordIncident, code=lambda x: x.code, note=lambda x: x.note),
    log.Tick: _to(ROUND, table.AdvanceTime),
    log.CloseTable: _to(ROUND, table.CloseTable),
}
