"""Networks that recipes name; LeNet and others are in `paddlite.vision.models`."""
