"""Loads the rulebooks that are packaged with Sabot.

Every document is checked when the catalogue is first used: a file that is no sound
rulebook stops the process that needs it instead of settling a coup wrongly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import cast

from services.rules.rulebook import Document, Rulebook, rulebook_of


@cache
def _files() -> Mapping[str, bytes]:
    """Return the packaged files by rulebook id, unparsed."""
    found: dict[str, bytes] = {}
    for entry in resources.files(__package__).iterdir():
        if entry.name.endswith(".json"):
            found[entry.name.removesuffix(".json")] = entry.read_bytes()
    return MappingProxyType(dict(sorted(found.items())))


def documents() -> dict[str, Document]:
    """Return what the packaged files hold, by the files' names; nothing of it is checked."""
    return {name: _parse(raw) for name, raw in _files().items()}


@cache
def load_catalogue() -> Mapping[str, Rulebook]:
    """Return all packaged rulebooks by id.

    Raises RulebookRejected for a file that fails a check, the check against the other
    files included, and ValueError for one whose name is not the id it holds.
    """
    others = documents()
    catalogue: dict[str, Rulebook] = {}
    for name, held in others.items():
        Rulebook.from_document(held, others=others)
        if held["rulebook_id"] != name:
            message = f"the file {name}.json holds the rulebook {held['rulebook_id']}"
            raise ValueError(message)
        catalogue[name] = rulebook_of(held)
    return MappingProxyType(catalogue)


def document(rulebook_id: str) -> dict[str, object]:
    """Return the document of a packaged rulebook, a new copy each time.

    Raises KeyError for an id that is not packaged.
    """
    return rulebook(rulebook_id).document


def rulebook(rulebook_id: str) -> Rulebook:
    """Return a packaged rulebook. Raises KeyError for an id that is not packaged."""
    return load_catalogue()[rulebook_id]


def _parse(raw: bytes) -> Document:
    return cast("Document", json.loads(raw))
