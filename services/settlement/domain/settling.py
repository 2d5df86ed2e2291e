"""The first settlement of a coup: whole or not at all (D6, D7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from services.contracts.common import RulebookActivated, TableSettings
from services.contracts.core import Event, Refused
from services.contracts.pinned import pinned
from services.contracts.settlement import (
    CoupSettled,
    CreditGrouped,
    CreditShare,
    PayTablePublished,
    WagerSettled,
)
from services.rules.outcome import outcome
from services.rules.payout import payable_unit
from services.settlement.commands import ActivateRulebook, PublishPayTable, Settle
from services.settlement.domain.reviewing import under_review
from services.settlement.domain.state import (
    BACKFILLED,
    EMPTY_BOOK,
    INVALIDATED,
    NO_BET,
    SETTLED,
    VOID,
    Coup,
    End,
    SettledWager,
    SettlementState,
    Staked,
    is_complete,
    settings_of,
)
from services.settlement.domain.totals import tokens, totals
from services.settlement.domain.verdicts import (
    Game,
    Occasion,
    Verdict,
    by_cards,
    forfeited,
    game_of,
    refunded,
    told,
    won_early,
)


def activate(command: ActivateRulebook) -> Sequence[Event]:
    settings = command.settings
    return [
        RulebookActivated(session=command.session, settings=settings),
        _pay_table(settings),
    ]


def publish_pay_table(command: PublishPayTable, state: SettlementState) -> Sequence[Event]:
    del command
    return [_pay_table(settings_of(state))]


def _pay_table(settings: TableSettings) -> PayTablePublished:
    rules = pinned(settings)
    return PayTablePublished(
        pay={area: str(fraction) for area, fraction in rules.pay.items()},
        commission={area: str(part) for area, part in rules.commission.items()},
        rounding=rules.rounding.mode,
        rounding_unit_minor=payable_unit(rules, settings.smallest_chip_minor),
    )


Operators = Callable[[str], bool]
"""Whether something holds for an operator's players."""


def settle(command: Settle, state: SettlementState, together: Operators) -> Sequence[Event]:
    """Every wager is decided. `together`: whose players get one credit for a coup."""
    coup = state.coups.get(command.coup_id)
    if coup is None or coup.end is None or not is_complete(coup):
        raise Refused("STATE", f"coup {command.coup_id} can't be settled yet")
    game = game_of(settings_of(state))
    status, reason = _status(coup, coup.end)
    on = Occasion(coup.coup_id, reason=reason)
    events: list[Event] = []
    done: list[SettledWager] = []
    wagers = list(coup.wagers.values())
    for staked, verdict in zip(wagers, _verdicts(wagers, coup.end, game), strict=True):
        wager, said = told(staked, verdict, game, on)
        done.append(wager)
        events.extend(said)
    events = _grouped(coup.coup_id, events, together)
    held = coup.book or EMPTY_BOOK
    settled = CoupSettled(
        coup_id=coup.coup_id,
        coup=coup.coup,
        status=status,
        wagers=len(done),
        book_revision=held.revision,
        book_digest=held.digest,
        totals=totals(done),
        reason=reason,
    )
    review = (
        [under_review(state, coup.coup_id, coup.coup, coup.shoe_id)]
        if coup.shoe_id in state.suspect
        else []
    )
    return [*events, *tokens(coup.coup_id, done, on.revision), settled, *review]


def _grouped(coup_id: str, events: Sequence[Event], together: Operators) -> list[Event]:
    """The same decisions, paid by one credit for each player of these operators (domain 4.2)."""
    groups: dict[tuple[str, str, str], list[WagerSettled]] = {}
    for event in events:
        if type(event) is not WagerSettled:
            continue
        operator = event.context.operator if event.context else ""
        if together(operator):
            groups.setdefault((operator, event.player, event.currency), []).append(event)
    if not groups:
        return [*events]
    keys: dict[str, str] = {}
    paid: list[Event] = []
    for number, wagers in enumerate(groups.values(), start=1):
        key = f"{coup_id}/#{number}"
        keys |= {wager.wager_id: key for wager in wagers}
        paid.append(
            CreditGrouped(
                credit_id=key,
                coup_id=coup_id,
                player=wagers[0].player,
                currency=wagers[0].currency,
                amount_minor=sum(wager.credit_minor for wager in wagers),
                wagers=tuple(
                    CreditShare(
                        wager_id=wager.wager_id, area=wager.area, amount_minor=wager.credit_minor
                    )
                    for wager in wagers
                ),
                context=wagers[0].context,
            )
        )
    decided = [
        replace(event, credit_id=keys.get(event.wager_id, ""))
        if type(event) is WagerSettled
        else event
        for event in events
    ]
    return [*decided, *paid]


def _status(coup: Coup, end: End) -> tuple[str, str]:
    if end.invalidated is not None:
        return INVALIDATED, end.invalidated.reason
    if end.void is not None:
        return VOID, end.void.reason
    assert end.result is not None
    if coup.backfilled:
        return BACKFILLED, ""
    return (NO_BET if end.result.no_bet else SETTLED), ""


def _verdicts(wagers: Sequence[Staked], end: End, game: Game) -> list[Verdict]:
    if end.invalidated is not None:
        kept = end.invalidated.forfeit
        return [forfeited() if w.player in kept else refunded(w) for w in wagers]
    if end.void is not None:  # what the wager service left in the book is won
        return [won_early(wager, end.void, game) for wager in wagers]
    assert end.result is not None
    whole = outcome(end.result.player, end.result.banker)
    return [by_cards(wager, whole, game) for wager in wagers]
