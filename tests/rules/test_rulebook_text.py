"""The rules as a text to read: all of a rulebook is in it, in words, with clauses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from services.rulebooks.catalogue import document, rulebook
from services.rulebooks.text import readable, said
from services.rulebooks.wording import SECTIONS, WORDS
from services.rules.citations import RULES
from services.rules.fields import FIELDS, flatten
from services.rules.rulebook import Rulebook, RulebookRejected
from tests.cli.cases import ROOT

HOUSE = json.loads((ROOT / "examples" / "house.json").read_text())
TOLD_BY_AREAS = {name for name in FIELDS if name.startswith(("pay.", "commission."))}


def _others(name: str, value: Any) -> Iterator[Any]:
    """Other values that the field could have."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value + 5)
    elif isinstance(value, list) and value and name.startswith(("pay.", "commission.")):
        yield [value[0] + 3, value[1]]
    elif isinstance(value, list):
        yield value[:-1]
    yield from ("house", ["GAME_SUPERVISOR"], 7, None)
    wants = FIELDS[name].wants.removesuffix(", or null")
    codes = wants.removeprefix("a list without repeats, each ").removeprefix("one of ").split(", ")
    yield from (code for code in codes if code != value)


def _changed(held: dict[str, Any], name: str) -> Iterator[Rulebook]:
    """Rulebooks that differ from this one in one field only."""
    group, _, inner = name.rpartition(".")
    for other in _others(name, flatten(held)[name]):
        copy = json.loads(json.dumps(held))
        place = copy[group] if group else copy
        if place[inner] == other:
            continue
        place[inner] = other
        try:
            yield Rulebook.from_document(copy)
        except RulebookRejected:
            continue


def test_f_182_whatever_differs_between_two_rulebooks_differs_in_their_texts() -> None:
    """F-182: no field can change without a word of the text, hash apart; so nothing is left out."""
    tried = set()
    for held in [*map(document, ("live-studio", "super-six", "nsw-mini")), HOUSE]:
        before = readable(Rulebook.from_document(held)).splitlines()[2:]
        for name in FIELDS:
            other = None if name in tried else next(_changed(held, name), None)
            if other is not None and name != "rulebook_id":
                tried.add(name)
                assert readable(other).splitlines()[2:] != before, name
    # The rest cannot change alone: other fields would no longer agree with it.
    assert len(tried) > 0.85 * len(FIELDS), sorted(set(FIELDS) - tried)


def test_every_field_has_its_words_and_every_citation_its_rule() -> None:
    """Fields without a line would be told by their bare names."""
    lines = [line for section in SECTIONS.values() for line in section]
    names = [line.field for line in lines]
    assert len(names) == len(set(names))
    assert set(names) | TOLD_BY_AREAS | {"rulebook_id", "areas"} == set(FIELDS)
    assert {line.rule for line in lines} - {""} <= RULES


def test_every_code_of_a_field_has_its_words() -> None:
    """Roles and single letters are words already; every other code is put into some."""
    bare = set()
    for name, field in FIELDS.items():
        listed = field.wants.removesuffix(", or null")
        listed = listed.removeprefix("a list without repeats, each ")
        if not listed.startswith("one of "):
            continue
        codes = listed.removeprefix("one of ").split(", ")
        bare |= {(name, code) for code in codes if len(code) > 1 and code not in WORDS}
    roles = {"PLAYER", "GAME_SUPERVISOR", "CASINO_SUPERVISOR", "DUTY_MANAGER", "INSPECTOR"}
    assert {code for _, code in bare} <= roles


def test_no_two_values_of_a_field_read_alike() -> None:
    """What the text says of a field tells which of its codes, numbers or flags the rulebook has."""
    for name, field in FIELDS.items():
        listed = field.wants.removesuffix(", or null")
        listed = listed.removeprefix("a list without repeats, each ")
        codes: list[object] = [None, True, False, 0, 1, 10]
        if listed.startswith("one of "):
            codes += listed.removeprefix("one of ").split(", ")
        assert len({said(name, code) for code in codes}) == len(codes), name


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nsw-mini", "- Decks in a shoe: 3, 4, 6, 8 [004:3.1]"),
        ("nsw-mini", "- Cards are replaced on the word of: casino supervisor [004:3.8 004:3.10]"),
        ("nsw-mini", "- Player draws on 0, 1, 2, 3, 4 or 5 [004:9.3.1]"),
        (
            "live-studio",
            "- Banker with 4 draws where Player's third card counts 2, 3, 4, 5, 6 or 7 [000:3.6.1]",
        ),
        ("live-studio", "- Cards burned of a new shoe: 6 [000:3.4]"),
        ("super-six", "- Cards burned between coups: 1 [002:L30]"),
        (
            "super-six",
            "- Banker else pays 1 to 2 if winner is banker and banker points is 6 [002:L19]",
        ),
        ("nsw-mini", "- Banker: 1/20 of the winnings is commission [004:1.1 004:11.1.2]"),
        ("super-six", "- Burn after an error, by: not provided for"),
    ],
)
def test_f_182_the_text_says_it_in_words_with_its_clauses(name: str, line: str) -> None:
    """F-182: limits, burns, table of play, areas and roles, each with what it rests on."""
    assert line in readable(rulebook(name)).splitlines()


def test_areas_of_a_house_are_in_its_text() -> None:
    """Areas as data, with conditions inside conditions, come out in words."""
    text = readable(Rulebook.from_document(HOUSE))
    for area in HOUSE["area_definitions"]:
        assert f"- {area.capitalize().replace('_', ' ')} " in text


def test_a_field_that_has_no_words_is_told_by_its_name() -> None:
    """A rulebook of a later version is told whole by an earlier wording."""
    held = dict(SECTIONS)
    removed = held.pop("Burned cards")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("services.rulebooks.text.SECTIONS", held)
        text = readable(rulebook("nsw-mini"))
    assert "Further fields" in text
    assert all(f"- {line.field}: " in text for line in removed)
