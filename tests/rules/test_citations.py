"""Citations name clauses that exist in texts the rulebook rests on."""

from __future__ import annotations

import re

import pytest

from services.rulebooks.catalogue import document, load_catalogue, rulebook
from services.rules.citation_table import BY_RULEBOOK, BY_TEXT
from services.rules.citations import RULES, cite, cite_for
from services.rules.rulebook import rulebook_of
from tests.rules.oracle import shared

NEEDED = [
    "natural",
    "player_draws",
    "player_stands",
    "banker_player_stood",
    "banker_table",
    "result",
    "burn_new_shoe",
    "burn_between_coups",
    "burn_dealer_change",
    "burn_game_error",
    "burn_discretion",
    "cut_position",
    "cut_depth",
    "cut_order",
    "end_of_shoe",
    "last_coup",
    "call",
    "cut_off",
    "unknown_area",
    "area_full",
    "combination",
    "limits",
    "differential",
    "payout_player",
    "payout_banker",
    "commission",
    "payout_tie",
    "payout_pair",
    "payout_big",
    "payout_small",
    "push",
    "rounding",
    "insufficient_cards",
    "decks",
    "inspection",
    "shuffle",
    "locked",
    "burn_missing",
    "extra_card",
    "multi_pull",
    "misdeal",
    "exposed_card",
    "no_bet",
    "card_before_close",
    "announcement",
    "announcement_mismatch",
    "void",
    "terminate",
    "invalidate",
    "integrity",
    "standing",
    "box_sharing",
    "opposing_wagers",
    "seat_order",
    "notice",
    "method",
    "method_b",
    "method_c",
    "method_d",
    "shuffler_fault",
]


def test_every_rule_the_code_applies_can_be_cited() -> None:
    """The table covers the rules by name, for all seven rulebooks without an error."""
    assert set(NEEDED) <= RULES
    for name in load_catalogue():
        for rule in RULES:
            for clause in cite(name, rule):
                assert re.fullmatch(r"00[0-4]:(L\d+|\d+(\.\d+)*A?)", clause), (rule, clause)


@pytest.mark.parametrize(
    ("name", "rule", "clauses"),
    [
        ("live-studio", "burn_new_shoe", ("000:3.4",)),
        ("live-lobby", "cut_depth", ("001:3",)),
        ("live-lobby", "burn_new_shoe", ("000:3.4",)),
        ("super-six", "burn_new_shoe", ("002:L28",)),
        ("super-six", "banker_player_stood", ("000:3.6.1",)),
        ("super-six", "payout_banker", ("002:L19",)),
        ("super-six-commission", "payout_banker", ("002:L20",)),
        ("nsw-baccarat", "cut_position", ("003:4.5",)),
        ("nsw-baccarat", "payout_banker", ("004:11.1.2",)),
        ("nsw-mini", "natural", ("004:9.2",)),
        ("nsw-mini", "banker_player_stood", ("004:9.5",)),
        ("nsw-mini-even-money", "payout_banker", ("004:11.2.2",)),
        ("nsw-mini-even-money", "payout_tie", ("004:11.2.3",)),
        ("live-studio", "insufficient_cards", ("004:12.8",)),
        ("live-studio", "rounding", ()),
        ("nsw-mini", "rounding", ("004:5.7",)),
        ("super-six", "commission", ()),
        ("my-own", "natural", ()),
    ],
)
def test_citations_follow_the_texts(name: str, rule: str, clauses: tuple[str, ...]) -> None:
    """8.1: the own text first, then the base; silence where Sabot chose by itself."""
    assert cite(name, rule) == clauses


def test_an_unknown_rule_is_an_error() -> None:
    """A misspelt key must not pass for a rule without a clause."""
    for name in ("nsw-mini", "my-own"):
        with pytest.raises(KeyError):
            cite(name, "natrual")


def test_a_rulebook_of_the_houses_own_cites_its_base() -> None:
    """A house that changed a copy still rests on the text it copied."""
    doc = document("nsw-mini")
    doc.update(rulebook_id="riverside", base="nsw-mini", seat_idle_rounds=5)
    doc.update(variant_change_to=None, variant_change_notice_minutes=None)
    assert cite_for(rulebook_of(doc), "natural") == ("004:9.2",)
    assert cite_for(rulebook("super-six"), "natural") == ("002:L5", "002:L9")


def test_every_cited_clause_is_in_its_text() -> None:
    """No citation leads nowhere: numbers and lines exist in the rule texts."""
    texts = {n: shared(f"seeds/{n}.txt").read_text(encoding="utf-8") for n in
             ("000", "001", "002", "003", "004")}  # fmt: skip
    numbered = {
        name: set(re.findall(r"(?m)^[\s•]*(\d+(?:\.\d+)*A?)\.?(?=\s|$)", text))
        for name, text in texts.items()
    }
    numbered["000"].add("2.1.2A")
    cited = {clause for held in BY_TEXT.values() for listed in held.values() for clause in listed}
    cited |= {c for held in BY_RULEBOOK.values() for listed in held.values() for c in listed}
    for clause in sorted(cited):
        text, _, number = clause.partition(":")
        if number.startswith("L"):
            assert int(number[1:]) <= len(texts[text].splitlines()), clause
        else:
            assert number in numbered[text], clause
