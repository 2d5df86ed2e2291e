"""What the requests of the wager service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import MOVEMENT_ID, TABLE_ID, Inputs, items, optional, shape, words

WAGERS_MAX: Final = 500
"""Wagers of one call."""

NAME: Final = words(needed=True)

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
        "currency": NAME,
        "table_id": optional(TABLE_ID),
        "page_token": shape("[0-9]{1,18}", "the token of the answer before"),
    }
)
"""Of the built-in ledger."""
