"""Tiers and the servers of a run. Nothing is imported from here; helpers live in `tests/support`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.broker import bootstrap_servers, chosen_kind, kafka_broker, make_topic
from tests.support.postgres import database_url, make_database, postgres_server

__all__ = [
    "bootstrap_servers",
    "database_url",
    "kafka_broker",
    "make_database",
    "make_topic",
    "postgres_server",
]

TESTS = Path(__file__).parent
TIERS = ("integration", "e2e")
SERVER_FIXTURES = frozenset(__all__)
SERVICES = frozenset({"stack"})
"""Fixtures that start the four services."""


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the marker of its folder, and `integration` where it uses a server."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        if folder in TIERS:
            item.add_marker(folder)
        elif SERVER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("integration")
    # Services that run and wait still cost time: they are started when all other tests are done.
    items.sort(key=_servers_needed)


def _servers_needed(item: pytest.Item) -> int:
    if SERVICES.intersection(getattr(item, "fixturenames", ())):
        return 2
    return 1 if any(item.get_closest_marker(tier) for tier in TIERS) else 0


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what only Apache Kafka can show where another broker runs."""
    if item.get_closest_marker("apache") is not None and chosen_kind() != "apache":
        pytest.skip(f"needs Apache Kafka; this run uses BROKER={chosen_kind()}")
