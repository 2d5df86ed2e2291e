"""`python -m services.cli.demo --coups N`: the demo with options."""

from __future__ import annotations

import argparse
import sys

from services.cli.console import prepare_streams
from services.cli.demo import main
from services.cli.errors import guarded


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m services.cli.demo", description=main.__doc__)
    parser.add_argument("--coups", type=int, help="how many coups in all; default: the whole demo")
    parser.add_argument("--broker", help="auto, apache, embedded or external; default: BROKER")
    parser.add_argument("--wallet", choices=("ledger", "http"), default="ledger")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    options = parsed()
    prepare_streams()
    sys.exit(
        guarded(
            lambda: main(
                sys.stdout,
                sys.stderr,
                coups=options.coups,
                broker=options.broker,
                wallet=options.wallet,
            ),
            sys.stderr,
        )
    )
