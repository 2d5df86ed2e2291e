"""`python -m tests.site`: build the documentation site in build/site.

Exit status 1: MkDocs complains, or a page is not what its document says. Where MkDocs can be neither
found nor fetched that is a fault in CI; elsewhere it says so and nothing is built.
"""

from __future__ import annotations

import sys

from tests.deploy import tools
from tests.site.build import SITE, check


def main() -> int:
    """Build and tell."""
    try:
        found = check()
    except tools.ToolMissing as missing:
        print(f"docs: {'FAILED' if tools.in_ci() else 'SKIPPED'}: {missing}")
        return 1 if tools.in_ci() else 0
    print("\n".join([*found, f"docs: {len(found)} faults, {SITE / 'index.html'}"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
