"""A simulated operator's wallet as a process, for a stack whose money is not in the ledger."""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

import msgspec

from services.devstack.ports import LOOPBACK, free_ports
from services.devstack.processes import ManagedProcess
from services.devstack.state import CHECKOUT
from services.walletsim.app import Answered

SECRET: Final = "a secret that everybody may know, for development only"  # noqa: S105
READY_S: Final = 20.0
CALL_S: Final = 10.0


class SimulatedWallet:
    """The simulator at an address of its own; its accounts are kept in a file."""

    def __init__(self, directory: Path) -> None:
        (port,) = free_ports(1)
        self.url = f"http://{LOOPBACK}:{port}"
        self._port = port
        self._directory = directory
        self._process: ManagedProcess | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What the wager service is told of it."""
        return {
            "SABOT_WALLET_KIND": "http",
            "SABOT_WALLET_URL": self.url,
            "SABOT_WALLET_KEY_ID": "demo",
            "SABOT_WALLET_SECRET": SECRET,
        }

    def start(self) -> None:
        """Start it, and return once it answers."""
        self._directory.mkdir(parents=True, exist_ok=True)
        file = self._directory / "accounts.jsonl"
        command = ("-m", "services.walletsim", "--port", str(self._port), "--file", str(file))
        self._process = ManagedProcess.start(
            "wallet",
            (sys.executable, *command),
            environment={"SABOT_WALLET_SECRET": SECRET, "PYTHONPATH": _path()},
            directory=CHECKOUT,
            log=self._directory / "wallet.log",
        )
        deadline = time.monotonic() + READY_S
        while True:
            try:
                self.movements()
                return
            except (urllib.error.URLError, OSError):
                if time.monotonic() > deadline or not self._process.running():
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.stop()

    def fund(self, key: str, player: str, currency: str, amount_minor: int) -> None:
        """Put money into an account."""
        told = self._post(
            "fund",
            {"key": key, "player": player, "currency": currency, "amount_minor": amount_minor},
        )
        if told["status"] == "REFUSED":
            raise RuntimeError(f"the simulator refuses a deposit: {told['code']}")

    def misbehave(self, verb: str, fault: str, *, seconds: float, player: str = "") -> None:
        """Let the next request of a verb go wrong, or the next one for a player."""
        asked: dict[str, str | int | float] = {
            "verb": verb,
            "fault": fault,
            "player": player,
            "seconds": seconds,
        }
        self._post("faults", asked)

    def _post(self, what: str, asked: dict[str, str | int | float]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - our own server on this machine
            f"{self.url}/sim/{what}",
            data=json.dumps(asked).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=CALL_S) as answer:  # noqa: S310
            told: dict[str, Any] = json.load(answer)
        return told

    def movements(self) -> str:
        """What moved, as CSV."""
        return self._get("movements")

    def answers(self) -> list[Answered]:
        """Every request for a movement and its answer, oldest first."""
        return [
            msgspec.json.decode(line, type=Answered) for line in self._get("answers").splitlines()
        ]

    def _get(self, what: str) -> str:
        with urllib.request.urlopen(f"{self.url}/sim/{what}", timeout=CALL_S) as answer:  # noqa: S310
            return str(answer.read().decode())


def _path() -> str:
    return f"{CHECKOUT}:{CHECKOUT / 'proto' / 'gen'}"
