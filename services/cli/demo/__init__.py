"""`sabot demo`: recorded shoes played live through a fresh stack, shown, and proved."""

from __future__ import annotations

from typing import IO


def main(
    out: IO[str],
    err: IO[str],
    *,
    coups: int | None = None,
    broker: str | None = None,
    wallet: str = "ledger",
) -> int:
    """Play, show, prove; 1 where anything differs. `coups` is the number in all.

    `wallet` is the built-in ledger, or http: an operator's wallet, simulated.
    """
    from services.cli.demo.run import run  # noqa: PLC0415 - heavy, and `--help` comes here too

    return run(out, err, coups=coups, broker=broker, wallet=wallet)
