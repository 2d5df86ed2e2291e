"""Temporary servers whose owner died before it could stop them.

A test run that is killed leaves its servers running. Each temporary server is therefore written
down, with the process that owns it, in a directory of this user's; the next run stops those whose
owner is gone and removes their files. Nothing is stopped that cannot be proved to be ours.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import stat
import tempfile
import uuid
from pathlib import Path
from typing import Any, Self

from services.devstack.processes import Identity, ManagedProcess

PREFIX = "sabot-"


def registry() -> Path:
    """Return the directory of the records; only this user can read or write it."""
    directory = Path(tempfile.gettempdir()) / f"{PREFIX}running-{os.geteuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    private = stat.S_ISDIR(status.st_mode) and not stat.S_IMODE(status.st_mode) & 0o077
    if status.st_uid != os.geteuid() or not private:
        raise RuntimeError(f"{directory} belongs to somebody else or is open to others")
    return directory


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One temporary server that is to be stopped when its owner is gone."""

    path: Path

    @classmethod
    def write(cls, process: ManagedProcess, *, directory: Path | None) -> Self:
        """Write the record of a process and of the temporary directory that goes with it."""
        owner = Identity.of(os.getpid())
        path = registry() / f"{uuid.uuid4()}.json"
        content = {
            "name": process.name,
            "owner": None if owner is None else dataclasses.asdict(owner),
            "process": dataclasses.asdict(process.identity),
            "signal": process.stop_signal.name,
            "directory": None if directory is None else str(directory),
        }
        working = path.with_suffix(".new")
        working.write_text(json.dumps(content))
        working.replace(path)
        return cls(path=path)

    def remove(self) -> None:
        """Forget the server: its owner has stopped it."""
        self.path.unlink(missing_ok=True)


def sweep() -> tuple[str, ...]:
    """Stop the temporary servers of owners that are gone and return what was stopped."""
    stopped = []
    for path in registry().glob("*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(path.read_text())
            if content["owner"] is not None and Identity(**content["owner"]).running():
                continue
            if _stop(content):
                stopped.append(f"{content['name']} (pid {content['process']['pid']})")
            path.unlink(missing_ok=True)
    return tuple(stopped)


def _stop(content: dict[str, Any]) -> bool:
    process = ManagedProcess(
        content["name"],
        Identity(**content["process"]),
        stop_signal=signal.Signals[content["signal"]],
    )
    was_running = process.running()
    process.stop()
    if content["directory"] is not None:
        directory = Path(content["directory"])
        # Only what `mkdtemp` made for us: no record can lead to somebody's files.
        if directory.name.startswith(PREFIX) and not directory.is_symlink():
            shutil.rmtree(directory, ignore_errors=True)
    return was_running
