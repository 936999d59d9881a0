"""`python -m paddlite.launch`."""

import sys

from paddlite.launch.start import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
