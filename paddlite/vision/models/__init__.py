"""Networks for images: `paddle.vision.models`."""

from paddlite.vision.models.lenet import LeNet

__all__ = ["LeNet"]
