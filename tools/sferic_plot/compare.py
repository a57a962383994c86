"""Two runs and their difference. SPDX-License-Identifier: MIT"""
import numpy as np

from .block import Block, scale_set, scales_share
from .layout import GAP, LEFT, Page
from .places import nearest, places_same
from .view import frames_pick, view_choose
from .words import INPUT, Fail


def frames_common(a, b):
    """Pairs of frames of one time."""
    span = max(abs(a.times[-1]), abs(b.times[-1]), 1e-30)
    pairs = [(n, nearest(b.times, t)) for n, t in enumerate(a.times)
             if abs(b.times[nearest(b.times, t)] - t) <= 1e-6 * span]
    if not pairs:
        raise Fail(INPUT, f"{a.folder} and {b.folder} have no output time in common")
    return pairs


def terrain_require(a, b):
    if bool(a.terrain) != bool(b.terrain) or (a.terrain and not a.terrain.same(b.terrain)):
        raise Fail(INPUT, f"{a.folder} and {b.folder}: different terrain: their cells lie at different heights")


def grid_require(a, b, name):
    if not all(places_same(a.coords[name][k], b.coords[name][k]) for k in "xyz"):
        shapes = [tuple(len(r.coords[name][k]) for k in "zyx") for r in (a, b)]
        raise Fail(INPUT, f"{a.folder} and {b.folder}: different grids of {name}, (z, y, x) {shapes[0]} "
                   f"and {shapes[1]} cells, or different coordinates")


def compare_make(a, b, options):
    """Panels of A, B and B - A at their last common time; differences of whole fields are printed."""
    if options.time:
        frames_pick(a, options, None)  # the range is checked
    pairs = frames_common(a, b)
    na, nb = pairs[nearest([a.times[p[0]] for p in pairs], options.time[0])] if options.time else pairs[-1]
    names, planes, _ = view_choose(a, options)
    names = [n for n in names if b.require(n)]
    terrain_require(a, b)
    page = Page()
    page.title(a, f"A = {a.folder}   B = {b.folder}   at {a.frame_text(na)}")
    said = [f"{a.frame_text(na)}: B - A of A = {a.folder}, B = {b.folder}"]
    for name in names:
        grid_require(a, b, name)
        fa, fb = a.read(name, na), b.read(name, nb)
        d = fb.astype(float) - fa.astype(float)
        rms, most = np.sqrt(np.nanmean(d * d)), np.nanmax(np.abs(d))
        said.append(f"  {name}: identical" if np.array_equal(fa, fb, equal_nan=True) else
                    f"  {name}: rms {rms:.4g}, max {most:.4g} {a.unit(name)}".rstrip())
    print("\n".join(said))
    trios = []
    for axis, at in planes:
        for name in names if axis != "z" or len(planes) == 1 or options.section else names[:1]:
            trios.append(blocks_pair(Block(a, name, axis, at, [na]), Block(b, name, axis, at, [nb])))
    scales_share([t[0] for t in trios])
    for name in names:
        if any(t[1].name == name for t in trios):
            scale_set([t[1] for t in trios if t[1].name == name], signed=True)
    for both, difference in trios:
        page_compare(page, both, difference)
    return page


def blocks_pair(one, two):
    """A block of A and B, and one of B - A."""
    difference = one.of_frames([0])
    h, v, f = one.cells[0]
    difference.cells, difference.titles = [(h, v, two.cells[0][2] - f)], ["B − A"]
    difference.prefix = "B - A of "
    one.cells, one.titles = one.cells + two.cells, ["A", "B"]
    return one, difference


def page_compare(page, both, difference):
    """A and B on one scale, B - A on its own; across, or below each other when the plane is long."""
    page.heading(both.heading)
    page.y += 0.45
    if both.aspect() > 3:
        w = page.width - LEFT - 0.4
        h = float(np.clip(w / both.aspect(), 1.2, 3))
        page.y = page.column(both, LEFT, page.y, w, h) + 0.2
        page.y = page.column(difference, LEFT, page.y, w, h)
    else:
        w = min((page.width - LEFT - 2 * 0.85 - 3 * GAP) / 3, 3.4)
        h = float(np.clip(w / both.aspect(), 1.2, 4))
        page.row(difference, page.row(both, LEFT, page.y, w, h) + 0.1, page.y, w, h, left=False)
        page.y += h + 0.55
