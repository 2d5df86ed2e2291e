"""A table's settings under another rulebook: everything but the rulebook stays."""

from __future__ import annotations

from msgspec.structs import replace

from services.contracts.common import TableSettings
from services.rulebooks.catalogue import document
from services.rules.fields import flatten
from services.rules.rulebook import HOUSE_CHOICES, rulebook_of, with_options


def under_rulebook(settings: TableSettings, rulebook_id: str) -> TableSettings | None:
    """The settings with the other rulebook in them, the house's choices kept; None if it is unknown.

    A choice that the other rulebook does not have is left out.
    """
    try:
        text = document(rulebook_id)
        before = flatten(document(settings.rulebook_id))
    except KeyError:
        return None
    now, target = flatten(settings.rulebook), flatten(text)
    chosen = {
        name: now[name]
        for name in HOUSE_CHOICES
        if now[name] != before[name] and target[name] is not None
    }
    changed = with_options(text, chosen)
    return replace(
        settings,
        rulebook_id=rulebook_id,
        rulebook_hash=rulebook_of(changed).hash,
        rulebook=changed,
    )
