"""What each service is put together from, against what its core says of itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from services.tablelog.render import SERVICES


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_subscribes_to_every_topic_that_its_core_listens_to(name: str) -> None:
    """A core that waits for a topic which its process never opens would wait for ever."""
    definition: Any = import_module(f"services.{name}.main").DEFINITION
    core: Any = import_module(f"services.{name}.domain")
    assert set(definition.hears) == set(core.HEARS)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_knows_all_that_its_upstreams_publish(name: str) -> None:
    """What a core does not listen to is passed over quietly; only strange types are dead letters."""
    definition: Any = import_module(f"services.{name}.main").DEFINITION
    for upstream, known in definition.hears.items():
        published = import_module(f"services.{upstream}.domain").EVENTS
        assert set(known) >= {kind for kind, event in published.items() if event.published}
