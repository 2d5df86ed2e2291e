"""`python -m services.round`."""

import sys

from services.round.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
