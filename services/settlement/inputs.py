"""What the requests of the settlement service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import (
    COUP_ID,
    LOOKED_UP,
    MOVEMENT_ID,
    TABLE_ID,
    TABLE_ID_CHARACTERS_MAX,
    Inputs,
    needed,
    note,
    optional,
    shape,
    words,
)

NAME: Final = words(needed=True)

INPUTS: Final = Inputs(
    {
        "coup_id": needed(COUP_ID),
        "sabot.settlement.v1.GetRulebookRequest.coup_id": COUP_ID,
        "wager_id": NAME,
        "dispute_id": NAME,
        "sabot.settlement.v1.ExportEvidenceRequest.dispute_id": words(),
        "movement_id": MOVEMENT_ID,
        "coup": LOOKED_UP,
        "level": LOOKED_UP,
        "claim": note(),
        "purpose": needed(note()),
        "page_token": shape(
            rf"[0-9]{{1,9}}[.][0-9]{{1,9}}[.][A-Za-z0-9._~-]{{1,{TABLE_ID_CHARACTERS_MAX}}}",
            "the token of the answer before",
        ),
        "sabot.settlement.v1.ListCoupsRequest.table_id": optional(TABLE_ID),
        "sabot.settlement.v1.ListOpenItemsRequest.table_id": optional(TABLE_ID),
    }
)
