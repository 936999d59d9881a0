"""Row 7: `python -m paddlite.launch`: processes, their logs, and how they end."""
