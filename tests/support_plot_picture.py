#!/usr/bin/env python3
"""The pixels of a picture: support_plot_picture.py FILE EXPRESSION exits with 0 where the expression is true of them.

The expression knows width, height; share(r, g, b), the part of all pixels that have this colour to within 6 of 255; white,
middle, red and blue, the shares of the colours of the scale's middle and ends; reddish and bluish, the parts where the one
clearly outdoes the other. SPDX-License-Identifier: MIT
"""
import sys

import numpy as np
from matplotlib.image import imread

a = imread(sys.argv[1])
a = (a[..., :3] * 255 if a.dtype.kind == "f" else a[..., :3]).astype(int)
height, width = a.shape[:2]


def share(*rgb):
    return (np.abs(a - rgb).max(axis=2) <= 6).mean()


reddish, bluish = (a[..., 0] > a[..., 2] + 40).mean(), (a[..., 2] > a[..., 0] + 40).mean()
red, blue, white, middle = share(103, 0, 31), share(5, 48, 97), share(255, 255, 255), share(247, 247, 247)
print(width, height, white, middle, red, blue, reddish, bluish)
sys.exit(not eval(sys.argv[2]))
