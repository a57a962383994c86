"""Runs on a map of the Earth: when their times are, and a weather map: rain, pressure at sea level, wind near the ground, the coast,
latitudes and longitudes. SPDX-License-Identifier: MIT
"""
import re
from datetime import datetime, timedelta

import numpy as np

from . import sea_level
from .block import Block, Over
from .places import MOST
from .read import netcdf_read
from .storm import over_add
from .words import nice_ceil, number_text, unit_text

NEEDS = "latitude and longitude, cells on the ground with pi_p and theta_p, and rain or wind_10m"
COLOURED = "rain", "wind_10m"  # what is below the lines: the first that the history has
COAST, BROWN, GRAY = 0.5, "#7a4a1e", "0.55"  # m: the ground is higher on land


def start_of(run):
    """The date that times of a run count from, UTC; None where they have none."""
    units = netcdf_read(run.where[0][0], lambda ds: str(ds["time"].attrs.get("units", "")))
    found = re.fullmatch(r"seconds since (.+?)(?: *(?:Z|UTC|\+00:?00))?", units.strip())
    try:
        return datetime.fromisoformat(found.group(1)) if found else None
    except ValueError:
        return None


def places_of(run):
    """Latitude and longitude of the columns, (y, x), degrees; None where the run is on no map."""
    def read(ds):
        return tuple(np.asarray(ds[n].values, float) for n in ("latitude", "longitude")) \
            if all(n in ds and ds[n].dims == ("y", "x") for n in ("latitude", "longitude")) else None
    return netcdf_read(run.where[0][0], read)


def is_known(run):
    """Is there something for a weather map?"""
    return not run.is_em and any(n in run.maps for n in COLOURED) and sea_level.is_known(run) and places_of(run) is not None


class Isolines(Over):
    """Contours with their numbers on them."""

    def __init__(self, cells, levels, text, colour, width, form):
        super().__init__(cells, levels, text, colour, width)
        self.form = form

    def of_frames(self, picked):
        return Isolines([self.cells[n] for n in picked], self.levels, self.text, self.colour, self.width, self.form)

    def draw(self, ax, n, scale):
        if self.is_seen(n):
            h, v, f = self.cells[n]
            lines = ax.contour(h / scale, v / scale, f, self.levels, colors=self.colour, linewidths=self.width, linestyles="solid")
            ax.clabel(lines, fontsize=5.5, fmt=self.form, inline_spacing=1)


def plane_of(run, name, values):
    """As Frames.plane() gives them, of values on the columns."""
    c = run.coords[name]
    thin = tuple(slice(None, None, -(-n // MOST)) for n in values.shape)
    return c["x"][thin[1]], c["y"][thin[0]], np.ma.masked_invalid(values[thin])


def isobars(run, name, frames):
    """Every 1 to 10 hPa."""
    cells = [plane_of(run, name, sea_level.sea_level(run, f) / 100) for f in frames]
    low, high = min(c[2].min() for c in cells), max(c[2].max() for c in cells)
    step = min(10, max(1, nice_ceil((high - low + 0.1) / 16, (1, 2, 4, 5, 10))))
    levels = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    return Isolines(cells, levels, f"black: pressure at sea level every {number_text(step)} hPa", "k", 0.7, "%.0f")


def degree_text(letters):
    return lambda x: f"{abs(x):g}°{letters[0] if x > 0 else letters[1] if x < 0 else ''}"


def graticule(run, name, count):
    """Latitudes and longitudes, every so many degrees that a few cross the map."""
    latitude, longitude = places_of(run)
    middle = longitude[tuple(n // 2 for n in longitude.shape)]
    east = (longitude - middle + 180) % 360 - 180
    torn = np.zeros(east.shape, bool)  # where the longitudes turn over
    for axis in 0, 1:
        jump = np.abs(np.diff(east, axis=axis)) > 180
        torn |= np.insert(jump, 0, False, axis) | np.insert(jump, jump.shape[axis], False, axis)
    steps = [nice_ceil(np.ptp(c) / n, (1, 2, 5, 10)) for c, n in ((latitude, 6), (east, 9))]
    forms = degree_text("NS"), lambda x: degree_text("EW")((x + 180) % 360 - 180)
    lines = []
    for values, step, form in zip((latitude, np.where(torn, np.nan, middle + east)), steps, forms):
        levels = step * np.arange(np.ceil(np.nanmin(values) / step), np.floor(np.nanmax(values) / step) + 1)
        lines.append(Isolines([plane_of(run, name, values)] * count, levels, "", GRAY, 0.4, form))
    same = "" if steps[0] == steps[1] else f" every {steps[0]:g}°"
    lines[0].text = f"gray: latitude{same} and longitude every {steps[1]:g}°"
    return lines


def wind_add(block, run, frames):
    """Arrows along the wind of the lowest cells, as long as the wind at 10 m where that is known."""
    if not {"u", "v"} <= set(run.fields):
        return
    pairs = []
    for f in frames:
        u, v = (sea_level.lowest(run, n, f) for n in "uv")
        if "wind_10m" in run.maps:
            size = np.hypot(u, v)
            share = np.where(size > 1e-6, run.read("wind_10m", f, "z", 0) / np.maximum(size, 1e-6), 0)
            u, v = u * share, v * share
        pairs.append([plane_of(run, block.name, c) for c in (u, v)])
    block.wind_max = max(float(np.hypot(u[2], v[2]).max()) for u, v in pairs)
    if block.wind_max > run.floor("u"):
        block.wind, block.shaft = pairs, 0.003
        where = "at 10 m" if "wind_10m" in run.maps else "of the lowest cells"
        block.heading += f"; arrows: wind {where}, up to {number_text(block.wind_max)} {unit_text('m s-1')}"


def map_block(run, frames):
    name = next(n for n in COLOURED if n in run.maps)
    block = Block(run, name, "z", 0, frames)
    block.heading = block.heading.partition(";")[0]  # not the ground
    ground, block.relief, start = block.ground, None, start_of(run)
    if start is not None:
        block.titles = [f"{start + timedelta(seconds=round(run.times[f])):%-d %b %Y %H:%M} UTC, {run.frame_text(f)}" for f in frames]
    wind_add(block, run, frames)
    latitudes, longitudes = graticule(run, name, len(frames))
    coast = None if ground is None else Over([plane_of(run, name, ground)] * len(frames), [COAST], "brown: coast", BROWN)
    block = over_add(block, latitudes, coast, isobars(run, name, frames))
    block.over += [longitudes] if latitudes in block.over else []
    return block
