"""Row 3: mixed precision."""
