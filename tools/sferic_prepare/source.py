"""The files of one source together. SPDX-License-Identifier: MIT"""
import os

import numpy as np

from sferic_plot.words import INPUT, Fail

from . import netcdf, wrf
from .moisture import ratio_of_humidity, ratio_of_specific
from .names import FIXED, GROUND

LEVELS_LEAST = 10
MOISTURE = "mixing_ratio", "specific_humidity", "relative_humidity"


def reader_of(path):
    if not os.path.isfile(path):
        raise Fail(INPUT, f"{path}: no such file")
    with open(path, "rb") as f:
        is_grib = f.read(4) == b"GRIB"
    if is_grib:
        from . import grib  # ecCodes is there where such a file is
        return grib
    return wrf if wrf.is_wrf(path) else netcdf


class Air:
    """Of one time in the window of a case: pressure (Pa; of levels, or of (level, y, x)), height (m), temperature (K), u, v (m/s) and qv
    (kg/kg, by dry air) of (level, y, x), from the ground up; ground: {name of names.GROUND: (y, x)} of what the source has."""

    def __init__(self, time, pressure, fields, qv, ground):
        self.time, self.pressure, self.qv, self.ground = time, pressure, qv, ground
        self.height, self.temperature, self.u, self.v = (fields[q] for q in ("height", "temperature", "u", "v"))


class Source:
    """Files in the order of their times: grid, window of the case, times, levels (Pa, or a model's numbers), is_of_model."""

    def __init__(self, paths, latitude, longitude):
        self.paths, self.records, self.grid, self.is_of_model = list(paths), [], None, False
        last = None
        for path in self.paths:
            grid, records, is_of_model = reader_of(path).inventory(path)
            if grid is None:
                raise Fail(INPUT, f"{path}: holds nothing that a start needs, such as temperature and wind on levels")
            if self.grid is not None and grid.key() != self.grid.key():
                raise Fail(INPUT, f"{path}: lies on another grid than {self.paths[0]}: give files of one grid")
            self.grid, self.is_of_model = self.grid or grid, self.is_of_model or is_of_model
            last = self.times_check(path, records, last)
            self.records += records
        self.times = sorted({r.time for r in self.records if r.quantity == "temperature" and r.time is not None})
        if not self.times:
            raise Fail(INPUT, f"{self.paths[0]}: no temperature on levels with a time")
        self.found = self.found_make()
        self.levels = self.levels_common()
        self.window = self.grid.window(latitude, longitude)
        if self.window is None:
            raise Fail(INPUT, f"the domain, latitudes {latitude.min():.2f} to {latitude.max():.2f} and longitudes {longitude.min():.2f} to {longitude.max():.2f}, "
                       f"does not lie inside the source, {self.grid.words()}")

    def times_check(self, path, records, last):
        """Times increase from file to file, and within each; a file may add to the times of the one before. Returns its last."""
        times = list(dict.fromkeys(r.time for r in records if r.quantity == "temperature" and r.time is not None))
        for a, b in zip(times, times[1:]):
            if not b > a:
                raise Fail(INPUT, f"{path}: times are not increasing: {b} follows {a}")
        if times and last is not None and not times[0] >= last:
            raise Fail(INPUT, f"{path}: times are not increasing: {times[0]} follows {last}: give the files in the order of their times")
        return times[-1] if times else last

    def found_make(self):
        """{(quantity, time, level): its record}, the one of the lowest rank."""
        found = {}
        for r in self.records:
            key = r.quantity, r.time, r.level
            other = found.get(key)
            if other is not None and other.rank == r.rank:
                level = "" if r.level is None else f" of level {r.level:g}"
                raise Fail(INPUT, f"{r.path}: {r.name}{level} at {r.time} is there twice{'' if other.path == r.path else ', also in ' + other.path}")
            if other is None or r.rank < other.rank:
                found[key] = r
        return found

    def path_of(self, time):
        """The file with the temperatures of a time."""
        return next(r.path for r in self.records if r.quantity == "temperature" and r.time == time)

    def has(self, quantity, time, level=None):
        return (quantity, time, level) in self.found

    def levels_common(self):
        """Those on which all but moisture is there at all times, from the ground up."""
        wanted = ("temperature", "height", "u", "v") + (("pressure",) if self.is_of_model else ())
        every = {q: {r.level for r in self.records if r.quantity == q} for q in wanted}
        for q, levels in every.items():
            if not levels:
                raise Fail(INPUT, f"{self.paths[0]}: the source has no {q} on levels")
        if not any(r.quantity in MOISTURE for r in self.records):
            raise Fail(INPUT, f"{self.paths[0]}: the source has neither specific nor relative humidity on levels")
        levels = [k for k in set.intersection(*every.values()) if all(self.has(q, t, k) for q in wanted for t in self.times)]
        if len(levels) < LEVELS_LEAST:
            lacks = next((f"; {t} lacks some" for t in self.times[1:] if not all(self.has(q, t, k) for q in wanted for k in every["temperature"])), "")
            raise Fail(INPUT, f"{self.paths[0]}: {len(levels)} levels have height, temperature and wind; a start wants {LEVELS_LEAST} at least{lacks}")
        return sorted(levels, reverse=not self.is_of_model)

    def of_ground(self, time):
        """{quantity: record}; what does not change may be there at another time."""
        chosen = {}
        for q in GROUND:
            times = [time, None] + [r.time for r in self.records if r.quantity == q and q in FIXED]
            at = next((t for t in times if self.has(q, t)), False)
            if at is not False:
                chosen[q] = self.found[q, at, None]
        return chosen

    def fetch(self, records):
        """{record: window}, of all files."""
        found = {}
        for path in self.paths:
            mine = [r for r in records if r.path == path]
            if mine:
                found.update(reader_of(path).fetch(path, mine, self.grid, self.window))
        return found

    def air(self, time):
        of_levels = {(q, k): self.found[q, time, k] for k in self.levels for q in ("height", "temperature", "u", "v", "pressure") + MOISTURE
                     if (q, time, k) in self.found}
        of_ground = self.of_ground(time)
        parts = self.fetch([*of_levels.values(), *of_ground.values()])
        fields = {q: np.stack([parts[of_levels[q, k]] for k in self.levels]) for q in ("height", "temperature", "u", "v")}
        pressure = np.stack([parts[of_levels["pressure", k]] for k in self.levels]) if self.is_of_model else np.array(self.levels)
        qv = self.vapour(lambda q, k: parts[of_levels[q, k]] if (q, k) in of_levels else None, fields["temperature"], pressure)
        return Air(time, pressure, fields, qv, {q: parts[r] for q, r in of_ground.items()})

    def vapour(self, part, temperature, pressure):
        """By dry air, of every level; a level above the last that has any moisture has that one's."""
        qv = np.empty_like(temperature)
        for n, k in enumerate(self.levels):
            ratio, specific, humidity = (part(q, k) for q in MOISTURE)
            if ratio is not None:
                qv[n] = ratio
            elif specific is not None:
                qv[n] = ratio_of_specific(specific)
            elif humidity is not None:
                qv[n] = ratio_of_humidity(humidity, temperature[n], pressure[n])
            elif n:
                qv[n] = qv[n - 1]
            else:
                raise Fail(INPUT, f"{self.paths[0]}: the lowest level has no humidity")
        return qv
