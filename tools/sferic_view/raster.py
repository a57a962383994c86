"""Planes as pictures of even pixels: cells of several sizes, and sections whose cells rise and fall with the ground.
SPDX-License-Identifier: MIT
"""
import numpy as np

from sferic_plot.places import edges

PIXELS = 1200  # a side, of cells that are not all of one size


def is_even(sides):
    d = np.diff(sides)
    return bool(np.ptp(d) <= 1e-3 * abs(d.mean()))


def pixels_of(sides):
    """Centres of even pixels between the first and the last side, as fine as the finest cell."""
    count = int(np.clip(np.ceil((sides[-1] - sides[0]) / np.diff(sides).min()), len(sides) - 1, PIXELS))
    return sides[0] + (np.arange(count) + 0.5) * (sides[-1] - sides[0]) / count


def cells_of(sides, at):
    return np.clip(np.searchsorted(sides, at) - 1, 0, len(sides) - 2)


def raster_make(h, v, values, ground=None):
    """Of cells centred at h (across) and v (up; of a section over terrain (up, across)) the values on even pixels, float32 with NaN where
    there is none, and (x, y, width, height) of the picture."""
    f = np.ma.filled(np.ma.asarray(values, np.float32), np.nan)
    across = edges(h)
    if not is_even(across):
        f = f[:, cells_of(across, pixels_of(across))]
    if v.ndim == 1:
        up = edges(v)
        if not is_even(up):
            f = f[cells_of(up, pixels_of(up))]
        return f, (across[0], up[0], across[-1] - across[0], up[-1] - up[0])
    sides = edges(v)
    if ground is not None and len(v) > 1:
        sides[0] = np.where(np.abs(sides[0] - ground) < sides[1] - sides[0], ground, sides[0])
    if not is_even(across):
        sides = sides[:, cells_of(across, pixels_of(across))]
    low, high = float(sides.min()), float(sides.max())
    count = int(np.clip(2 * len(v), 200, PIXELS // 2))
    at = low + (np.arange(count) + 0.5) * (high - low) / count
    out = np.full((count, f.shape[1]), np.nan, np.float32)
    for n in range(f.shape[1]):
        k = np.searchsorted(sides[:, n], at) - 1
        inside = (k >= 0) & (k < len(v))
        out[inside, n] = f[k[inside], n]
    return out, (across[0], low, across[-1] - across[0], high - low)
