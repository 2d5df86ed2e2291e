"""The payments of a coup: `settle(rulebook, hands, book)` (D7, Procedure 12)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from services.contracts.common import MoneyTotals, RulebookActivated, TableSettings, Totals
from services.contracts.core import Event
from services.contracts.pinned import pinned
from services.contracts.settlement import (
    CommissionCollected,
    CoupSettled,
    PayTablePublished,
    WagerSettled,
)
from services.rules.citations import cite
from services.rules.outcome import Outcome, outcome
from services.rules.payout import payable_unit, settle_wager
from services.rules.rulebook import Rulebook
from services.settlement.commands import ActivateRulebook
from services.settlement.domain.state import EMPTY_BOOK, Coup, Staked


def activate(command: ActivateRulebook) -> Sequence[Event]:
    settings = command.settings
    rules = pinned(settings)
    pay = {area: str(fraction) for area, fraction in rules.pay.items()}
    return [
        RulebookActivated(session=command.session, settings=settings),
        PayTablePublished(
            pay=pay,
            commission={area: str(part) for area, part in rules.commission.items()},
            rounding=rules.rounding.mode,
            rounding_unit_minor=payable_unit(rules, settings.smallest_chip_minor),
        ),
    ]


_PAYOUT_RULES = {
    "PLAYER": "payout_player",
    "BANKER": "payout_banker",
    "TIE": "payout_tie",
    "PLAYER_PAIR": "payout_pair",
    "BANKER_PAIR": "payout_pair",
    "BIG": "payout_big",
    "SMALL": "payout_small",
}


def settle(coup: Coup, rules: Rulebook, settings: TableSettings) -> Sequence[Event]:
    assert coup.result is not None
    result = coup.result.event
    end = outcome(result.player, result.banker)
    events: list[Event] = []
    settled = [_settle_one(wager, coup, end, rules, settings) for wager in coup.wagers.values()]
    for paid, commission in settled:
        events.append(paid)
        if commission is not None:
            events.append(commission)
    held = coup.book or EMPTY_BOOK
    events.append(
        CoupSettled(
            coup_id=coup.coup_id,
            coup=coup.coup,
            status="NO_BET" if result.no_bet else "SETTLED",
            wagers=len(settled),
            book_revision=held.revision,
            book_digest=held.digest,
            totals=_totals([paid for paid, _ in settled]),
        )
    )
    return events


def _settle_one(
    wager: Staked, coup: Coup, end: Outcome, rules: Rulebook, settings: TableSettings
) -> tuple[WagerSettled, CommissionCollected | None]:
    """Procedure 12 for one wager."""
    token = wager.funding == "PROMO"
    paid = settle_wager(
        rules,
        wager.area,
        wager.stake_minor,
        end,
        unit_minor=settings.smallest_chip_minor,
        token=token,
    )
    rule = "push" if paid.outcome == "push" else _PAYOUT_RULES[wager.area]
    settled = WagerSettled(
        settlement_id=f"{coup.coup_id}/{wager.wager_id}/1",
        coup_id=coup.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        stake_minor=wager.stake_minor,
        outcome=paid.outcome.upper(),
        returned_minor=paid.returned_minor,
        winnings_minor=paid.winnings_minor,
        winnings_exact=str(paid.net),
        commission_exact=str(paid.commission),
        rounding_exact=str(paid.rounding),
        funding=wager.funding,
        clauses=cite(rules.rulebook_id, rule),
    )
    if not paid.commission:
        return settled, None
    commission = CommissionCollected(
        coup_id=coup.coup_id,
        wager_id=wager.wager_id,
        currency=wager.currency,
        amount_exact=str(paid.commission),
        amount_minor=int(paid.gross) - paid.winnings_minor,
        clauses=cite(rules.rulebook_id, "commission"),
    )
    return settled, commission


def _totals(settled: Sequence[WagerSettled]) -> Totals:
    """The books of the coup, each currency by itself; tokens are no cash."""
    totals: Totals = {}
    for currency in dict.fromkeys(paid.currency for paid in settled):
        mine = [paid for paid in settled if paid.currency == currency]
        cash = [paid for paid in mine if paid.funding == "CASH"]
        staked = sum(paid.stake_minor for paid in cash)
        returned = sum(paid.returned_minor for paid in cash)
        winnings = sum(paid.winnings_minor for paid in mine)
        totals[currency] = MoneyTotals(
            staked_minor=staked,
            returned_minor=returned,
            lost_minor=staked - returned,
            winnings_minor=winnings,
            commission_exact=str(sum((Fraction(p.commission_exact) for p in mine), Fraction())),
            rounding_exact=str(sum((Fraction(p.rounding_exact) for p in mine), Fraction())),
            house_minor=staked - returned - winnings,
            tokens_spent_minor=sum(
                p.stake_minor for p in mine if p.funding == "PROMO" and p.outcome != "PUSH"
            ),
        )
    return totals
