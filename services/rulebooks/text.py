"""The rules as a text to read, made of a rulebook's fields alone (004 14.14).

The same document gives the same text; whoever has the document of a past coup has its rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from services.rulebooks.wording import ABSENT, BY_FIELD, SECTIONS, WORDS, Line
from services.rules.area_language import FACTS, Condition, Definition, Every, Is, Not, Some
from services.rules.areas import AREAS
from services.rules.citations import cite_for
from services.rules.fields import flatten
from services.rules.rulebook import Rulebook
from services.rules.tableau import banker_draws, player_draws

NATURAL: Final = 8
_TOLD_APART: Final = ("rulebook_id", "areas", "area_definitions", "pay.", "commission.")
"""What the heading and the section on areas tell; the rest is told field by field."""


def readable(rules: Rulebook) -> str:
    """Return the rules in plain words, each line with the clauses that it rests on."""
    flat = flatten(rules.document)
    lines = [f"Rules of {rules.rulebook_id}", f"SHA-256 of the document: {rules.hash}"]
    told: set[str] = set()
    for heading, fields in SECTIONS.items():
        here = [line for line in fields if line.field in flat]
        told.update(line.field for line in here)
        lines += ["", heading]
        lines += [_line(rules, line, flat[line.field]) for line in here]
        if heading == "Dealing":
            lines += ["", "Third cards", *_tableau(rules)]
        if heading == "Betting":
            lines += ["", "Areas and what they pay", *_areas(rules)]
    # What was added to rulebooks and has no words yet is better said badly than left out.
    further = [name for name in flat if name not in told and not name.startswith(_TOLD_APART)]
    if further:
        lines += ["", "Further fields"]
        lines += [_line(rules, Line(name, name), flat[name]) for name in further]
    return "\n".join(lines) + "\n"


def _line(rules: Rulebook, line: Line, value: object) -> str:
    text = f"- {line.label}: {said(line.field, value)}"
    # What the rules do not provide for rests on no clause.
    return _cited(rules, text, line.rule) if line.rule and value is not None else text


def _cited(rules: Rulebook, text: str, *keys: str) -> str:
    clauses = [clause for key in keys for clause in cite_for(rules, key)]
    return f"{text} [{' '.join(dict.fromkeys(clauses))}]" if clauses else text


def said(field: str, value: object) -> str:
    """Return the value of a field in words."""
    if value is None or value == []:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(said(field, each) for each in value)
    text = str(value)
    if not isinstance(value, str) or not text.isupper():
        return text
    known = BY_FIELD.get((field, text)) or WORDS.get(text)
    if known is not None:
        return known
    plain = len(text) > 1 and text.replace("_", "").isalpha()
    return text.lower().replace("_", " ") if plain else text


def _tableau(rules: Rulebook) -> Iterator[str]:
    """The table of play, asked of the code that deals by it."""
    yield _cited(rules, "- An 8 or 9 of either hand with two cards ends the coup", "natural")
    draws = [count for count in range(NATURAL) if player_draws(count)]
    stands = [count for count in range(NATURAL) if not player_draws(count)]
    yield _cited(rules, f"- Player draws on {_counts(draws)}", "player_draws")
    yield _cited(rules, f"- Player stands on {_counts(stands)}", "player_stands")
    stood = [count for count in range(NATURAL) if banker_draws(count, None)]
    yield _cited(
        rules, f"- Banker draws on {_counts(stood)} where Player stood", "banker_player_stood"
    )
    for count in range(NATURAL):
        against = [third for third in range(10) if banker_draws(count, third)]
        yield _cited(rules, f"- Banker with {count} {_against(against)}", "banker_table")


def _against(thirds: list[int]) -> str:
    if not thirds:
        return "stands"
    if len(thirds) == 10:  # noqa: PLR2004 - every value of a card
        return "draws whatever Player's third card is"
    return f"draws where Player's third card counts {_counts(thirds)}"


def _counts(numbers: list[int]) -> str:
    return _listed([str(number) for number in numbers])


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _areas(rules: Rulebook) -> Iterator[str]:
    for area, definition in rules.definitions.items():
        taken = rules.commission.get(area)
        yield from (
            _cited(rules, f"- {_name(area)} {text}", *_payout_rules(area, taken))
            for text in _cases(definition)
        )
        if taken is not None:
            yield _cited(
                rules, f"- {_name(area)}: {taken} of the winnings is commission", "commission"
            )


def _payout_rules(area: str, taken: Fraction | None) -> tuple[str, ...]:
    if area not in AREAS:
        return ()
    return (f"payout_{area.lower()}", *(("commission",) if taken is not None else ()))


def _cases(definition: Definition) -> Iterable[str]:
    if definition.pushes is not None:
        yield f"gives the stake back if {_condition(definition.pushes)}"
    else_ = "" if definition.pushes is None else "else "
    for case in definition.wins:
        yield (
            f"{else_}pays {case.gross.numerator} to {case.gross.denominator} "
            f"if {_condition(case.when)}"
        )
        else_ = "else "


_NAMES: Final[Mapping[str, str]] = {fact.attribute: name for name, fact in FACTS.items()}


def _condition(condition: Condition) -> str:
    if isinstance(condition, Is):
        name = _NAMES[condition.attribute]
        words = sorted(_value(name, value) for value in condition.values)
        return f"{name.replace('_', ' ')} is {_listed(words)}"
    if isinstance(condition, Not):
        return f"not ({_condition(condition.part)})"
    assert isinstance(condition, Every | Some), f"a condition without words: {condition}"
    joined = " and " if isinstance(condition, Every) else " or "
    return joined.join(
        f"({_condition(part)})" if isinstance(part, Every | Some) else _condition(part)
        for part in condition.parts
    )


def _value(name: str, held: object) -> str:
    for word, value in FACTS[name].values.items():
        if value == held and isinstance(value, bool) == isinstance(held, bool):
            return str(word).lower()
    raise AssertionError(f"{held} is no value of {name}")


def _name(area: str) -> str:
    return area.capitalize().replace("_", " ")
