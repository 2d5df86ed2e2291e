"""What a stack wrote down about its processes: light to import, for those who only look.

The state file names every process with its identity, and the addresses as environment variables.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import services
from services.devstack.processes import Identity, ManagedProcess

STATE_FILE = "devstack.json"
STATE_VERSION = 1
# More than the services are told to take (SABOT_GRACE_PERIOD_S): force is for what hangs.
SERVICE_STOP_TIMEOUT_S = 60.0

CHECKOUT = Path(str(services.__file__)).resolve().parent.parent


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One running process as it is written down for later runs."""

    name: str
    identity: Identity
    stop_signal: str
    address: str
    log: str
    ports: Mapping[str, int]

    def process(self) -> ManagedProcess:
        """Return the process, recognised by its identity."""
        return ManagedProcess(
            self.name, self.identity, stop_signal=signal.Signals[self.stop_signal]
        )

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "identity": Identity(**data["identity"])})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a stack wrote down: its processes in the order of their start, and its addresses."""

    broker: str
    environment: Mapping[str, str]
    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Read a state file; `None` where there is none or nothing that we understand."""
        try:
            data = json.loads(path.read_text())
        except FileNotFoundError:
            return None
        if data.get("version") != STATE_VERSION:
            raise RuntimeError(f"{path} was written by another version of the stack")
        return cls(
            broker=data["broker"],
            environment=data["environment"],
            entries=tuple(Entry.from_json(entry) for entry in data["entries"]),
        )

    def write(self, path: Path) -> None:
        """Write the state in one step, readable by this user only."""
        data = {
            "version": STATE_VERSION,
            "broker": self.broker,
            "environment": dict(self.environment),
            "entries": [entry.to_json() for entry in self.entries],
        }
        working = path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(working, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(data, file, indent=2)
        working.replace(path)


def stop_recorded(state: State, report: Callable[[str], None] = print) -> None:
    """Stop the processes of a state file in reverse order; touch no process that is not ours.

    The services hear of it together and end side by side; their servers go after them.
    """
    running = []
    for entry in reversed(state.entries):
        process = entry.process()
        if not process.running():
            report(f"{entry.name}: not running")
            continue
        running.append((process, bool(entry.ports)))  # the servers have no ports of their own
        if entry.ports:
            process.ask_to_stop()
    for process, is_service in running:
        stop = process.finish if is_service else process.stop
        in_order = stop(SERVICE_STOP_TIMEOUT_S)
        report(f"{process.name}: stopped{'' if in_order else ' by force'} (pid {process.pid})")


def default_directory() -> Path:
    """Return where `make up` keeps its data, logs and state."""
    return CHECKOUT / "var"
