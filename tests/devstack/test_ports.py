"""A port is given once, however long its server takes to listen on it."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from services.devstack import ports
from services.devstack.ports import LOOPBACK, free_port, free_ports

ASK = "from services.devstack import ports; ports.PORT_FIRST, ports.PORT_LAST = {0}, {0}; "
ASK += "print(ports.free_ports(1))"


def choose_among(ports_: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """All calls of this process choose among these, which lie above those that others are given."""
    monkeypatch.setattr(ports, "PORT_FIRST", ports_[0])
    monkeypatch.setattr(ports, "PORT_LAST", ports_[-1])


def test_no_port_is_given_twice_though_nobody_listens_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_among(range(32_100, 32_104), monkeypatch)
    given = [free_port(), free_port(), *free_ports(2)]
    assert sorted(given) == [32_100, 32_101, 32_102, 32_103]
    with pytest.raises(RuntimeError, match="no 1 free ports between 32100 and 32103"):
        free_port()


def test_a_port_on_which_somebody_listens_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    choose_among(range(32_200, 32_204), monkeypatch)
    with socket.create_server((LOOPBACK, 32_200)):
        assert sorted(free_ports(3)) == [32_201, 32_202, 32_203]


def test_what_one_process_was_given_no_other_is() -> None:
    refused = subprocess.run(
        (sys.executable, "-c", ASK.format(free_port())),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert refused.returncode == 1
    assert "no 1 free ports" in refused.stderr


def test_a_port_is_free_again_once_its_process_has_ended() -> None:
    command = (
        sys.executable,
        "-c",
        "from services.devstack import ports; print(ports.free_port())",
    )
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    port = int(found.stdout)
    again = subprocess.run(
        (sys.executable, "-c", ASK.format(port)),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert again.stdout == f"({port},)\n"
