"""What a winning wager pays: rounding in whole numbers.

Rates are fractions of the stake; amounts are whole minor units throughout, so that no
number of wagers can lose a unit to a binary fraction.
"""

from __future__ import annotations

from fractions import Fraction

from services.rules.rulebook import Rulebook


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


def winnings_minor(rulebook: Rulebook, net: Fraction, stake_minor: int, *, unit_minor: int) -> int:
    """Return what a winning stake gains, rounded as the rulebook says, in minor units.

    `net` is what one unit of stake gains after commission. `unit_minor` is the table's
    smallest chip; it counts only where the rulebook pays in chips.
    """
    return round_amount(
        stake_minor * net.numerator,
        net.denominator,
        mode=rulebook.rounding.mode,
        unit_minor=payable_unit(rulebook, unit_minor),
    )
