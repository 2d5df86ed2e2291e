"""The entry point of `sabot` and of `python -m services.cli`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from services.cli.console import prepare_streams
from services.cli.errors import guarded


def run(arguments: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit status."""

    def command() -> object:
        from services.cli.main import app  # noqa: PLC0415 - an interrupt while importing is one too

        return app(list(arguments), prog_name="sabot", standalone_mode=False)

    return guarded(command, sys.stderr)


def main() -> None:
    """Run the command line of this process and end it."""
    # What is folded here are values without cycles: looking for some takes a third of a rebuild.
    gc.set_threshold(50_000, 20, 50)
    prepare_streams()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
