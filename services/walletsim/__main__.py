"""Run the simulator: `python -m services.walletsim --port 8701 --file var/wallet.jsonl`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from services.wager.seamless.amounts import FORMS, Form
from services.wager.seamless.signing import HmacKey, RsaVerifier, Verifier
from services.walletsim.app import Simulator
from services.walletsim.books import Books, Switches

SECRET_VARIABLE = "SABOT_WALLET_SECRET"  # noqa: S105 - the name of a variable
DEVELOPMENT_SECRET = "a secret that everybody may know, for development only"  # noqa: S105


def main(argv: Sequence[str]) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="walletsim", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8701)
    parser.add_argument("--file", type=Path, help="keeps the accounts; without it they are lost")
    parser.add_argument("--amounts", choices=FORMS, default="MINOR")
    parser.add_argument("--decimals", type=int, default=2)
    parser.add_argument("--public-key", type=Path, help="PEM; requests are signed with RSA-SHA256")
    parser.add_argument("--says-exists", action="store_true", help="a repeat is answered EXISTS")
    parser.add_argument("--forgets-cancels", action="store_true", help="UNKNOWN_DEBIT")
    parser.add_argument("--whole-cancels", action="store_true", help="no partial cancels")
    parser.add_argument("--asks-for-session", action="store_true", help="of a player who stakes")
    parser.add_argument("--cancels-after-credit", action="store_true")
    given = parser.parse_args(argv)
    switches = Switches(
        says_exists=given.says_exists,
        remembers_cancels=not given.forgets_cancels,
        partial_cancel=not given.whole_cancels,
        asks_for_session=given.asks_for_session,
        refuses_after_credit=not given.cancels_after_credit,
    )
    verifier: Verifier
    if given.public_key:
        verifier = RsaVerifier(given.public_key.read_bytes())
    else:
        verifier = HmacKey(os.environ.get(SECRET_VARIABLE, DEVELOPMENT_SECRET).encode())
        if SECRET_VARIABLE not in os.environ:
            print(
                f"walletsim: no {SECRET_VARIABLE}; the secret is: {DEVELOPMENT_SECRET}", flush=True
            )
    form = Form(given.amounts, given.decimals)
    simulator = Simulator(Books(switches, given.file), form, verifier)
    print(f"walletsim: listening on http://{given.host}:{given.port}, until ctrl-c", flush=True)
    try:
        web.run_app(simulator.application(), host=given.host, port=given.port, print=None)
    except OSError as error:
        words = os.strerror(error.errno) if error.errno else str(error)
        print(
            f"walletsim: {given.host}:{given.port}: {words}; choose another with --port",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
