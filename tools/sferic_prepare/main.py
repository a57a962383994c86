"""The work of sferic-prepare. SPDX-License-Identifier: MIT"""
import os

import numpy as np

from sferic_plot.words import INPUT, IO, Fail, outcome

from . import checks
from .columns import CEILING, columns_make, heights_make
from .driver import Driver, Sounding, Written
from .namelist import Case
from .source import Source
from .terrain import LAND, finer_read, ground_make, terrain_blend

TIMED = {"surface_air_pressure": "surface_pressure", "air_pressure_at_mean_sea_level": "mean_sea_level_pressure"}  # as the source has them


class Work:
    """A case on Earth, and the source around it. terrain: its ground, m; coarse: the source's under it, or None; land: share."""

    def __init__(self, options):
        self.o, self.case = options, Case(options.case)
        self.latitude, self.longitude = self.case.places()
        self.source = Source(options.sources, self.latitude, self.longitude)
        self.window = self.source.window
        self.turn = self.case.projection.turn(self.longitude)
        self.source_turn = self.source.grid.turn(self.latitude, self.longitude)
        checks.times_check(self.case, self.source.times)
        self.first = self.air(self.source.times[0])
        self.ground_find()
        self.heights_find()

    def air(self, time):
        """Of the source, in the window, looked at."""
        air = self.source.air(time)
        checks.air_check(air, self.source.path_of(time))
        return air

    def columns(self, air):
        return columns_make(air, self.window, self.turn, self.source_turn)

    def ground_find(self):
        given = self.first.ground
        self.coarse = self.window.linear(given["terrain"]) if "terrain" in given else None
        fine, land = finer_read(self.o.terrain, self.case, self.latitude, self.longitude) if self.o.terrain else (None, None)
        if fine is None and self.coarse is None:
            raise Fail(INPUT, f"{self.o.sources[0]}: the source has no terrain: give --terrain")
        if fine is not None and self.coarse is not None:
            checks.mismatch_check(fine, self.coarse, self.o.terrain)
            self.terrain = terrain_blend(fine, self.coarse, self.case.rows if self.o.rows is None else self.o.rows)
        else:
            self.terrain = self.coarse if fine is None else fine
        if "land" in given:
            land = np.clip(self.window.linear(given["land"]), 0, 1)
        elif land is None:
            checks.warn("the source does not say what is land, and there is no --terrain: what is higher than a metre is taken for land")
            land = (self.terrain > 1).astype(float)
        self.land = land

    def heights_find(self):
        self.top = float(min(self.window.cubic(self.first.height[-1]).min(), self.first.height[-1].min()))
        if self.top < self.case.lid:
            checks.warn(f"the lid at {self.case.lid / 1000:.1f} km is above the source's top at {self.top / 1000:.1f} km: in between temperature and wind stay as they are there")
        ground = self.terrain if self.coarse is None else np.minimum(self.terrain, self.coarse)
        self.z = heights_make(ground.min(), max(self.case.lid, min(self.top, CEILING)))

    def maps(self, air):
        """{name: (y, x)} of what the source says of its ground at a time."""
        found = {name: self.window.linear(air.ground[q]) for name, q in TIMED.items() if q in air.ground}
        skin = self.skin(air.ground)
        if skin is not None:
            found["surface_temperature"] = self.window.linear(skin)
        return found

    @staticmethod
    def skin(ground):
        """Temperature of the ground, K: of the sea where there is that alone, of the air above it elsewhere. None: nothing tells it."""
        if "surface_temperature" in ground:
            return ground["surface_temperature"]
        sea, air = (ground.get(q) for q in ("sea_surface_temperature", "air_temperature_2m"))
        if sea is None or air is None:
            return air
        return np.where(np.isnan(sea), air, sea)

    def files_read(self):
        return [*self.o.sources, *([self.o.terrain] if self.o.terrain else [])]

    def path(self, name):
        return os.path.join(self.o.output, name + ".nc")


def static_write(work, files):
    """terrain.nc and surface.nc."""
    roughness, wetness = ground_make(work.land)
    maps = work.maps(work.first)
    skin = maps.get("surface_temperature")
    if skin is None:
        checks.warn("the source has no temperature of the ground: that of its air there is taken")
        skin = work.columns(work.first).at(work.terrain)[0]
    places = {"latitude": work.latitude, "longitude": work.longitude}
    for name, fields in (("terrain", {"terrain_height": work.terrain}),
                         ("surface", {"surface_temperature": skin, "roughness": roughness, "wetness": wetness, "land_fraction": work.land})):
        files.append(Written(work.path(name), work.case, f"The {name} of {work.case.name}", work.files_read()))
        for key, values in {**fields, **places}.items():
            files[-1].map(key, values)
    return skin


def driver_open(work, files):
    driver = Driver(work.path("driver"), work.case, work.files_read(), work.source.times, work.z, work.maps(work.first), work.top)
    files.append(driver)
    fixed = {"terrain_height": work.terrain, "source_terrain_height": work.coarse, "land_fraction": work.land,
             "latitude": work.latitude, "longitude": work.longitude, "map_factor": work.case.projection.factor(work.latitude)}
    for name, values in fixed.items():
        if values is not None:
            driver.map(name, values)
    return driver


def time_write(work, driver, n, air, sounding):
    columns, maps = work.columns(air), work.maps(air)
    for k, z in enumerate(work.z):
        t, log_p, u, v, qv = columns.at(z)
        for name, values in (("u", u), ("v", v), ("temperature", t), ("pressure", np.exp(log_p)), ("qv", qv)):
            driver.air[name][n, k] = values
        if n == 0:
            sounding.add(z, t, np.exp(log_p), qv, u, v)
        if z == 0 and "air_pressure_at_mean_sea_level" in maps:
            checks.sea_level_check(np.exp(log_p), maps["air_pressure_at_mean_sea_level"], work.terrain, air.time)
    for name, variable in driver.maps.items():
        if name not in maps:
            raise Fail(INPUT, f"{work.source.path_of(air.time)}: no {name} at {air.time}, which the first time has")
        variable[n] = maps[name]


def files_write(work, files):
    """What is opened is added to files: none of them gets its name before all are complete."""
    skin, times = static_write(work, files), work.source.times
    driver, sounding = driver_open(work, files), Sounding(os.path.join(work.o.output, "sounding.txt"))
    for n, time in enumerate(times):
        time_write(work, driver, n, work.air(time) if n else work.first, sounding)
    for f in files:
        f.close()
    sounding.write()
    when = f"{times[0]}" if len(times) == 1 else f"{len(times)} times from {times[0]} to {times[-1]}"
    case, off = work.case, "" if work.coarse is None else f", at most {np.abs(work.terrain - work.coarse).max():.0f} m off the source's"
    print(f"{work.path('driver')}: {case.nx} x {case.ny} columns, {len(work.z)} heights from {work.z[0]:g} to {work.z[-1]:g} m, {when}; "
          f"the source has {len(work.source.levels)} levels to {work.top:.0f} m")
    print(f"{work.path('terrain')}: {work.terrain.min():.0f} to {work.terrain.max():.0f} m{off}")
    print(f"{work.path('surface')}: {100 * np.mean(work.land >= LAND):.0f} % land, {skin.min():.1f} to {skin.max():.1f} K")


def prepare(options):
    files = []
    try:
        files_write(Work(options), files)
    except OSError as e:
        raise Fail(IO, f"cannot write into {options.output}: {e.strerror or e}") from e
    finally:
        for f in files:
            f.discard()


def main(options):
    return outcome("sferic-prepare", prepare, options)
