"""`python -m paddlite.launch`."""

import sys

from paddlite.launch.processes import die_with_caller
from paddlite.launch.start import main

if __name__ == "__main__":
    die_with_caller()
    sys.exit(main(sys.argv[1:]))
