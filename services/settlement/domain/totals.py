"""The books of one coup, and the fate of its promotional tokens."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from services.contracts.common import MoneyTotals, Totals
from services.contracts.settlement import PromoTokensDecided
from services.settlement.domain.state import FORFEITED, PROMO, SettledWager

SPENDING = ("WON", "LOST", FORFEITED)
"""Outcomes after which a token is gone (004 1.1)."""


def totals(wagers: Sequence[SettledWager]) -> Totals:
    """Each currency by itself; tokens are no cash (invariant 5)."""
    found: Totals = {}
    for currency in dict.fromkeys(wager.staked.currency for wager in wagers):
        mine = [wager for wager in wagers if wager.staked.currency == currency]
        cash = [wager for wager in mine if wager.staked.funding != PROMO]
        staked = sum(wager.staked.stake_minor for wager in cash)
        returned = sum(wager.paid.returned_minor for wager in cash)
        forfeited = sum(w.staked.stake_minor for w in cash if w.paid.outcome == FORFEITED)
        winnings = sum(wager.paid.winnings_minor for wager in mine)
        found[currency] = MoneyTotals(
            staked_minor=staked,
            returned_minor=returned,
            lost_minor=staked - returned - forfeited,
            forfeited_minor=forfeited,
            winnings_minor=winnings,
            commission_exact=_sum([wager.paid.commission_exact for wager in mine]),
            rounding_exact=_sum([wager.paid.rounding_exact for wager in mine]),
            house_minor=staked - returned - winnings,
            tokens_spent_minor=sum(
                wager.staked.stake_minor
                for wager in mine
                if wager.staked.funding == PROMO and wager.paid.outcome in SPENDING
            ),
        )
    return found


def _sum(fractions: Sequence[str]) -> str:
    some = [Fraction(each) for each in fractions if each != "0"]
    return str(sum(some)) if some else "0"


def tokens(coup_id: str, wagers: Sequence[SettledWager], revision: int) -> list[PromoTokensDecided]:
    """One event where tokens were staked, else none."""
    staked = [wager for wager in wagers if wager.staked.token is not None]
    if not staked:
        return []
    spent = [w.staked.token or "" for w in staked if w.paid.outcome in SPENDING]
    returned = [w.staked.token or "" for w in staked if w.paid.outcome not in SPENDING]
    return [
        PromoTokensDecided(
            coup_id=coup_id, spent=tuple(spent), returned=tuple(returned), revision=revision
        )
    ]
