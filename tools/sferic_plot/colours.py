"""The diverging colour map of signed fields. SPDX-License-Identifier: MIT"""
import functools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap


def lab(rgb):
    """CIELAB of sRGB colours (n, 3) of 0 to 1, white point D65 (IEC 61966-2-1, CIE 15)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    t = xyz / [0.95047, 1, 1.08883]
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@functools.lru_cache(maxsize=1)
def diverging():
    """Blue over white to red, the colours of RdBu_r spaced anew along each half by lightness L*: equal
    differences of a field are equal differences of lightness, to which the eye goes most in fine detail, and the
    same for both signs (Kovesi 2015, Good colour maps: how to design them)."""
    dense = plt.get_cmap("RdBu_r")(np.linspace(0, 1, 256))[:, :3]
    dense = np.stack([np.interp(np.linspace(0, 255, 4001), np.arange(256), c) for c in dense.T], axis=1)
    halves = []
    for half in (dense[2000::-1], dense[2000:]):  # from white outwards
        dark = lab(half)[0, 0] - lab(half)[:, 0]
        at = np.linspace(0, dark[-1], 129)
        halves.append(np.stack([np.interp(at, dark, c) for c in half.T], axis=1))
    return ListedColormap(np.concatenate([halves[0][:0:-1], halves[1]]), "sferic_diverging")
