"""Row 3: the reverse walk and what users call of it."""
