"""Image files as samples: any mode, size, ground and light."""

import numpy as np
import pytest

from paddlite.recipe.datasets.digits import Digits
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.images import light_on_dark, prepared, resize, shrunk, square

DATA = Digits("test", 28)
SMALL = Digits("test", 8).images[:, 0]
# A digit that fills its height and stands in the middle, so that cutting it out and centring it changes nothing.
INDEX = next(i for i, image in enumerate(SMALL) if np.array_equal(square(image), image))


def ink(times=10, margin=20):
    """How dark the pen left each pixel of a drawing of the digit, in [0, 1]."""
    return np.pad(SMALL[INDEX].repeat(times, 0).repeat(times, 1), margin)


def noisy(drawn, spread):
    return np.clip(drawn + np.random.default_rng(0).normal(0, spread, drawn.shape), 0, 1)


def eight_bits(values):
    return (255 * values).round().astype(np.uint8)


def layers(*values):
    return np.stack([eight_bits(np.broadcast_to(v, ink().shape)) for v in values], -1)


def lit(drawn):
    """The drawing on paper with light from one side."""
    height, width = drawn.shape
    paper = np.linspace(0.55, 0.9, width)[None] + np.linspace(-0.1, 0.1, height)[:, None]
    return paper * (1 - 0.8 * drawn)


FORMS = {
    "light on dark": lambda: eight_bits(ink()),
    "dark on light": lambda: eight_bits(1 - ink()),
    "no margin": lambda: eight_bits(1 - ink(margin=0)),
    "as small as can be": lambda: eight_bits(ink(1, 0)),
    "large": lambda: eight_bits(1 - ink(60, 300)),
    "pale": lambda: eight_bits(0.6 - 0.1 * ink()),
    "16 bits": lambda: (65535 * (1 - ink())).astype(np.uint16),
    "colours": lambda: layers(1 - ink(), 0.9 - 0.6 * ink(), 0.3 + 0.4 * ink()),
    "dark ink, transparent ground": lambda: layers(0, 0, 0, ink()),
    "light ink, transparent ground": lambda: layers(1, 1, 1, ink()),
    "grey with transparency": lambda: layers(1 - ink(), 1),
    "noise": lambda: eight_bits(noisy(0.85 - 0.7 * ink(), 0.05)),
    "light from one side": lambda: eight_bits(lit(ink())),
    "a photograph": lambda: eight_bits(noisy(lit(ink()), 0.02)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_picture_of_a_sample_becomes_that_sample(tmp_path, form):
    image_module = pytest.importorskip("PIL.Image")
    image_module.fromarray(FORMS[form]()).save(tmp_path / "x.png")
    made = prepared(tmp_path / "x.png", DATA)
    assert made.shape == (1, 28, 28)
    assert made.dtype == np.float32
    assert np.abs(made - DATA[INDEX][0]).mean() < 0.05


@pytest.mark.parametrize("mode", ["1", "P", "CMYK", "I", "F"])
def test_any_mode_is_read(tmp_path, mode):
    image_module = pytest.importorskip("PIL.Image")
    path = tmp_path / ("x.tiff" if mode in ("CMYK", "I", "F") else "x.png")
    image_module.fromarray(eight_bits(1 - ink())).convert(mode).save(path)
    assert np.abs(prepared(path, DATA) - DATA[INDEX][0]).mean() < 0.15


@pytest.mark.parametrize("values", [np.zeros((5, 5)), np.full((40, 3), 0.5), np.ones((1, 1))])
def test_an_image_of_nothing_is_told(tmp_path, values):
    image_module = pytest.importorskip("PIL.Image")
    image_module.fromarray(eight_bits(values)).save(tmp_path / "x.png")
    with pytest.raises(RecipeError, match=r"x.png: nothing is drawn on it"):
        prepared(tmp_path / "x.png", DATA)


@pytest.mark.parametrize(
    ("dark", "light"),
    [(ink(), 1 - ink()), (0.2 + 0.3 * ink(), 0.9 - 0.3 * ink()), (lit(ink()), 1 - lit(ink()))],
    ids=["plain", "pale", "lit"],
)
def test_either_ground_becomes_dark(dark, light):
    np.testing.assert_allclose(light_on_dark(dark.astype("float32")), light_on_dark(light.astype("float32")), atol=1e-5)


def test_light_ground_is_turned_dark():
    dark = np.zeros((6, 6), np.float32)
    dark[2:4, 3] = 0.75
    np.testing.assert_allclose(light_on_dark(dark), dark / 0.75)
    np.testing.assert_allclose(light_on_dark(1 - dark), dark / 0.75, atol=1e-6)
    assert not light_on_dark(np.full((4, 4), 0.5, np.float32)).any()


def test_what_is_drawn_is_cut_out_and_centred():
    image = np.zeros((8, 9), np.float32)
    image[1:5, 2:4] = 1
    made = square(image)
    np.testing.assert_array_equal(made, np.pad(np.ones((4, 2)), ((0, 0), (1, 1))))


@pytest.mark.parametrize("size", [(2, 3), (5, 5), (9, 4), (3, 2)])
def test_resizing_keeps_the_mean(size):
    image = np.random.default_rng(0).random((6, 10), np.float32)
    assert resize(image, *size).mean() == pytest.approx(image.mean(), rel=1e-5)
    np.testing.assert_allclose(resize(image, 6, 10), image, rtol=1e-6)
    np.testing.assert_allclose(resize(image, 3, 5), image.reshape(3, 2, 5, 2).mean((1, 3)), rtol=1e-5)


def test_large_images_are_made_smaller():
    assert shrunk(np.ones((300, 20), np.float32)).shape == (96, 6)
    assert shrunk(np.ones((1, 5000), np.float32)).shape == (1, 96)
    small = np.ones((96, 7), np.float32)
    assert shrunk(small) is small
