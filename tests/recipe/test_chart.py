"""Charts of a report: where marks stand, and what is drawn of the values."""

import json
import math
import re
from html import unescape

import pytest

from paddlite.recipe.chart import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, Line, chart, smoothed, spread


def labels(page):
    """Texts of the value axis, from below."""
    return re.findall(r'<text x="48" y="[\d.]+" text-anchor="end">([^<]*)<', page)


@pytest.mark.parametrize(
    ("values", "options", "wanted"),
    [
        ([0.56, 0.98], {}, ["0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
        ([1e-3, 1e-3], {"zero": True}, ["0", "0.0002", "0.0004", "0.0006", "0.0008", "0.001"]),
        ([3, 14], {"zero": True}, ["0", "5", "10", "15"]),
        ([2.3, 0.0016], {"log": 10}, ["0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3"]),
        ([2.3, 4.7], {"log": 10}, ["2", "5"]),
        ([1e-9, 1.0], {"log": 10}, None),
        ([32768, 65536], {"log": 2}, ["2¹⁴", "2¹⁵", "2¹⁶", "2¹⁷"]),
        ([0.25, 0.5], {"log": 2}, ["2⁻³", "2⁻²", "2⁻¹", "2⁰"]),
        ([12000, 48000], {}, ["10k", "20k", "30k", "40k", "50k"]),
        ([2.5e6, 1e6], {}, ["1M", "1.5M", "2M", "2.5M"]),
        ([-3e9, 3e9], {}, ["-4G", "-2G", "0", "2G", "4G"]),
    ],
)
def test_marks_are_round_numbers_around_the_values(values, options, wanted):
    page = chart("x", [Line("a", range(len(values)), values)], **options)
    found = labels(page)
    assert found == wanted if wanted else 2 < len(found) < 14
    assert max(len(label) for label in found) <= 7  # there is room for no more
    for points in re.findall(r'points="([^"]*)"', page)[-1:]:
        for pair in points.split():
            x, y = map(float, pair.split(","))
            assert LEFT <= x <= WIDTH
            assert TOP - 0.1 <= y <= BOTTOM + 0.1 < HEIGHT


@pytest.mark.parametrize("log", [0, 2, 10])
def test_the_points_hold_the_values(log):
    values = [0.5, 4.0, 0.125]
    found = re.search(r'data-points="([^"]*)"', chart("x", [Line("a", [1, 2, 3], values)], log=log))
    [[name, points]] = json.loads(unescape(found[1]))
    assert name == "a"
    assert [p[0] for p in points] == [1, 2, 3]
    assert [p[1] for p in points] == pytest.approx(values, rel=1e-6)
    assert points[1][3] < points[0][3] < points[2][3]  # larger is higher


def test_the_level_is_drawn_where_it_is():
    page = chart("x", [Line("a", [1, 2], [0.01, 1.0])], 0.1, log=10)
    y = float(re.search(r'class="level" x1="\d+" x2="\d+" y1="([\d.]+)"', page)[1])
    assert y == pytest.approx((TOP + BOTTOM) / 2, abs=0.1)


def test_what_is_not_finite_is_counted_and_not_drawn():
    page = chart("x", [Line("a", [1, 2, 3], [1.0, math.nan, math.inf])])
    assert "2 values are not finite" in page
    assert "nothing was measured" in chart("x", [Line("a", [1], [math.nan])])
    assert "nothing was measured" in chart("x", [])


def test_labels_of_steps_end_before_the_picture_does():
    page = chart("x", [Line("a", range(0, 100001, 20000), [1.0] * 6)])
    found = re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">([^<]*)<', page)
    assert [label for _, label in found] == ["0", "20k", "40k", "60k", "80k", "100k"]
    assert all(float(x) + 3.5 * len(label) <= WIDTH for x, label in found)


def test_spread_and_smoothing():
    assert spread([2, 1, math.nan, 8]) == 8
    assert spread([0, 1]) == spread([]) == 0
    assert smoothed([1, 2, 3, math.nan, 5], 1)[:3] == [1.5, 2, 2.5]
    assert math.isnan(smoothed([1, 2, 3, math.nan, 5], 1)[3])
