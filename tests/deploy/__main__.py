"""`python -m tests.deploy tools|compose|k8s|alerts|rules`: fetch the validators, or check with them.

`rules` writes the custom resource of the alerts.

Exit status 1: something is wrong. Where a validator can be neither found nor fetched the check fails
in CI; elsewhere it says so and is passed over.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Final

from tests.deploy import alerts, compose, dashboards, kubernetes, tools

CHECKS: Final[dict[str, Callable[[], list[str]]]] = {
    "compose": compose.check,
    "k8s": kubernetes.check,
    "alerts": lambda: [*alerts.check(), *dashboards.check()],
    "rules": alerts.write,
}


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("tools", *CHECKS))
    what = parser.parse_args().what
    try:
        tools.fetch()
        found = CHECKS[what]() if what in CHECKS else []
    except tools.ToolMissing as missing:
        verdict = "FAILED" if tools.in_ci() else "SKIPPED"
        print(f"{what}: {verdict}, a validator is missing: {missing}")
        return 1 if tools.in_ci() else 0
    print("\n".join([*found, f"{what}: {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
