"""`python -m paddlite`: the command `paddlite`, from a tree that is not installed too."""

import sys

from paddlite.cli import main

if __name__ == "__main__":
    sys.exit(main())
