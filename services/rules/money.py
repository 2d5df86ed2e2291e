"""What a winning wager pays: exact rates, and rounding in whole numbers.

Rates are fractions of the stake; amounts are whole minor units throughout, so that no
number of wagers can lose a unit to a binary fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from services.rules.rulebook import Rulebook

_KEPT_RATES_MAX: Final = 4096


@dataclass(frozen=True, slots=True)
class Rate:
    """What one unit of stake wins on an area: before commission, the commission, after."""

    gross: Fraction
    commission: Fraction
    net: Fraction


@lru_cache(maxsize=_KEPT_RATES_MAX)
def rate(rulebook: Rulebook, area: str, *, banker_six: bool) -> Rate:
    """Return the exact rate of a winning wager on `area`.

    `banker_six` says that Banker won with a count of 6, which some pay tables treat apart.
    Raises KeyError for an area the rulebook does not pay.
    """
    gross = rulebook.pay[area]
    if area == "BANKER" and banker_six and rulebook.pay_on_six is not None:
        gross = rulebook.pay_on_six
    commission = gross * rulebook.commission.get(area, Fraction(0))
    return Rate(gross=gross, commission=commission, net=gross - commission)


def payable_unit(rulebook: Rulebook, smallest_chip_minor: int) -> int:
    """Return what winnings are a multiple of, in minor units (X-15).

    A table that pays in chips pays multiples of its smallest chip; elsewhere the minor
    unit of the currency is the smallest thing there is.
    """
    return smallest_chip_minor if rulebook.rounding.unit == "SMALLEST_CHIP" else 1


def round_amount(numerator: int, denominator: int, *, mode: str, unit_minor: int) -> int:
    """Return numerator / denominator minor units as a multiple of `unit_minor`.

    The amount must not be negative. `mode` is UP (the next payable amount), DOWN, HALF_UP
    or HALF_EVEN (of two payable amounts equally near, the one that is an even number of
    units). Raises ValueError for another mode.
    """
    units, over = divmod(numerator, denominator * unit_minor)
    twice, whole = 2 * over, denominator * unit_minor
    if mode == "UP":
        up = over > 0
    elif mode == "DOWN":
        up = False
    elif mode == "HALF_UP":
        up = twice >= whole
    elif mode == "HALF_EVEN":
        up = twice > whole or (twice == whole and units % 2 == 1)
    else:
        message = f"{mode} is no rounding mode"
        raise ValueError(message)
    return (units + up) * unit_minor


def winnings_minor(
    rulebook: Rulebook, area: str, stake_minor: int, *, banker_six: bool, unit_minor: int
) -> int:
    """Return what a winning stake gains, after commission and rounding, in minor units.

    `unit_minor` is the table's smallest chip; it counts only where the rulebook pays in
    chips. Raises KeyError for an area the rulebook does not pay.
    """
    net = rate(rulebook, area, banker_six=banker_six).net
    return round_amount(
        stake_minor * net.numerator,
        net.denominator,
        mode=rulebook.rounding.mode,
        unit_minor=payable_unit(rulebook, unit_minor),
    )
