"""The grid of CM1: even cells, or heights that grow (Wilhelmson and Chen 1982). SPDX-License-Identifier: MIT"""
import os

from sferic_plot.words import INPUT, Fail

from .deck import number_text
from .report import NEAR, NOT_THERE, SAME
from .source import number_read, text_read

LARGEST = 100000  # cells along x and y that sferic takes
UNUSED = "not in use: stretch_{0} = {1}"


def grown(first, mean, count, face):
    """Sizes of `count` cells that grow from about `first`, of the mean size `mean`: CM1's quadratic faces."""
    if count < 1:
        return []
    c2 = (mean - first) / (mean * mean * (count - 1)) if count > 1 else 0.0
    c1 = first / mean - c2 * mean
    faces = [face + (c1 + c2 * m * mean) * m * mean for m in range(count + 1)]
    return [b - a for a, b in zip(faces, faces[1:])]


def horizontal(c, axis):
    """stretch 1 and 2: sferic has even cells along x and y, the finest here, over the same length."""
    inner, total = c.above_zero(f"d{axis}_inner", 1000), c.above_zero(f"tot_{axis}_len", 120000)
    count = max(1, round(total / inner))
    if count > LARGEST:
        raise c.wrong(f"d{axis}_inner", f"even cells of {inner:g} m over {total:g} m are {count}: sferic takes {LARGEST}")
    c.deck.put(f"grid%n{axis}", count, f"cells, CM1: {c.was(f'n{axis}')} that grow")
    c.put(f"grid%d{axis}", inner, f"d{axis}_inner", "m")
    how = f"even cells of d{axis}_inner over tot_{axis}_len: {count} in place of {c.whole(f'n{axis}')}"
    for name in (f"stretch_{axis}", f"n{axis}"):
        c.told(name, NEAR, how)
    for name in (f"d{axis}_inner", f"tot_{axis}_len"):
        c.told(name, SAME, f"&grid n{axis}, d{axis}")
    for name in (f"d{axis}_outer", f"nos_{axis}_len"):
        c.told(name, NEAR, "cells do not grow along " + axis)
    c.told(f"d{axis}", SAME, UNUSED.format(axis, c.whole(f"stretch_{axis}")))
    return inner * count


def geometric(c, bottom, top, even):
    """Heights of stretch_z = 2: each a fixed ratio higher than the one below, up to `top`."""
    nz, lid = c.whole("nz"), c.above_zero("ztop", 18000)

    def sizes(ratio):
        out = [bottom] * min(even, nz)
        while len(out) < nz:
            out.append(min(out[-1] * ratio if out else bottom, top))
        return out

    low, high = 1.0, 1.5
    if not sum(sizes(low)) <= lid <= sum(sizes(high)):
        raise c.wrong("nz", f"nz = {nz} levels between dz_bot and dz_top do not reach ztop = {lid:g}: change nz, dz_bot or dz_top")
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sum(sizes(middle)) < lid else (low, middle)
    return sizes(0.5 * (low + high))


def levels_read(c, mode):
    """input_grid_z beside the namelist: heights of scalars (3) or of w (4)."""
    path = os.path.join(os.path.dirname(c.path), "input_grid_z")
    if not os.path.isfile(path):
        raise Fail(INPUT, f"{path}: no such file, which stretch_z = {mode} reads: put it beside {c.path}")
    words = [(w, n + 1) for n, line in enumerate(text_read(path).split("\n")) for w in line.split("!")[0].split()]
    heights, nz = [number_read(w, path, n, "height") for w, n in words], c.whole("nz")
    if len(heights) < nz + (mode == 4):
        raise c.wrong("nz", f"nz = {nz}, but {path} has {len(heights)} heights")
    if mode == 4:
        faces = heights[:nz + 1]
    else:
        faces = [0.0]
        for z in heights[:nz]:
            faces.append(2 * z - faces[-1])
    sizes = [b - a for a, b in zip(faces, faces[1:])]
    if not all(s > 0 for s in sizes):
        raise c.wrong("stretch_z", f"{path}: heights do not rise so that all cells have a height")
    return sizes


def vertical(c, mode):
    if mode in (3, 4):
        return levels_read(c, mode)
    bottom, top = c.above_zero("dz_bot", 125), c.above_zero("dz_top", 500)
    low, high, lid, nz = c.number("str_bot"), c.number("str_top"), c.above_zero("ztop", 18000), c.whole("nz")
    if mode == 2:
        return geometric(c, bottom, top, round(low / bottom))
    below, above = round(low / bottom), round((lid - high) / top)
    between = nz - below - above
    if between < 1 or abs(between * 0.5 * (bottom + top) - (high - low)) > 0.5:
        raise c.wrong("nz", f"nz = {nz} does not fit ztop, str_bot, str_top, dz_bot and dz_top: CM1 wants {low / bottom + (lid - high) / top + (high - low) / (0.5 * (bottom + top)):g}")
    return [bottom] * below + grown(bottom, (high - low) / between, between, low) + [top] * above


def vertical_put(c, mode, names):
    sizes = vertical(c, mode)
    c.lowest = 0.5 * sizes[0]
    c.deck.put("grid%size_z", [float(f"{s:.9g}") for s in sizes], f"m, CM1: stretch_z = {mode}")
    how = f"heights of all cells in &grid size_z, {number_text(min(sizes))} to {number_text(max(sizes))} m"
    c.either("stretch_z", mode == 2, (NEAR, how + ", whose ratio is found anew"), (SAME, how))
    c.told("dz", SAME, UNUSED.format("z", mode))
    for name in names:
        c.told(name, SAME, "in &grid size_z")
    return sum(sizes)


def work(c):
    for name in ("nx", "ny", "nz"):
        c.put(f"grid%{name}", c.whole(name), name, "cells")
        c.told(name, SAME, f"&grid {name}")
    extent = {}
    for axis in "xyz":
        mode = c.whole(f"stretch_{axis}")
        names = ("ztop", "str_bot", "str_top", "dz_bot", "dz_top") if axis == "z" else tuple(s.format(axis) for s in ("d{}_inner", "d{}_outer",
                                                                                                                      "nos_{}_len", "tot_{}_len"))
        if mode == 0:
            size = c.above_zero(f"d{axis}", 1000)
            c.put(f"grid%d{axis}", size, f"d{axis}", "m")
            c.told(f"d{axis}", SAME, f"&grid d{axis}")
            c.told(f"stretch_{axis}", SAME, "even cells")
            c.lowest = 0.5 * size  # of z in the end: height of the lowest cell's centre
            for name in names:
                c.told(name, SAME, UNUSED.format(axis, 0))
            extent[axis] = size * c.whole(f"n{axis}")
        elif axis != "z" and mode in (1, 2):
            extent[axis] = horizontal(c, axis)
        elif axis == "z" and mode in (1, 2, 3, 4):
            extent[axis] = vertical_put(c, mode, names)
        else:
            raise c.wrong(f"stretch_{axis}", f"stretch_{axis} = {mode}: CM1 has 0, 1, 2 and a file, and sferic even cells along x and y: set stretch_{axis} = 0, n{axis} and d{axis}")
    c.lid, c.extent = extent["z"], extent
    origin_work(c)
    still = c.whole("terrain_flag") and c.whole("itern")
    if c.whole("imove") and still:
        for name in ("imove", "umove", "vmove"):
            c.told(name, NOT_THERE, "the grid stays where there is terrain: what is followed leaves it sooner")
    elif c.whole("imove"):
        for name in ("umove", "vmove"):
            c.put(f"grid%translation_{name[0]}", c.number(name), name, "m/s")
            c.told(name, SAME, f"&grid translation_{name[0]}; winds of the output are relative to the ground")
        c.told("imove", SAME, "the grid moves over the ground")
    else:
        for name in ("imove", "umove", "vmove"):
            c.told(name, SAME, "the grid stays" if name == "imove" else "not in use: imove = 0")


def origin_work(c):
    middle = c.whole("iorigin", 1) == 2
    c.west, c.south = (-0.5 * c.extent["x"], -0.5 * c.extent["y"]) if middle else (0.0, 0.0)
    if middle:
        c.put("grid%origin_x", c.west, "iorigin", "m")
        c.put("grid%origin_y", c.south, "iorigin", "m")
    c.middle = c.west + 0.5 * c.extent["x"], c.south + 0.5 * c.extent["y"]
    c.told("iorigin", SAME, "x = y = 0 is the middle" if middle else "x = y = 0 is the corner in the south-west")
