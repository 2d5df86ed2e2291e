"""Where the services are, when nobody said: the local stack that `make up` left running."""

from __future__ import annotations

import os

from services.devstack.state import STATE_FILE, State, default_directory


def use_local_stack() -> None:
    """Put the local stack's addresses into the environment, under those that are set already."""
    state = State.read(default_directory() / STATE_FILE)
    if state is None:
        return
    for name, value in state.environment.items():
        os.environ.setdefault(name, value)
