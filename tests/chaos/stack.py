"""The whole system with durable settings, and a proxy between each service and its database."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.devstack.ports import LOOPBACK
from services.devstack.processes import ManagedProcess
from services.devstack.services import ServiceProcess
from services.devstack.stack import Stack, database_name
from tests.chaos.launched import CLOCK, NEWER
from tests.chaos.proxy import Proxies, Proxy


class Changeable(ServiceProcess):
    """A service that can be started with one thing changed (`tests.chaos.launched`)."""

    changes: dict[str, str]

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.changes = {}
        self._plain = dict(self._environment)

    @property
    def command(self) -> tuple[str, ...]:
        if not self.changes:
            return super().command
        return (sys.executable, "-m", "tests.chaos.launched", self.name)

    def launch(self) -> ManagedProcess:
        self._environment = {**self._plain, **self.changes}
        return super().launch()


class ChaosStack(Stack):
    """A stack to which everything may happen."""

    services: dict[str, Changeable]  # type: ignore[assignment]

    def __init__(self, *, broker: str | None, report: Callable[[str], None]) -> None:
        super().__init__(broker=broker, durable=True, report=report)
        self.proxies = Proxies()
        self.proxy_of: dict[str, Proxy] = {}
        self.versions: dict[str, int] = {}
        """By service, the version of its changed event, where a later release was deployed."""

    def start(self) -> ChaosStack:
        self.proxies.__enter__()
        super().start()
        return self

    def stop(self) -> None:
        super().stop()
        self.proxies.__exit__()

    def _describe_service(self, name: str) -> Changeable:
        if name not in self.proxy_of:
            self.proxy_of[name] = self.proxies.to(self.postgres.port)
        port, user = self.proxy_of[name].port, database_name(name)
        environment = {}
        if name == "settlement":
            environment["SABOT_WALLET_TARGET"] = self.services["wager"].target
        return Changeable(
            name,
            database_url=f"postgresql://{user}@{LOOPBACK}:{port}/{user}",
            bootstrap_servers=self.bootstrap_servers,
            log=self.logs / f"{name}.log",
            environment=environment,
            migration=self._migration(name),
        )

    def second(self, name: str) -> Changeable:
        """Start another process of a service, which joins its consumer group."""
        service = self._describe_service(name)
        service._plain["SABOT_KAFKA_GROUP_INSTANCE_ID"] = f"{name}-2"
        service.log = self.logs / f"{name}-2.log"
        service.changes = dict(self.services[name].changes)
        self._launch(service)
        service.wait_until_ready()
        return service

    def with_clock(self, name: str, file: Path | None) -> None:
        """From its next start a service has a clock that the file makes wrong; None: a right one."""
        changes = self.services[name].changes
        changes.pop(CLOCK, None)
        if file is not None:
            changes[CLOCK] = str(file)

    def of_later_release(self, name: str) -> None:
        """From its next start a service is of the release that `versions` describes."""
        self.services[name].changes[NEWER] = json.dumps(self.versions)
