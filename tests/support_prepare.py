#!/usr/bin/env python3
"""Made-up sources of tests/prepare.sh, and what must be in the files that tools/sferic-prepare makes of them.

usage: support_prepare.py make                      all sources, in this folder
       support_prepare.py faults                    sources with a fault each
       support_prepare.py look DIRECTORY            the files there against the exact air
       support_prepare.py formulas                  vapour, and maps of the Earth against their own definition
       support_prepare.py above DIRECTORY           driver.nc there above its source's top
       support_prepare.py moist DIRECTORY           driver.nc of a source without vapour above 400 hPa
       support_prepare.py same A B                  two driver.nc have the same air
       support_prepare.py low DIRECTORY             a low over the Carolinas in driver.nc

The air is exact: temperature falls by 6.5 K/km from 288 K at sea level everywhere, so that p = p0 (T / 288 K)^(g / (R gamma)), with
ln p0 of the place as below; the wind is geostrophic in it at every point.
SPDX-License-Identifier: MIT
"""
import sys
from datetime import datetime, timedelta

import netCDF4
import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/tools")
from sferic_prepare.projection import Projection  # noqa: E402

R, G, OMEGA, A, GAMMA, T0 = 287.0, 9.80665, 7.292115e-5, 6371229.0, 6.5e-3, 288.0
ZONAL, WAVE = 0.09, 0.06  # of ln p0: from the equator to a pole; a wave around the Earth
LEVELS = np.array([1000, 975, 950, 925, 900, 850, 800, 750, 700, 600, 500, 400, 300, 250, 200, 150, 100]) * 100.0
KELVIN, PASCAL, WIND = 0.01, 15, 0.02  # how far driver.nc may be off
START = datetime(2020, 2, 28, 18)


def log_p0(lat, lon, n=0):
    """At sea level; the air of time n is 3 hPa heavier than that of time 0."""
    s, c = np.sin(np.radians(lat)), np.cos(np.radians(lat))
    return np.log(101500 + 300 * n) - ZONAL * s * s + WAVE * s * s * c * np.sin(np.radians(lon))


def temperature_of(p, lat, lon, n):
    return T0 * np.exp((np.log(p) - log_p0(lat, lon, n)) * R * GAMMA / G)


def height_of(t):
    return (T0 - t) / GAMMA


def wind_of(t, lat, lon):
    """Eastward and northward."""
    s, c = np.sin(np.radians(lat)), np.cos(np.radians(lat))
    scale = R * t / (2 * OMEGA * A)
    u = scale * (2 * ZONAL * c - WAVE * (2 * c * c - s * s) * np.sin(np.radians(lon)))
    return u, scale * WAVE * s * np.cos(np.radians(lon))


def vapour_of(z, lat):
    """Specific humidity; far from saturation."""
    return 0.004 * np.exp(-z / 2500) * np.cos(np.radians(lat)) + 0 * z


def terrain_of(lat, lon):
    return 300 * np.cos(np.radians(lat - 45) * 6) ** 2 * (1 + 0.5 * np.sin(np.radians(3 * lon)))


def bolton(t):
    return 611.2 * np.exp(17.67 * (t - 273.15) / (t - 273.15 + 243.5))


def air_of(lat, lon, n):
    """Of (level, y, x)."""
    p = LEVELS[:, None, None]
    t = temperature_of(p, lat, lon, n)
    z = height_of(t)
    return {"p": p + 0 * t, "t": t, "z": z, "q": vapour_of(z, lat), **dict(zip("uv", wind_of(t, lat, lon)))}


def ground_of(lat, lon, n):
    h = terrain_of(lat, lon)
    p0 = np.exp(log_p0(lat, lon, n))
    return {"h": h, "ps": p0 * ((T0 - GAMMA * h) / T0) ** (G / (R * GAMMA)), "msl": p0, "skin": T0 - GAMMA * h, "land": (h > 100).astype(float)}


def file_make(path, fields, axes):
    """fields {name: (dimensions, values, attributes)}; axes the same, of coordinates."""
    with netCDF4.Dataset(path, "w") as ds:
        for name, (dims, values, attributes) in {**axes, **fields}.items():
            values = np.asarray(values)
            for d, size in zip(dims, values.shape):
                if d not in ds.dimensions:
                    ds.createDimension(d, size)
            attributes = dict(attributes)
            v = ds.createVariable(name, "f8" if name in axes else "f4", dims, fill_value=attributes.pop("_FillValue", None))
            v.setncatts(attributes)
            if values.size:
                v[...] = values


# ---- dialects --------------------------------------------------------------------------------------------------------

def era5(lat=np.arange(66, 20, -1.5), lon=np.arange(0, 360, 1.5), times=(0, 1), levels=slice(None)):
    """The store of ERA5: fields and coordinates of levels, and those of single levels."""
    LON, LAT = np.meshgrid(lon, lat)
    airs, grounds = ([f(LAT, LON, n) for n in times] for f in (air_of, ground_of))
    axes = {"valid_time": (("valid_time",), [6 * n for n in times], {"units": f"hours since {START}", "standard_name": "time", "calendar": "proleptic_gregorian"}),
            "latitude": (("latitude",), lat, {"units": "degrees_north"}), "longitude": (("longitude",), lon, {"units": "degrees_east"})}
    up = {"pressure_level": (("pressure_level",), LEVELS[levels] / 100, {"units": "hPa", "positive": "down", "stored_direction": "decreasing"})}
    stack = lambda all_of, name: np.stack([a[name] for a in all_of])
    dims, flat = ("valid_time", "pressure_level", "latitude", "longitude"), ("valid_time", "latitude", "longitude")
    fields = {n: (dims, stack(airs, n)[:, levels] * f, {"units": unit, "standard_name": s})
              for n, f, unit, s in (("z", G, "m**2 s**-2", "geopotential"), ("t", 1, "K", "air_temperature"), ("u", 1, "m s**-1", "eastward_wind"),
                                    ("v", 1, "m s**-1", "northward_wind"), ("q", 1, "kg kg**-1", "specific_humidity"))}
    single = {n: (flat, stack(grounds, m) * f, {"units": unit}) for n, m, f, unit in (
        ("z", "h", G, "m**2 s**-2"), ("sp", "ps", 1, "Pa"), ("msl", "msl", 1, "Pa"), ("skt", "skin", 1, "K"), ("lsm", "land", 1, "(0 - 1)"))}
    return fields, {**axes, **up}, single, axes


def lambert():
    """A grid of 73 x 61 points 90 km apart: its map, places of points, latitudes and longitudes."""
    p = Projection("lambert", A, (30.0, 55.0), 10.0, 45.0)
    x, y = -3240e3 + 90e3 * np.arange(73), -2700e3 + 90e3 * np.arange(61)
    return p, x, y, *p.inverse(*np.meshgrid(x, y))


def along(u, v, lon, p=None, back=False):
    """Winds along the axes of a map, whose x axis turns from east by -n (lon - lon0)."""
    angle = -np.sin(cone_angle()) * np.radians(lon - 10.0)
    return u * np.cos(angle) + v * np.sin(angle), v * np.cos(angle) - u * np.sin(angle)


def cone_angle():
    """Latitude whose sine is the constant of the cone of lambert(), by the formula of Snyder, radians."""
    a, b = np.radians((30.0, 55.0))
    t = lambda phi: np.tan(np.pi / 4 + phi / 2)
    return np.arcsin(np.log(np.cos(a) / np.cos(b)) / np.log(t(b) / t(a)))


def thredds():
    """A THREDDS server: isobaric in Pa from the top down, x and y in km on Lambert's map, winds along them."""
    p, x, y, lat, lon = lambert()
    a, g = air_of(lat, lon, 0), ground_of(lat, lon, 0)
    u, v = along(a["u"], a["v"], lon)
    rh = a["q"] * a["p"] / (R / 461.5 + a["q"] * (1 - R / 461.5)) / bolton(a["t"])
    mapping = {"grid_mapping_name": "lambert_conformal_conic", "standard_parallel": [30.0, 55.0], "longitude_of_central_meridian": 10.0,
               "latitude_of_projection_origin": 45.0, "earth_radius": A}
    axes = {"time": (("time",), [0], {"units": f"Hour since {START:%Y-%m-%dT%H:%M:%SZ}", "standard_name": "time"}),
            "isobaric1": (("isobaric1",), LEVELS[::-1], {"units": "Pa"}),
            "y": (("y",), y / 1000, {"units": "km", "standard_name": "projection_y_coordinate"}), "x": (("x",), x / 1000, {"units": "km", "standard_name": "projection_x_coordinate"}),
            "LambertConformal_Projection": ((), 0, mapping)}
    dims, flat, on = ("time", "isobaric1", "y", "x"), ("time", "y", "x"), {"grid_mapping": "LambertConformal_Projection"}
    fields = {n: (dims, q[None, ::-1], {"units": unit, **on}) for n, q, unit in (
        ("Geopotential_height_isobaric", a["z"], "gpm"), ("Temperature_isobaric", a["t"], "K"), ("u-component_of_wind_isobaric", u, "m/s"),
        ("v-component_of_wind_isobaric", v, "m/s"), ("Relative_humidity_isobaric", 100 * rh, "%"))}
    fields.update({n: (flat, g[m][None], {"units": unit, **on}) for n, m, unit in (
        ("Geopotential_height_surface", "h", "gpm"), ("Pressure_surface", "ps", "Pa"), ("Temperature_surface", "skin", "K"))})
    return fields, axes


def grib(path, n):
    """GRIB2 on Lambert's map as NCEP has it: u and v are two fields of one message, and along the grid; relative humidity."""
    import eccodes as ec
    p, x, y, lat, lon = lambert()
    a, g = air_of(lat, lon, n), ground_of(lat, lon, n)
    u, v = along(a["u"], a["v"], lon)
    rh = 100 * a["q"] * a["p"] / (R / 461.5 + a["q"] * (1 - R / 461.5)) / bolton(a["t"])
    time = START + timedelta(hours=6 * n)
    base = ec.codes_grib_new_from_samples("GRIB2")
    for key, value in {"tablesVersion": 4, "gridDefinitionTemplateNumber": 30, "shapeOfTheEarth": 6, "Nx": x.size, "Ny": y.size, "latitudeOfFirstGridPoint": round(lat[0, 0] * 1e6),
                       "longitudeOfFirstGridPoint": round(lon[0, 0] % 360 * 1e6), "resolutionAndComponentFlags": 56, "LaD": 45000000, "LoV": 10000000, "Dx": 90000000, "Dy": 90000000,
                       "projectionCentreFlag": 0, "scanningMode": 64, "Latin1": 30000000, "Latin2": 55000000, "dataDate": int(f"{time:%Y%m%d}"), "dataTime": time.hour * 100,
                       "bitsPerValue": 20}.items():
        ec.codes_set(base, key, value)

    def message(number, surface, level, values):
        h = ec.codes_clone(base)
        for key, value in zip(("discipline", "parameterCategory", "parameterNumber"), number):
            ec.codes_set(h, key, value)
        for key, value in (("typeOfFirstFixedSurface", surface), ("scaleFactorOfFirstFixedSurface", 0), ("scaledValueOfFirstFixedSurface", int(level))):
            ec.codes_set(h, key, value)
        ec.codes_set_values(h, values.ravel())
        return h

    with open(path, "wb") as f:
        for k, level in enumerate(LEVELS):
            for number, values in (((0, 3, 5), a["z"]), ((0, 0, 0), a["t"]), ((0, 1, 1), rh)):
                ec.codes_write(message(number, 100, level, values[k]), f)
            both = ec.codes_grib_multi_new()
            ec.codes_grib_multi_append(message((0, 2, 2), 100, level, u[k]), 0, both)
            ec.codes_grib_multi_append(message((0, 2, 3), 100, level, v[k]), 4, both)
            ec.codes_grib_multi_write(both, f)
        for number, surface, values in (((0, 3, 5), 1, g["h"]), ((0, 3, 0), 1, g["ps"]), ((0, 3, 1), 101, g["msl"]), ((0, 0, 0), 1, g["skin"]), ((2, 0, 0), 1, g["land"])):
            if n == 0 or values is not g["h"] and values is not g["land"]:  # what stays is told once
                ec.codes_write(message(number, surface, 0, values), f)


def wrf(path, is_output):
    """wrfout: levels that follow the terrain, winds on faces, geopotential on levels between; or met_em: the ground's level first, then
    those of pressure."""
    p, x, y, lat, lon = lambert()
    xf, yf = np.append(x - 45e3, x[-1] + 45e3), np.append(y - 45e3, y[-1] + 45e3)
    at_u, at_v = p.inverse(*np.meshgrid(xf, y)), p.inverse(*np.meshgrid(x, yf))
    g, eta = ground_of(lat, lon, 0), np.linspace(0, 1, 31) ** 1.5

    def levels(at, half):
        """Heights of (level, y, x) over places."""
        h = terrain_of(*at)
        z = h + eta[:, None, None] * (17000 - h)
        return (z[1:] + z[:-1]) / 2 if half else z

    if is_output:
        zc, zu, zv = levels((lat, lon), True), levels(at_u, True), levels(at_v, True)
    else:
        first = lambda at: np.concatenate([terrain_of(*at)[None], height_of(temperature_of(LEVELS[:, None, None], *at, 0))])
        zc, zu, zv = first((lat, lon)), first(at_u), first(at_v)
    t = T0 - GAMMA * zc
    pressure = np.exp(log_p0(lat, lon)) * (t / T0) ** (G / (R * GAMMA))
    u = along(*wind_of(T0 - GAMMA * zu, *at_u), at_u[1])[0]
    v = along(*wind_of(T0 - GAMMA * zv, *at_v), at_v[1])[1]
    q = vapour_of(zc, lat)
    rh = 100 * q * pressure / (R / 461.5 + q * (1 - R / 461.5)) / bolton(t)
    up, c = ("bottom_top",) if is_output else ("num_metgrid_levels",), ("south_north", "west_east")
    fu, fv = ("south_north", "west_east_stag"), ("south_north_stag", "west_east")
    if is_output:
        pb = np.full_like(pressure, 5e4)
        fields = {"PH": (("bottom_top_stag",) + c, 0.3 * G * levels((lat, lon), False)), "PHB": (("bottom_top_stag",) + c, 0.7 * G * levels((lat, lon), False)),
                  "P": (up + c, pressure - pb), "PB": (up + c, pb), "T": (up + c, t * (1e5 / pressure) ** (2 / 7) - 300), "QVAPOR": (up + c, q / (1 - q)),
                  "U": (up + fu, u), "V": (up + fv, v), "HGT": (c, g["h"]), "LANDMASK": (c, g["land"]), "TSK": (c, g["skin"]), "PSFC": (c, g["ps"]), "XLAT": (c, lat), "XLONG": (c, lon)}
    else:
        fields = {"GHT": (up + c, zc), "PRES": (up + c, pressure), "TT": (up + c, t), "RH": (up + c, rh), "UU": (up + fu, u), "VV": (up + fv, v), "SOILHGT": (c, g["h"]),
                  "LANDMASK": (c, g["land"]), "SKINTEMP": (c, g["skin"]), "PSFC": (c, g["ps"]), "PMSL": (c, g["msl"]), "XLAT_M": (c, lat), "XLONG_M": (c, lon)}
    with netCDF4.Dataset(path, "w") as ds:
        ds.setncatts({"MAP_PROJ": np.int32(1), "TRUELAT1": 30.0, "TRUELAT2": 55.0, "STAND_LON": 10.0, "DX": 90000.0 * 6370000 / A, "DY": 90000.0 * 6370000 / A})
        ds.createDimension("Time", 1)
        ds.createDimension("DateStrLen", 19)
        ds.createVariable("Times", "S1", ("Time", "DateStrLen"))[0] = netCDF4.stringtochar(np.array([f"{START:%Y-%m-%d_%H:%M:%S}"], "S19"))[0]
        for name, (dims, values) in fields.items():
            for d, size in zip(dims, values.shape):
                if d not in ds.dimensions:
                    ds.createDimension(d, size)
            ds.createVariable(name, "f4", ("Time",) + dims)[0] = values


def relief():
    """Heights every quarter of a degree, south to north and from -180 on, as relief of land and sea has them."""
    lat, lon = np.arange(-89.875, 90, 0.25), np.arange(-179.875, 180, 0.25)
    LON, LAT = np.meshgrid(lon, lat)
    axes = {"lat": (("lat",), lat, {"units": "degrees_north"}), "lon": (("lon",), lon, {"units": "degrees_east"})}
    return {"z": (("lat", "lon"), terrain_of(LAT, LON) + 20, {"units": "m"})}, axes


def make():
    fields, axes, single, single_axes = era5()
    file_make("era5.nc", fields, axes)
    file_make("era5_single.nc", single, single_axes)
    # From -180 on, latitudes from the south on, levels from the top on.
    lat, lon = np.arange(-90, 91, 2.0), np.arange(-180, 180, 2.0)
    fields, axes, single, _ = era5(lat, lon, (0,), slice(None, None, -1))
    file_make("round.nc", {**fields, "orog": (single["z"][0], single["z"][1] / G, {"units": "m"})}, axes)
    file_make("thredds.nc", *thredds())
    for n in (0, 1):
        grib(f"lambert_{n}.grib2", n)
    wrf("wrfout.nc", True)
    wrf("met_em.nc", False)
    file_make("relief.nc", *relief())


# ---- faults ----------------------------------------------------------------------------------------------------------

def faults():
    def changed(name, change, **how):
        fields, axes, single, _ = era5(np.arange(60, 30, -3.0), np.arange(-10, 32, 3.0), **{"times": (0,), **how})
        fields["orog"] = single["z"][0], single["z"][1] / G, {"units": "m"}
        change(fields, axes)
        file_make(f"bad_{name}.nc", fields, axes)

    def at(name, value, k=3):
        def change(fields, axes):
            fields[name][1][-1, k, 5, 6] = value
        return change

    def units(name, text):
        def change(fields, axes):
            fields[name][2].pop("units")
            if text:
                fields[name][2]["units"] = text
        return change

    def axis(name, values, dims=None):
        def change(fields, axes):
            axes[name] = dims or axes[name][0], values(axes[name][1]), axes[name][2]
        return change

    def swap(fields, axes):
        order = [0, 2, 1] + list(range(3, LEVELS.size))
        for name in "ztuvq":
            fields[name] = fields[name][0], fields[name][1][:, order], fields[name][2]
        axes["pressure_level"] = axes["pressure_level"][0], axes["pressure_level"][1][order], axes["pressure_level"][2]

    def thick(fields, axes):
        fields["z"][1][0, 6:] += 40 * G

    def members(fields, axes):
        for name in "ztuvq":
            dims, values, about = fields[name]
            fields[name] = ("number",) + dims, np.stack([values, values]), about

    nothing = lambda fields, axes: None
    changed("good", nothing)
    changed("two_times", nothing, times=(0, 1))
    changed("few_levels", nothing, levels=slice(0, 9))
    changed("unsorted", swap)
    changed("sunk", at("z", 0.0))
    changed("cold", at("t", 140.0))
    changed("hot", at("t", 350.0))
    changed("wet", at("q", 0.05))
    changed("negative", at("q", -0.001))
    changed("fast", at("u", -160.0))
    changed("masked", at("v", np.nan))
    def raised(fields, axes):
        fields["orog"][1][...] = 600

    def buried(fields, axes):
        """What a centre made up below its ground."""
        raised(fields, axes)
        fields["t"][1][:, 0] += 30
        fields["u"][1][:, 0] -= 50
        fields["q"][1][:, 0] += 0.02

    def sea(fields, axes):
        """Temperature of the sea alone, masked on land, and of the air."""
        h = fields["orog"][1]
        flat, kelvin = fields["orog"][0], {"units": "K"}
        fields["sst"] = flat, np.where(h > 100, np.nan, T0 - GAMMA * h), kelvin
        fields["t2m"] = flat, T0 - GAMMA * h, kelvin
        fields["lsm"] = flat, (h > 100).astype(float), {"units": "1"}

    def moist_below(fields, axes):
        """Humidity on the lower levels alone."""
        dims, values, about = fields["q"]
        axes["level_q"] = ("level_q",), axes["pressure_level"][1][:12], axes["pressure_level"][2]
        fields["q"] = (dims[0], "level_q") + dims[2:], values[:, :12], about

    def heavy(fields, axes):
        lat, lon = np.meshgrid(axes["latitude"][1], axes["longitude"][1], indexing="ij")
        fields["msl"] = fields["orog"][0], np.exp(log_p0(lat, lon))[None] + 500, {"units": "Pa"}

    changed("sea", sea)
    changed("moist_below", moist_below)
    changed("heavy", heavy)
    changed("raised", raised)
    changed("buried", buried)
    changed("masked_ground", lambda fields, axes: fields["orog"][1].__setitem__((0, 5, 6), np.nan))
    changed("no_units", units("t", None))
    changed("other_units", units("t", "F"))
    changed("times_back", axis("valid_time", lambda t: [6, 0]), times=(0, 1))
    changed("thick", thick)
    changed("members", members)
    changed("no_wind", lambda fields, axes: fields.pop("v"))
    changed("dry", lambda fields, axes: fields.pop("q"))
    changed("no_terrain", lambda fields, axes: fields.pop("orog"))
    fields, axes = relief()
    for name, high in (("high", 1700.0), ("raised", 700.0)):
        file_make(f"{name}.nc", {"z": (fields["z"][0], fields["z"][1] + high, {"units": "m"})}, axes)


# ---- what must be there ----------------------------------------------------------------------------------------------

def axis_turn(lat, lon):
    """Of x from east, radians, by where neighbours lie: within the outermost columns."""
    phi, lam = np.radians(lat), np.radians(lon)
    at = np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    along_x = (at[:, :, 2:] - at[:, :, :-2])[:, 1:-1]
    p, q = phi[1:-1, 1:-1], lam[1:-1, 1:-1]
    east = np.stack([-np.sin(q), np.cos(q), 0 * q])
    north = np.stack([-np.sin(p) * np.cos(q), -np.sin(p) * np.sin(q), np.cos(p)])
    return np.arctan2((along_x * north).sum(0), (along_x * east).sum(0))


def near(what, found, wanted, most):
    off = float(np.abs(found - wanted).max())
    if not off <= most:
        sys.exit(f"{what} is up to {off:.4g} off; {most:g} is allowed")


def geostrophic(ds, n, k):
    """Wind along the grid from the driver's own pressure."""
    p, t = ds["pressure"][n, k].astype(float), ds["temperature"][n, k]
    py, px = np.gradient(np.log(p), ds.dy, ds.dx)
    along_x = ds["map_factor"][:]
    along_y = 1 if ds["crs"].grid_mapping_name == "latitude_longitude" else along_x
    scale = R * t / (2 * OMEGA * np.sin(np.radians(ds["latitude"][:])))
    return -scale * along_y * py, scale * along_x * px


def look(folder):
    with netCDF4.Dataset(folder + "/driver.nc") as ds:
        ds.set_auto_mask(False)
        lat, lon, z, inner = ds["latitude"][:], ds["longitude"][:], ds["z"][:], np.s_[1:-1, 1:-1]
        turn = axis_turn(lat, lon)
        assert ds.sferic_driver == 1 and ds.Conventions == "CF-1.11" and len(ds.source_sha256) >= 64
        assert np.all(np.diff(z) > 0) and z[0] <= 0 and z[-1] >= ds.source_top
        times = netCDF4.num2date(ds["time"][:], ds["time"].units)
        assert ds["time"][0] == 0 and f"{times[0]}" == f"{START}", times[0]
        for n, seconds in enumerate(ds["time"][:]):
            for k in np.flatnonzero(z <= min(ds.source_top, 15000)):
                t = T0 - GAMMA * z[k]
                p = np.exp(log_p0(lat, lon, seconds / 21600)) * (t / T0) ** (G / (R * GAMMA))
                u, v = wind_of(t, lat[inner], lon[inner])
                # Near the ground the source may have no air of its own, and its wind goes on downward.
                there = z[k] >= terrain_of(lat, lon) + 700
                near(f"temperature at {z[k]} m", ds["temperature"][n, k], t, KELVIN)
                near(f"pressure at {z[k]} m", ds["pressure"][n, k], p, PASCAL)
                mine = there[inner]
                if not mine.any():
                    continue
                near(f"u at {z[k]} m", ds["u"][n, k][inner][mine], (u * np.cos(turn) + v * np.sin(turn))[mine], WIND)
                near(f"v at {z[k]} m", ds["v"][n, k][inner][mine], (v * np.cos(turn) - u * np.sin(turn))[mine], WIND)
                q, e = vapour_of(z[k], lat), bolton(t)
                ratio = np.minimum(q / (1 - q), R / 461.5 * e / (p - e))[there]
                # It falls by half in 1700 m, on straight lines between levels.
                near(f"qv at {z[k]} m", ds["qv"][n, k][there] / ratio, 1, 0.12)
                if 3000 <= z[k] <= 9000:
                    for name, made in zip("uv", geostrophic(ds, n, k)):
                        near(f"geostrophic {name} at {z[k]} m", ds[name][n, k][inner], made[inner], 0.05)
        near("terrain", ds["source_terrain_height"][:], terrain_of(lat, lon), 12)
        if "air_pressure_at_mean_sea_level" in ds.variables:
            near("pressure at sea level", ds["air_pressure_at_mean_sea_level"][0], np.exp(log_p0(lat, lon)), 40)
    maps_look(folder, lat, lon)


def maps_look(folder, lat, lon):
    with netCDF4.Dataset(folder + "/terrain.nc") as t, netCDF4.Dataset(folder + "/surface.nc") as s:
        h, is_fine = t["terrain_height"][:], "relief" in t.source
        if is_fine:
            near("fine terrain", h[9:-9, 9:-9], terrain_of(lat, lon)[9:-9, 9:-9] + 20, 1.2)
            near("terrain at the sides", h[[0, -1]], terrain_of(lat, lon)[[0, -1]], 4)
        else:
            near("terrain", h, terrain_of(lat, lon), 12)
        near("temperature of the ground", s["surface_temperature"][:], T0 - GAMMA * terrain_of(lat, lon), 1.2)
        sea = s["roughness"][:] == 0
        assert np.all(s["wetness"][:][sea] == 1) and np.all(s["wetness"][:][~sea] < 1)
        if not any(name in t.source for name in ("relief", "thredds", "round")):  # what is higher than 100 m is land
            near("share of land", s["land_fraction"][:].mean(), (terrain_of(lat, lon) > 100).mean(), 0.03)


def above(folder):
    """Temperature and wind stay, pressure is that of such air."""
    with netCDF4.Dataset(folder + "/driver.nc") as ds:
        z = ds["z"][:]
        k = np.flatnonzero(z > ds.source_top + 500)
        if k.size < 2:
            sys.exit("no heights above the source's top")
        t, q = ds["temperature"][0, k[0]].astype(float), ds["qv"][0, k[0]].astype(float)
        for name in "temperature", "u", "v":
            near(f"{name} above the top", ds[name][0, k[-1]], ds[name][0, k[0]], 1e-3)
        fall = np.log(ds["pressure"][0, k[0]].astype(float) / ds["pressure"][0, k[-1]]) / (z[k[-1]] - z[k[0]])
        near("fall of pressure above the top", fall * R * t * (1 + q * 461.5 / R) / (1 + q) / G, 1, 1e-4)


def moist(folder):
    """Air has vapour up to the top."""
    with netCDF4.Dataset(folder + "/driver.nc") as ds:
        q = ds["qv"][0]
        assert q.min() > 0, "no vapour"
        k = int(np.argmin(abs(ds["z"][:] - 8500)))
        near("vapour above the highest level with some", q[k], q[k - 1], 1e-9)


def same(a, b):
    with netCDF4.Dataset(a) as one, netCDF4.Dataset(b) as other:
        for name in "temperature", "pressure", "u", "v", "qv":
            near(name, one[name][:], other[name][:], 1e-6)


def formulas():
    """Vapour at 20 degrees and 1000 hPa (2337 Pa: CRC Handbook); a map's factor is how far it takes places apart, its turn where east is."""
    from sferic_prepare import moisture
    near("saturation", moisture.ratio_saturated(293.15, 1e5), 0.622 * 2337 / (1e5 - 2337), 3e-5)
    near("vapour of half as much", moisture.ratio_of_humidity(0.5, 293.15, 1e5), 0.622 * 1168.5 / (1e5 - 1168.5), 2e-5)
    near("mixing ratio", moisture.ratio_of_specific(0.02), 0.02 / 0.98, 1e-12)
    near("virtual temperature", moisture.virtual(300.0, 0.02), 300 * (1 + 0.02 / 0.6219) / 1.02, 1e-3)
    for kind, parallels, lat, lon in (("lambert", (30.0, 60.0), 40.0, 37.0), ("lambert", (45.0, 45.0), 40.0, -179.0), ("lambert", (-20.0, -50.0), -35.0, 50.0),
                                      ("polar_stereographic", (60.0, 60.0), 75.0, 150.0), ("polar_stereographic", (-70.0, -70.0), -80.0, -60.0),
                                      ("mercator", (15.0, 15.0), -20.0, -170.0), ("latitude_longitude", (40.0, 40.0), -30.0, 150.0)):
        p, step = Projection(kind, A, parallels, 10.0, 40.0), 1e-4
        (x, y), (xe, ye), (xn, yn) = (p.forward(lat + b, lon + a) for a, b in ((0, 0), (step, 0), (0, step)))
        east, north = A * np.radians(step) * np.cos(np.radians(lat)), A * np.radians(step)
        near(f"{kind} east", np.hypot(xe - x, ye - y) / east, p.factor(lat), 1e-5)
        near(f"{kind} north", np.hypot(xn - x, yn - y) / north, 1 if kind == "latitude_longitude" else p.factor(lat), 1e-5)
        near(f"{kind} turn", np.arctan2(-(ye - y), xe - x), p.turn(lon), 1e-5)
        near(f"{kind} back", np.array(p.inverse(x, y)), np.array([lat, lon]), 1e-9)
        near(f"{kind} scale", p.factor(parallels[0]), 1, 1e-12)


def low(folder):
    """What is left of Florence: 1007.4 hPa at 34.5 N 81.9 W, as the analysis has it."""
    with netCDF4.Dataset(folder + "/driver.nc") as ds:
        lat, lon = ds["latitude"][:], ds["longitude"][:]
        p = np.where((abs(lat - 35) < 4) & (abs(lon + 81) < 4), ds["pressure"][0, int(np.argmin(abs(ds["z"][:])))], 2e5)
        j, i = np.unravel_index(np.argmin(p), p.shape)
        away = np.hypot(lat[j, i] - 34.5, (lon[j, i] + 81.9) * np.cos(np.radians(34.5)))
        if away > 0.8 or abs(p[j, i] - 100740) > 150:
            sys.exit(f"the low has {p[j, i] / 100:.1f} hPa at {lat[j, i]:.1f} N {lon[j, i]:.1f} E")
        for k in np.flatnonzero((ds["z"][:] >= 4000) & (ds["z"][:] <= 9000)):
            for name, made in zip("uv", geostrophic(ds, 0, k)):
                c = np.corrcoef(made[3:-3, 3:-3].ravel(), ds[name][0, k][3:-3, 3:-3].ravel())[0, 1]
                if c < 0.85:
                    sys.exit(f"{name} and the geostrophic wind at {ds['z'][k]} m: correlation {c:.3f}")


if __name__ == "__main__":
    {"make": make, "faults": faults, "look": look, "formulas": formulas, "above": above, "moist": moist, "same": same, "low": low}[sys.argv[1]](*sys.argv[2:])
