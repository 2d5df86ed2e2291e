"""What the requests of the wager service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import (
    MOVEMENT_ID,
    TABLE_ID,
    WORDS_CHARACTERS_MAX,
    Inputs,
    Rule,
    items,
    number,
    optional,
    shape,
    words,
)
from services.rules.currencies import EXPONENTS
from services.wager.domain.state import slip_wager
from services.wager.ledger import BALANCE_MINOR_MAX

WAGERS_MAX: Final = 500
"""Wagers of one call."""

NAME: Final = words(needed=True)

SLIP_WAGERS_MAX: Final = 50

SLIP_ID: Final = words(WORDS_CHARACTERS_MAX - len(slip_wager("", SLIP_WAGERS_MAX)), needed=True)
"""The ids of its wagers are longer, and have to fit where wagers are named."""

CURRENCY: Final = Rule(
    problem="needs the upper-case code of a currency (ISO 4217)",
    holds=EXPONENTS.__contains__,
    needed=True,
)
"""Written in two ways, one currency would be two accounts."""

PAYMENT: Final = number(0, BALANCE_MINOR_MAX)
"""A win is a multiple of its stake, so it may be more than any stake."""

INPUTS: Final = Inputs(
    {
        "wager_id": NAME,
        "player": NAME,
        "area": NAME,
        "slip_id": SLIP_ID,
        "wagers": items(WAGERS_MAX, alone=True),
        "sabot.wager.v1.PlaceSlipRequest.wagers": items(SLIP_WAGERS_MAX),
        "movement_id": MOVEMENT_ID,
        "sabot.wager.v1.ListOpenItemsRequest.table_id": optional(TABLE_ID),
        "sabot.wager.v1.ListStopsRequest.table_id": optional(TABLE_ID),
        "of": words(needed=True),
    }
)
"""Of limits and books."""

WALLET_INPUTS: Final = Inputs(
    {
        "movement_id": MOVEMENT_ID,
        "player": NAME,
        "currency": CURRENCY,
        "table_id": optional(TABLE_ID),
        "sabot.wager.v1.CreditAccountRequest.amount_minor": PAYMENT,
        "sabot.wager.v1.ReverseAccountRequest.amount_minor": PAYMENT,
        "page_token": shape("[0-9]{1,18}", "the token of the answer before"),
    }
)
"""Of the built-in ledger."""
