"""Files of WRF: its output (wrfout) and what its preprocessor hands to it (met_em). SPDX-License-Identifier: MIT"""
from datetime import datetime

import netCDF4
import numpy as np

from sferic_plot.words import INPUT, Fail

from .grids import LatLon, Projected
from .moisture import G
from .names import MET_EM_GROUND, MET_EM_LEVELS, WRF_PROJECTIONS, WRF_RADIUS, WRFOUT_GROUND, WRFOUT_LEVELS
from .netcdf import file_open, values_read
from .projection import Projection
from .record import Record

KAPPA, P00, T00 = 2 / 7, 1e5, 300.0  # as WRF has them; T is theta less T00


def is_wrf(path):
    try:
        with netCDF4.Dataset(path) as ds:
            return "MAP_PROJ" in ds.ncattrs() and "Times" in ds.variables
    except OSError:
        return False


def grid_of(ds, path):
    names = ("XLAT", "XLONG") if "XLAT" in ds.variables else ("XLAT_M", "XLONG_M")
    latitude, longitude = (values_read(ds.variables[n], 0) for n in names)
    kind = int(ds.MAP_PROJ)
    if kind == 6 and abs(float(ds.POLE_LAT)) == 90:
        return LatLon(latitude[:, 0], longitude[0])
    if kind not in WRF_PROJECTIONS:
        raise Fail(INPUT, f"{path}: MAP_PROJ = {kind} is not known")
    parallels = float(ds.TRUELAT1), float(ds.TRUELAT2 if kind == 1 else ds.TRUELAT1)
    p = Projection(WRF_PROJECTIONS[kind], WRF_RADIUS, parallels, float(ds.STAND_LON), parallels[0])
    x0, y0 = p.forward(latitude[0, 0], longitude[0, 0])
    return Projected(p, x0, y0, float(ds.DX), float(ds.DY), latitude.shape[1], latitude.shape[0])


def inventory(path):
    with file_open(path) as ds:
        is_output = "PHB" in ds.variables
        levels, ground, scale = (WRFOUT_LEVELS, WRFOUT_GROUND, 1) if is_output else (MET_EM_LEVELS, MET_EM_GROUND, 0.01)
        lacking = [name for name in levels.values() if name not in ds.variables]
        if lacking:
            raise Fail(INPUT, f"{path}: a file of WRF without {', '.join(lacking)}")
        times = [datetime.strptime(t, "%Y-%m-%d_%H:%M:%S") for t in np.atleast_1d(netCDF4.chartostring(ds.variables["Times"][:]))]
        count = ds.variables[levels["pressure"]].shape[1]
        # The first level of met_em is the ground's, wherever that lies among the others.
        numbers = range(0 if is_output else 1, count)
        records = [Record(q, time, k, path, (name, n, k), 0, (scale if q == "relative_humidity" else 1, 0), name)
                   for n, time in enumerate(times) for q, name in levels.items() for k in numbers]
        records += [Record(q, time, None, path, (name, n, None), 0, (1, 0), name)
                    for n, time in enumerate(times) for q, name in ground.items() if name in ds.variables]
        return grid_of(ds, path), records, True


def slice_read(ds, name, n, k):
    """Of one level at points: a variable on faces is the mean of two."""
    v = ds.variables[name]
    part = values_read(v, (n,) if k is None else (n, k))
    if v.dimensions[-1].endswith("_stag"):
        part = (part[:, 1:] + part[:, :-1]) / 2
    return (part[1:] + part[:-1]) / 2 if v.dimensions[-2].endswith("_stag") else part


def level_read(ds, name, n, k):
    """A quantity of wrfout or met_em, SI units but for relative humidity."""
    if name == "PH":
        return sum(slice_read(ds, part, n, m) for part in ("PH", "PHB") for m in (k, k + 1)) / (2 * G)
    if name == "P":
        return slice_read(ds, "P", n, k) + slice_read(ds, "PB", n, k)
    if name == "T":
        return (slice_read(ds, "T", n, k) + T00) * (level_read(ds, "P", n, k) / P00) ** KAPPA
    return slice_read(ds, name, n, k)


def fetch(path, records, grid, window):
    """{record: its window, SI units; NaN where it is missing}."""
    with file_open(path) as ds:
        return {r: r.scaled(window.take(level_read(ds, *r.place))) for r in records}
