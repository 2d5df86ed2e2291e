"""What the requests of the wager service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import (
    MOVEMENT_ID,
    TABLE_ID,
    Inputs,
    Rule,
    items,
    optional,
    shape,
    words,
)
from services.rules.currencies import EXPONENTS

WAGERS_MAX: Final = 500
"""Wagers of one call."""

NAME: Final = words(needed=True)

CURRENCY: Final = Rule(
    problem="needs the upper-case code of a currency (ISO 4217)",
    holds=EXPONENTS.__contains__,
    needed=True,
)
"""Written in two ways, one currency would be two accounts."""

INPUTS: Final = Inputs(
    {
        "wager_id": NAME,
        "player": NAME,
        "area": NAME,
        "wagers": items(WAGERS_MAX, alone=True),
        "movement_id": MOVEMENT_ID,
        "sabot.wager.v1.ListOpenItemsRequest.table_id": optional(TABLE_ID),
    }
)
"""Of limits and books."""

WALLET_INPUTS: Final = Inputs(
    {
        "movement_id": MOVEMENT_ID,
        "player": NAME,
        "currency": CURRENCY,
        "table_id": optional(TABLE_ID),
        "page_token": shape("[0-9]{1,18}", "the token of the answer before"),
    }
)
"""Of the built-in ledger."""
