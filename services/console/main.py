"""The console as a process: the only place where its parts are put together."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import uvicorn

from sabot_client import Addresses, Client, Timing, Tls
from services.chassis import logs
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import describe, load_or_exit, unknown_variables
from services.console.app import make, nobody
from services.console.config import ConsoleSettings

TIMING: Final = Timing(attempt_s=5.0, total_s=8.0)
"""A person waits at the other end."""

FEEDS_END_S: Final = 2
"""Live pages are given so long to end with the process; they come back to another one."""

log = logs.logger(__name__)


def main(argv: Sequence[str]) -> int:
    """Run the console; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m services.console", description=__doc__)
    parser.add_argument(
        "--check-config", action="store_true", help="print the settings that hold, and end"
    )
    options = parser.parse_args(argv)
    settings = load_or_exit(ConsoleSettings, os.environ, {})
    if options.check_config:
        print("\n".join(describe(settings)))  # noqa: T201
        for line in unknown_variables(ConsoleSettings, os.environ):
            print(line, file=sys.stderr)  # noqa: T201
        return 0
    logs.configure(
        service="console", level=settings.log_level, clock=SYSTEM_CLOCK, stream=sys.stdout
    )
    asyncio.run(serve(settings))
    return 0


async def serve(settings: ConsoleSettings) -> None:
    """Answer browsers until the process is asked to end."""
    targets = settings.targets
    addresses = Addresses(
        shoe=targets.shoe,
        round=targets.round,
        wager=targets.wager,
        settlement=targets.settlement,
        query=targets.query,
    )
    # Every call is made under the name of who looks: the console itself is nobody.
    # Plain text is what the settings allow, or there is none.
    async with Client.connect(
        addresses, nobody, tls=tls(settings), plaintext=True, timing=TIMING
    ) as client:
        http = settings.console
        config = uvicorn.Config(
            make(settings, client),
            host=http.host,
            port=http.port,
            ssl_certfile=http.tls_certificate_file or None,
            ssl_keyfile=http.tls_key_file or None,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            timeout_graceful_shutdown=min(FEEDS_END_S, max(1, int(settings.grace_period_s) - 1)),
        )
        log.info("pages are served", host=http.host, port=http.port, believes=settings.believes)
        await uvicorn.Server(config).serve()


def tls(settings: ConsoleSettings) -> Tls | None:
    """How the services are spoken to: in plain text on a developer's machine only, or in a mesh."""
    client = settings.client
    plain = settings.environment == "development" or client.plaintext
    if plain and not client.ca_file:
        return None

    def path(name: str) -> Path | None:
        return Path(name) if name else None

    return Tls(
        ca=path(client.ca_file),
        certificate=path(client.certificate_file),
        key=path(client.key_file),
    )
