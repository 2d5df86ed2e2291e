"""Free TCP ports on the loopback address."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import random
import socket
import tempfile
from pathlib import Path

LOOPBACK = "127.0.0.1"
# Below the range from which kernels take the ports of outgoing connections. A port of that range
# may be taken by anybody's connection while our server restarts, and a client that keeps dialling
# it can even end up connected to itself.
PORT_FIRST = 15_000
PORT_LAST = 32_000
ATTEMPTS_MAX = 1_000

_given: set[int] = set()


def free_ports(count: int) -> tuple[int, ...]:
    """Choose distinct ports that nobody listens on now and that no call has been given before.

    A server may start long after its port was chosen, so a port belongs to the process that asked
    for it until this ends, and no other process of the same account is given it meanwhile.
    """
    generator = random.SystemRandom()
    chosen: list[int] = []
    for _ in range(ATTEMPTS_MAX):
        if len(chosen) == count:
            return tuple(chosen)
        port = generator.randint(PORT_FIRST, PORT_LAST)
        if _claimed(port) and _unused(port):
            chosen.append(port)
    raise RuntimeError(f"no {count} free ports between {PORT_FIRST} and {PORT_LAST}")


def _claimed(port: int) -> bool:
    """Claim the port for this process. A process does not meet its own locks: hence the set."""
    if port in _given:
        return False
    try:
        fcntl.lockf(_claims(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    _given.add(port)
    return True


@functools.cache
def _claims() -> int:
    """Open the file whose byte N is locked by whoever has port N; locks end with their process."""
    path = Path(tempfile.gettempdir()) / f"sabot-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _unused(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """Choose one port."""
    return free_ports(1)[0]


def accepts_connections(port: int, timeout_s: float = 0.5) -> bool:
    """Tell whether something listens on this port of the loopback address."""
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout_s):
        return True
    return False
