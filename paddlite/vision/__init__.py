"""Row 5: models and data sets for images."""
