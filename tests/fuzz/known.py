"""Inputs that once were answered INTERNAL, changed something, or were stored as they came.

Each has the answer that it has to have: the status of the call, or the reason of the refusal.
`TABLE` stands for the table that the test has opened.
"""

from __future__ import annotations

from typing import Any, Final

TABLE: Final = "TABLE"
INVALID: Final = "INVALID_ARGUMENT"
HUGE: Final = "x" * 100_000

KNOWN: Final[tuple[tuple[str, str, dict[str, Any], str], ...]] = (
    ("settlement", "GetCoup", {"coup_id": "T:1:1\0"}, INVALID),
    ("settlement", "GetCoup", {"coup_id": HUGE}, INVALID),
    ("settlement", "GetCoup", {"coup_id": "T:\u0663:1"}, INVALID),
    ("settlement", "RebuildCoup", {"coup_id": "\0:1:1"}, INVALID),
    ("settlement", "RebuildCoup", {"coup_id": f"T:{'9' * 40}:1"}, INVALID),
    ("settlement", "ListCoups", {"table_id": "T", "page_token": "1.99999999999999999999.T"}, INVALID),
    ("settlement", "ListCoups", {"table_id": "T", "page_token": "\u0663.\u0663.T"}, INVALID),
    ("settlement", "ListCoups", {"table_id": "T", "page_size": -1}, INVALID),
    ("query", "ListCoups", {"gaming_day": "2026-02-30"}, INVALID),
    ("query", "ExportCoups", {"gaming_day": "2026-02-30"}, INVALID),
    ("query", "ListWagers", {"gaming_day": "20260228"}, INVALID),
    ("query", "ListCoups", {"gaming_day": "2028-02-29"}, "OK"),
    (
        "settlement",
        "GetCoup",
        {"coup_id": "T:1:1", "min_position": "MTpzZXR0bGVtZW50OjA6" + "OTk5" * 9 + "OS4"},
        INVALID,
    ),
    ("wallet", "ListMovements", {"player": "p", "currency": "EUR", "page_token": "9" * 30}, INVALID),
    ("wallet", "ListMovements", {"player": "p", "currency": "EUR", "page_token": "\u00b2"}, INVALID),
    ("wallet", "GetBalance", {"player": "\0", "currency": "EUR"}, INVALID),
    ("round", "GetTableProgress", {"table_id": "\0"}, INVALID),
    ("shoe", "GetTableProgress", {"table_id": HUGE}, INVALID),
    ("wager", "GetTableProgress", {"table_id": ""}, INVALID),
    ("round", "ListCommandEvents", {"table_id": "T", "command_ids": ["\0"]}, INVALID),
    ("shoe", "ListCommandEvents", {"table_id": "T", "command_ids": [HUGE]}, INVALID),
    ("round", "OpenTable", {"options_json": "[" * 100_000}, INVALID),
    ("round", "OpenTable", {"options_json": '{"a": "\\ud800"}'}, INVALID),
    ("round", "OpenTable", {"table_number": "\0"}, INVALID),
    ("round", "OpenTable", {"table_number": HUGE}, INVALID),
    ("round", "AnnounceResult", {"winner": "FOO"}, "UNKNOWN"),
    ("round", "RuleOnDeal", {"ruling": "FOO", "coup": 1}, "UNKNOWN"),
    ("round", "AcceptShoe", {"seat": 1, "hand": "FOO"}, "UNKNOWN"),
    ("round", "CorrectResult", {"coup": 1, "player": ["T:1"], "banker": ["AS"]}, "UNKNOWN"),
    ("shoe", "InspectCards", {"witness": "w", "defects": ["XX"]}, "UNKNOWN"),
    ("shoe", "LoadShoe", {"shoe_id": "s", "source": "FOO"}, "UNKNOWN"),
    ("shoe", "LoadShoe", {"shoe_id": "s", "source": "SCANNED", "cuts_after": -5}, INVALID),
    ("shoe", "LoadShoe", {"shoe_id": "", "source": "SCANNED"}, INVALID),
    ("shoe", "LoadShoe", {"shoe_id": "s", "source": "PRESET"}, "INTEGRITY"),
    ("shoe", "DrawCard", {"to": "FOO"}, "UNKNOWN"),
    ("shoe", "DrawCard", {"face": "FOO"}, "UNKNOWN"),
    ("shoe", "DrawCard", {"source": "FOO"}, "UNKNOWN"),
    ("shoe", "DrawCard", {"sequence": -1}, INVALID),
    ("shoe", "DrawCard", {"sequence": 0}, INVALID),
    ("shoe", "DrawCard", {"cards": ["AS", "KS"], "count": 1}, "NOT_PERMITTED"),
    ("wager", "PlaceWager", {"wager_id": "w", "player": "", "area": "TIE"}, INVALID),
    ("wager", "PlaceWager", {"wager_id": "w", "player": "p", "area": "TIE", "amount_minor": -1}, INVALID),
    ("wager", "NotifyMinimum", {"minimum_minor": 2**63 - 1}, INVALID),
    ("wager", "NotifyMinimum", {"minimum_minor": 100, "effective_at_us": -(2**63)}, INVALID),
    ("wager", "ChangeLimits", {"limits": {"areas": {"*": {"max_minor": 2**63 - 1}}}}, INVALID),
    ("wager", "ChangeLimits", {"limits": {"areas": {"*": {"max_minor": 100}}}}, "NOT_PERMITTED"),
    ("wager", "ApproveOpposing", {"coups": 0}, "NOT_PERMITTED"),
    ("wager", "RevokePermission", {"permission": "FOO"}, "UNKNOWN"),
    ("settlement", "DecideDispute", {"dispute_id": "q", "level": 1, "decision": "FOO"}, "UNKNOWN"),
)  # fmt: skip
