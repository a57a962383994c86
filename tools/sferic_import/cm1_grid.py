"""The grid of CM1: even cells, or sizes that grow along x, y and z (Wilhelmson and Chen 1982). SPDX-License-Identifier: MIT"""
import os

from sferic_plot.words import INPUT, Fail

from .deck import number_text
from .report import NEAR, SAME
from .source import number_read, text_read

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
    """Sizes along x or y of stretch 1 (both sides) and 2 (one side)."""
    mode = c.whole(f"stretch_{axis}")
    inner, outer = (c.above_zero(f"d{axis}_{k}", 1000) for k in ("inner", "outer"))
    even, total = (c.number(f"{k}_{axis}_len", 0) for k in ("nos", "tot"))
    mean, sides = 0.5 * (inner + outer), 2 if mode == 1 else 1
    grows, middle = round((total - even) / sides / mean), round(even / inner)
    if grows < 0 or middle + sides * grows != c.whole(f"n{axis}"):
        raise c.wrong(f"n{axis}", f"n{axis} = {c.whole(f'n{axis}')}, but stretch_{axis} = {mode} makes {middle + sides * max(grows, 0)} cells of "
                                  f"d{axis}_inner, d{axis}_outer, nos_{axis}_len and tot_{axis}_len")
    far = grown(inner, mean, grows, 0.0)
    return (far[::-1] if mode == 1 else []) + [inner] * middle + far


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


def sizes_put(c, axis, mode, sizes, names):
    target = f"grid%size_{axis}"
    c.deck.put(target, [float(f"{s:.9g}") for s in sizes], f"m, CM1: stretch_{axis} = {mode}")
    how = f"sizes of all cells in &grid size_{axis}, {number_text(min(sizes))} to {number_text(max(sizes))} m"
    c.told(f"stretch_{axis}", NEAR if axis == "z" and mode == 2 else SAME, how + (", whose ratio is found anew" if axis == "z" and mode == 2 else ""))
    c.told(f"d{axis}", SAME, UNUSED.format(axis, mode))
    for name in names:
        c.told(name, SAME, f"in &grid size_{axis}")
    return sizes


def work(c):
    for name in ("nx", "ny", "nz"):
        c.put(f"grid%{name}", c.whole(name), name, "cells")
        c.told(name, SAME, f"&grid {name}")
    extent = {}
    for axis in "xyz":
        mode = c.whole(f"stretch_{axis}")
        names = ("ztop", "str_bot", "str_top", "dz_bot", "dz_top") if axis == "z" else tuple(s.format(axis) for s in ("d{}_inner", "d{}_outer", "nos_{}_len", "tot_{}_len"))
        if mode == 0:
            size = c.above_zero(f"d{axis}", 1000)
            c.put(f"grid%d{axis}", size, f"d{axis}", "m")
            c.told(f"d{axis}", SAME, f"&grid d{axis}")
            c.told(f"stretch_{axis}", SAME, "even cells")
            for name in names:
                c.told(name, SAME, UNUSED.format(axis, 0))
            extent[axis] = size * c.whole(f"n{axis}")
        elif axis != "z" and mode in (1, 2):
            extent[axis] = sum(sizes_put(c, axis, mode, horizontal(c, axis), names))
        elif axis == "z" and mode in (1, 2, 3, 4):
            extent[axis] = sum(sizes_put(c, axis, mode, vertical(c, mode), names))
        else:
            raise c.wrong(f"stretch_{axis}", f"stretch_{axis} = {mode} reads its cells from a file: put them as &grid size_{axis} into a namelist by hand, and set stretch_{axis} = 0 here")
    c.lid, c.extent = extent["z"], extent
    origin_work(c)
    if c.whole("imove"):
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
