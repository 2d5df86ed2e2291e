"""What a workload is told, read by the service that is told it.

The variables of a container are loaded into the settings class of its service, as the process does
it at its start; so a misspelt variable, a missing one and a contradiction are found here and not
when a pod crashes.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from services.chassis import config
from services.chassis.runtime import ServiceDefinition
from services.devstack.brokers import SERVICES


def service_of(command: Sequence[str]) -> str | None:
    """Name the service that the words after the entry point start."""
    name = command[0].removeprefix("services.") if command else ""
    return name if name in SERVICES else None


def definition_of(service: str) -> ServiceDefinition:
    """What the service says of itself."""
    definition: ServiceDefinition = importlib.import_module(f"services.{service}.main").DEFINITION
    return definition


def load(service: str, environment: Mapping[str, str]) -> config.Settings:
    """Read the settings as the process does. Raises `config.ConfigFaults`."""
    loaded: config.Settings = config.load(definition_of(service).settings, environment, {})
    return loaded


def faults(service: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Everything that the service would complain about, and every variable that nobody reads."""
    yield from model_faults(definition_of(service).settings, environment)


def model_faults(model: Any, environment: Mapping[str, str]) -> Iterator[str]:
    """The same for a settings class, be it of a service or of the console."""
    try:
        config.load(model, environment, {})
    except config.ConfigFaults as faulty:
        yield from map(str, faulty.faults)
    yield from config.unknown_variables(model, environment)
    known = {variable.name for variable in config.variables(model)}
    for name in environment:
        if not name.startswith(config.PREFIX) and name not in known:
            yield f"{name} is read by nobody"
