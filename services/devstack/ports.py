"""Free TCP ports on the loopback address."""

from __future__ import annotations

import contextlib
import random
import socket

LOOPBACK = "127.0.0.1"
# Below the range from which kernels take the ports of outgoing connections. A port of that range
# may be taken by anybody's connection while our server restarts, and a client that keeps dialling
# it can even end up connected to itself.
PORT_FIRST = 15_000
PORT_LAST = 32_000
ATTEMPTS_MAX = 1_000


def free_ports(count: int) -> tuple[int, ...]:
    """Choose distinct ports that nobody listens on now. Another process may still be faster."""
    generator = random.SystemRandom()
    chosen: list[int] = []
    with contextlib.ExitStack() as held:
        for _ in range(ATTEMPTS_MAX):
            if len(chosen) == count:
                return tuple(chosen)
            port = generator.randint(PORT_FIRST, PORT_LAST)
            probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            with contextlib.suppress(OSError):
                probe.bind((LOOPBACK, port))
                chosen.append(port)
    raise RuntimeError(f"no {count} free ports between {PORT_FIRST} and {PORT_LAST}")


def free_port() -> int:
    """Choose one port."""
    return free_ports(1)[0]


def accepts_connections(port: int, timeout_s: float = 0.5) -> bool:
    """Tell whether something listens on this port of the loopback address."""
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout_s):
        return True
    return False
