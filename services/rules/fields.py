"""Every field a rulebook has, what it may hold, and the check that refuses other values.

The table is the whole schema: a document with another field, or without one of these, is
refused; only the few of `OPTIONAL` may be there or not. A field's check is the one named when the field holds something it cannot hold;
how fields must agree with each other is in `services.rules.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from services.rules.area_language import NAME, is_odds
from services.rules.areas import AREAS, GROUP

ROLES: Final = (
    "PLAYER",
    "DEALER",
    "GAME_SUPERVISOR",
    "CASINO_SUPERVISOR",
    "DUTY_MANAGER",
    "INSPECTOR",
)
"""Roles a field may name; AUDITOR commands nothing and SYSTEM is nobody (clauses 1.3)."""

DECKS_MAX: Final = 12
CARD_SOURCES: Final = ("SHOE", "SHUFFLING_DEVICE", "GENERATED")
METHODS: Final = ("A", "B", "C", "D")

Test = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the check that guards its values, the test, and the test in words."""

    check: str
    accepts: Test
    wants: str


def _text(check: str = "V-1") -> Field:
    return Field(check, lambda v: isinstance(v, str) and bool(v), "a name")


def _flag(check: str = "V-1") -> Field:
    return Field(check, lambda v: isinstance(v, bool), "true or false")


def _whole(low: int, high: int | None = None, check: str = "V-1") -> Field:
    def accepts(value: object) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return value >= low and (high is None or value <= high)

    top = "" if high is None else f" to {high}"
    return Field(check, accepts, f"a whole number from {low}{top}")


def _one_of(*names: str, check: str = "V-1") -> Field:
    return Field(check, lambda v: isinstance(v, str) and v in names, f"one of {', '.join(names)}")


def _role() -> Field:
    return _one_of(*ROLES, check="V-12")


def _nullable(field: Field) -> Field:
    return Field(field.check, lambda v: v is None or field.accepts(v), f"{field.wants}, or null")


def _several(item: Field) -> Field:
    """A list of distinct values of `item`; it may be empty."""

    def accepts(value: object) -> bool:
        if not isinstance(value, list | tuple) or not all(item.accepts(v) for v in value):
            return False
        return len({repr(v) for v in value}) == len(value)

    return Field(item.check, accepts, f"a list without repeats, each {item.wants}")


def _odds() -> Field:
    return Field("V-5", is_odds, "a pair of positive whole numbers [numerator, denominator]")


def _area() -> Field:
    """The name of an area; whether it has a definition is a question of agreement."""
    return Field("V-5", lambda v: isinstance(v, str) and bool(NAME.fullmatch(v)), "an area's name")


def _notice() -> Field:
    return _nullable(_whole(0, check="V-11"))


_PAY: Final = {
    f"pay.{name}": _nullable(_odds())
    for area in AREAS
    for name in ((area, "BANKER_ON_SIX") if area == "BANKER" else (area,))
}

_IDENTITY: Final[Mapping[str, Field]] = {
    "rulebook_id": _text(),
    "seeds": _several(_text()),
    "base": _nullable(_text()),
    "jurisdiction": _text(),
    "table_kind": _one_of("STREAMED", "SEATED"),
}

_CARDS: Final[Mapping[str, Field]] = {
    "decks": _several(_whole(1, DECKS_MAX, check="V-2")),
    "jokers": _flag("V-2"),
    "card_sources": _several(_one_of(*CARD_SOURCES, check="V-2")),
    "multishuffler_decks": _several(_whole(1, DECKS_MAX, check="V-2")),
    "pre_shuffled_packs": _flag(),
    "card_identity": _several(_one_of("SCANNER", "MANUAL")),
    "manual_entry_persons": _whole(1),
    "inspection.persons": _whole(1),
    "inspection.video_required": _flag(),
    "inspection.stages": _several(_one_of("PRE", "POST", "RETURN")),
    "replace_cards_by": _role(),
    "retire_handled_cards": _flag(),
    "reshuffle_between_coups_by": _nullable(_role()),
}

_SHOE: Final[Mapping[str, Field]] = {
    "shuffle_procedure": _one_of("WASH_STACK_RIFFLE", "ANY_RANDOM"),
    "riffle_on_request": _flag(),
    "cut_by": _one_of("DEALER", "PLAYER_CHAIN"),
    "cut_in_min_cards": _whole(1, check="V-4"),
    "cut_markers": _several(_one_of("BACK", "CUT")),
    "cut_depth.mode": _one_of("EXACT", "MIN", check="V-3"),
    "cut_depth.cards": _whole(1, check="V-3"),
    "end_of_shoe": _one_of("FINISH_CURRENT", "FINISH_PLUS_ONE"),
    "cutting_card_in_burn": _one_of("RETIRE_SHOE", "NEXT_COUP_IS_LAST"),
    "last_coup_call": _one_of("AT_APPEARANCE", "AFTER_COUP"),
}

_BURNS: Final[Mapping[str, Field]] = {
    "burn.new_shoe": _one_of("FIXED", "FACE_VALUE", "DECKS", check="V-8"),
    "burn.new_shoe_cards": _nullable(_whole(1, 10, check="V-8")),
    "burn.first_counts": _nullable(_flag("V-8")),
    "burn.ten_value": _nullable(_whole(0, 10, check="V-8")),
    "burn.first_card_face_up": _flag(),
    "burn.between_coups": _whole(0),
    "burn.dealer_change": _whole(0),
    "burn.game_error": _whole(0, check="V-7"),
    "burn.game_error_counts_set_aside": _nullable(_flag("V-7")),
    "burn.game_error_by": _nullable(_role()),
    "burn.discretionary_by": _nullable(_role()),
    "burn.discretionary_max_cards": _whole(0),
    "burn.missing": _one_of("REFUSE", "INVALIDATE_SHOE"),
}

_DEALING: Final[Mapping[str, Field]] = {
    "methods": _several(_one_of(*METHODS, check="V-6")),
    "method_approval.b": _nullable(_role()),
    "method_approval.c_d": _nullable(_role()),
    "method_layout.c_d": _nullable(_one_of("A", "B", "C", "D", check="V-6")),
    "method_fallback": _nullable(_one_of(*METHODS, check="V-6")),
    "play_player_hand_by": _nullable(_role()),
    "third_card_rule": _one_of("STANDARD"),
    "announce_points": _flag(),
    "announcement_mismatch": _one_of("HOLD_SETTLEMENT"),
}

_ERRORS: Final[Mapping[str, Field]] = {
    "misdeal": _one_of("REORDER", "RECONSTRUCT"),
    "misdeal_by": _role(),
    "excess_initial": _one_of("REORDER", "VOID"),
    "multi_pull": _one_of("TOP_FIRST"),
    "multi_pull_max_cards": _whole(1),
    "extra_card": _one_of("BURN3", "NEXT_BURN", "REASSIGN_OR_NEXT_COUP", check="V-7"),
    "exposed_card": _one_of("NO_BET_COUP"),
    "insufficient_cards": _one_of("VOID"),
    "withdrawal.after_reconstruction": _flag(),
    "withdrawal.after_reconstruction_silence": _nullable(_one_of("STAYS", "RETURNS")),
    "withdrawal.after_device_failure": _flag(),
    "withdrawal.after_device_failure_silence": _nullable(_one_of("STAYS", "RETURNS")),
    "withdrawal.window_seconds": _notice(),
    "reconstruction_alarm_seconds": _notice(),
    "cannot_continue": _one_of("BETTER_FOR_PLAYER", "REFUND_ALL"),
    "card_before_close": _one_of("UNSEEN_PLAYS", "ALWAYS_VOID"),
}

_BETTING: Final[Mapping[str, Field]] = {
    "betting_close": _one_of("TIMER", "DEALER_CALL"),
    "betting_seconds": _nullable(_whole(5, 120, check="V-11")),
    "call_tolerance_seconds": _whole(0, check="V-11"),
    "coup_cycle_min_seconds": _whole(0, check="V-11"),
    "book_close": _one_of("AUTO", "BY_DEALER"),
    "debit_drain_ms": _whole(0, 3000, check="V-11"),
    "cancel_before_close": _flag(),
    "out_of_limits": _one_of("REJECT", "VALID_UNLESS_REJECTED"),
    "opposing_wagers": _one_of("ALLOW", "APPROVAL", "REFUSE"),
    "opposing_wagers_by": _nullable(_role()),
    "area_wagers_max": _nullable(_whole(1)),
    "area_wagers_scope": _nullable(_one_of("PLAYER")),
    "box_players_default": _nullable(_whole(1)),
    "box_players_max": _nullable(_whole(1)),
    "box_sharing_by": _nullable(_role()),
    "standing_players": _one_of("NOT_APPLICABLE", "PERMISSION", "SHARED_BOX_ONLY"),
    "standing_players_by": _nullable(_role()),
    "limits_changed_by": _role(),
    "personal_limits_by": _nullable(_role()),
    "differential_policy": _one_of("OFF", "REDUCE", "REJECT"),
    "promo_tokens": _flag(),
    "promo_on_push_or_void": _nullable(_one_of("RETURN")),
    "raise_minimum_notice_minutes": _whole(0, check="V-11"),
    "close_table_notice_minutes": _whole(0, check="V-11"),
    "variant_change_to": _nullable(_text("V-9")),
    "variant_change_notice_minutes": _notice(),
    "seat_idle_rounds": _nullable(_whole(1)),
    "seat_vacate_by": _nullable(_role()),
    "sign_odds_required": _flag(),
}

_MONEY: Final[Mapping[str, Field]] = {
    "areas": _several(_area()),
    **_PAY,
    "commission.BANKER": _nullable(_odds()),
    "commission_timing": _nullable(_one_of("AT_PAYMENT")),
    "rounding.mode": _one_of("UP", "DOWN", "HALF_UP", "HALF_EVEN", check="V-10"),
    "rounding.unit": _one_of("MINOR_UNIT", "SMALLEST_CHIP", check="V-10"),
    "rounding.level": _one_of("WAGER", check="V-10"),
    "tie_main_areas": _one_of("PUSH", "LOSE"),
    "push_word": _one_of("RETURNED", "VOID"),
    "push_counts_as_turnover": _flag(),
    "void_coup": _one_of("REFUND_ALL"),
    "invalidate_by": _role(),
    "invalidated_default": _one_of("REFUND"),
    "forfeit_by": _nullable(_role()),
}

_RECORDS: Final[Mapping[str, Field]] = {
    "roads_no_bet_coups": _one_of("MARKED", "OMITTED"),
    "roads_void_coups": _one_of("OMITTED"),
    "dispute_levels": _several(_role()),
    "games_supervisor_counts_as_casino_supervisor": _flag(),
    "inspector_advice": _flag(),
    "rules_on_request": _flag(),
}

FIELDS: Final[Mapping[str, Field]] = {
    **_IDENTITY,
    **_CARDS,
    **_SHOE,
    **_BURNS,
    **_DEALING,
    **_ERRORS,
    **_BETTING,
    **_MONEY,
    **_RECORDS,
}
"""Dotted field name to what the field may hold, in the order of the documents."""

OPTIONAL: Final[Mapping[str, Field]] = {
    GROUP: Field(
        "V-5",
        lambda v: isinstance(v, Mapping) and bool(v),
        "an object with at least one definition; a rulebook without any leaves it out",
    ),
}
"""Fields that a document has only where it needs them.

`area_definitions` holds areas that are not built in, by name. A rulebook that is content
with the built-in ones has no such field, and there is one way to say so.
"""

GROUPS: Final = frozenset(name.split(".")[0] for name in FIELDS if "." in name)
"""Names that hold an object of fields instead of a value."""


def flatten(document: Mapping[str, object]) -> dict[str, object]:
    """Return the document's values by dotted field name.

    Only the known groups are opened: an object under any other name stays one value, and
    is then an unknown field or a value of the wrong kind.
    """
    flat: dict[str, object] = {}
    for name, value in document.items():
        if name in GROUPS and isinstance(value, Mapping):
            flat.update((f"{name}.{inner}", held) for inner, held in value.items())
        else:
            flat[name] = value
    return flat
