"""Which clause of which text stands behind a rule that the code applies.

The keys are the names the code uses for its rules; the values are clauses by the text in
which they stand. A rulebook asks its own texts first and then those that fill in where
they are silent (`_TEXTS`), so that a citation always names a text the rulebook rests on.
Where a text settles a point by saying nothing and Sabot chose the answer, the entry is
empty on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from services.rules.citation_table import BY_RULEBOOK, BY_TEXT
from services.rules.rulebook import Rulebook

_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "live-studio": ("000", "004"),
    "live-lobby": ("001", "000", "004"),
    "super-six": ("002", "000", "004"),
    "super-six-commission": ("002", "000", "004"),
    "nsw-baccarat": ("003", "004"),
    "nsw-mini": ("004",),
    "nsw-mini-even-money": ("004",),
}
"""The texts a rulebook rests on, its own first."""

_KEPT_MAX: Final = 4096
"""Answers kept: all rules of the catalogue's rulebooks, and of many of a house's own."""

RULES: Final = frozenset(BY_TEXT)
"""Every rule key that can be cited."""


@lru_cache(maxsize=_KEPT_MAX)
def cite(rulebook_id: str, rule: str) -> tuple[str, ...]:
    """Return the clauses behind `rule` under a rulebook, each as `seed:clause`.

    The answer is empty where no text covers the point, and for a rulebook of the house's
    own, which rests on no text (see `cite_for`). Raises KeyError for an unknown rule.
    """
    by_text = BY_TEXT[rule]
    own = BY_RULEBOOK.get(rule, {}).get(rulebook_id)
    if own is not None:
        return own
    for text in _TEXTS.get(rulebook_id, ()):
        if text in by_text:
            return by_text[text]
    return ()


def cite_for(rulebook: Rulebook, rule: str) -> tuple[str, ...]:
    """Return the clauses behind `rule`, those of the base for a house's own rulebook.

    Raises KeyError for an unknown rule.
    """
    known = rulebook.rulebook_id in _TEXTS or rulebook.base is None
    return cite(rulebook.rulebook_id if known else str(rulebook.base), rule)
