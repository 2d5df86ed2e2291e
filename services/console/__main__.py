"""`python -m services.console`."""

import sys

from services.console.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
