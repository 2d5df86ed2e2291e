"""The simulation can fail: each protection that is taken away shows within a few seeds."""

from __future__ import annotations

import pytest

from tests.simulation.mutants import MUTANTS
from tests.simulation.run import simulate

SEEDS_MAX = 16

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught_within_a_few_seeds(name: str) -> None:
    with MUTANTS[name]():
        breaches = (simulate(seed).breach for seed in range(1, SEEDS_MAX + 1))
        found = next((breach for breach in breaches if breach), "")
    assert found, f"{name}: nothing was noticed in {SEEDS_MAX} seeds"
