"""What the requests of the settlement service may hold, beyond the rules of all services."""

from __future__ import annotations

import datetime as dt
from typing import Final

from services.chassis.inputs import (
    COUP_ID,
    LOOKED_UP,
    MOVEMENT_ID,
    TABLE_ID,
    TABLE_ID_CHARACTERS_MAX,
    Inputs,
    Rule,
    items,
    needed,
    note,
    optional,
    shape,
    words,
)

NAME: Final = words(needed=True)

ID_CHARACTERS_MAX: Final = 600
"""A table's id, and that of something at the table."""

FILTER_CHARACTERS_MAX: Final = 1_000


def _is_day(text: str) -> bool:
    try:
        return dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


DAY: Final = Rule(problem="needs a day of the calendar, such as 2026-03-01", holds=_is_day)

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
        "sabot.settlement.v1.GetReportRequest.name": NAME,
        "sabot.settlement.v1.GetReportRequest.table_id": optional(TABLE_ID),
        "from_day": DAY,
        "to_day": DAY,
        "to_date": shape("MONTH|YEAR", "MONTH or YEAR"),
        "sabot.settlement.v1.ListOpenItemsRequest.table_id": optional(TABLE_ID),
    }
)

TOKEN: Final = shape(r"[A-Za-z0-9_-]{1,2000}", "the token of an answer")
IDS_MAX: Final = 1_000

QUERY_INPUTS: Final = Inputs(
    {
        "id": words(ID_CHARACTERS_MAX, needed=True),
        "sabot.query.v1.GetRoadsRequest.id": words(ID_CHARACTERS_MAX),
        "movement_id": MOVEMENT_ID,
        "player": NAME,
        "ids": items(IDS_MAX, rule=words(ID_CHARACTERS_MAX)),
        "table_ids": items(IDS_MAX, rule=TABLE_ID),
        "table_id": optional(TABLE_ID),
        "sabot.query.v1.WatchTableRequest.table_id": TABLE_ID,
        "gaming_day": DAY,
        "filter": words(FILTER_CHARACTERS_MAX),
        "order_by": words(40),
        "page_token": TOKEN,
        "resume_cursor": TOKEN,
    }
)
"""Of the query API."""
