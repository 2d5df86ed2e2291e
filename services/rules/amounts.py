"""Amounts for people: minor units in the digits of their currency."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from services.rules.currencies import currency_exponent

EXACT_DIGITS: Final = 2
"""Digits that are shown behind the minor unit, where there are any."""


def amount(minor: int, currency: str) -> str:
    """An amount in the currency's own digits."""
    exponent = currency_exponent(currency)
    sign = "-" if minor < 0 else ""
    whole, part = divmod(abs(minor), 10**exponent)
    return f"{sign}{whole:,}" + (f".{part:0{exponent}d}" if exponent else "")


def exact(text: str | Fraction, currency: str) -> str:
    """An amount with parts of a minor unit, as a commission of five in a hundred has them."""
    exponent = currency_exponent(currency)
    scaled = round(Fraction(text) * 10**EXACT_DIGITS)
    whole, part = divmod(abs(scaled), 10 ** (exponent + EXACT_DIGITS))
    digits = f"{part:0{exponent + EXACT_DIGITS}d}"
    kept = digits[:exponent] + digits[exponent:].rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole:,}" + (f".{kept}" if kept else "")
