"""The ground under a case: heights and land of a finer file, as means over boxes, and the source's at the sides.
SPDX-License-Identifier: MIT
"""
import numpy as np

from sferic_plot.words import INPUT, Fail

from .names import DEGREES, LENGTH
from .netcdf import file_open, text_of, values_read

BOX = 1.5  # of a column's size: what a finer file has within is averaged, so that no hill is two cells wide
ROUGH_LAND, WET_LAND = 0.1, 0.3  # m; share of open water's evaporation
LAND = 0.5  # share of a column from which on it is land


def heights_open(ds, path):
    """The variable of heights on (latitude, longitude), both of them increasing or decreasing throughout, and those."""
    for v in ds.variables.values():
        if v.ndim != 2:
            continue
        axes = [ds.variables.get(d) for d in v.dimensions]
        if all(a is not None for a in axes) and text_of(axes[0], "units") in DEGREES["north"] and text_of(axes[1], "units") in DEGREES["east"]:
            if text_of(v, "units") not in LENGTH:
                raise Fail(INPUT, f"{path}: {v.name} has no units of a length: 'm'")
            return v, values_read(axes[0]), values_read(axes[1])
    raise Fail(INPUT, f"{path}: no variable of latitude and longitude, degrees_north and degrees_east")


class Boxes:
    """Means over boxes of a field whose points are the middles of equal cells: by its integral from the corner on, which is a bilinear
    function within a cell."""

    def __init__(self, values):
        self.sum = np.pad(np.cumsum(np.cumsum(values, 0), 1), ((1, 0), (1, 0)))

    def at(self, j, i):
        m, n = np.minimum(j.astype(int), self.sum.shape[0] - 2), np.minimum(i.astype(int), self.sum.shape[1] - 2)
        t, s = j - m, i - n
        row = lambda k: self.sum[k, n] * (1 - s) + self.sum[k, n + 1] * s
        return row(m) * (1 - t) + row(m + 1) * t

    def mean(self, j0, j1, i0, i1):
        return (self.at(j1, i1) - self.at(j0, i1) - self.at(j1, i0) + self.at(j0, i0)) / ((j1 - j0) * (i1 - i0))


def finer_read(path, case, latitude, longitude):
    """Height, m, and share of land of the file under all columns. What lies below sea level is sea."""
    factor = case.projection.factor(latitude)
    north = np.degrees(BOX / 2 * case.dy / case.projection.factor_y(latitude) / case.projection.radius)
    with file_open(path) as ds:
        variable, lat, lon = heights_open(ds, path)
        j_step, i_step = (lat[-1] - lat[0]) / (lat.size - 1), (lon[-1] - lon[0]) / (lon.size - 1)
        is_round = abs(lon.size * abs(i_step) - 360) < abs(i_step)
        # Nothing is finer than a cell of the file, nor wider than the Earth, as a box beside a pole would be.
        east = np.degrees(BOX / 2 * case.dx / factor / case.projection.radius) / np.cos(np.radians(latitude))
        north, east = np.maximum(north / abs(j_step), 0.5), np.clip(east / abs(i_step), 0.5, lon.size / 2)
        middle = longitude[longitude.shape[0] // 2, longitude.shape[1] // 2]
        i = (middle - lon[0]) / i_step % (360 / abs(i_step)) + ((longitude - middle + 180) % 360 - 180) / i_step + 0.5
        j = (latitude - lat[0]) / j_step + 0.5
        j0, j1, i0, i1 = (int(np.floor(v)) for v in ((j - north).min(), (j + north).max() + 1, (i - east).min(), (i + east).max() + 1))
        reaches_poles = abs(lat[0]) + abs(j_step) > 90 and abs(lat[-1]) + abs(j_step) > 90
        if (not reaches_poles and (j0 < 0 or j1 > lat.size)) or (not is_round and (i0 < 0 or i1 > lon.size)):
            raise Fail(INPUT, f"{path}: the domain does not lie inside its latitudes {lat.min():g} to {lat.max():g} and longitudes {lon.min():g} to {lon.max():g}")
        # Beyond a pole its own row goes on.
        first, rows = max(j0, 0), np.clip(np.arange(j0, j1), 0, lat.size - 1)
        part = values_read(variable, (slice(first, j1), slice(None)))[np.ix_(rows - first, np.arange(i0, i1) % lon.size)] * LENGTH[text_of(variable, "units")][0]
    if np.isnan(part).any():
        raise Fail(INPUT, f"{path}: {int(np.isnan(part).sum())} cells within the domain are masked")
    edges = j - north - j0, j + north - j0, i - east - i0, i + east - i0
    return Boxes(np.maximum(part, 0)).mean(*edges), Boxes((part > 0).astype(float)).mean(*edges)


def side_share(shape, rows):
    """1 in the outermost row, falling to 0 `rows` rows farther in."""
    from_side = [np.minimum(np.arange(n), np.arange(n)[::-1]) for n in shape]
    inward = np.minimum(from_side[0][:, None], from_side[1][None, :])
    return np.clip(1 - inward / rows, 0, 1) if rows else np.zeros(shape)


def terrain_blend(fine, coarse, rows):
    share = side_share(fine.shape, rows)
    return (1 - share) * fine + share * coarse


def ground_make(land):
    """Roughness, m, of which 0 is sea, and wetness, from the share of land."""
    is_land = land >= LAND
    return np.where(is_land, ROUGH_LAND, 0.0), np.where(is_land, WET_LAND, 1.0)
