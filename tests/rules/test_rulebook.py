"""Rulebooks: what is refused and why, hashes, options, overlays, and the seven documents."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import services.rulebooks
from services.rulebooks.catalogue import document, load_catalogue, rulebook
from services.rules import rulebook as module
from services.rules.fields import FIELDS, GROUPS, flatten
from services.rules.rulebook import (
    HOUSE_CHOICES,
    Document,
    Rulebook,
    RulebookRejected,
    canonical_json,
    rulebook_hash,
    rulebook_of,
    with_options,
)
from tests.rules.oracle import shared

SEVEN = {
    "live-studio",
    "live-lobby",
    "super-six",
    "super-six-commission",
    "nsw-baccarat",
    "nsw-mini",
    "nsw-mini-even-money",
}

MISSING = object()


def put(doc: dict[str, Any], name: str, value: object) -> None:
    """Set a field by its dotted name, or take it out."""
    *group, inner = name.split(".")
    target = doc[group[0]] if group else doc
    if value is MISSING:
        del target[inner]
    else:
        target[inner] = value


def changed(packaged: str, /, **values: object) -> dict[str, Any]:
    """A packaged document with fields changed; `__` stands for the dot."""
    doc = document(packaged)
    for name, value in values.items():
        put(doc, name.replace("__", "."), value)
    return doc


def refusal(doc: dict[str, Any], **options: Any) -> RulebookRejected:
    with pytest.raises(RulebookRejected) as refused:
        Rulebook.from_document(doc, **options)
    return refused.value


def faults(doc: dict[str, Any], **options: Any) -> set[tuple[str, str]]:
    """The failed checks of a refused document, each with its field."""
    return {(failure.check, failure.field) for failure in refusal(doc, **options).failed}


def test_the_catalogue_holds_the_seven_rulebooks() -> None:
    """8.1: seven documents, all sound together, each under its own name."""
    assert set(load_catalogue()) == SEVEN
    assert all(name == book.rulebook_id for name, book in load_catalogue().items())
    assert all(book.warnings == () for book in load_catalogue().values())
    with pytest.raises(KeyError):
        rulebook("punto-banco")


def test_every_field_is_written_out_in_every_document() -> None:
    """V-1: nothing is left to a default; the files are in the order of the schema."""
    folder = Path(services.rulebooks.__file__).parent
    files = sorted(folder.glob("*.json"))
    assert {file.stem for file in files} == SEVEN
    for file in files:
        assert list(flatten(json.loads(file.read_text(encoding="utf-8")))) == list(FIELDS)


def test_every_field_is_reachable_by_its_dotted_name() -> None:
    """8.2: the typed view holds what the document holds, field by field."""
    for book in load_catalogue().values():
        flat = flatten(book.document)
        for name, value in flat.items():
            if name.startswith(("pay.", "commission.")):
                continue
            seen: Any = book
            for part in name.split("."):
                seen = getattr(seen, part)
            assert (list(seen) if isinstance(seen, tuple) else seen) == value, name


def test_odds_are_exact_fractions_by_area() -> None:
    """1.4: odds are pairs of whole numbers; what is not offered is not there."""
    book = rulebook("super-six")
    assert book.pay == {
        "PLAYER": 1,
        "BANKER": 1,
        "TIE": 8,
        "PLAYER_PAIR": 11,
        "BANKER_PAIR": 11,
        "BIG": Fraction(27, 50),
        "SMALL": Fraction(3, 2),
    }
    assert book.pay_on_six == Fraction(1, 2)
    assert book.commission == {}
    assert rulebook("nsw-mini").commission == {"BANKER": Fraction(1, 20)}
    assert rulebook("nsw-mini").pay_on_six is None
    assert set(rulebook("live-studio").pay) == set(rulebook("live-studio").areas)


def table_8_2(text: str) -> dict[str, dict[str, object]]:
    """The values of the design's table: rulebook, dotted field name, value."""
    rows = text.splitlines()
    head = next(at for at, row in enumerate(rows) if row.startswith("| Field | `live-studio`"))
    names = [cell.strip().strip("`") for cell in rows[head].strip("|").split("|")[1:8]]
    table: dict[str, dict[str, object]] = {name: {} for name in names}
    for row in rows[head + 2 :]:
        if not row.startswith("|"):
            break
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        if not cells[0].startswith("**"):
            field = cells[0].strip("`")
            for name, cell in zip(names, cells[1:8], strict=True):
                table[name][field] = literal(field, cell.rstrip("*").strip())
    return table


def literal(field: str, text: str) -> object:
    """A cell of the table as the value that a document holds."""
    if field == "seeds":
        return [part.strip() for part in text.split(",")]
    if text in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[text]
    if text.startswith("["):
        inner = text.strip("[]").strip()
        return [literal("", part.strip()) for part in inner.split(",")] if inner else []
    if re.fullmatch(r"\d+/\d+", text):
        return [int(part) for part in text.split("/")]
    return int(text) if re.fullmatch(r"\d+", text) else text


def test_every_value_is_the_designs_value() -> None:
    """8.2: all seven documents against the table of the design, value by value."""
    table = table_8_2(shared("design/clauses.md").read_text(encoding="utf-8"))
    assert set(table) == SEVEN
    for name, expected in table.items():
        assert flatten(document(name)) == expected
        assert len(expected) == len(FIELDS)


OVERLAYS = {
    ("live-studio", "live-lobby"): {"cut_depth.cards"},
    ("super-six", "super-six-commission"): {
        "pay.BANKER_ON_SIX",
        "commission.BANKER",
        "commission_timing",
    },
    ("nsw-mini", "nsw-mini-even-money"): {
        "pay.BANKER_ON_SIX",
        "commission.BANKER",
        "commission_timing",
        "sign_odds_required",
        "variant_change_to",
    },
    ("nsw-mini", "nsw-baccarat"): {
        "decks",
        "card_sources",
        "multishuffler_decks",
        "withdrawal.after_device_failure",
        "withdrawal.after_device_failure_silence",
        "standing_players",
        "standing_players_by",
        "variant_change_to",
        "variant_change_notice_minutes",
    },
}


@pytest.mark.parametrize("pair", sorted(OVERLAYS))
def test_pairs_differ_in_exactly_the_named_fields(pair: tuple[str, str]) -> None:
    """8.4, B-14, F-135: an overlay is its base but for the fields named, and no others."""
    one, two = (flatten(document(name)) for name in pair)
    differing = {name for name in FIELDS if one[name] != two[name]}
    assert differing - {"rulebook_id", "seeds", "base"} == OVERLAYS[pair]


def test_a_document_of_only_one_short_text_is_refused() -> None:
    """B-14: statements of a text without payouts, burns and errors are no rulebook."""
    only = {"rulebook_id": "short", "seeds": ["001"], "decks": [8], "cut_depth": {"cards": 7}}
    refused = refusal(only)
    assert {"pay.PLAYER", "burn.new_shoe", "end_of_shoe", "cut_depth.mode"} <= set(refused.missing)
    assert len(refused.missing) == len(FIELDS) - 4
    assert refused.unknown == ()


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_v1_a_missing_field_is_named(name: str) -> None:
    """V-1: every single field is needed, and its absence is told by its name."""
    assert refusal(changed("nsw-mini", **{name.replace(".", "__"): MISSING})).missing == (name,)


def test_v1_unknown_fields_are_named() -> None:
    """V-1: a misspelt field is no field, at the top and inside a group."""
    refused = refusal(changed("nsw-mini", deks=[8], burn__new_sho=6))
    assert set(refused.unknown) == {"deks", "burn.new_sho"}
    assert "V-1 deks: unknown" in str(refused)


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_v1_a_group_that_is_no_object_is_refused(group: str) -> None:
    """V-1: a value where an object belongs leaves all its fields missing."""
    refused = refusal(changed("nsw-mini", **{group: 3}))
    assert refused.unknown == (group,)
    assert all(name.startswith(f"{group}.") for name in refused.missing)


@pytest.mark.parametrize("name", sorted(FIELDS))
@pytest.mark.parametrize("value", [{}, -1, 1.5, "?", [None]], ids=str)
def test_a_value_of_the_wrong_kind_is_named(name: str, value: object) -> None:
    """No field takes an object, a negative or fractional number, or a word not its own."""
    free_text = {"rulebook_id", "base", "jurisdiction", "variant_change_to"}
    if value == "?" and name in free_text:
        return
    refused = refusal(changed("nsw-mini", **{name.replace(".", "__"): value}))
    assert name in {failure.field for failure in refused.failed}


BROKEN: list[tuple[str, str, str, dict[str, object]]] = [
    ("V-2", "decks", "live-studio", {"decks": [13]}),
    ("V-2", "decks", "live-studio", {"decks": []}),
    ("V-2", "jokers", "live-studio", {"jokers": True}),
    ("V-2", "multishuffler_decks", "nsw-mini", {"multishuffler_decks": [3]}),
    ("V-2", "multishuffler_decks", "nsw-baccarat", {"multishuffler_decks": [4, 6, 8]}),
    ("V-2", "card_sources", "live-studio", {"card_sources": ["SHOE", "SHOE"]}),
    ("V-2", "card_sources", "live-studio", {"card_sources": ["SLEEVE"]}),
    ("V-2", "card_sources", "live-studio", {"card_sources": []}),
    ("V-3", "cut_depth.cards", "live-lobby", {"cut_depth__cards": 5}),
    ("V-3", "cut_depth.cards", "live-lobby", {"end_of_shoe": "FINISH_PLUS_ONE"}),
    ("V-3", "cut_depth.cards", "nsw-mini", {"cut_depth__cards": 10}),
    ("V-3", "cut_depth.cards", "nsw-mini", {"cut_depth__cards": 11, "burn__between_coups": 1}),
    ("V-3", "cut_depth.cards", "live-studio", {"cut_depth__cards": 209}),
    ("V-3", "cut_depth.cards", "nsw-mini", {"cut_depth__cards": 105}),
    ("V-4", "cut_in_min_cards", "nsw-mini", {"cut_in_min_cards": 79}),
    ("V-5", "areas", "live-studio", {"areas": ["PLAYER", "BANKER", "TIE", "SUPER_SIX"]}),
    ("V-5", "pay.BIG", "live-studio", {"areas": ["PLAYER", "BANKER", "TIE", "BIG"]}),
    ("V-5", "pay.BIG", "live-studio", {"pay__BIG": [27, 50]}),
    ("V-5", "pay.TIE", "live-studio", {"pay__TIE": [0, 1]}),
    ("V-5", "pay.TIE", "live-studio", {"pay__TIE": [8, 0]}),
    ("V-5", "pay.TIE", "live-studio", {"pay__TIE": "8/1"}),
    ("V-5", "commission.BANKER", "live-studio", {"commission__BANKER": [1, 1]}),
    ("V-5", "commission.TIE", "live-studio", {"commission__TIE": [1, 20]}),
    ("V-5", "pay.BANKER_ON_SIX", "live-studio", {"pay__BANKER_ON_SIX": [1, 2]}),
    ("V-5", "commission_timing", "live-studio", {"commission_timing": None}),
    ("V-6", "methods", "nsw-mini", {"methods": ["B", "C", "D"]}),
    ("V-6", "method_approval.b", "nsw-mini", {"method_approval__b": None}),
    ("V-6", "method_approval.c_d", "nsw-mini", {"method_approval__c_d": None}),
    ("V-6", "method_layout.c_d", "nsw-mini", {"method_layout__c_d": None}),
    ("V-6", "card_sources", "nsw-mini", {"card_sources": ["SHUFFLING_DEVICE"]}),
    ("V-6", "table_kind", "nsw-mini", {"table_kind": "STREAMED"}),
    ("V-6", "method_fallback", "nsw-mini", {"methods": ["A", "C"], "method_fallback": "B"}),
    ("V-7", "burn.game_error", "live-studio", {"burn__game_error": 2}),
    ("V-7", "burn.between_coups", "super-six", {"burn__between_coups": 0}),
    ("V-7", "burn.game_error_counts_set_aside", "live-studio",
     {"burn__game_error_counts_set_aside": None}),
    ("V-7", "burn.game_error_counts_set_aside", "nsw-mini",
     {"burn__game_error_counts_set_aside": True}),
    ("V-8", "burn.new_shoe_cards", "live-studio", {"burn__new_shoe_cards": 11}),
    ("V-8", "burn.new_shoe_cards", "live-studio", {"burn__new_shoe_cards": None}),
    ("V-8", "burn.first_counts", "nsw-mini", {"burn__first_counts": None}),
    ("V-8", "burn.ten_value", "nsw-mini", {"burn__ten_value": None}),
    ("V-9", "variant_change_to", "nsw-mini", {"variant_change_to": "nsw-mini"}),
    ("V-9", "variant_change_to", "nsw-mini", {"variant_change_to": "nowhere"}),
    ("V-9", "variant_change_to", "nsw-mini", {"variant_change_to": "live-studio"}),
    ("V-9", "decks", "nsw-mini", {"decks": [4, 6, 8]}),
    ("V-9", "pay.TIE", "nsw-mini-even-money", {"pay__TIE": [9, 1]}),
    ("V-10", "rounding.mode", "live-studio", {"rounding__mode": "CEILING"}),
    ("V-10", "rounding.level", "live-studio", {"rounding__level": "AREA"}),
    ("V-10", "rounding.unit", "live-studio", {"rounding__unit": "CENT"}),
    ("V-11", "raise_minimum_notice_minutes", "nsw-mini", {"raise_minimum_notice_minutes": -1}),
    ("V-11", "betting_seconds", "live-studio", {"betting_seconds": 4}),
    ("V-11", "betting_seconds", "live-studio", {"betting_seconds": 121}),
    ("V-11", "betting_seconds", "live-studio", {"betting_seconds": None}),
    ("V-11", "debit_drain_ms", "live-studio", {"debit_drain_ms": 3001}),
    ("V-11", "withdrawal.window_seconds", "nsw-mini", {"withdrawal__window_seconds": None}),
    ("V-12", "invalidate_by", "live-studio", {"invalidate_by": "PIT_BOSS"}),
    ("V-12", "replace_cards_by", "live-studio", {"replace_cards_by": None}),
    ("V-12", "opposing_wagers_by", "nsw-mini", {"opposing_wagers_by": None}),
    ("V-12", "burn.game_error_by", "live-studio", {"burn__game_error_by": None}),
    ("V-12", "burn.discretionary_by", "live-studio", {"burn__discretionary_by": None}),
    ("V-12", "standing_players_by", "nsw-baccarat", {"standing_players_by": None}),
    ("V-12", "box_sharing_by", "nsw-mini", {"box_sharing_by": None}),
    ("V-12", "seat_vacate_by", "nsw-mini", {"seat_vacate_by": None}),
    ("V-12", "play_player_hand_by", "nsw-mini", {"play_player_hand_by": None}),
    ("V-12", "dispute_levels", "live-studio", {"dispute_levels": []}),
]  # fmt: skip


@pytest.mark.parametrize(("check", "field", "base", "values"), BROKEN, ids=lambda v: str(v)[:40])
def test_each_check_refuses_by_its_name(
    check: str, field: str, base: str, values: dict[str, object]
) -> None:
    """V-2..V-12: one broken document for each reason, refused with check and field."""
    others = {name: book.document for name, book in load_catalogue().items()}
    assert (check, field) in faults(changed(base, **values), others=others)


def test_v13_a_claimed_hash_must_be_the_documents() -> None:
    """V-13: a document under another one's hash is refused; its own is accepted."""
    doc = document("nsw-mini")
    own = rulebook_hash(doc)
    assert Rulebook.from_document(doc, expected_hash=own).hash == own
    assert faults(doc, expected_hash="0" * 64) == {("V-13", "rulebook_hash")}


def test_v13_a_document_without_a_canonical_form_is_refused() -> None:
    """V-13: what is no JSON of whole numbers and text has no hash."""
    for value in (1.5, object(), b"x", float("nan")):
        assert ("V-13", "rulebook_hash") in faults(changed("nsw-mini", jurisdiction=value))
    with pytest.raises(RulebookRejected):
        rulebook_of(changed("nsw-mini", jurisdiction="\ud800"))


def test_all_faults_are_named_at_once() -> None:
    """8.3: a refusal lists everything, so that a house mends a document in one go."""
    doc = changed(
        "live-studio",
        base=MISSING,
        betting_seconds=3,
        rounding__mode="CEILING",
        burn__game_error=0,
        extra=1,
    )
    refused = refusal(doc)
    assert refused.missing == ("base",)
    assert refused.unknown == ("extra",)
    assert {failure.check for failure in refused.failed} == {"V-7", "V-10", "V-11"}
    for part in ("V-1 base", "V-1 extra", "V-7 burn", "V-10 rounding", "V-11 betting"):
        assert part in str(refused)


SAFE: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    ("live-lobby", {}, ()),
    ("live-lobby", {"cut_depth__cards": 6}, ("TAIL_MARGIN",)),
    ("live-studio", {"cut_depth__cards": 208}, ()),
    ("nsw-mini", {"cut_depth__cards": 11}, ()),
    ("nsw-mini", {"cut_depth__cards": 11, "burn__dealer_change": 1}, ("TAIL_MARGIN",)),
    ("nsw-mini", {"cut_depth__cards": 12, "burn__between_coups": 1}, ()),
    ("nsw-mini", {"cut_depth__cards": 104}, ()),
    ("nsw-mini", {"cut_in_min_cards": 78}, ()),
    ("live-studio", {"card_sources": ["SHOE", "GENERATED"]}, ()),
    ("live-studio", {"betting_seconds": 5}, ()),
    ("live-studio", {"betting_seconds": 120, "debit_drain_ms": 0}, ()),
    ("live-studio", {"decks": [1, 12], "cut_depth__cards": 26}, ()),
]


@pytest.mark.parametrize(("base", "values", "warnings"), SAFE, ids=str)
def test_bounds_are_inclusive_and_thin_tails_are_warned_about(
    base: str, values: dict[str, object], warnings: tuple[str, ...]
) -> None:
    """V-3, V-4, V-11: the last allowed values load; TAIL_MARGIN warns without refusing."""
    assert Rulebook.from_document(changed(base, **values)).warnings == warnings


def test_a_depth_is_safe_exactly_from_the_oracles_bound() -> None:
    """V-3: the bounds are those with which no coup runs out."""
    for end, bound in (("FINISH_CURRENT", 6), ("FINISH_PLUS_ONE", 11)):
        safe = changed("live-studio", end_of_shoe=end, cut_depth__cards=bound)
        Rulebook.from_document(safe)
        unsafe = changed("live-studio", end_of_shoe=end, cut_depth__cards=bound - 1)
        assert ("V-3", "cut_depth.cards") in faults(unsafe)


def test_the_hash_is_over_canonical_json() -> None:
    """V-13: sorted keys, no spaces, UTF-8; the order of keys is nothing, a value is all."""
    doc = document("nsw-mini")
    text = json.dumps(doc, sort_keys=True, separators=(",", ":"))
    assert canonical_json(doc) == text.encode()
    assert rulebook_hash(doc) == hashlib.sha256(text.encode()).hexdigest()
    turned = dict(reversed(list(doc.items())))
    assert rulebook_hash(turned) == rulebook_hash(doc) == rulebook("nsw-mini").hash
    assert rulebook_hash(changed("nsw-mini", seat_idle_rounds=4)) != rulebook_hash(doc)
    assert canonical_json({"b": "é", "a": (1, 2)}) == '{"a":[1,2],"b":"é"}'.encode()


def test_seven_hashes_are_different() -> None:
    """1.4: no two rulebooks share an identity."""
    assert len({book.hash for book in load_catalogue().values()}) == len(SEVEN)


def test_a_document_is_parsed_once_per_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folding events asks for the rulebook of each: the same content, the same object."""
    first = rulebook_of(document("nsw-mini"))
    calls: list[object] = []
    original: Callable[..., Rulebook] = Rulebook.from_document

    def counted(doc: Document) -> Rulebook:
        calls.append(doc)
        return original(doc)

    monkeypatch.setattr(module.Rulebook, "from_document", counted)
    turned = dict(reversed(list(document("nsw-mini").items())))
    assert rulebook_of(turned) is first
    assert calls == []
    rulebook_of(changed("nsw-mini", seat_idle_rounds=7))
    rulebook_of(changed("nsw-mini", seat_idle_rounds=7))
    assert len(calls) == 1


def test_a_rulebook_cannot_be_changed() -> None:
    """1.4: immutable through and through; the document handed out is a copy."""
    book = rulebook("nsw-mini")
    with pytest.raises(dataclasses.FrozenInstanceError):
        book.decks = (1,)  # type: ignore[misc]
    with pytest.raises(TypeError):
        book.pay["TIE"] = Fraction(9)  # type: ignore[index]
    book.document["decks"] = [1]
    assert book.document["decks"] == [3, 4, 6, 8]
    assert rulebook_hash(book.document) == book.hash


def test_rulebooks_are_equal_by_hash_and_survive_copies() -> None:
    """A copied or pickled state holds the very rulebook again."""
    book = rulebook("super-six")
    assert pickle.loads(pickle.dumps(book)) == book
    assert copy.deepcopy(book) == book
    assert hash(copy.deepcopy(book)) == hash(book)
    assert book != rulebook("super-six-commission")
    assert book != book.hash


def test_house_choices_change_one_field() -> None:
    """F-06, X-6: what the texts leave to the house may differ at one table."""
    doc = document("live-studio")
    options = {
        "burn.game_error_counts_set_aside": False,
        "games_supervisor_counts_as_casino_supervisor": True,
    }
    own = with_options(doc, options)
    differing = {n for n, v in flatten(own).items() if flatten(doc)[n] != v}
    assert differing == set(options)
    book = rulebook_of(own)
    assert book.games_supervisor_counts_as_casino_supervisor is True
    assert book.burn.game_error_counts_set_aside is False
    assert doc == document("live-studio")
    assert with_options(doc, {}) == doc


@pytest.mark.parametrize("name", ["decks", "pay.TIE", "cut_depth.cards", "nonsense", "burn"])
def test_anything_else_is_not_the_houses_to_choose(name: str) -> None:
    """An option that the texts do not leave open is refused by its name."""
    assert name not in HOUSE_CHOICES
    with pytest.raises(ValueError, match=name):
        with_options(document("live-studio"), {name: 1})


def test_an_option_that_breaks_the_rulebook_is_refused() -> None:
    """V-7, V-11: a choice must fit the rest; a wrong kind of value is told by its field."""
    with pytest.raises(ValueError, match="game_error_counts_set_aside"):
        with_options(document("nsw-mini"), {"burn.game_error_counts_set_aside": True})
    with pytest.raises(ValueError, match="games_supervisor"):
        with_options(document("nsw-mini"), {"games_supervisor_counts_as_casino_supervisor": "yes"})
    with pytest.raises(ValueError, match="betting_seconds"):
        with_options(document("live-studio"), {"betting_seconds": 3})


def test_house_choices_are_fields() -> None:
    """The list of choices names fields that exist."""
    assert set(HOUSE_CHOICES) <= set(FIELDS)
