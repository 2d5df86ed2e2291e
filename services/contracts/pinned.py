"""The rulebook that a table's settings pin, parsed once."""

from __future__ import annotations

from services.contracts.common import TableSettings
from services.rules.rulebook import Rulebook, rulebook_of

_KEPT_MAX = 256
_kept: dict[str, Rulebook] = {}


def pinned(settings: TableSettings) -> Rulebook:
    """The rulebook in the settings. Raises ValueError where it is not the one with their hash."""
    kept = _kept.get(settings.rulebook_hash)
    if kept is not None:
        return kept
    parsed = rulebook_of(settings.rulebook)
    if parsed.hash != settings.rulebook_hash:
        raise ValueError(f"the rulebook's hash is {parsed.hash}, not {settings.rulebook_hash}")
    if len(_kept) >= _KEPT_MAX:
        _kept.clear()
    _kept[settings.rulebook_hash] = parsed
    return parsed
