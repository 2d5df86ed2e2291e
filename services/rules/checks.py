"""The loader's checks on how the fields of a rulebook agree with each other.

Each check is a function from the document's flat values to the faults it finds. It sees
only fields that are there and hold a possible value, and may read them without asking
again. A rulebook that fails is refused, never repaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Final, cast

from services.rules.area_language import Definition, Win
from services.rules.areas import AREAS, GROUP, defined
from services.rules.cards import CARDS_PER_DECK
from services.rules.ends import possible_ends
from services.rules.fields import flatten

Flat = Mapping[str, object]

MULTISHUFFLER_DECKS: Final = frozenset({4, 6, 8})
"""Deck counts that an approved multishuffler takes (004 1.1)."""

SAFE_DEPTH: Final = {"FINISH_CURRENT": 6, "FINISH_PLUS_ONE": 11}
"""Cards behind the cutting card with which no coup runs out, by end of shoe (X-1).

A coup takes at most six cards. With one more coup to come, five of the coup in which the
card showed and six of the next must be there.
"""

EXTRA_CARD_LEAVES_PLAY: Final = {
    "BURN3": True,
    "NEXT_BURN": True,
    "REASSIGN_OR_NEXT_COUP": False,
}
"""Whether a card drawn in error is lost to play, so that a short tail gets shorter."""

VARIANT_FIELDS: Final = frozenset(
    {
        "rulebook_id",
        "seeds",
        "base",
        "pay.BANKER_ON_SIX",
        "commission.BANKER",
        "commission_timing",
        "sign_odds_required",
        "variant_change_to",
    }
)
"""Fields in which two rulebooks that a table may change between are allowed to differ."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed check: its name, the field it is about, and what is wrong, in words."""

    check: str
    field: str
    problem: str

    def __str__(self) -> str:
        """Return the failure as one line for a person."""
        return f"{self.check} {self.field}: {self.problem}"


def _whole(flat: Flat, name: str) -> int:
    return cast("int", flat[name])


def _list(flat: Flat, name: str) -> list[object]:
    return list(cast("list[object]", flat[name]))


def _smallest_shoe(flat: Flat) -> int:
    decks = cast("list[int]", flat["decks"])
    return CARDS_PER_DECK * min(decks, default=0)


def _v2(flat: Flat) -> Iterator[Failure]:
    decks = set(_list(flat, "decks"))
    if not decks:
        yield Failure("V-2", "decks", "no number of decks is offered")
    if flat["jokers"]:
        yield Failure("V-2", "jokers", "the game has no jokers")
    if not _list(flat, "card_sources"):
        yield Failure("V-2", "card_sources", "cards must come from somewhere")
    if not set(_list(flat, "multishuffler_decks")) <= decks & MULTISHUFFLER_DECKS:
        yield Failure("V-2", "multishuffler_decks", "must be among `decks` and among 4, 6, 8")


def _depth_bound(flat: Flat) -> int:
    end = str(flat["end_of_shoe"])
    burned = _whole(flat, "burn.between_coups") if end == "FINISH_PLUS_ONE" else 0
    return SAFE_DEPTH[end] + burned


def _v3(flat: Flat) -> Iterator[Failure]:
    depth, bound = _whole(flat, "cut_depth.cards"), _depth_bound(flat)
    if depth < bound:
        yield Failure("V-3", "cut_depth.cards", f"a coup could run out: at least {bound}")
    shoe = _smallest_shoe(flat)
    if flat["cut_depth.mode"] == "EXACT" and 2 * depth > shoe:
        yield Failure("V-3", "cut_depth.cards", "more than half of the smallest shoe")
    if flat["cut_depth.mode"] == "MIN" and depth > shoe - CARDS_PER_DECK:
        yield Failure("V-3", "cut_depth.cards", "no depth fits the smallest shoe")


def warnings(flat: Flat) -> tuple[str, ...]:
    """Return the warnings of a document that passes: at present only TAIL_MARGIN.

    TAIL_MARGIN says that no ordinary coup can run out of cards, but that a card drawn in
    error or a burn at the wrong moment could make one.
    """
    depth, bound = _whole(flat, "cut_depth.cards"), _depth_bound(flat)
    if flat["end_of_shoe"] == "FINISH_CURRENT":
        margin = 1 if EXTRA_CARD_LEAVES_PLAY[str(flat["extra_card"])] else 0
    else:
        margin = _whole(flat, "burn.dealer_change") + _whole(flat, "burn.game_error")
    return ("TAIL_MARGIN",) if depth < bound + margin else ()


def _v4(flat: Flat) -> Iterator[Failure]:
    if 2 * _whole(flat, "cut_in_min_cards") > _smallest_shoe(flat):
        yield Failure("V-4", "cut_in_min_cards", "no position is left in the smallest shoe")


def _v5(flat: Flat) -> Iterator[Failure]:
    areas = _list(flat, "areas")
    if not areas:
        yield Failure("V-5", "areas", "no area is offered")
    own = cast("Mapping[str, object]", flat.get(GROUP, {}))
    for area in areas:
        if area not in AREAS and area not in own:
            yield Failure("V-5", "areas", f"{area} has no definition")
    for area in AREAS:
        if (flat[f"pay.{area}"] is not None) != (area in areas):
            problem = "an area that is offered has a pay value, any other has none"
            yield Failure("V-5", f"pay.{area}", problem)
    commission = flat["commission.BANKER"]
    if commission is not None and not Fraction(*cast("list[int]", commission)) < 1:
        yield Failure("V-5", "commission.BANKER", "must be between 0 and 1")
    if commission is not None and flat["pay.BANKER_ON_SIX"] is not None:
        yield Failure("V-5", "pay.BANKER_ON_SIX", "excludes a commission")
    if (commission is None) != (flat["commission_timing"] is None):
        yield Failure("V-5", "commission_timing", "is set with a commission and only then")
    for name in ("pay.BANKER_ON_SIX", "commission.BANKER"):
        if flat[name] is not None and "BANKER" not in areas:
            yield Failure("V-5", name, "needs the area BANKER")


def _v5_definitions(flat: Flat) -> Iterator[Failure]:
    """The areas that the document defines can be read, make sense, and are offered."""
    group = cast("Mapping[str, object]", flat.get(GROUP, {}))
    readable, faults = defined(group)
    for path, problem in faults:
        yield Failure("V-5", path, problem)
    for area, definition in readable.items():
        yield from _without_sense(f"{GROUP}.{area}", definition)
    for area in group:
        if area not in _list(flat, "areas"):
            yield Failure("V-5", f"{GROUP}.{area}", "must be among `areas`")


def _without_sense(path: str, definition: Definition) -> Iterator[Failure]:
    """Yield parts of a definition that no coup can reach, and an area that never loses."""
    verdicts = [definition.verdict(end) for end in possible_ends()]
    reached = {verdict.number for verdict in verdicts if isinstance(verdict, Win)}
    for case in definition.wins:
        if case.number not in reached:
            yield Failure("V-5", f"{path}.wins.{case.number}", "no coup wins by this case")
    if definition.pushes is not None and "PUSH" not in verdicts:
        yield Failure("V-5", f"{path}.pushes", "no coup ends so")
    if "LOSE" not in verdicts:
        yield Failure("V-5", path, "a wager on it could never lose")


def _v6(flat: Flat) -> Iterator[Failure]:
    methods = set(_list(flat, "methods"))
    if "A" not in methods:
        yield Failure("V-6", "methods", "A must be among them")
    if "B" in methods and flat["method_approval.b"] is None:
        yield Failure("V-6", "method_approval.b", "B needs the role that approves it")
    if methods & {"C", "D"}:
        for name in ("method_approval.c_d", "method_layout.c_d"):
            if flat[name] is None:
                yield Failure("V-6", name, "C and D need it")
        if "SHOE" not in _list(flat, "card_sources"):
            yield Failure("V-6", "card_sources", "C and D need SHOE")
    if methods - {"A"} and flat["table_kind"] != "SEATED":
        yield Failure("V-6", "table_kind", "B, C and D need SEATED")
    fallback = flat["method_fallback"]
    if fallback is not None and fallback not in methods:
        yield Failure("V-6", "method_fallback", "must be among the methods")
    if fallback is None and methods & {"C", "D"}:
        yield Failure("V-6", "method_fallback", "C and D need one for when all decline")


def _v7(flat: Flat) -> Iterator[Failure]:
    error = _whole(flat, "burn.game_error")
    if flat["extra_card"] == "BURN3" and error != 3:
        yield Failure("V-7", "burn.game_error", "BURN3 needs 3")
    if flat["extra_card"] == "NEXT_BURN" and _whole(flat, "burn.between_coups") < 1:
        yield Failure("V-7", "burn.between_coups", "NEXT_BURN needs 1 or more")
    if (error > 0) != (flat["burn.game_error_counts_set_aside"] is not None):
        problem = "is set when `burn.game_error` is over 0, else null"
        yield Failure("V-7", "burn.game_error_counts_set_aside", problem)


def _v8(flat: Flat) -> Iterator[Failure]:
    needed = {
        "FIXED": ("burn.new_shoe_cards",),
        "FACE_VALUE": ("burn.first_counts", "burn.ten_value"),
        "DECKS": (),
    }[str(flat["burn.new_shoe"])]
    for name in needed:
        if flat[name] is None:
            yield Failure("V-8", name, f"{flat['burn.new_shoe']} needs it")


def _v9(flat: Flat, others: Mapping[str, Mapping[str, object]] | None) -> Iterator[Failure]:
    other_id = flat["variant_change_to"]
    if other_id is None:
        return
    if other_id == flat["rulebook_id"]:
        yield Failure("V-9", "variant_change_to", "names the rulebook itself")
        return
    if others is None:
        return
    if other_id not in others:
        yield Failure("V-9", "variant_change_to", f"there is no rulebook {other_id}")
        return
    other = flatten(others[str(other_id)])
    if other.get("variant_change_to") != flat["rulebook_id"]:
        yield Failure("V-9", "variant_change_to", f"{other_id} does not name this one back")
    for name, value in flat.items():
        if name not in VARIANT_FIELDS and _plain(other.get(name)) != _plain(value):
            yield Failure("V-9", name, f"differs from {other_id}, which a change may not bring")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _v11(flat: Flat) -> Iterator[Failure]:
    if flat["betting_close"] == "TIMER" and flat["betting_seconds"] is None:
        yield Failure("V-11", "betting_seconds", "TIMER needs 5 to 120")
    windows = ("withdrawal.after_reconstruction", "withdrawal.after_device_failure")
    if any(flat[name] for name in windows) and not flat["withdrawal.window_seconds"]:
        yield Failure("V-11", "withdrawal.window_seconds", "a window needs a length")
    if flat["misdeal"] == "RECONSTRUCT" and flat["reconstruction_alarm_seconds"] is None:
        yield Failure("V-11", "reconstruction_alarm_seconds", "RECONSTRUCT needs it")
    if flat["variant_change_to"] is not None and flat["variant_change_notice_minutes"] is None:
        yield Failure("V-11", "variant_change_notice_minutes", "a change of game needs it")


def _v12(flat: Flat) -> Iterator[Failure]:
    methods = set(_list(flat, "methods"))
    default, most = flat["box_players_default"], flat["box_players_max"]
    feature_on = {
        "burn.game_error_by": _whole(flat, "burn.game_error") > 0,
        "burn.discretionary_by": _whole(flat, "burn.discretionary_max_cards") > 0,
        "play_player_hand_by": bool(methods & {"C", "D"}),
        "opposing_wagers_by": flat["opposing_wagers"] == "APPROVAL",
        "box_sharing_by": most is not None and most != default,
        "standing_players_by": flat["standing_players"] == "PERMISSION",
        "seat_vacate_by": flat["seat_idle_rounds"] is not None,
        "withdrawal.after_reconstruction_silence": flat["withdrawal.after_reconstruction"],
        "withdrawal.after_device_failure_silence": flat["withdrawal.after_device_failure"],
        "promo_on_push_or_void": flat["promo_tokens"],
        "area_wagers_scope": flat["area_wagers_max"] is not None,
    }
    for name, on in feature_on.items():
        if on and flat[name] is None:
            yield Failure("V-12", name, "its feature is on, so it must be set")
    if not _list(flat, "dispute_levels"):
        yield Failure("V-12", "dispute_levels", "somebody must decide a dispute")


def agreement(flat: Flat, others: Mapping[str, Mapping[str, object]] | None) -> tuple[Failure, ...]:
    """Return every failure of the checks V-2 to V-12 on fields that disagree.

    `flat` holds the values that are possible in themselves, by dotted name.
    `others` are the documents of the other rulebooks by id, for V-9; without them only
    what the document says by itself is checked.
    """
    found = [
        *chain.from_iterable(_findings(check(flat)) for check in _ALONE),
        *_findings(_v9(flat, others)),
    ]
    return tuple(sorted(found, key=lambda fault: (int(fault.check[2:]), fault.field)))


_ALONE: Final = (_v2, _v3, _v4, _v5, _v5_definitions, _v6, _v7, _v8, _v11, _v12)


def _findings(faults: Iterator[Failure]) -> Iterator[Failure]:
    """Yield what a check finds until it asks for a field that is not there to be read.

    That field is reported on its own account; all the other checks still run, so that one
    refusal names as many faults as can be told.
    """
    with suppress(KeyError):
        yield from faults
