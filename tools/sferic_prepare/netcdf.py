"""NetCDF files of pressure levels, as the stores of ERA5, THREDDS and others write them: what they hold, and its values.
SPDX-License-Identifier: MIT
"""
import netCDF4
import numpy as np

from sferic_plot.words import INPUT, Fail

from .grids import LatLon, Projected
from .names import DEGREES, LENGTH, MAPPINGS, NETCDF_GROUND, NETCDF_LEVELS, PRESSURE, UNITS
from .projection import Projection
from .record import Record


def text_of(variable, name):
    return str(getattr(variable, name, ""))


def file_open(path):
    try:
        return netCDF4.Dataset(path)
    except OSError as e:
        raise Fail(INPUT, f"{path}: neither GRIB nor netCDF, or damaged ({e.strerror or e})") from e


def values_read(variable, at=...):
    """Unpacked, in double, NaN where there is none."""
    values = variable[at]
    return np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)


class Axes:
    """Which of a variable's dimensions are time, level, y and x: their places among them (None: there is none)."""

    def __init__(self, ds, variable):
        self.variable, self.other = variable, []
        self.time = self.level = self.y = self.x = None
        for n, d in enumerate(variable.dimensions):
            kind = axis_kind(ds, d)
            if kind and getattr(self, kind) is None:
                setattr(self, kind, n)
            else:
                self.other.append(n)

    def name(self, kind):
        at = getattr(self, kind)
        return None if at is None else self.variable.dimensions[at]

    def is_flat(self):
        return self.y is not None and self.x is not None and self.y < self.x

    def index(self, time, level):
        """Of one field of (y, x); None: all along that dimension."""
        at = [0] * len(self.variable.dimensions)
        for n, value in ((self.time, time), (self.level, level), (self.y, None), (self.x, None)):
            if n is not None:
                at[n] = value
        return tuple(at)


def axis_kind(ds, dimension):
    """What its coordinate is along."""
    c = ds.variables.get(dimension)
    if time_of(ds, dimension) is not None:
        return "time"
    if c is None or c.ndim != 1:
        return None
    units, standard = text_of(c, "units"), text_of(c, "standard_name")
    if units in DEGREES["north"] or standard == "projection_y_coordinate":
        return "y"
    if units in DEGREES["east"] or standard == "projection_x_coordinate":
        return "x"
    return "level" if units in PRESSURE else None


def time_of(ds, dimension):
    """The variable that says when, along a dimension; of valid time, where forecasts have both."""
    found = [v for v in ds.variables.values() if v.dimensions == (dimension,) and " since " in text_of(v, "units")]
    found.sort(key=lambda v: v.name != "valid_time")
    return found[0] if found else None


def times_read(variable):
    times = netCDF4.num2date(variable[:], variable.units, text_of(variable, "calendar") or "standard", only_use_cftime_datetimes=False, only_use_python_datetimes=True)
    return list(np.atleast_1d(times))


def time_alone(ds):
    """Of a file whose fields have no dimension of time."""
    found = [v for v in ds.variables.values() if v.size == 1 and " since " in text_of(v, "units") and v.name in ("valid_time", "time")]
    found.sort(key=lambda v: v.name != "valid_time")
    return times_read(found[0]) if found else []


def unit_find(variable, quantity, path):
    """Factor and offset to SI units."""
    if "units" not in variable.ncattrs() and quantity != "land":
        raise Fail(INPUT, f"{path}: {variable.name} has no units: give it the attribute 'units'")
    units = text_of(variable, "units").strip()
    if units not in UNITS[quantity]:
        raise Fail(INPUT, f"{path}: {variable.name} is in '{units}'; units that are known for it: {', '.join(repr(u) for u in UNITS[quantity] if u)}")
    return UNITS[quantity][units]


def variable_find(ds, names, standards, has_level):
    """The first that has one of the names, or else a standard name, of fields with levels or without."""
    def fits(v):
        a = Axes(ds, v)
        return a.is_flat() and (a.level is not None) == has_level

    for name in names:
        v = ds.variables.get(name)
        if v is not None and fits(v):
            return v
    return next((v for v in ds.variables.values() if text_of(v, "standard_name") in standards and fits(v)), None)


def mapping_find(ds, variable, path):
    """The Projection of a variable's grid."""
    name = text_of(variable, "grid_mapping").split(":")[0].strip()
    mapping = ds.variables.get(name)
    kind = text_of(mapping, "grid_mapping_name") if mapping is not None else ""
    if kind not in MAPPINGS:
        raise Fail(INPUT, f"{path}: {variable.name} lies on x and y of a map, '{kind}'; {', '.join(MAPPINGS)} are known")
    number = lambda key, default: np.atleast_1d(getattr(mapping, key, default)).astype(float)
    ours, meridian = MAPPINGS[kind]
    parallels = list(number("standard_parallel", number("latitude_of_projection_origin", 0)))
    radius = float(number("earth_radius", getattr(mapping, "semi_major_axis", 6371229.0))[0])
    p = Projection(ours, radius, (parallels * 2)[:2], float(number(meridian, 0)[0]), float(number("latitude_of_projection_origin", 0)[0]))
    p.false_easting, p.false_northing = (float(number("false_" + k, 0)[0]) for k in ("easting", "northing"))
    return p


def spaced(c, path):
    """First value and step of a coordinate of equal steps."""
    at = values_read(c)
    step = np.diff(at)
    if at.size < 2 or np.abs(step - step.mean()).max() > 0.02 * abs(step.mean()):
        raise Fail(INPUT, f"{path}: steps of {c.name} are not equal, or there is one value alone")
    return float(at[0]), float(step.mean())


def grid_of(ds, variable, path):
    axes = Axes(ds, variable)
    y, x = (ds.variables[axes.name(a)] for a in "yx")
    if text_of(x, "units") in DEGREES["east"]:
        longitudes = values_read(x)
        spaced(x, path)
        return LatLon(values_read(y), longitudes)
    x0, dx = spaced(x, path)
    y0, dy = spaced(y, path)
    scale = LENGTH.get(text_of(x, "units"), (1, 0))[0]
    p = mapping_find(ds, variable, path)
    return Projected(p, x0 * scale, y0 * scale, dx * scale, dy * scale, x.size, y.size)


def levels_read(ds, axes, path):
    """Pa, in the file's order, which must go one way."""
    c = ds.variables[axes.name("level")]
    at = values_read(c) * PRESSURE[c.units][0]
    if at.size > 1 and not (np.all(np.diff(at) > 0) or np.all(np.diff(at) < 0)):
        raise Fail(INPUT, f"{path}: levels of {c.name} are not sorted: they go neither up nor down throughout")
    return at


def records_of(ds, variable, quantity, path):
    axes = Axes(ds, variable)
    for n in axes.other:
        if variable.shape[n] > 1:
            raise Fail(INPUT, f"{path}: {variable.name} has {variable.shape[n]} of '{variable.dimensions[n]}': give a file of one")
    scale = unit_find(variable, quantity, path)
    times = times_read(time_of(ds, axes.name("time"))) if axes.time is not None else time_alone(ds) or [None]
    levels = levels_read(ds, axes, path) if axes.level is not None else [None]
    return [Record(quantity, time, level, path, (variable.name, axes.index(n, k)), 0, scale, variable.name)
            for n, time in enumerate(times) for k, level in enumerate(levels)]


def inventory(path):
    """The grid of the file, and its records."""
    with file_open(path) as ds:
        grid, records = None, []
        for table, has_level in ((NETCDF_LEVELS, True), (NETCDF_GROUND, False)):
            for quantity, (names, standards) in table.items():
                variable = variable_find(ds, names, standards, has_level)
                if variable is None:
                    continue
                this = grid_of(ds, variable, path)
                if grid is not None and this.key() != grid.key():
                    raise Fail(INPUT, f"{path}: {variable.name} lies on another grid than what stands before it: give files of one grid")
                grid = grid or this
                if quantity == "u" and isinstance(grid, Projected):
                    grid.wind_is_along = text_of(variable, "standard_name") != "eastward_wind"
                records += records_of(ds, variable, quantity, path)
        if not records and any("latitude" in text_of(v, "standard_name") and v.ndim == 2 for v in ds.variables.values()):
            raise Fail(INPUT, f"{path}: its latitudes are a map, and no grid_mapping with coordinates x and y says of which")
        return grid, records, False


def fetch(path, records, grid, window):
    """{record: its window, SI units; NaN where it is missing}."""
    with file_open(path) as ds:
        def field(name, index):
            return values_read(ds.variables[name], tuple(slice(None) if n is None else n for n in index))
        return {r: r.scaled(window.take(field(*r.place), r.is_wind())) for r in records}
