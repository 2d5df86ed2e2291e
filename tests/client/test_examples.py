"""What the examples compute by themselves."""

from __future__ import annotations

import argparse
from decimal import Decimal

import pytest

from examples.place_wagers import minor, stake


@pytest.mark.parametrize(
    ("amount", "currency", "exponent", "units"),
    [("20.00", "EUR", 2, 2000), ("20", "JPY", 0, 20), ("1.5", "KWD", 3, 1500)],
)
def test_an_amount_is_in_minor_units_of_its_currency(
    amount: str, currency: str, exponent: int, units: int
) -> None:
    """Of yen and dinars too."""
    assert minor(Decimal(amount), currency, exponent) == units


def test_an_amount_that_the_currency_has_not_is_said() -> None:
    """Instead of a stake a hundred times as high."""
    with pytest.raises(ValueError, match=r"20\.5 JPY: the currency has 0 decimals"):
        minor(Decimal("20.5"), "JPY", 0)


def test_a_stake_is_an_area_and_an_amount() -> None:
    assert stake("banker=20.00") == ("BANKER", Decimal("20.00"))
    for text in ("BANKER", "BANKER=0", "BANKER=-1", "BANKER=Infinity", "BANKER=x"):
        with pytest.raises(argparse.ArgumentTypeError):
            stake(text)
