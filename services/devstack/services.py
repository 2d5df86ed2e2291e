"""The four services as processes: environment, migration, readiness."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.devstack.ports import LOOPBACK, free_ports
from services.devstack.processes import ManagedProcess
from services.devstack.state import CHECKOUT

READY_TIMEOUT_S = 90.0
READY_POLL_S = 0.1
PROBE_TIMEOUT_S = 2.0
MIGRATION_TIMEOUT_S = 120.0
LOG_TAIL_CHARACTERS = 3_000
# The service name that a readiness probe asks for; `""` where a server does not know it.
READINESS = "readiness"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ServicePorts:
    """The three ports of one service: calls, probes, metrics."""

    grpc: int
    health: int
    metrics: int


def exists(name: str) -> bool:
    """Tell whether the service can be started as a module."""
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.util.find_spec(f"services.{name}.__main__") is not None
    return False


class ServiceProcess:
    """One service: its ports and database stay the same over restarts."""

    def __init__(
        self,
        name: str,
        *,
        database_url: str,
        bootstrap_servers: str,
        log: Path,
        environment: Mapping[str, str],
        migration: Mapping[str, str] | None = None,
    ) -> None:
        """Describe a process; `migration` is what its migration is told beyond the environment."""
        self.name = name
        self.database_url = database_url
        self.log = log
        self.program: tuple[str, ...] = ("-m", f"services.{name}")
        """What Python is told to run; a comparison may put another program in its place."""

        calls, health, metrics = free_ports(3)
        self.ports = ServicePorts(grpc=calls, health=health, metrics=metrics)
        self.process: ManagedProcess | None = None
        # Addresses that this shell may have from another stack are not inherited.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SABOT_")}
        self._environment = {
            **inherited,
            "PYTHONUNBUFFERED": "1",
            "SABOT_ENVIRONMENT": "development",
            "SABOT_ALLOW_TEST_TABLES": "true",
            "SABOT_GRPC_REFLECTION": "true",
            "SABOT_DATABASE_URL": database_url,
            "SABOT_KAFKA_BOOTSTRAP_SERVERS": bootstrap_servers,
            # With a name of its own, a member that was killed gets its partitions back at once.
            "SABOT_KAFKA_GROUP_INSTANCE_ID": name,
            "SABOT_GRPC_PORT": str(self.ports.grpc),
            "SABOT_HEALTH_PORT": str(self.ports.health),
            "SABOT_METRICS_PORT": str(self.ports.metrics),
            **environment,
        }
        self._migration = dict(migration or {})

    def tell(self, settings: Mapping[str, str]) -> None:
        """From its next start on the service has these settings instead of its own."""
        self._environment.update(settings)

    @property
    def target(self) -> str:
        """The address for calls."""
        return f"{LOOPBACK}:{self.ports.grpc}"

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, *self.program)

    def migrate(self) -> None:
        """Bring the database to the schema that the service expects."""
        with self.log.open("ab") as output:
            result = subprocess.run(
                (*self.command, "--migrate"),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=CHECKOUT,
                env={**self._environment, **self._migration},
                timeout=MIGRATION_TIMEOUT_S,
            )
        if result.returncode != 0:
            raise RuntimeError(f"migrating {self.name} failed:\n{self.log_tail()}")

    def launch(self) -> ManagedProcess:
        """Start the process and return at once."""
        if self.process is not None and self.process.running():
            raise RuntimeError(f"{self.name} runs already (pid {self.process.pid})")
        self.process = ManagedProcess.start(
            self.name,
            self.command,
            environment=self._environment,
            directory=CHECKOUT,
            log=self.log,
        )
        return self.process

    def wait_until_ready(self, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Return once the service answers on its health port that it is serving."""
        assert self.process is not None, "launched before"
        deadline = time.monotonic() + timeout_s
        while not serving(self.ports.health):
            if not self.process.running():
                code = self.process.exit_code
                raise RuntimeError(f"{self.name} ended with {code}:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{self.name} is not ready after {timeout_s:.0f} s:\n{self.log_tail()}"
                )
            time.sleep(READY_POLL_S)

    def log_tail(self) -> str:
        """Return the end of the log."""
        if not self.log.exists():
            return ""
        return self.log.read_text(errors="replace")[-LOG_TAIL_CHARACTERS:]


def serving(health_port: int, timeout_s: float = PROBE_TIMEOUT_S) -> bool:
    """Ask a health port (`grpc.health.v1`) whether the service is ready."""
    with grpc.insecure_channel(f"{LOOPBACK}:{health_port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)  # its stubs do not know its one method
        for name in (READINESS, ""):
            try:
                answer = stub.Check(  # type: ignore[attr-defined]
                    health_pb2.HealthCheckRequest(service=name), timeout=timeout_s
                )
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    continue
                return False
            return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
    return False


def missing(names: Sequence[str]) -> tuple[str, ...]:
    """Return the services that this checkout does not contain yet."""
    return tuple(name for name in names if not exists(name))
