"""A wallet simulator inside the test, and an adapter that talks to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from services.chassis.clock import SYSTEM_CLOCK
from services.wager.seamless.amounts import Form
from services.wager.seamless.client import Limits, SeamlessWallet, Switches
from services.wager.seamless.signing import HmacKey, RsaSigner, RsaVerifier, Signer, Verifier
from services.walletsim import books
from services.walletsim.app import Fault, Simulator

SECRET = b"0123456789abcdef0123456789abcdef"


@cache
def rsa_signer() -> RsaSigner:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return RsaSigner(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


class Running:
    """A simulator at an address; its books survive a restart, as on a disk."""

    def __init__(self, simulator: Simulator, signer: Signer) -> None:
        self.simulator = simulator
        self.signer = signer
        self.url = ""
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self) -> None:
        self._runner = web.AppRunner(self.simulator.application(), shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        server: Any = site._server
        self._port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def misbehaves(self, verb: str, fault: str, **more: Any) -> None:
        self.simulator.faults.append(Fault(verb=verb, fault=fault, **more))

    def fund(self, player: str, amount_minor: int) -> None:
        key = f"/fund/{len(self.simulator.books.rows)}"
        asked = books.Row(
            key=key,
            player=player,
            currency="EUR",
            verb=books.FUND,
            amount_minor=amount_minor,
            balance_minor=0,
        )
        assert self.simulator.books.move(asked).status == "DONE"


@asynccontextmanager
async def simulator(
    switches: books.Switches | None = None,
    form: Form | None = None,
    *,
    rsa_keys: bool = False,
    file: Path | None = None,
) -> AsyncIterator[Running]:
    """A wallet of an operator, at an address of its own."""
    signer: Signer = rsa_signer() if rsa_keys else HmacKey(SECRET)
    verifier: Verifier = RsaVerifier(rsa_signer().public_pem()) if rsa_keys else HmacKey(SECRET)
    wallet = Simulator(books.Books(switches or books.Switches(), file), form or Form(), verifier)
    running = Running(wallet, signer)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


def adapter(running: Running, form: Form | None = None, **more: Any) -> SeamlessWallet:
    """The adapter for it."""
    limits: dict[str, Any] = {
        "timeout_s": 0.5,
        "connect_timeout_s": 0.3,
        "breaker_failures_max": 1_000,
        **more.pop("limits", {}),
    }
    return SeamlessWallet(
        running.url,
        signer=running.signer,
        key_id="test",
        clock=SYSTEM_CLOCK,
        switches=Switches(form=form or Form(), **more),
        limits=Limits(**limits),
    )
