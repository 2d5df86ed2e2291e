"""The clauses behind each rule, as data: rule key, text, clauses.

A clause is cited as `text:number`, or `text:Lnumber` where the text has only lines. Under
a text there may be clauses of another one, where the text has a hole that the other fills.
An empty entry says that the text leaves the point open and nothing else fills it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _by_text(**clauses: str) -> dict[str, tuple[str, ...]]:
    """Return the clauses by text; `s000="a b"` lists two, an empty string lists none."""
    return {
        text.removeprefix("s"): tuple(
            clause if ":" in clause else f"{text.removeprefix('s')}:{clause}"
            for clause in listed.split()
        )
        for text, listed in clauses.items()
    }


_PLAY: Final = {
    "natural": _by_text(s000="3.6.1", s001="3.2", s002="L5 L9", s004="9.2"),
    "player_draws": _by_text(s000="3.6.1", s001="3.2", s002="L6", s004="9.3.1"),
    "player_stands": _by_text(s000="3.6.1", s001="3.2", s002="L7", s004="9.3.2"),
    # 002 is silent on Banker when Player stood, and the table of 004 has lost its body.
    "banker_player_stood": _by_text(s000="3.6.1", s001="3.2", s004="9.5"),
    "banker_table": _by_text(
        s000="3.6.1", s001="3.2", s002="L10 L11 L12 L13 L14 L15", s004="9.4 000:3.6.1"
    ),
    "result": _by_text(s000="3.6.2 3.6.3", s001="3", s002="L2", s004="9.8.2"),
    "initial_deal": _by_text(s000="3.5.3", s001="3.2", s004="7.3"),
    "point_count": _by_text(s000="1.3.2", s001="3.2", s004="3.2 3.3"),
    "announcement": _by_text(s000="3.6.3", s004="8.3.2 9.8.2"),
    "announcement_mismatch": _by_text(s000="3.6.3 3.7.1", s004="9.8.2"),
    "third_card_order": _by_text(s000="3.5.4 3.5.5", s001="3.2", s004="9.1"),
}

_SHOE: Final = {
    "decks": _by_text(s000="1.3.1", s001="3", s004="3.1"),
    "inspection": _by_text(s000="1.3.3 3.1.1 3.1.2 3.1.4", s004="3.4"),
    "shuffle": _by_text(s000="3.2.1 3.2.2", s003="4.1", s004="4.1"),
    "pre_shuffled": _by_text(s000="3.2.1", s003="4.1.2", s004="3.5 4.1.2"),
    "riffle": _by_text(s000="", s003="4.2", s004="4.2"),
    "cut_order": _by_text(s000="3.3.1", s003="4.3 4.4", s004="4.3 4.4"),
    "cut_position": _by_text(s000="3.3.2", s003="4.5", s004="4.5"),
    "cut_depth": _by_text(s000="3.3.3 3.3.5", s001="3", s003="4.6", s004="4.6"),
    "end_of_shoe": _by_text(s000="3.2.2 3.6.4", s003="4.9 4.10", s004="4.9 4.10"),
    "last_coup": _by_text(s000="3.6.4", s003="4.9 4.10", s004="4.9 4.10"),
    "reshuffle": _by_text(s000="3.2.3", s004=""),
    "burn_new_shoe": _by_text(s000="3.4", s002="L28", s003="4.7 4.8", s004="4.7 4.8"),
    "burn_between_coups": _by_text(s000="", s002="L30", s004=""),
    "burn_dealer_change": _by_text(s000="3.4", s002="", s004=""),
    "burn_game_error": _by_text(s000="3.4", s002="", s004=""),
    "burn_discretion": _by_text(s000="3.4", s002="", s004=""),
    "burn_missing": _by_text(s000="3.4", s002="L29", s003="4.7", s004="4.7"),
    "card_replacement": _by_text(s000="3.1.3", s004="3.8 3.10"),
    "handled_cards": _by_text(s000="3.1.4", s004="3.9"),
    "integrity": _by_text(s000="1.3.1 4.1", s004="3.1 3.7"),
    "device": _by_text(s000="", s003="", s004="4.11"),
    "device_transfer": _by_text(s003="", s004="13.2 13.3.2 13.3.4"),
    "device_replacement": _by_text(s003="", s004="13.3.1 13.3.3 13.5.2"),
    "device_shoe": _by_text(s003="", s004="13.5.3 13.5.4"),
    "shuffler_fault": _by_text(s003="", s004="13.1 13.2 13.3 13.4 13.5"),
    "pick_up": _by_text(s000="3.7.1 3.7.2", s004=""),
}

_ERRORS: Final = {
    "extra_card": _by_text(s000="3.4", s002="L31 L32", s004="12.4"),
    "multi_pull": _by_text(s000="002:L33 002:L34", s002="L33 L34", s004="002:L33 002:L34"),
    "excess_initial": _by_text(s000="", s004="12.3"),
    "misdeal": _by_text(s000="3.5.3 002:L35", s002="L35", s004="12.1"),
    "reconstruction": _by_text(s004="12.1 12.2 12.3"),
    "withdrawal": _by_text(s004="12.2"),
    "device_withdrawal": _by_text(s004="13.5.1"),
    "exposed_card": _by_text(s004="12.5 12.7"),
    "no_bet": _by_text(s004="12.6"),
    "insufficient_cards": _by_text(s004="12.8"),
    "card_before_close": _by_text(s000="2.1.6", s001="3.2", s003="5.3", s004="5.3 7.1"),
    "void": _by_text(s004="1.1 12.3"),
    "terminate": _by_text(s003="", s004="13.4"),
    "invalidate": _by_text(s004="14.4 14.5"),
    "forfeit": _by_text(s004="14.5"),
    "prohibited_device": _by_text(s004="14.1 14.3"),
    "exposed_face": _by_text(s000="4.2", s004="12.5"),
    "card_handled": _by_text(s000="4.1", s003="5.5", s004="3.7"),
    "cards_out_of_view": _by_text(s000="", s004="8.12 8.22 8.31"),
    "draw_without_instruction": _by_text(s000="", s004="8.19 8.28"),
    "detention": _by_text(s004="14.3.4"),
    "advice": _by_text(s000="4.3", s004="14.6"),
    "influence": _by_text(s004="14.7"),
    "dispute": _by_text(s000="3.7.1", s004="14.12 14.13"),
    "rules_on_request": _by_text(s000="", s004="14.14"),
}

_BETTING: Final = {
    "call": _by_text(s000="2.1.6 3.5.2", s004="7.1"),
    "cut_off": _by_text(s000="2.1.6", s001="3.2", s003="5.3", s004="5.3"),
    "locked": _by_text(s000="2.1.6", s003="5.4", s004="5.4"),
    "unknown_area": _by_text(
        s000="2.1.1", s002="L19 L20 L21 L22 L23 L24 L25 L26", s003="5.1", s004="5.1"
    ),
    "area_full": _by_text(s000="2.1.1", s003="5.5", s004="5.5"),
    "combination": _by_text(s000="", s003="5.6", s004="5.6"),
    "limits": _by_text(s000="2.1.7", s004="6.1 6.3"),
    "differential": _by_text(s000="", s004="1.1 6.2"),
    "limits_change": _by_text(s000="", s004="6.4"),
    "personal_limits": _by_text(s000="", s004="6.5"),
    "standing": _by_text(s000="", s003="5.5", s004="5.5"),
    "box_sharing": _by_text(s000="", s004="5.5"),
    "opposing_wagers": _by_text(s000="", s003="5.6.6 5.6.7", s004="5.6.6 5.6.7"),
    "funding": _by_text(s000="", s003="5.2", s004="1.1 5.2"),
    "seat_order": _by_text(s000="", s003="4.3 4.4", s004="2.1 8.7 8.8"),
    "seat_idle": _by_text(s000="", s004="14.10"),
    "notice": _by_text(s000="", s004="6.4 14.8 14.9"),
    "variant_change": _by_text(s000="", s004="14.8"),
    "close_table": _by_text(s000="", s004="14.9"),
    "sign": _by_text(s000="", s004="2.5"),
    "table_number": _by_text(s000="1.2.2", s004="000:1.2.2"),
}

_METHODS: Final = {
    "method": _by_text(s000="3.5.1", s004="8.1"),
    "method_a": _by_text(s000="3.5.1 3.5.3", s004="8.3 9.6.1"),
    "method_b": _by_text(s000="", s004="8.4 8.5 8.6 8.7 8.8 8.10"),
    "one_hand": _by_text(s000="", s004="8.11"),
    "returned_b": _by_text(s000="", s004="8.14.1 9.8.1"),
    "returned_c": _by_text(s000="", s004="8.24.1 9.6.3.2"),
    "returned_d": _by_text(s000="", s004="8.33.1 9.6.4.2"),
    "turned_by_dealer": _by_text(s000="", s004="8.14.2 8.24.2 8.33.2"),
    "method_c": _by_text(s000="", s004="8.1.1 8.15 8.16 8.17 8.18"),
    "method_d": _by_text(s000="", s004="8.1.1 8.25 8.26 8.27"),
    "act_as_player": _by_text(s000="", s004="8.17.2 8.27.2"),
    "shoe_forfeit": _by_text(s000="", s004="8.18 8.20 8.29"),
}

_MONEY: Final = {
    "payout_player": _by_text(s000="2.2", s002="L21", s004="11.1.1"),
    "payout_banker": _by_text(s000="2.2", s002="L19", s004="11.1.2"),
    "commission": _by_text(s000="2.2", s002="L20", s004="1.1 11.1.2"),
    "payout_tie": _by_text(s000="2.2", s002="L22", s004="11.1.3"),
    "payout_pair": _by_text(s000="002:L23 002:L24", s002="L23 L24", s004="002:L23 002:L24"),
    "payout_player_pair": _by_text(s000="002:L24", s002="L24", s004="002:L24"),
    "payout_banker_pair": _by_text(s000="002:L23", s002="L23", s004="002:L23"),
    "payout_big": _by_text(s000="002:L16 002:L25", s002="L16 L25", s004="002:L16 002:L25"),
    "payout_small": _by_text(s000="002:L26", s002="L26", s004="002:L26"),
    "push": _by_text(
        s000="2.1.2A 2.1.3 2.1.5",
        s003="5.1.1.3 5.1.2.3",
        s004="5.1.1.3 5.1.2.3",
    ),
    "rounding": _by_text(s000="", s003="5.7", s004="5.7"),
    "token": _by_text(s000="", s003="5.2", s004="1.1 5.2"),
}

BY_TEXT: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    **_PLAY,
    **_SHOE,
    **_ERRORS,
    **_BETTING,
    **_METHODS,
    **_MONEY,
}
"""Rule key to text to clauses."""

BY_RULEBOOK: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "payout_banker": {
        "super-six-commission": ("002:L20",),
        "nsw-mini-even-money": ("004:11.2.2",),
    },
    "payout_player": {"nsw-mini-even-money": ("004:11.2.1",)},
    "payout_tie": {"nsw-mini-even-money": ("004:11.2.3",)},
    "commission": {"super-six": (), "nsw-mini-even-money": ()},
}
"""Rule key to rulebook id to clauses, where two rulebooks rest on one text and differ."""
