"""Row 5: models and data sets for images."""

from paddlite.vision import models

__all__ = ["models"]
