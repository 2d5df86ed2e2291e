"""The console as a process beside the services: pages over HTTP, and no database."""

from __future__ import annotations

import http.client
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from services.devstack.ports import LOOPBACK, free_ports
from services.devstack.processes import ManagedProcess
from services.devstack.services import LOG_TAIL_CHARACTERS, READY_POLL_S, READY_TIMEOUT_S
from services.devstack.state import CHECKOUT

PROBE_TIMEOUT_S = 2.0
HTTP_OK = 200


class ConsoleProcess:
    """The console: its port stays the same over restarts."""

    name = "console"

    def __init__(self, *, targets: Mapping[str, str], log: Path) -> None:
        self.log = log
        (self.port,) = free_ports(1)
        self.process: ManagedProcess | None = None
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SABOT_")}
        self._environment = {
            **inherited,
            "PYTHONUNBUFFERED": "1",
            "SABOT_ENVIRONMENT": "development",
            "SABOT_CONSOLE_PORT": str(self.port),
            **{f"SABOT_{name.upper()}_TARGET": target for name, target in targets.items()},
        }

    @property
    def url(self) -> str:
        """The address for browsers."""
        return f"http://{LOOPBACK}:{self.port}"

    def launch(self) -> ManagedProcess:
        """Start the process and return at once."""
        self.process = ManagedProcess.start(
            self.name,
            (sys.executable, "-m", "services.console"),
            environment=self._environment,
            directory=CHECKOUT,
            log=self.log,
        )
        return self.process

    def wait_until_ready(self, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Return once pages are served and the services answer the console."""
        assert self.process is not None, "launched before"
        deadline = time.monotonic() + timeout_s
        while not self._ready():
            if not self.process.running():
                raise RuntimeError(f"the console ended:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"the console is not ready:\n{self.log_tail()}")
            time.sleep(READY_POLL_S)

    def _ready(self) -> bool:
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=PROBE_TIMEOUT_S)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == HTTP_OK
        except OSError:
            return False
        finally:
            connection.close()

    def log_tail(self) -> str:
        """Return the end of the log."""
        return self.log.read_text(errors="replace")[-LOG_TAIL_CHARACTERS:]
