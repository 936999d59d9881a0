"""Data sets: the ones that ship with the package need no download."""
