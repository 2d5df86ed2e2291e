"""Processes that we started, recognised again later, and never mistaken for somebody else's.

A process id alone says little: it is reused. Each process is therefore remembered together with the
instant at which the kernel started it and its command line, and a signal is sent only while both
still agree; on Linux through a descriptor of that very process, so that no other can slip in
between the comparison and the signal.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pwd
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

POLL_S = 0.02
IDENTITY_POLL_S = 0.001
IDENTITY_TIMEOUT_S = 5.0
STOP_TIMEOUT_S = 20.0
KILL_TIMEOUT_S = 10.0
COMMAND_CHARACTERS_MAX = 300  # a Java class path is long, and its beginning says enough
PROC = Path("/proc")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What tells one process from every other that has had or will have the same id."""

    pid: int
    started: str
    command: str

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """Read the identity of a running process; `None` if there is none or it has ended."""
        return cls._from_proc(pid) if PROC.joinpath("self", "stat").exists() else cls._from_ps(pid)

    @classmethod
    def _from_proc(cls, pid: int) -> Self | None:
        try:
            # The second field is the name in parentheses and may itself contain any of these.
            fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
            command = (PROC / str(pid) / "cmdline").read_bytes()
            boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        state, ticks = fields[0], fields[19]
        if state in {"Z", "X"}:
            return None
        text = command.replace(b"\0", b" ").decode(errors="replace").strip()
        return cls(pid=pid, started=f"{boot}:{ticks}", command=text[:COMMAND_CHARACTERS_MAX])

    @classmethod
    def _from_ps(cls, pid: int) -> Self | None:
        command = ["ps", "-ww", "-o", "state=,lstart=,command=", "-p", str(pid)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        words = result.stdout.split()
        if not words or words[0].startswith("Z"):
            return None
        started, text = " ".join(words[1:6]), " ".join(words[6:])
        return cls(pid=pid, started=started, command=text[:COMMAND_CHARACTERS_MAX])

    def running(self) -> bool:
        """Tell whether this very process still runs."""
        return Identity.of(self.pid) == self

    def send(self, number: signal.Signals) -> bool:
        """Signal the process if it is still the same one; tell whether that was so."""
        if not hasattr(signal, "pidfd_send_signal"):
            if not self.running():
                return False
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
                return True
            return False
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return False
        try:
            if not self.running():
                return False
            signal.pidfd_send_signal(descriptor, number)
        except ProcessLookupError:
            return False
        finally:
            os.close(descriptor)
        return True


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An unprivileged account under which a child runs when we are root ourselves."""

    name: str
    uid: int
    gid: int

    @classmethod
    def named(cls, name: str) -> Self:
        entry = pwd.getpwnam(name)
        return cls(name=name, uid=entry.pw_uid, gid=entry.pw_gid)

    def options(self) -> dict[str, Any]:
        """Return the arguments for `subprocess` that switch to this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def _identity_of_child(child: subprocess.Popen[bytes]) -> Identity:
    """Read the identity of a child just started.

    `Popen` returns a moment before the kernel has put the new command line in its place; until then
    it reads as empty, and an identity with an empty command would never be recognised again.
    """
    deadline = time.monotonic() + IDENTITY_TIMEOUT_S
    while child.poll() is None and time.monotonic() < deadline:
        identity = Identity.of(child.pid)
        if identity is not None and identity.command:
            return identity
        time.sleep(IDENTITY_POLL_S)
    return Identity(pid=child.pid, started="unknown", command="")  # ended already


class ManagedProcess:
    """A child process, or one that an earlier run of ours started and wrote down."""

    def __init__(
        self,
        name: str,
        identity: Identity,
        *,
        stop_signal: signal.Signals = signal.SIGTERM,
        child: subprocess.Popen[bytes] | None = None,
    ) -> None:
        self.name = name
        self.identity = identity
        self.stop_signal = stop_signal
        self._child = child

    @classmethod
    def start(
        cls,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        directory: Path,
        log: Path,
        account: Account | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> Self:
        """Start a server in a session of its own: neither Ctrl-C nor a closed terminal reaches it."""
        with log.open("ab") as output:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=directory,
                env=dict(environment),
                start_new_session=True,
                **({} if account is None else account.options()),
            )
        return cls(name, _identity_of_child(child), stop_signal=stop_signal, child=child)

    @property
    def pid(self) -> int:
        return self.identity.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code of a child that has ended; unknown for a process of an earlier run."""
        return None if self._child is None else self._child.poll()

    def running(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        return self.identity.running()

    def send(self, number: signal.Signals) -> bool:
        """Send a signal; an ended process, or another one with its id, gets none."""
        if self._child is None:
            return self.identity.send(number)
        if self._child.poll() is not None:
            return False
        self._child.send_signal(number)  # a child that was not waited for keeps its id
        return True

    def wait(self, timeout_s: float) -> bool:
        """Wait until the process has ended; tell whether it has."""
        if self._child is not None:
            try:
                self._child.wait(timeout_s)
            except subprocess.TimeoutExpired:
                return False
            return True
        deadline = time.monotonic() + timeout_s
        while self.identity.running():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """Ask the process to end, and end it when it does not; tell whether asking was enough."""
        self.ask_to_stop()
        return self.finish(timeout_s)

    def ask_to_stop(self) -> None:
        """Ask the process to end, once: a second request may mean that it shall not finish."""
        self.send(self.stop_signal)
        self.send(signal.SIGCONT)  # a frozen process would never hear of it

    def finish(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """Wait for a process that was asked to end; end it when it does not in time."""
        if self.wait(timeout_s):
            return True
        self.kill()
        return False

    def kill(self) -> None:
        """End the process at once, as a crash would, and wait until it is gone."""
        self.send(signal.SIGKILL)
        if not self.wait(KILL_TIMEOUT_S):
            raise RuntimeError(f"{self.name} (pid {self.pid}) does not end after SIGKILL")
