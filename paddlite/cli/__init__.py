"""Row 7: the command `paddlite`: recipes listed, shown, copied and checked; runs evaluated, used and plotted."""

from paddlite.cli.main import main

__all__ = ["main"]
