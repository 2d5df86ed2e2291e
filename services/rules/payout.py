"""Settlement of one wager against the result of its coup (clause procedure 12)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from services.rules.money import payable_unit, rate, round_amount, winnings_minor
from services.rules.outcome import CoupEnd, area_result
from services.rules.rulebook import Rulebook

__all__ = ["WagerResult", "payable_unit", "push_wager", "round_amount", "settle_wager", "win_wager"]

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
        return self.gross - self.commission

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
    end: CoupEnd,
    *,
    unit_minor: int,
    token: bool = False,
) -> WagerResult:
    """Return what a wager of `stake_minor` on `area` comes to.

    `end` is the coup's outcome. `unit_minor` is the table's smallest chip in minor units;
    it counts only where the rulebook rounds to chips. `token` says that the stake is a
    promotional token of that face value. Raises ValueError for an area without a
    definition and KeyError for one the rulebook does not pay.
    """
    result = area_result(area, end, rulebook.tie_main_areas)
    if result == "WIN":
        return win_wager(
            rulebook,
            area,
            stake_minor,
            banker_six=end.banker_six,
            unit_minor=unit_minor,
            token=token,
        )
    if result == "PUSH":
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


def win_wager(
    rulebook: Rulebook,
    area: str,
    stake_minor: int,
    *,
    banker_six: bool,
    unit_minor: int,
    token: bool = False,
) -> WagerResult:
    """Return what a winning wager comes to, also for one won before the coup had an end.

    Arguments and errors as for `settle_wager`.
    """
    exact = rate(rulebook, area, banker_six=banker_six)
    paid = winnings_minor(rulebook, area, stake_minor, banker_six=banker_six, unit_minor=unit_minor)
    return WagerResult(
        outcome="won",
        returned_minor=0 if token else stake_minor,
        winnings_minor=paid,
        gross=exact.gross * stake_minor,
        commission=exact.commission * stake_minor,
        rounding=paid - exact.net * stake_minor,
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
