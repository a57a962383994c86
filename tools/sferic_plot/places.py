"""Coordinates: edges of cells, the nearest of them, values between them. SPDX-License-Identifier: MIT"""
import numpy as np

PLANE = {"y": "xz", "x": "yz", "z": "xy"}  # across which axis: along the page, up the page
MOST = 1600  # cells a side of a plane: more do not show


def nearest(values, x):
    return int(np.argmin(np.abs(np.asarray(values) - x)))


def edges(centres):
    """Cell edges of at least one centre; along the first axis of several."""
    c = np.asarray(centres, float)
    mid = (c[1:] + c[:-1]) / 2
    half = (c[1] - c[0]) / 2 if len(c) > 1 else 0.5
    return np.concatenate([[c[0] - half], mid, [c[-1] + (c[-1] - mid[-1] if len(c) > 1 else half)]])


def places_same(a, b):
    """Whether coordinates agree to a millionth of the distances between them, be it of km or of nm."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.abs(a - b).max() <= 1e-6 * (np.ptp(a) / max(1, len(a) - 1) or np.inf)


def along(values, axis, old, new):
    """Values at the coordinates `old` of an axis, at those `new`: straight lines between them and beyond."""
    if places_same(old, new):
        return values
    if len(old) == 1:
        return np.repeat(values, len(new), axis)
    k = np.clip(np.searchsorted(old, new) - 1, 0, len(old) - 2)
    share = ((np.asarray(new) - old[k]) / (old[k + 1] - old[k])).reshape([-1 if n == axis else 1 for n in range(values.ndim)])
    return values.take(k, axis) * (1 - share) + values.take(k + 1, axis) * share
