"""`python -m services.shoe`."""

import sys

from services.shoe.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
