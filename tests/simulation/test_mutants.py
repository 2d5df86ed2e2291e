"""The simulation can fail: each protection that is taken away shows within a few seeds."""

from __future__ import annotations

import pytest

from tests.simulation import world
from tests.simulation.mutants import MUTANTS
from tests.simulation.run import simulate

SEEDS_MAX = 16
REST_S_MAX = 120.0
"""Shorter than for others: a mutant that never comes to rest is waited for in vain."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught_within_a_few_seeds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "REST_S_MAX", REST_S_MAX)
    with MUTANTS[name]():
        caught = next((seed for seed in range(1, SEEDS_MAX + 1) if simulate(seed).breach), 0)
    assert caught, f"{name}: nothing was noticed in {SEEDS_MAX} seeds"
    assert not simulate(caught).breach, "the mutant alone is what is noticed"
