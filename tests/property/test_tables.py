"""Random tables under each of the seven rulebooks hold every invariant (clauses, section 13).

Longer: `python -m tests.property 200`.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.invariants import check
from tests.property.play import wander, wander_by
from tests.property.reach import COMMANDS, EVENTS, reached
from tests.property.wanderer import RULEBOOKS

COVERING: dict[str, tuple[int, ...]] = {
    "live-studio": (26, 298),
    "super-six": (18, 19, 73),
    "nsw-baccarat": (60, 187, 264, 285),
    "nsw-mini": (22, 161, 182, 223),
    "nsw-mini-even-money": (73, 191),
}
"""Seeds of tables that reach everything between them; `python -m tests.property` counts."""

TOLD_APART: dict[str, tuple[int, ...]] = {
    "nsw-baccarat": (170, 212),
    "nsw-mini": (184, 266, 298),
    "nsw-mini-even-money": (86, 141, 291, 396),
}
"""Seeds of tables where rules meet: a kept card and one out early (ADR 11), a needless card and the end of
its shoe, or a late wager and a coup that is to have none."""

FURTHER = [(rulebook, seed) for seed in range(100, 112) for rulebook in RULEBOOKS]
"""Where the rules changed what those reach: as many of these as it takes."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_kind_of_command_and_event_comes_about_and_every_invariant_holds() -> None:
    """Invariants 1 to 10 over tables that leave nothing out that a service knows."""
    left = {*COMMANDS, *EVENTS}
    covering = [(rulebook, seed) for rulebook, seeds in COVERING.items() for seed in seeds]
    for number, (rulebook, seed) in enumerate([*covering, *FURTHER]):
        if not left and number >= len(covering):
            break
        table = wander(rulebook, seed)
        check(table)
        left -= reached(table)
    assert not left


@pytest.mark.parametrize("rulebook", TOLD_APART)
def test_every_invariant_holds_where_rules_meet(rulebook: str) -> None:
    """Invariants 2 and 3 more than others."""
    for seed in TOLD_APART[rulebook]:
        check(wander(rulebook, seed))


@pytest.mark.timeout(600)
@settings(max_examples=25, deadline=None)
@given(
    rulebook=st.sampled_from(RULEBOOKS),
    seed=st.integers(0, 2**32),
    taken=st.lists(st.booleans(), min_size=200, max_size=200),
)
def test_random_tables_hold_every_invariant(rulebook: str, seed: int, taken: list[bool]) -> None:
    """Invariants 1 to 10; of a table that breaks one, all moves are left out that may be."""
    check(wander_by(rulebook, seed, taken))
