from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_edt

from linkwright_app.viewport.masks import glow_alpha, grown, outline_alpha


def disc(radius: float, size: int = 61) -> np.ndarray:
    y, x = np.mgrid[:size, :size] - size // 2
    return np.asarray(np.hypot(x, y) <= radius)


def test_growing_is_a_dilation_by_a_disc() -> None:
    mask = disc(10)
    mask[5, 50] = True
    for radius in (1, 3, 6):
        exact = distance_transform_edt(~mask) <= radius
        wrong = grown(mask, radius) ^ exact
        # Rows of the disc are rounded to whole pixels.
        gap = np.abs(distance_transform_edt(~mask) - radius)
        assert (gap[wrong] < 1.0).all()
        assert grown(mask, radius)[mask].all()


def test_growing_stays_inside_the_frame() -> None:
    mask = np.zeros((8, 8), bool)
    mask[0, 0] = mask[7, 7] = True
    large = grown(mask, 3)
    assert large.shape == mask.shape
    assert large[0, 3]
    assert large[7, 4]
    assert not large[0, 7]


def test_an_outline_is_three_pixels_wide_and_the_fill_faint() -> None:
    alpha = outline_alpha(disc(12), 3)
    middle = alpha[30]
    assert middle[30] == int(0.12 * 255)
    outside = middle[43:].astype(int)
    assert (outside[:3] > 128).all()
    assert (outside[5:] < 12).all()
    assert np.array_equal(middle, middle[::-1])


def test_a_hover_outline_is_half_as_strong() -> None:
    full, half = outline_alpha(disc(12), 3), outline_alpha(disc(12), 3, 0.5)
    assert np.abs(full.astype(int) / 2 - half).max() <= 1


def test_a_glow_fades_with_the_distance_and_spares_the_inside() -> None:
    glow = glow_alpha(disc(12), 9, 0.42)
    row = glow[30, 30:].astype(int)
    assert (row[:12] == 0).all()
    assert row[13] > row[18] > row[24]
    assert glow.max() <= 0.42 * 255
