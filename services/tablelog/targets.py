"""Where the services are, and how they are reached: what the environment says of it."""

from __future__ import annotations

import os
from pathlib import Path

from services.tablelog.render import SERVICES


class NoServices(Exception):
    """Nobody said where the services are."""


def targets() -> dict[str, str]:
    """The address for calls of each service, from SABOT_<SERVICE>_TARGET."""
    found = {name: os.environ.get(f"SABOT_{name.upper()}_TARGET", "") for name in SERVICES}
    missing = [f"SABOT_{name.upper()}_TARGET" for name, address in found.items() if not address]
    if missing:
        raise NoServices(
            f"no services: {', '.join(missing)} not set and no local stack runs (make up)"
        )
    return found


def file_of(name: str) -> str:
    """The file that a variable names, such as SABOT_CLIENT_CA_FILE; empty where it is not set."""
    found = os.environ.get(name, "")
    if found and not Path(found).is_file():
        raise NoServices(f"{name} names {found!r}, which is no file")
    return found
