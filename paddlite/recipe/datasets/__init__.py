"""Data sets that recipes name; all ship with the package."""
