"""Amounts as a wallet writes them: converted exactly, or not at all (domain 4.3)."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from services.rules.currencies import currency_exponent
from services.wager.seamless.protocol import Amount

MINOR, DECIMAL, THOUSANDS, MILLIONTHS = "MINOR", "DECIMAL", "THOUSANDS", "MILLIONTHS"
"""Minor units; a text of units with decimals; a text of thousands of units; millionths of a unit."""

MILLIONTHS_DECIMALS: Final = 6
FORMS: Final = (MINOR, DECIMAL, THOUSANDS, MILLIONTHS)
_TEXT: Final = re.compile(r"(-?)([0-9]{1,30})(?:\.([0-9]{1,12}))?")


class Inexact(ValueError):
    """An amount that the form cannot hold, or that is no amount: nothing is rounded, ever."""


class Form(Struct, frozen=True):
    """How a wallet writes amounts."""

    name: str = MINOR
    decimals: int = 2
    """Behind the point, of DECIMAL and THOUSANDS."""

    def write(self, minor: int, currency: str) -> Amount:
        """Write minor units. Raises `Inexact`."""
        exponent = currency_exponent(currency)
        if self.name == MINOR:
            return minor
        if self.name == MILLIONTHS:
            return _scaled(minor, MILLIONTHS_DECIMALS - exponent)
        shift = self.decimals - exponent - (3 if self.name == THOUSANDS else 0)
        digits = _scaled(minor, shift)
        whole, part = divmod(abs(digits), 10**self.decimals)
        text = f"{whole}.{part:0{self.decimals}d}" if self.decimals else f"{whole}"
        return f"-{text}" if digits < 0 else text

    def read(self, amount: Amount, currency: str) -> int:
        """Read minor units. Raises `Inexact`."""
        exponent = currency_exponent(currency)
        if self.name in (MINOR, MILLIONTHS):
            if not isinstance(amount, int) or isinstance(amount, bool):
                raise Inexact(f"{amount!r} is no number of minor units or millionths")
            return amount if self.name == MINOR else _scaled(amount, exponent - MILLIONTHS_DECIMALS)
        found = _TEXT.fullmatch(amount) if isinstance(amount, str) else None
        if found is None:
            raise Inexact(f"{amount!r} is no decimal text")
        sign, whole, part = found[1], found[2], found[3] or ""
        digits = int(f"{sign}{whole}{part}")
        return _scaled(digits, exponent + (3 if self.name == THOUSANDS else 0) - len(part))


def _scaled(digits: int, shift: int) -> int:
    """`digits` times ten to the power of `shift`, where that is a whole number."""
    if shift >= 0:
        return digits * int(10**shift)
    whole, rest = divmod(digits, int(10**-shift))
    if rest:
        raise Inexact(f"{digits} has more decimals than there is room for")
    return whole
