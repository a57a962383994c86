"""Runs over terrain, whose levels rise and fall with the ground: how high cells lie, which part of a section is ground, and values
at one height. Heights are in m above the sea. SPDX-License-Identifier: MIT
"""
import numpy as np
from matplotlib.colors import ListedColormap

from .places import MOST, PLANE, along, edges, nearest
from .words import length_text, length_unit, nice_ceil, number_text

GROUND = "#a3968a"
PARTS = "terrain_large", "terrain_small"  # of the ground, which coordinate surfaces follow each in its own way
MAP = "map_factor", "coriolis_parameter"  # of a projection


class OverGround(float):
    """Of a plan: its height above the ground, where that of others is above the sea."""


def named(ds, standard, dims):
    """The variable of a standard name; None without."""
    return next((n for n, v in ds.variables.items() if v.attrs.get("standard_name") == standard and v.dims == dims), None)


def names_of(ds):
    """Of cells' heights and of the ground's; None each where the file lacks it."""
    return named(ds, "altitude", ("time", "z", "y", "x")), named(ds, "surface_altitude", ("time", "y", "x"))


class Terrain:
    """coords {axis: centres}, of these height (z, y, x) and ground (y, x), None where it is not known."""

    def __init__(self, coords, height, ground):
        self.coords, self.height = coords, height
        c = edges(coords["z"])
        self.stands = len(coords["z"]) > 1 and c[0] < 0.5 * (c[1] - c[0])  # the lowest level is on the ground
        few = [edges(height[:2])[0], edges(height[-2:])[-1]]
        self.ground = few[0] if ground is None and self.stands else ground
        low = self.ground.min() if self.stands else few[0].min()
        self.low, self.high = np.floor(1e3 * float(low)) / 1e3, round(float(few[1].max()), 3)  # round-off of a plain is none

    def heights(self, c, axis=None, at=None):
        """Of the points of coordinates c: all, those of the plane nearest to `at`, or of a slice of levels."""
        h = self.height
        for n, a in enumerate("zyx"):
            new = c[a] if a != axis else c[a][at] if isinstance(at, slice) else c[a][[nearest(c[a], at)]]
            h = along(h, n, self.coords[a], new)
        return h if axis is None or isinstance(at, slice) else h.take(0, "zyx".index(axis))

    def ground_at(self, c, axis=None, at=None):
        """Heights of the ground under these points, (y, x), or along a vertical section; None where they are not known."""
        g = self.ground
        for n, a in enumerate("yx" if g is not None else ""):
            g = along(g, n, self.coords[a], c[a] if a != axis else c[a][[nearest(c[a], at)]])
        return g if axis is None or g is None else g.take(0, "yx".index(axis))

    def levels(self, c, at):
        """Those between which a height lies in some column."""
        h = self.heights(c).reshape(len(c["z"]), -1)
        top = self._top(c, at).ravel()
        k = (h <= top).sum(axis=0)
        first = int(np.clip(k.min() - 1, 0, len(h) - 2))
        return slice(first, max(first + 2, int(k.max()) + 1))

    def _top(self, c, at):
        ground = self.ground_at(c) if isinstance(at, OverGround) else None
        return np.full((len(c["y"]), len(c["x"])), float(at)) + (0 if ground is None else ground)

    def plan(self, f, c, at, levels):
        """Of values f at `levels` those at a height: straight lines between levels, the lowest cell's value below its centre, nothing
        within the ground or beyond the levels."""
        h, wanted = self.heights(c, "z", levels), self._top(c, at)
        k = np.clip((h <= wanted).sum(axis=0), 1, len(h) - 1)[None]
        (below, above), (one, two) = ([np.take_along_axis(v, k - n, 0)[0] for n in (1, 0)] for v in (h, f))
        share = np.clip((wanted - below) / (above - below), 0, 1)
        ground, sides = self.ground_at(c), edges(h)
        beyond = wanted > sides[-1] if levels.stop >= len(c["z"]) else np.zeros(wanted.shape, bool)
        low = ground if ground is not None and self.stands else sides[0]
        return np.ma.masked_invalid(np.ma.masked_where(beyond | (wanted < low), one + share * (two - one.astype(float))))

    def means(self, c, read):
        """Mean values at the heights of c over flat ground, wherever air is there; read(levels)."""
        mean = [np.ma.filled(np.ma.mean(self.plan(read(k), c, z, k)), np.nan) for z in c["z"] for k in [self.levels(c, z)]]
        known = np.isfinite(mean)
        return np.interp(c["z"], c["z"][known], np.array(mean, float)[known])

    def same(self, other):
        """Whether cells lie at the same heights as another's, to a millimetre."""
        return other is not None and self.height.shape == other.height.shape and float(np.abs(self.height - other.height).max()) < 1e-3

    def range_text(self):
        if self.ground is None:
            return ""
        low, high = float(self.ground.min()), float(self.ground.max())
        scale, unit = length_unit(max(abs(low), abs(high)))
        return f"ground {number_text(round(low / scale, 3))} to {number_text(high / scale, 4)} {unit}" if high - low > 1e-3 else ""


class Risen:
    """What differs over terrain in planes of a run, whose class comes before that of Frames among its bases."""

    def is_altitude(self, name):
        """What says where cells and ground are, or what the map of the Earth is like: no picture of its own unasked."""
        return name in MAP or self.is_hilly and (name in PARTS or self.fields[name].get("standard_name") in ("altitude", "surface_altitude"))

    def is_planar(self, name):
        """Whether plans of a field are of one height, between levels: over terrain."""
        return self.terrain is not None and name not in self.maps and len(self.coords[name]["z"]) > 1

    def plane(self, name, frame, axis, at):
        """Over terrain a section's coordinates up are the heights of its cells, (z, across), and a plan is of the height `at`."""
        c, t = self.coords[name], self.terrain
        if t is None or name in self.maps or (axis == "z" and not self.is_planar(name)):
            return super().plane(name, frame, axis, at)
        h, v = c[PLANE[axis][0]], c[PLANE[axis][1]]
        thin = tuple(slice(None, None, -(-len(a) // MOST)) for a in (v, h))
        if axis == "z":
            levels = t.levels(c, at)
            return h[thin[1]], v[thin[0]], t.plan(self.read(name, frame, "z", levels), c, at, levels)[thin]
        values = np.ma.masked_invalid(self.read(name, frame, axis, at).astype(float))
        return h[thin[1]], t.heights(c, axis, at)[thin].astype(float), values[thin]

    def ground(self, name, axis, at):
        c = self.coords[name]
        line = self.terrain.ground_at(c, *((axis, at) if axis != "z" else ())) if self.terrain else None
        return None if line is None else line[tuple(slice(None, None, -(-n // MOST)) for n in line.shape)].astype(float)

    def plane_at(self, name, axis, at):
        return at if axis == "z" and self.is_planar(name) else super().plane_at(name, axis, at)

    def extent(self, axis):
        return (self.terrain.low, self.terrain.high) if axis == "z" and self.terrain else super().extent(axis)

    def place(self, name, i):
        at = super().place(name, i)
        if self.terrain and name not in self.maps:
            at["z"] = float(self.terrain.heights(self.coords[name])[i])
        return at

    def place_text(self, axis, at, extent):
        text = length_text(at, extent)
        if axis == "z" and self.terrain and len(self.axes["z"]) > 1:
            return f" at {text} above {'the ground' if isinstance(at, OverGround) else 'sea level'}"
        if axis == "z" and self.is_hilly:
            return f" on the level of {text} over flat ground"
        return super().place_text(axis, at, extent)

    def axis_label(self, axis, unit):
        return f"height over flat ground [{unit}]" if axis == "z" and self.is_hilly else super().axis_label(axis, unit)


def halves(values):
    """Along the last axis edges and centres in turn: cells cut in two, so that what is drawn meets the ground in every column."""
    c = np.moveaxis(np.asarray(values, float), -1, 0)
    out = np.empty((2 * len(c) + 1,) + c.shape[1:])
    out[1::2], out[::2] = c, edges(c)
    if len(c) == 1 and c.ndim > 1:  # of a single column
        out[::2] = c
    return np.moveaxis(out, 0, -1)


def section_mesh(h, v, ground):
    """Corners of the halves of cells of a section whose centres are at h, v(z, h): from the ground up where that is known."""
    up = edges(v)
    if ground is not None and len(v) > 1:
        up[0] = np.where(np.abs(up[0] - ground) < up[1] - up[0], ground, up[0])
    across = halves(h)
    return np.broadcast_to(across, (len(up), len(across))), halves(up)


def ground_fill(ax, h, ground, scale, low):
    """The ground of a section, down to `low`."""
    line = halves(ground[None])[0] / scale
    ax.fill_between(halves(h) / scale, np.minimum(line, low), line, color=GROUND, lw=0, zorder=2.5)
    ax.plot(halves(h) / scale, line, color="0.25", lw=0.6, zorder=2.6, label="ground")


def relief_make(h, v, ground, at):
    """None where the ground is even."""
    return None if ground is None or not np.ptp(ground) > 1e-3 else Relief(h, v, ground, at)


class Relief:
    """On a plan the ground that rises above it, and contours of all ground."""

    def __init__(self, h, v, ground, at):
        self.h, self.v, self.ground = h, v, ground
        step = nice_ceil(np.ptp(ground) / 6, (1, 2, 2.5, 5, 10))
        self.levels = step * np.arange(np.floor(ground.min() / step) + 1, np.ceil(ground.max() / step))
        self.solid = None if at is None or isinstance(at, OverGround) or not np.any(ground > at) else np.ma.masked_where(ground <= at, np.ones(ground.shape))
        text = length_text(step, 4 * step if step < 1e3 else step)
        self.text = f"thin: ground every {text}" if len(self.levels) else ""

    def draw(self, ax, scale):
        if self.solid is not None:
            ax.pcolormesh(edges(self.h) / scale, edges(self.v) / scale, self.solid, cmap=ListedColormap([GROUND]), rasterized=True)
        if len(self.levels) and min(self.ground.shape) > 1:
            ax.contour(self.h / scale, self.v / scale, self.ground, self.levels, colors="k", linewidths=0.35, alpha=0.8)
