"""Tiers and the servers of a run. Nothing is imported from here; helpers live in `tests/support`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

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
BROKER_FIXTURES = frozenset({"bootstrap_servers", "kafka_broker", "make_topic", "stack"})
WITH_BROKER = (TESTS / "e2e", TESTS / "integration" / "messaging", TESTS / "devstack")
"""Folders whose tests with servers start brokers of their own, too."""
SERVICES = frozenset({"stack"})
"""Fixtures that start the four services."""
WITH_SERVERS = frozenset({"audit", "chassis", "devstack", "e2e", "fuzz", "integration", "ports"})
"""Folders whose tests go to one worker of a parallel run: one PostgreSQL, one broker, one stack."""


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the marker of its folder, and `integration` or `broker` where it uses one."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        if folder in TIERS:
            item.add_marker(folder)
        elif SERVER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("integration")
        if _broker_needed(item):
            item.add_marker("broker")
    # Services that run and wait still cost time: they are started when all other tests are done.
    items.sort(key=_servers_needed)


def _broker_needed(item: pytest.Item) -> bool:
    if item.get_closest_marker("once") or not any(item.get_closest_marker(tier) for tier in TIERS):
        return False
    uses = BROKER_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return bool(uses) or any(item.path.is_relative_to(folder) for folder in WITH_BROKER)


def _servers_needed(item: pytest.Item) -> int:
    if SERVICES.intersection(getattr(item, "fixturenames", ())):
        return 2
    return 1 if any(item.get_closest_marker(tier) for tier in TIERS) else 0


class OneWorkerHasTheServers(LoadScopeScheduling):  # type: ignore[misc]
    """Share the tests out file by file, those with servers together."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        folder = Path(file).relative_to(TESTS.name).parts[0] if "/" in file else file
        return "servers" if folder in WITH_SERVERS else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneWorkerHasTheServers:
    """How `pytest -n 2` shares the tests out."""
    return OneWorkerHasTheServers(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what only Apache Kafka can show where another broker runs."""
    if item.get_closest_marker("apache") is not None and chosen_kind() != "apache":
        pytest.skip(f"needs Apache Kafka; this run uses BROKER={chosen_kind()}")
