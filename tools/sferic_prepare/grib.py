"""GRIB files, of either edition: what they hold, and its values. SPDX-License-Identifier: MIT"""
from datetime import datetime

import eccodes as ec
import numpy as np

from sferic_plot.words import INPUT, Fail

from .grids import LatLon, Projected
from .names import GRIB_GROUND, GRIB_LEVELS, GRIB_PRESSURE
from .projection import Projection
from .record import Record

GROUND_OF = {(short, kind): (quantity, factor, rank) for rank, (short, kind, quantity, factor) in enumerate(GRIB_GROUND)}
RADIUS = 6371229.0  # m, of centres that call the Earth an ellipsoid: maps of a case are of a sphere


def messages(path):
    """Every field of the file as (number, handle). Centres pack u and v as two fields of one message, and without the support of such
    messages ecCodes shows the first of them again and again."""
    ec.codes_grib_multi_support_on()
    try:
        with open(path, "rb") as f:
            number = 0
            while (handle := ec.codes_grib_new_from_file(f)) is not None:
                try:
                    yield number, handle
                finally:
                    ec.codes_release(handle)
                number += 1
            ec.codes_grib_multi_support_reset_file(f)
    except ec.CodesInternalError as e:
        raise Fail(INPUT, f"{path}: damaged GRIB ({e})") from e


class Handle:
    """Keys of a message by name."""

    def __init__(self, handle):
        self.handle = handle

    def __call__(self, key, kind=None, default=None):
        try:
            return ec.codes_get(self.handle, key, kind)
        except ec.CodesInternalError:
            return default


def projected_of(get, kind, path):
    both = {"lambert": ("Latin1InDegrees", "Latin2InDegrees"), "polar_stereographic": ("LaDInDegrees",) * 2, "mercator": ("LaDInDegrees",) * 2}[kind]
    parallels = [get(k, float, 60.0) for k in both]
    if kind == "polar_stereographic" and get("projectionCentreFlag", int, 0) & 128:
        parallels = [-abs(p) for p in parallels]
    first = get("latitudeOfFirstGridPointInDegrees", float), get("longitudeOfFirstGridPointInDegrees", float)
    meridian = {"lambert": "LoVInDegrees", "polar_stereographic": "orientationOfTheGridInDegrees"}.get(kind)
    # Mercator's first and last points may lie as far apart as half a turn from one meridian
    meridian = get(meridian, float) if meridian else first[1] + 179.0
    radius = RADIUS if get("earthIsOblate", int, 0) else get("radius", float, RADIUS) or RADIUS
    p = Projection(kind, radius, parallels, meridian, parallels[0])
    x0, y0 = p.forward(*first)
    dx, dy = (get(k + "InMetres", float) for k in (("Di", "Dj") if kind == "mercator" else ("Dx", "Dy")))
    return Projected(p, x0, y0, -dx if get("iScansNegatively", int, 0) else dx, dy if get("jScansPositively", int, 0) else -dy,
                     get("Nx", int) or get("Ni", int), get("Ny", int) or get("Nj", int), bool(get("uvRelativeToGrid", int, 0)))


def grid_of(get, path):
    kind = get("gridType")
    if get("jPointsAreConsecutive", int, 0) or get("alternativeRowScanning", int, 0):
        raise Fail(INPUT, f"{path}: points in an order that is not known: rows of constant y, all in one direction, are")
    if kind in ("regular_ll", "regular_gg"):
        n = get("Ni", int)
        a, b = (get(f"longitudeOf{which}GridPointInDegrees", float) for which in ("First", "Last"))
        span = (a - b if get("iScansNegatively", int, 0) else b - a) % 360
        sign = -1 if get("iScansNegatively", int, 0) else 1
        latitudes = ec.codes_get_array(get.handle, "distinctLatitudes")
        latitudes = np.sort(latitudes) if get("jScansPositively", int, 0) else np.sort(latitudes)[::-1]
        return LatLon(latitudes, a + sign * span * np.arange(n) / (n - 1))
    if kind in ("lambert", "polar_stereographic", "mercator"):
        return projected_of(get, kind, path)
    raise Fail(INPUT, f"{path}: points on a grid of kind '{kind}'; regular_ll, regular_gg, lambert, polar_stereographic and mercator are known")


def record_of(get, path, number):
    """Of a message; None: nobody needs it."""
    short, kind, level = get("shortName", str), get("typeOfLevel", str), None
    if kind in GRIB_PRESSURE and short in GRIB_LEVELS:
        (quantity, factor), rank, level = GRIB_LEVELS[short], 0, get("level", float) * GRIB_PRESSURE[kind]
    elif (short, kind) in GROUND_OF:
        quantity, factor, rank = GROUND_OF[short, kind]
    else:
        return None
    if get("stepType", str, "instant") != "instant":
        return None
    date, hour = get("validityDate", int), get("validityTime", int)
    time = datetime(date // 10000, date // 100 % 100, date % 100, hour // 100, hour % 100)
    return Record(quantity, time, level, path, number, rank, (factor, 0), short)


def inventory(path):
    """The grid of the file, and its records. All of them must be of one grid."""
    grid, section, records, member = None, None, [], {}
    for number, handle in messages(path):
        get = Handle(handle)
        record = record_of(get, path, number)
        if record is None:
            continue
        this = get("md5GridSection", str)
        if section is None:
            grid, section = grid_of(get, path), this
        elif this != section and grid_of(get, path).key() != grid.key():
            raise Fail(INPUT, f"{path}: {record.name} lies on another grid than what stands before it: give files of one grid")
        member.setdefault(get("number", int), record)
        if len(member) > 1:
            raise Fail(INPUT, f"{path}: members {' and '.join(str(m) for m in member)} of an ensemble: give a file of one")
        records.append(record)
    return grid, records, False


def fetch(path, records, grid, window):
    """{record: its window, SI units; NaN where it is missing}."""
    wanted, found = {r.place: r for r in records}, {}
    for number, handle in messages(path):
        record = wanted.get(number)
        if record is None:
            continue
        values = ec.codes_get_values(handle).astype(np.float64)
        if ec.codes_get(handle, "bitmapPresent", int):
            values[values == ec.codes_get(handle, "missingValue", float)] = np.nan
        found[record] = record.scaled(window.take(values.reshape(grid.shape()), record.is_wind()))
    return found
