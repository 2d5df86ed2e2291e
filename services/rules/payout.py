"""Settlement of one wager against the result of its coup (clause procedure 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from services.rules.area_language import Coup, Win
from services.rules.cards import Card
from services.rules.money import payable_unit, round_amount, winnings_minor
from services.rules.outcome import early_verdict
from services.rules.rulebook import Rulebook

__all__ = [
    "WagerResult",
    "payable_unit",
    "push_wager",
    "round_amount",
    "settle_early",
    "settle_wager",
]

_NOTHING: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class WagerResult:
    """What becomes of one wager.

    `returned_minor` is the part of the stake that goes back in cash, `winnings_minor` what
    comes on top after commission and rounding. `gross` and `commission` are exact, in
    minor units; `rounding` is what rounding added to (or took from) gross less commission.
    A promotional token is never returned in cash; `token_spent` says whether it is gone.
    """

    outcome: Literal["won", "lost", "push"]
    returned_minor: int
    winnings_minor: int
    gross: Fraction
    commission: Fraction
    rounding: Fraction
    token_spent: bool

    @property
    def net(self) -> Fraction:
        """The exact winnings after commission, before rounding."""
        return self.gross - self.commission if self.commission else self.gross

    @property
    def commission_booked(self) -> Fraction:
        """The commission as it is booked: it carries the rounding difference.

        Zero where nothing is taken; then the difference stands by itself.
        """
        return self.commission - self.rounding if self.commission else _NOTHING


def settle_wager(
    rulebook: Rulebook,
    area: str,
    stake_minor: int,
    coup: Coup,
    *,
    unit_minor: int,
    token: bool = False,
) -> WagerResult:
    """Return what a wager of `stake_minor` on `area` comes to.

    `coup` is the coup's outcome. `unit_minor` is the table's smallest chip in minor units;
    it counts only where the rulebook rounds to chips. `token` says that the stake is a
    promotional token of that face value. Raises KeyError for an area that the rulebook does
    not offer.
    """
    verdict = rulebook.definitions[area].verdict(coup)
    return _settled(rulebook, verdict, stake_minor, unit_minor=unit_minor, token=token)


def settle_early(
    rulebook: Rulebook,
    area: str,
    stake_minor: int,
    player: Sequence[Card],
    banker: Sequence[Card],
    *,
    unit_minor: int,
    token: bool = False,
) -> WagerResult | None:
    """Return what a wager comes to by the open cards of a coup that has no result.

    None where those cards do not decide the area. Other arguments and errors as for
    `settle_wager`.
    """
    verdict = early_verdict(rulebook.definitions[area], player, banker)
    if verdict is None:
        return None
    return _settled(rulebook, verdict, stake_minor, unit_minor=unit_minor, token=token)


def _settled(
    rulebook: Rulebook,
    verdict: Win | Literal["PUSH", "LOSE"],
    stake_minor: int,
    *,
    unit_minor: int,
    token: bool,
) -> WagerResult:
    if isinstance(verdict, Win):
        paid = winnings_minor(rulebook, verdict.net, stake_minor, unit_minor=unit_minor)
        # Fractions are dear: most wins take no commission, and most amounts need no rounding.
        gross = verdict.gross * stake_minor
        commission = verdict.commission * stake_minor if verdict.commission else _NOTHING
        net = gross - commission if commission else gross
        return WagerResult(
            outcome="won",
            returned_minor=0 if token else stake_minor,
            winnings_minor=paid,
            gross=gross,
            commission=commission,
            rounding=_NOTHING if net == paid else paid - net,
            token_spent=token,
        )
    if verdict == "PUSH":
        return push_wager(rulebook, stake_minor, token=token)
    return WagerResult(
        outcome="lost",
        returned_minor=0,
        winnings_minor=0,
        gross=_NOTHING,
        commission=_NOTHING,
        rounding=_NOTHING,
        token_spent=token,
    )


def push_wager(rulebook: Rulebook, stake_minor: int, *, token: bool = False) -> WagerResult:
    """Return what a tied wager comes to: the stake back whole, a token back as a token.

    Where a rulebook knows tokens, `promo_on_push_or_void` says what becomes of one: neither
    a win nor a loss happened, so it is returned (X-37).
    """
    return WagerResult(
        outcome="push",
        returned_minor=0 if token else stake_minor,
        winnings_minor=0,
        gross=_NOTHING,
        commission=_NOTHING,
        rounding=_NOTHING,
        token_spent=token and rulebook.promo_on_push_or_void != "RETURN",
    )
