"""A table log in which many actions occur: what odd logs are made from."""

from __future__ import annotations

import json

from tests.e2e.support import OPEN, SHOE, coup

LINES = tuple(
    json.dumps(line)
    for line in (
        OPEN,
        {"do": "seat", "player": "p1", "seat": 1},
        {"do": "inspect_cards", "witness": "gs1", "video": "camera-1"},
        {"do": "shuffle", "procedure": "manual"},
        {"do": "cut", "position": 200},
        {"do": "place_cut_card", "from_back": 20},
        SHOE,
        *coup(1, ("p1", "banker", 2_500), ("p2", "player", 1_000), ("p1", "tie", 200)),
        {"do": "wager", "id": "late", "player": "p1", "area": "tie", "amount": 500},
        {"do": "dispute", "id": "q1", "coup": 1, "claim": "the third card"},
        {"do": "decide_dispute", "id": "q1", "level": 1, "decision": "dismissed"},
        {"do": "change_limits", "limits": {"*": {"min": 100, "max": 5_000, "unit": 100}}},
        {"do": "notice", "change": "min", "value": 500, "effective_at": "2026-01-01T02:00:00Z"},
        {"do": "open_betting", "closes_in_s": 30},
        {"do": "wager", "id": "w9", "player": "p1", "area": "player", "amount": 3_000},
        {"do": "change_wager", "id": "w9", "amount": 2_000},
        {"do": "no_more_bets"},
        {"do": "draw", "to": "player", "face": "up"},
        {"do": "draw", "count": 2},
        {"do": "expose_next"},
        {"do": "ruling", "kind": "void", "coup": 2, "reason": "CARDS_DISTURBED",
         "second": {"id": "cs2", "role": "casino_supervisor"}},
        {"do": "approve", "what": "opposing_wagers", "player": "p1", "coups": 2},
        {"do": "approve", "what": "method", "method": "B"},
        {"do": "incident", "code": "ADVICE", "note": "a word"},
        {"do": "burn", "reason": "discretion", "count": 2},
        {"do": "tick", "at": "2026-01-01T03:00:00Z"},
        *coup(3, ("p1", "player", 3_000)),
        {"do": "close_table"},
    )
)  # fmt: skip
