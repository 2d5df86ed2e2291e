"""Where the services are: from the environment, or from the local stack that runs."""

from __future__ import annotations

import os

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
