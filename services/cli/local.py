"""Where the services are, when nobody said: the local stack that `make up` left running."""

from __future__ import annotations

import os
from pathlib import Path

from services.chassis.config import FILE_SUFFIX
from services.devstack.state import STATE_FILE, State, default_directory


def use_local_stack() -> None:
    """Put the local stack's addresses into the environment, under those that are set already."""
    state = State.read(default_directory() / STATE_FILE)
    if state is None:
        return
    for name, value in state.environment.items():
        os.environ.setdefault(name, value)


def database_url(name: str) -> str:
    """Return the address in a variable or in the file that NAME_FILE names; empty where neither is set.

    Raises `OSError` for a file that cannot be read.
    """
    if address := os.environ.get(name):
        return address
    file = os.environ.get(name + FILE_SUFFIX)
    return Path(file).read_text(encoding="utf-8").strip() if file else ""
