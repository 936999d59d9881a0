"""Measurements, each beside the peers in the same run; see README.md."""
