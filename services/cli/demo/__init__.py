"""`sabot demo`: recorded shoes played live through a fresh stack, shown, and proved."""

from __future__ import annotations

from typing import IO


def main(out: IO[str], err: IO[str], *, coups: int | None = None, broker: str | None = None) -> int:
    """Play, show, prove; 1 where anything differs. `coups` is the number in all."""
    from services.cli.demo.run import run  # noqa: PLC0415 - heavy, and `--help` comes here too

    return run(out, err, coups=coups, broker=broker)
