"""docs/reference/rulebook.md, from the fields of a rulebook, their words, and the seven documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

from services.rulebooks.wording import SECTIONS
from services.rules.fields import FIELDS, OPTIONAL, flatten
from tests.reference.pages import NOTICE, cell, table

HEAD: Final = f"""# Fields of a rulebook

{NOTICE}

A rulebook is one JSON document. Every field below is in every document; a name with a dot is a field of
an object. A value that a field cannot hold is refused with the check that is named here; how fields must
agree with each other is in `services/rules/checks.py`. `sabot rulebook check FILE` tells every fault of a
document at once, `sabot rulebook show NAME` gives one in words. What the groups are for, and how to make a
rulebook, is in [Rulebooks](../../services/rulebooks/README.md).

The last column is what the documents of Sabot hold: one value where they agree.
"""
HEADERS: Final = ("field", "meaning", "holds", "check", "in Sabot's documents")
WORDS: Final[Mapping[str, str]] = {
    "rulebook_id": "the name, and that of the file",
    "areas": "the areas that are offered",
    **{name: f"odds of {name.partition('.')[2]}" for name in FIELDS if name.startswith("pay.")},
    "pay.BANKER_ON_SIX": "odds of BANKER when he wins with a count of 6; null: like any other",
    "commission.BANKER": "the part of the winnings that is taken",
}
VALUES_MAX: Final = 3
"""Different values that a cell names; of more it says how many."""


def rulebook() -> str:
    """The page."""
    held = documents()
    labels = {line.field: line.label for lines in SECTIONS.values() for line in lines}
    parts = [HEAD]
    told: set[str] = set()
    for heading, lines in SECTIONS.items():
        names = [line.field for line in lines if line.field in FIELDS]
        if names:
            parts += [f"## {heading}\n", table(HEADERS, rows(names, labels, held))]
            told.update(names)
    rest = [name for name in FIELDS if name not in told]
    parts += ["## Name, areas and pay table\n", table(HEADERS, rows(rest, WORDS, held))]
    parts += ["## Only where a house needs them\n", table(HEADERS[:4], optional())]
    return "\n".join(parts)


def documents() -> list[Mapping[str, object]]:
    """The documents of the catalogue, flat."""
    folder = files("services.rulebooks").iterdir()
    texts = [file.read_text() for file in folder if file.name.endswith(".json")]
    return [flatten(json.loads(text)) for text in sorted(texts)]


def rows(
    names: list[str], labels: Mapping[str, str], held: list[Mapping[str, object]]
) -> Iterator[tuple[str, ...]]:
    """One line for each field."""
    for name in names:
        field = FIELDS[name]
        values = list(dict.fromkeys(json.dumps(document[name]) for document in held))
        if len(values) > VALUES_MAX:
            shown = f"{len(values)} different values"
        else:
            shown = ", ".join(cell(value, code=True) for value in values)
        yield f"`{name}`", cell(labels.get(name, "")), cell(field.wants), field.check, shown


def optional() -> Iterator[tuple[str, ...]]:
    """Fields that a document may leave out."""
    for name, field in OPTIONAL.items():
        meaning = "areas that are not built in: [examples](../../examples/README.md)"
        yield f"`{name}`", meaning, cell(field.wants), field.check
