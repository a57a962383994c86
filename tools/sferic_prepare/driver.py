"""The files that are written: netCDF after CF-1.11. SPDX-License-Identifier: MIT"""
import hashlib
import os
import shlex
import sys
from datetime import datetime, timezone

import netCDF4
import numpy as np

from sferic_plot.words import IO, Fail

from .moisture import HEAT, R

AIR = {"u": ("m s-1", "x_wind", "wind along x of the grid"), "v": ("m s-1", "y_wind", "wind along y of the grid"), "temperature": ("K", "air_temperature", "temperature"),
       "pressure": ("Pa", "air_pressure", "pressure"), "qv": ("kg kg-1", "humidity_mixing_ratio", "water vapour by dry air")}
MAPS = {"surface_air_pressure": ("Pa", "surface_air_pressure", "pressure on the source's ground"),
        "air_pressure_at_mean_sea_level": ("Pa", "air_pressure_at_mean_sea_level", "pressure at sea level, as the source has it"),
        "surface_temperature": ("K", "surface_temperature", "temperature of the ground and of the sea"),
        "terrain_height": ("m", "surface_altitude", "height of the ground"), "source_terrain_height": ("m", None, "height of the source's ground"),
        "land_fraction": ("1", "land_area_fraction", "share of land"), "map_factor": ("1", None, "metres of the map by metres of the sphere"),
        "latitude": ("degrees_north", "latitude", "latitude"), "longitude": ("degrees_east", "longitude", "longitude"),
        "roughness": ("m", "surface_roughness_length", "roughness length, 0: sea"), "wetness": ("1", None, "share of open water's evaporation")}
MISSING = netCDF4.default_fillvals["f4"]


def digest_of(path):
    all_of = hashlib.sha256()
    with open(path, "rb") as f:
        for part in iter(lambda: f.read(1 << 20), b""):
            all_of.update(part)
    return all_of.hexdigest()


class Written:
    """A netCDF file on the columns of a case, under another name until it is complete."""

    def __init__(self, path, case, title, sources):
        self.path, self.part, self.case = path, path + ".part", case
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            self.ds = netCDF4.Dataset(self.part, "w")
        except OSError as e:
            raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e
        self.ds.setncatts({"Conventions": "CF-1.11", "title": title, "dx": case.dx, "dy": case.dy,
                           "history": f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ} {shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])}",
                           "source": ", ".join(os.path.basename(s) for s in sources), "source_sha256": ", ".join(digest_of(s) for s in sources)})
        for name, at in (("y", case.y), ("x", case.x)):
            self.axis(name, at, {"units": "m", "axis": name.upper(), "standard_name": f"projection_{name}_coordinate", "long_name": f"{name} of cell centres"})
        self.ds.createVariable("crs", "i4").setncatts(case.projection.attributes())

    def axis(self, name, at, attributes):
        self.ds.createDimension(name, len(at))
        v = self.ds.createVariable(name, "f8", (name,))
        v.setncatts(attributes)
        v[:] = at

    def variable(self, name, about, dims):
        """Of (…, y, x), in single precision but for places."""
        unit, standard, text = about
        kind = "f8" if name in ("latitude", "longitude") else "f4"
        v = self.ds.createVariable(name, kind, dims + ("y", "x"), fill_value=False)
        v.setncatts({k: a for k, a in (("units", unit), ("standard_name", standard), ("long_name", text)) if a})
        if name not in ("latitude", "longitude"):
            v.setncatts({"grid_mapping": "crs", "coordinates": "latitude longitude"})
        return v

    def map(self, name, values):
        self.variable(name, MAPS[name], ())[:] = values

    def close(self):
        try:
            self.ds.close()
            os.replace(self.part, self.path)
        except (OSError, RuntimeError) as e:
            raise Fail(IO, f"cannot write {self.path}: {e}") from e

    def discard(self):
        if self.ds.isopen():
            self.ds.close()
        if os.path.exists(self.part):
            os.remove(self.part)


class Driver(Written):
    """driver.nc: the air of all times at heights above sea level, and maps."""

    def __init__(self, path, case, sources, times, z, maps, source_top):
        super().__init__(path, case, f"The air around {case.name}", sources)
        self.ds.setncatts({"sferic_driver": np.int32(1), "source_top": source_top})
        self.axis("time", [(t - times[0]).total_seconds() for t in times],
                  {"units": f"seconds since {times[0]:%Y-%m-%d %H:%M:%S}", "calendar": "standard", "standard_name": "time", "axis": "T", "long_name": "time"})
        self.axis("z", z, {"units": "m", "axis": "Z", "positive": "up", "standard_name": "altitude", "long_name": "height above sea level"})
        self.air = {name: self.variable(name, about, ("time", "z")) for name, about in AIR.items()}
        self.maps = {name: self.variable(name, MAPS[name], ("time",)) for name in maps}


class Sounding:
    """sounding.txt: the mean of the air over the domain at its first time, as WRF and CM1 have soundings; a base state (&base) that the
    air departs from little."""

    def __init__(self, path):
        self.path, self.lines = path, []

    def add(self, z, t, p, qv, u, v):
        """Of one height, m, the fields of (y, x)."""
        theta = t * (1e5 / p) ** (R / HEAT)
        self.lines.append((z, np.exp(np.mean(np.log(p))), np.mean(theta), 1000 * np.mean(qv), np.mean(u), np.mean(v)))

    def write(self):
        """From sea level up."""
        (_, p, theta, qv, _, _), *above = [line for line in self.lines if line[0] >= 0]
        try:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(f"{p / 100:.4f} {theta:.4f} {qv:.6f}\n")
                f.writelines(f"{z:g} {theta:.4f} {qv:.6f} {u:.4f} {v:.4f}\n" for z, _, theta, qv, u, v in above)
        except OSError as e:
            raise Fail(IO, f"cannot write {self.path}: {e.strerror or e}") from e
