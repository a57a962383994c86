#!/usr/bin/env python3
"""Made-up output of runs on a map, and what tools/sferic-against must say of it, for tests/against.sh.

usage: support_against.py make                all output folders, in this folder
       support_against.py formulas            reduction to sea level, dew points, distances and lows by value
       support_against.py value FILE.json ROW KEY NUMBER TOLERANCE [INDEX]    of a row
       support_against.py score FILE.json QUANTITY KEY NUMBER TOLERANCE

Fields are linear in x, y and time but for the low, a bowl that moves: what comes out is then known exactly. SPDX-License-Identifier: MIT
"""
import json
import os
import sys

import netCDF4
import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/tools")
from sferic_against import low  # noqa: E402
from sferic_against.forecast import dew_point, distance  # noqa: E402
from sferic_against.scores import difference_of  # noqa: E402
from sferic_prepare.projection import Projection, wind_turned  # noqa: E402

R, CP, G, LAPSE, P0 = 287.0, 1004.5, 9.80665, 6.5e-3, 1e5
NX, NY, STEP = 60, 50, 30e3
X, Y = (np.arange(NX) + 0.5) * STEP, (np.arange(NY) + 0.5) * STEP
TIMES = 0.0, 10800.0, 21600.0


def projection_make():
    p = Projection("lambert", 6371229.0, (30.0, 45.0), -83.0, 37.0)
    p.false_easting, p.false_northing = NX * STEP / 2, NY * STEP / 2
    return p


MAP = projection_make()


def near(what, got, wanted, tolerance):
    if not np.all(np.abs(np.asarray(got) - wanted) <= tolerance):
        sys.exit(f"{what}: {got}, not {wanted} within {tolerance}")


# ---- what runs would have left ---------------------------------------------------------------------------------------

def linear(x, y, t):
    """A field with slopes that a wrong axis, step or time would show."""
    return 2e-6 * x - 3e-6 * y + 1e-4 * t


def sea_level_of(x, y, t, kind):
    """hPa."""
    if kind == "low":  # from (600, 500) km by 10 m/s east and 5 m/s north; 995 hPa, 1 hPa an hour deeper
        return 995 - t / 3600 + ((x - 600e3 - 10 * t) ** 2 + 2 * (y - 500e3 - 5 * t) ** 2) / 1e11
    if kind == "flat":
        return 1012 + 0 * x
    return 1010 + linear(x, y, t)


def column(name, t, kind, hills):
    """Of (z, y, x) or (y, x)."""
    x, y = np.meshgrid(X, Y)
    ground = 400 + 300 * np.sin(x / 2e5) * np.cos(y / 3e5) if hills else 0 * x
    height = ground + np.array([50.0, 150.0, 250.0])[:, None, None] * (1 - ground / 3000)
    warm = 290 + linear(x, y, t)  # K in the lowest cell
    q = 0.01
    virtual = warm * (1 + q * 461.5 / R) / (1 + q)
    p = 100 * sea_level_of(x, y, t, kind) * (1 + LAPSE * height / virtual) ** (-G / (R * LAPSE))
    exner = (p / P0) ** (R / CP)
    east, north = 5 + linear(x, y, t), 12 - linear(x, y, t)  # of the Earth
    u, v = wind_turned(east, north, MAP.turn(MAP.inverse(x, y)[1]))
    if kind == "flat":  # along the map
        u, v = 3 + 0 * x, -4 + 0 * x
    one = np.ones(height.shape)
    return {"pi_p": exner - 0.9, "theta_p": warm / exner - 300, "qv": q * one, "u": u * one, "v": v * one, "height": height, "terrain_height": ground,
            "temperature_2m": 291 + linear(x, y, t), "wind_10m": 7 + linear(x, y, t), "qv_2m": 0.012 + 1e-3 * linear(x, y, t), "rain": t / 3600 * (1 + linear(x, y, 0))}[name]


UP = "u", "v", "theta_p", "pi_p", "height", "qv"
FLAT = "temperature_2m", "wind_10m", "qv_2m", "rain", "terrain_height"
STANDARD = {"height": "altitude", "terrain_height": "surface_altitude"}


def folder_make(name, kind="linear", hills=False, without=(), mapped=True, units="seconds since 2018-09-17 00:00:00", times=TIMES):
    os.makedirs(name)
    for n, t in enumerate(times):
        with netCDF4.Dataset(f"{name}/history_{n:08d}.000.nc", "w") as ds:
            ds.setncatts({"model": "dynamics", "case": name, "title": "A run that was made up", "source": "support_against.py"})
            for axis, at in (("time", [t]), ("z", [50, 150, 250]), ("y", Y), ("x", X)):
                ds.createDimension(axis, None if axis == "time" else len(at))
                ds.createVariable(axis, "f8", (axis,))[:] = at
            ds["time"].units = units
            if mapped:
                ds.createVariable("crs", "i4").setncatts(MAP.attributes())
                for key, values in zip(("latitude", "longitude"), MAP.inverse(*np.meshgrid(X, Y))):
                    ds.createVariable(key, "f8", ("y", "x"))[:] = values
            for key, value in (("pi_0", 0.9), ("theta_0", 300.0)):
                ds.createVariable(key, "f8", ("z",))[:] = value
            for key in [k for k in UP + FLAT if k not in without]:
                v = ds.createVariable(key, "f8", ("time",) + ("z",) * (key in UP) + ("y", "x"))
                v.setncatts({"units": {"rain": "kg m-2"}.get(key, "1"), **({"standard_name": STANDARD[key]} if key in STANDARD else {}),
                             **({"grid_mapping": "crs"} if mapped else {})})
                v[0] = column(key, t, kind, hills)


def at(x, y):
    """'LATITUDE LONGITUDE' of a point of the map."""
    return "{:.9f} {:.9f}".format(*MAP.inverse(x, y))


def make():
    folder_make("hilly", hills=True)
    folder_make("flat", "flat")
    folder_make("low", "low", hills=True)
    folder_make("none", "flat", hills=True)
    folder_make("plane", mapped=False)
    folder_make("undated", units="seconds since the start of the simulation")
    folder_make("few", without=FLAT[:4] + ("theta_p",))
    here, then, later = (777777.0, 654321.0), "2018-09-17T01:30:00Z", "2018-09-17T06:00"
    values = [("pressure_msl", 1000, "hPa"), ("temperature", 290, "K"), ("wind_speed", 18, "km/h"), ("wind_direction", 350, ""), ("rain", 1, "cm"), ("dew_point", 59, "F")]
    with open("all.txt", "w") as f:
        f.write("# station latitude longitude time quantity value unit\n\n")
        for q, value, unit in values:
            f.write(f"here {at(*here)} {then} {q} {value} {unit}  # and so on\n")
        for x, y, when, value in ((15e3, 15e3, "2018-09-17", 1000), (1785e3, 1485e3, later + "+00:00", 1010), (1000e3, 15e3, "2018-09-17T05:00:00+02:00", 1011)):
            f.write(f"corner {at(x, y)} {when} pressure_msl {value}\n")
    with open("low.txt", "w") as f:  # where it is at first, 20 km west of where it is at the end, and where it is half way to the second frame
        for x, y, when, value in ((600e3, 500e3, "2018-09-17", 995), (796e3, 608e3, later, 990), (654e3, 527e3, then, 994.5)):
            f.write(f"storm {at(x, y)} {when} low {value}\n")
    with open("once.txt", "w") as f:
        f.write(f"storm {at(900e3, 700e3)} {later} low 98900 Pa\n")
    with open("wind.txt", "w") as f:
        f.write("".join(f"x {lat} {lon} 2018-09-17 wind_direction 10\n" for lat, lon in ((37, -83), (38, -78))))


# ---- formulas --------------------------------------------------------------------------------------------------------

def formulas():
    """Dew points of the tables of saturation (20 degrees: 2337 Pa, 0: 611.2 Pa); a degree of a meridian is 111.2 km; a bowl and no bowl."""
    for celsius, pressure in ((20, 2337.0), (0, 611.2), (30, 4243.0)):
        near(f"dew point {celsius}", dew_point(R / 461.5 * pressure / (1e5 - pressure), 1e5), celsius, 0.05)
    near("a degree of a meridian", distance((50, 10), (51, 10), 6371229.0), np.radians(1) * 6371229, 1e-3)
    near("along the equator, over the date line", distance((0, 179.5), (0, -179.5), 6371229.0), np.radians(1) * 6371229, 1e-3)
    near("to the antipode", distance((30, 0), (-30, 180), 6371229.0), np.pi * 6371229, 1)
    near("north over west", difference_of("wind_direction", 10.0, 350.0), 20, 1e-9)
    near("west over north", difference_of("wind_direction", 350.0, 10.0), -20, 1e-9)
    near("of pressure", difference_of("pressure_msl", 350.0, 10.0), 340, 1e-9)
    x, y = np.meshgrid(X, Y)
    for x0, y0 in ((600e3, 500e3), (612e3, 507e3), (871e3, 733e3)):  # a bowl that is turned against the axes
        a, b = x - x0, y - y0
        found = low.low_find(1000 + (a * a + a * b + 2 * b * b) / 1e11, X, Y, (x0 + 2e5, y0 - 2e5))
        near("the least of a bowl", found[:2], (x0, y0), 1)
        near("its pressure", found[2], 1000, 1e-4)
    two = 1000 - 10 * np.exp(-((x - 500e3) ** 2 + (y - 700e3) ** 2) / 2e10) - 15 * np.exp(-((x - 1300e3) ** 2 + (y - 700e3) ** 2) / 2e10)
    near("the deeper of two is too far", low.low_find(two, X, Y, (600e3, 700e3))[:2], (500e3, 700e3), 1e3)
    near("the deeper of two", low.low_find(two, X, Y, (850e3, 700e3))[:2], (1300e3, 700e3), 1e3)
    if low.low_find(two, X, Y, (900e3, 1400e3)) is not None or low.low_find(1000 + x / 1e5, X, Y, (100e3, 700e3)) is not None:
        sys.exit("a low where there is none")
    track = low.track_make([1000 + ((x - c) ** 2 + (y - 700e3) ** 2) / 1e11 for c in (300e3, 800e3, 1300e3)] + [1000 + x / 1e5] + [two], X, Y, (200e3, 700e3))
    near("a track of three", [t[:2] for t in track[:3]], [(300e3, 700e3), (800e3, 700e3), (1300e3, 700e3)], 1)
    if track[3:] != [None, None]:
        sys.exit("a low that is lost comes back")


def value(path, n, key, wanted, tolerance, index=None):
    with open(path) as f:
        got = json.load(f)["rows"][int(n)][key]
    near(f"{key} of row {n}", got if index is None else got[int(index)], float(wanted), float(tolerance))


def score(path, quantity, key, wanted, tolerance):
    with open(path) as f:
        found = [s for s in json.load(f)["scores"] if s["quantity"] == quantity]
    if len(found) != 1:
        sys.exit(f"{len(found)} scores of {quantity}")
    near(f"{key} of {quantity}", found[0][key], float(wanted), float(tolerance))


def exact(path):
    """Of all.txt beside the run `hilly`."""
    x, y, t = 777777.0, 654321.0, 5400.0
    wind = [np.degrees(np.arctan2(-(5 + linear(x, y, s)), -(12 - linear(x, y, s)))) % 360 for s in (t, 0.0)]
    q, p = ([0.012 + 1e-3 * linear(x, y, s) for s in (t, 0.0)], [100 * (1010 + linear(x, y, s)) for s in (t, 0.0)])
    wanted = [(p[0] / 100, p[1] / 100, 1000, 1e-3), *[(291 + linear(x, y, t) - 273.15, 291 + linear(x, y, 0) - 273.15, 16.85, 1e-6)],
              (7 + linear(x, y, t), 7 + linear(x, y, 0), 5, 1e-6), (*wind, 350, 0.01), (1.5 * (1 + linear(x, y, 0)), 0, 10, 1e-6)]
    with open(path) as f:
        rows = json.load(f)["rows"]
    for row, (then, first, seen, tolerance) in zip(rows, wanted):
        for key, number in (("forecast", then), ("persistence", first), ("observed", seen),
                            ("difference", difference_of(row["quantity"], then, seen)), ("persistence_difference", difference_of(row["quantity"], first, seen))):
            near(f"{key} of {row['quantity']}", row[key], number, tolerance)
    dew = rows[5]
    ground = 400 + 300 * np.sin(x / 2e5) * np.cos(y / 3e5)
    for key, vapour, msl in (("forecast", q[0], p[0]), ("persistence", q[1], p[1])):
        near(f"{key} of the dew point", dew[key], dew_point(vapour, msl * np.exp(-G * ground / (R * 292))), 0.05)
    near("59 F", dew["observed"], 15, 1e-9)
    for row, (a, b, s) in zip(rows[6:], ((15e3, 15e3, 0.0), (1785e3, 1485e3, 21600.0), (1000e3, 15e3, 10800.0))):
        near(f"corner {a} {b}", [row["forecast"], row["persistence"]], [1010 + linear(a, b, s), 1010 + linear(a, b, 0)], 1e-3)


if __name__ == "__main__":
    {"make": make, "formulas": formulas, "value": value, "score": score, "exact": exact}[sys.argv[1]](*sys.argv[2:])
