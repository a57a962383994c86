"""One variable on one plane at several times. SPDX-License-Identifier: MIT"""
import copy

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects
from matplotlib.collections import LineCollection

from .colours import diverging
from .places import PLANE, edges, nearest
from .sheets import has_shells, sheets_cut, sheets_read
from .terrain import ground_fill, relief_make, section_mesh
from .words import bracketed, digits_of, length_unit, nice_ceil, number_text, power_of, power_text, unit_text

GRAY = "0.35"


def beside(h, v):
    """Coordinates across beside those up, of which a section over terrain has one for each cell."""
    return np.broadcast_to(h, v.shape) if v.ndim > 1 else h


class Over:
    """Contours of another field over the planes of a block: the same levels at all times. Their white edge keeps them readable on any
    colour."""

    def __init__(self, cells, levels, text, colour, width=0.8):
        self.cells, self.levels, self.text, self.colour, self.width = cells, np.asarray(levels, float), text, colour, width

    def is_seen(self, n):
        f = self.cells[n][2]
        return min(f.shape) > 1 and f.count() > 0 and bool(np.any((self.levels > f.min()) & (self.levels < f.max())))

    def of_frames(self, picked):
        return Over([self.cells[n] for n in picked], self.levels, self.text, self.colour, self.width)

    def draw(self, ax, n, scale):
        if self.is_seen(n):
            h, v, f = self.cells[n]
            lines = ax.contour(beside(h, v) / scale, v / scale, f, self.levels, colors=self.colour, linewidths=self.width)
            halo = [patheffects.withStroke(linewidth=self.width + 0.8, foreground="w", alpha=0.7)]
            for artist in [lines] if hasattr(lines, "set_path_effects") else lines.collections:  # of matplotlib before 3.8
                artist.set_path_effects(halo)


class Block:
    """Planes of one variable; how they are coloured, scale_set() says."""
    shaft = 0.006  # of arrows, by the width of a panel

    def __init__(self, source, name, axis, at, frames, contour=None, wind=False):
        self.run, self.name, self.axis, self.frames = source, name, axis, frames
        self.across, self.up = PLANE[axis]
        self.at = source.plane_at(name, axis, at)
        self.cells = [source.plane(name, f, axis, at) for f in frames]
        self.titles = [source.frame_text(f) for f in frames]
        self.heading = bracketed(source.label(name), source.unit(name))
        alone = source.domain().counts()[axis] < 2  # of a region it is one plane of several, and its place is told
        if (not alone or getattr(source, "is_region", False)) and name not in source.maps:
            extent = abs(self.at) if alone else np.ptp(source.domain().extent(axis))
            at = self.at if abs(self.at) > 1e-9 * extent else 0.0  # 0 but for round-off
            self.heading += source.place_text(axis, at, extent)
        self.contour = self.step = self.wind = None
        self.over = []
        self.prefix = ""
        scale_set([self])
        if contour:
            over = Block(source, contour, axis, at, frames)
            if over.amplitude > source.floor(contour) and min(over.cells[0][2].shape) > 1:
                sizes = [float(np.percentile(np.abs(c[2].compressed()), 99.8)) for c in over.cells if c[2].count()]
                usual = 2 * float(np.median([s for s in sizes if s >= 0.01 * over.hi] or [over.hi]))  # one frame alone sets no levels
                self.contour, self.step = over.cells, nice_ceil(min(over.hi, usual) / 8, (1, 2, 2.5, 5, 10))
                step = bracketed(number_text(self.step), source.unit(contour)).replace("[", "").replace("]", "")
                self.heading += f", contours of {source.symbol(contour)} every {step}"
        if wind and {"u", "v"} <= set(source.fields):
            pairs = [[source.plane(n, f, axis, at) for n in "uv"] for f in frames]
            self.wind = [[(h, v, c - c.mean()) for h, v, c in pair] for pair in pairs]
            self.wind_max = max(float(np.abs(c).max()) for pair in self.wind for _, _, c in pair if c.count())
            longest = f"{number_text(self.wind_max)} {unit_text('m s-1')}"
            self.wind = self.wind if self.wind_max > source.floor("u") else None
            self.heading += f"; arrows: wind less its mean, up to {longest}" if self.wind else ""
        self.outline = outline_make(source.medium_plane(axis, self.at))
        if self.outline:
            self.heading += "; lines: where media meet"
        self.ground = source.ground(name, axis, self.at)
        self.relief = relief_make(*self.cells[0][:2], self.ground, self.at if source.is_planar(name) else None) if axis == "z" else None
        if self.relief and self.relief.text:
            self.heading += f"; {self.relief.text}"
        self.sheets, kinds = self.sheets_find()
        if self.sheets:
            self.heading += "; bold: conducting " + " and ".join(kinds)
        self.shells = self.shells_find()
        if self.shells:
            self.heading += "; bold: around cells beside conductors"

    def sheets_find(self):
        """Lines of the sheets and wires that the cells of the plane hold or touch, and which of these there are."""
        run = self.run.domain()
        sheets = sheets_read(getattr(run, "attrs", {}).get("namelist", ""))
        sides = edges(run.axes[self.axis])
        n = nearest(run.axes[self.axis], self.at)
        slack = 1e-6 * (sides[n + 1] - sides[n])
        cut = {what: sheets_cut([s for s in sheets if (s[0] is None) == (what == "wires")], self.axis, self.across, self.up,
                                sides[n] - slack, sides[n + 1] + slack) for what in ("sheets", "wires")}
        (a, b), (c, d) = self.run.extent(self.across), self.run.extent(self.up)
        return ([[(min(max(x, a), b), min(max(y, c), d)) for x, y in line] for line in cut["sheets"] + cut["wires"]],
                [what for what in cut if cut[what]])

    def shells_find(self):
        """Lines around cells whose edges conduct, where sheets lie across the grid: as history has them."""
        namelist = getattr(self.run.domain(), "attrs", {}).get("namelist", "")
        if "conductor" not in getattr(self.run, "fields", {}) or self.name == "conductor" or not has_shells(namelist):
            return None
        h, v, share = self.run.plane("conductor", self.frames[0], self.axis, self.at)
        return outline_make((edges(h), edges(v), np.asarray(share.filled(0)) > 0.3))  # a face of a cell is 4 edges of its 12

    def aspect(self):
        (a, b), (c, d) = self.run.extent(self.across), self.run.extent(self.up)
        return (b - a) / (d - c)

    def summary(self):
        """For the terminal."""
        return f"{self.prefix}{self.name} {self.lo:.4g} to {self.hi:.4g} {self.run.unit(self.name)}".rstrip()

    def blank(self, n):
        """Nothing to see in a frame: no colour, no line, no arrow."""
        faint = max(self.run.floor(self.name), 2e-3 * self.hi)
        if self.contour and np.any(np.abs(self.contour[n][2]) > self.step):
            return False
        others = [c for _, _, c in self.wind[n]] if self.wind else []
        if any(o.is_seen(n) for o in self.over):
            return False
        if self.sparse:
            return not np.any(self.cells[n][2] > 5e-3 * self.hi)
        return self.signed and not np.any(np.abs(self.cells[n][2]) > faint) and \
            not any(np.any(np.abs(c) > 0.01 * self.scale_of(c)) for c in others)

    def scale_of(self, values):
        return max(float(np.abs(values).max()), 0.1) if np.ma.count(values) else 1

    def of_frames(self, picked):
        """A block of some of its frames, on the scale of all."""
        some = copy.copy(self)
        some.cells, some.titles = [self.cells[n] for n in picked], [self.titles[n] for n in picked]
        some.contour = [self.contour[n] for n in picked] if self.contour else None
        some.wind = [self.wind[n] for n in picked] if self.wind else None
        some.over = [o.of_frames(picked) for o in self.over]
        return some

    def draw(self, ax, n):
        h, v, f = self.cells[n]
        scale, unit = length_unit(max(np.ptp(self.run.extent(a)) for a in (self.across, self.up)))
        shown = np.ma.where(f < 2e-3 * self.hi, -self.hi, f) if self.sparse else f
        risen = v.ndim > 1  # a section whose cells lie at heights of their own
        if risen:
            (x, y), shown = section_mesh(h, v, self.ground), shown.repeat(2, axis=1)
        else:
            x, y = edges(h), edges(v)
        mesh = ax.pcolormesh(x / scale, y / scale, shown, cmap=self.cmap, vmin=self.lo, vmax=self.hi, rasterized=True)
        if self.relief:
            self.relief.draw(ax, scale)
        low, high = (e / scale for e in self.run.extent(self.up))
        if risen and self.ground is not None:
            ground_fill(ax, h, self.ground, scale, low)
        if self.contour:
            ch, cv, cf = self.contour[n]
            levels = self.step * np.concatenate([np.arange(-20, 0), np.arange(1, 21)])
            levels = levels[(levels > cf.min()) & (levels < cf.max())] if cf.count() else levels[:0]
            if len(levels):
                ax.contour(beside(ch, cv) / scale, cv / scale, cf, levels, colors="0.1", linewidths=0.6)
        for over in self.over:
            over.draw(ax, n, scale)
        if self.wind:
            (uh, uv, u), (_, _, v) = self.wind[n]
            rows, columns = np.minimum(u.shape, v.shape)
            stride = max(1, round(max(rows, columns) / 20))
            pick = slice(stride // 2, rows, stride), slice(stride // 2, columns, stride)
            u, v = u[pick], v[pick]
            short = np.hypot(u, v) < 0.03 * self.wind_max
            ax.quiver(uh[pick[1]] / scale, uv[pick[0]] / scale, np.ma.masked_where(short, u), v, color="0.15",
                      pivot="mid", scale=self.wind_max / 0.12, scale_units="width", width=self.shaft)
        if self.outline:
            lines = [[(a / scale, b / scale) for a, b in line] for line in self.outline]
            ax.add_collection(LineCollection(lines, colors="0.1" if self.signed else "w", linewidths=0.7,
                                             capstyle="projecting", label="media"))
        if self.shells:
            lines = [[(a / scale, b / scale) for a, b in line] for line in self.shells]
            ax.add_collection(LineCollection(lines, colors="k" if self.signed else "w", linewidths=1.0, capstyle="projecting", label="shells"))
        if self.sheets:
            lines = [[(a / scale, b / scale) for a, b in line] for line in self.sheets]
            ax.add_collection(LineCollection(lines, colors="k" if self.signed else "w", linewidths=1.6, capstyle="butt", label="sheets"))
        ax.set_xlim(*(np.array(self.run.extent(self.across)) / scale))
        ax.set_ylim(low, high)
        ax.set_title(self.titles[n], loc="left", fontsize=9, pad=3)
        if f.count():
            extremes = self.extremes(f)
            if 0.075 * len(self.titles[n]) + 0.057 * len(extremes) < ax.inches[0]:
                ax.set_title(extremes, loc="right", fontsize=7.5, pad=3, color=GRAY)
        up = f"height [{unit}]" if risen else self.run.axis_label(self.up, unit)
        return mesh, f"${self.across}$ [{unit}]", up

    def extremes(self, f):
        """'-2.1 to 8.8', in the power of ten of the colour bar; of round-off the largest value alone,
        and of what is nothing in most places."""
        if self.sparse:
            return f"max {number_text(float(f.max()))}" if f.max() > 0 else ""
        low, high = (0 if abs(e) < 1e-6 * self.amplitude else e for e in (f.min(), f.max()))
        if self.amplitude < self.run.floor(self.name):
            return f"max |{self.run.symbol(self.name)}| {number_text(max(-low, high))}"
        power = power_of(max(abs(self.lo), abs(self.hi)))
        low, high = low / 10.0 ** power, high / 10.0 ** power
        # Three digits of the larger, or what tells the ends of the scale apart; none beyond a thousandth of the scale.
        digits = digits_of(self.lo, self.hi)
        size, scale = max(abs(low), abs(high), 1e-30), max(abs(self.lo), abs(self.hi)) / 10.0 ** power
        places = min(2 - int(np.floor(np.log10(size))), 3 - int(np.floor(np.log10(scale)))) + digits - 3
        text = " to ".join(number_text(round(float(e), places), digits) for e in (low, high))
        return f"({text}) {power_text(power)}" if power else text


def scale_set(blocks, signed=False):
    """One colour scale for blocks of one variable: 99.8 % of the cells where something happens, in the
    strongest frame. Of waves 99 % in the strongest frame, but no more than 2.5 times that of the middle one of all
    frames that are not nearly empty, for a source outshines what it sends out and waves weaken on their way; yet no less than a tenth of the
    strongest."""
    one = blocks[0]
    parts = [c[2].compressed() for b in blocks for c in b.cells]
    parts = [p for p in parts if p.size] or [np.zeros(1)]
    low, high = min(p.min() for p in parts), max(p.max() for p in parts)
    amplitude = max(abs(low), abs(high))
    sparse = one.run.sparse(one.name) and not signed
    signed = not sparse and (signed or one.run.signed(one.name, low, high))
    waves = getattr(one.run, "is_em", True)
    if signed:
        strong = [a[a >= 0.01 * (np.percentile(a, 99.8) if waves else a.max())] for a in map(np.abs, parts)]
        hi = max(strongest([np.percentile(a, 99 if waves else 99.8) for a in strong], waves),
                 one.run.floor(one.name))
        hi = nice_ceil(hi) if hi > 0 else 1.0
        lo = -hi
    elif sparse and one.name == "reflectivity":  # of rain that a radar shows
        lo, hi = 0, 70
    elif sparse:
        hi = max(np.percentile(p[p >= 0.01 * high], 99.8) if high > 0 and np.any(p >= 0.01 * high) else 0 for p in parts)
        lo, hi = 0, nice_ceil(hi) if hi > 0 else 1.0
    elif one.run.from_zero(one.name):
        hi = strongest([np.percentile(p, 99 if waves else 99.9) for p in parts], waves)
        lo, hi = 0, nice_ceil(hi or amplitude or 1.0) if waves else hi or amplitude or 1.0
    else:
        lo, hi = min(np.percentile(p, 0.1) for p in parts), max(np.percentile(p, 99.9) for p in parts)
        if hi - lo <= 1e-6 * max(abs(hi), abs(lo)):  # uniform to round-off
            half = 0.01 * amplitude or 1.0
            lo, hi = lo - half, hi + half
    below, above = low < lo - 1e-3 * (hi - lo), high > hi + 1e-3 * (hi - lo)
    cmap = (diverging() if signed else plt.get_cmap("viridis")).copy()
    cmap.set_bad("0.6")
    if sparse:
        cmap.set_under("w")
    for b in blocks:
        b.lo, b.hi, b.signed, b.sparse, b.amplitude, b.cmap = lo, hi, signed, sparse, amplitude, cmap
        b.extend = ("both" if above else "min") if below else ("max" if above else "neither")


def strongest(sizes, waves):
    """Of the sizes of a field in each frame the one for the scale; frames with next to nothing have no say."""
    largest = float(max(sizes))
    middle = float(np.quantile([s for s in sizes if s >= 0.01 * largest], 0.5, method="higher"))
    return max(min(largest, 2.5 * middle), largest / 10) if waves else largest


def scales_share(blocks):
    """One variable, one scale, whatever the planes."""
    for key in dict.fromkeys((id(b.run), b.name) for b in blocks):
        scale_set([b for b in blocks if (id(b.run), b.name) == key])


def outline_make(plane):
    """Lines between cells of different media, [((x, y), (x, y))...]; None where all are alike, or where so
    many differ that lines would hide the field."""
    if plane is None:
        return None
    h, v, m = plane
    lines = []
    for i, (first, last) in steps_join(m[:, 1:] != m[:, :-1]):
        lines.append(((h[i + 1], v[first]), (h[i + 1], v[last])))
    for k, (first, last) in steps_join((m[1:] != m[:-1]).T):
        lines.append(((h[first], v[k + 1]), (h[last], v[k + 1])))
    return lines if 0 < len(lines) < 0.1 * m.size + 50 else None


def steps_join(differs):
    """Down each column of `differs`, where a row of true begins and where it has ended:
    (column, (first, last))."""
    padded = np.pad(differs, ((1, 1), (0, 0))).astype(int)
    column, first = np.nonzero(np.diff(padded, axis=0).T == 1)
    _, last = np.nonzero(np.diff(padded, axis=0).T == -1)
    return zip(column, zip(first, last))
