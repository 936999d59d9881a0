"""Row 5: Programs: recording, running."""
