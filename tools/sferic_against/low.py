"""Where a low lies, from frame to frame. SPDX-License-Identifier: MIT"""
import math

import numpy as np

REACH = 600e3  # m: a low is looked for within this of where it was at the frame before
SMOOTH = 40e3  # m: standard deviation of the weights that smooth the field along each axis
FLAT = 0.02  # hPa: what rises by less than this 100 km away from its middle is no low
RIM = 2  # rows of cells along the sides that hold no low


def smoothed(field, step):
    """Weights 1/4 1/2 1/4 along both axes, over and over, until their variance is that of SMOOTH; at most 200 times. And the variance, m2."""
    times = min(200, max(1, round(2 * (SMOOTH / step) ** 2)))
    for _ in range(times):
        for axis in 0, 1:
            f = np.moveaxis(field, axis, 0)
            f = np.concatenate([2 * f[:1] - f[1:2], f, 2 * f[-1:] - f[-2:-1]])  # straight on beyond the sides
            field = np.moveaxis((f[:-2] + 2 * f[1:-1] + f[2:]) / 4, 0, axis)
    return field, times * step * step / 2


def least_find(field, away):
    """The cell [y, x] of the least of all minima within REACH; None without."""
    n = RIM
    inner = field[n:-n, n:-n]
    is_low = away[n:-n, n:-n] <= REACH
    for a, b in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
        other = field[n + a:field.shape[0] - n + a, n + b:field.shape[1] - n + b]
        is_low &= inner < other if (a, b) < (0, 0) else inner <= other  # of two that are equal one is a low
    if not is_low.any():
        return None
    j, i = np.unravel_index(np.argmin(np.where(is_low, inner, np.inf)), inner.shape)
    return j + n, i + n


def parabola(nine):
    """Least squares through 3 x 3 values of a minimum: how far east and north of the middle the least lies, in cells, at most one; its value;
    both second derivatives."""
    y, x = np.mgrid[-1:2, -1:2]
    terms = np.stack([np.ones(9), x.ravel(), y.ravel(), x.ravel() ** 2 / 2, x.ravel() * y.ravel(), y.ravel() ** 2 / 2], axis=1)
    c, gx, gy, xx, xy, yy = np.linalg.lstsq(terms, nine.ravel(), rcond=None)[0]
    det = xx * yy - xy * xy
    if not (xx > 0 and det > 0):
        return 0.0, 0.0, float(nine[1, 1]), 0.0, 0.0
    a, b = np.clip([(xy * gy - yy * gx) / det, (xy * gx - xx * gy) / det], -1, 1)
    return a, b, c + gx * a + gy * b + xx * a * a / 2 + xy * a * b + yy * b * b / 2, xx, yy


def low_find(field, x, y, near):
    """Place x, y on the map, m, and pressure, hPa, of the low within REACH of `near`; None without. What smoothing fills it up by is taken off."""
    step = math.sqrt(abs((x[1] - x[0]) * (y[1] - y[0])))
    smooth, variance = smoothed(field, step)
    cell = least_find(smooth, np.hypot(x[None] - near[0], y[:, None] - near[1]))
    if cell is None:
        return None
    j, i = cell
    a, b, value, xx, yy = parabola(smooth[j - 1:j + 2, i - 1:i + 2])
    rise = (xx + yy) / 2 / step ** 2
    if rise * 100e3 ** 2 / 2 < FLAT:
        return None
    return float(x[i] + a * (x[1] - x[0])), float(y[j] + b * (y[1] - y[0])), float(value - rise * variance)


def track_make(fields, x, y, near):
    """[(x, y, pressure) or None] of one field after the other; once lost, a low stays so."""
    track = []
    for field in fields:
        found = low_find(field, x, y, near) if not track or track[-1] is not None else None
        near = found[:2] if found else near
        track.append(found)
    return track
