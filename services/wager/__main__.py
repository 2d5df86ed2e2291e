"""`python -m services.wager`."""

import sys

from services.wager.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
