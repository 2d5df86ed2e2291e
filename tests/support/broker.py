"""A broker for tests: one per run, chosen by BROKER; topics of a test's own.

Fixtures, made known by `tests/conftest.py`:

- `kafka_broker`: the broker of this run;
- `bootstrap_servers`: its address;
- `make_topic`: `await make_topic()` or `await make_topic("name", partitions=3)` creates a topic and
  returns its name, unique where none was given.

A test that stops, kills or wipes a broker makes its own: `build_broker(chosen_kind())`.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator
from typing import Protocol

import pytest

from services.devstack import leftovers
from services.devstack.brokers import (
    PARTITIONS_DEFAULT,
    Broker,
    BrokerChoice,
    BrokerKind,
    build_broker,
    create_topics,
    resolve_broker,
)

_numbers = itertools.count(1)


class MakeTopic(Protocol):
    """Create a topic and return its name."""

    async def __call__(
        self, name: str | None = None, *, partitions: int = PARTITIONS_DEFAULT
    ) -> str: ...


@functools.cache
def choice_of_run() -> BrokerChoice:
    """The broker that this run uses; `auto` is decided once."""
    return resolve_broker()


def chosen_kind() -> BrokerKind:
    """The kind of broker that this run uses."""
    return choice_of_run().kind


@pytest.fixture(scope="session")
def kafka_broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """The broker of this run; one line says which."""
    leftovers.sweep()
    with build_broker(chosen_kind()) as broker:
        announce(request.config, choice_of_run().sentence(broker.bootstrap_servers))
        yield broker


def announce(config: pytest.Config, line: str) -> None:
    """Print a line among the dots of a run, past the capture of output."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    capture = config.pluginmanager.get_plugin("capturemanager")
    if reporter is not None and capture is not None:
        with capture.global_and_fixture_disabled():
            reporter.ensure_newline()
            reporter.write_line(line)


@pytest.fixture(scope="session")
def bootstrap_servers(kafka_broker: Broker) -> str:
    """The address of the broker."""
    return kafka_broker.bootstrap_servers


@pytest.fixture
def make_topic(bootstrap_servers: str) -> MakeTopic:
    """Create topics that no other test uses."""

    async def make(name: str | None = None, *, partitions: int = PARTITIONS_DEFAULT) -> str:
        chosen = name or f"test.{os.getpid()}.{next(_numbers)}"
        await create_topics(bootstrap_servers, [chosen], partitions=partitions)
        return chosen

    return make
