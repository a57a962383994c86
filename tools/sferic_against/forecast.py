"""What a run has at a place and a time. SPDX-License-Identifier: MIT"""
from datetime import timedelta

import netCDF4
import numpy as np

from sferic_plot import sea_level
from sferic_plot.earth import start_of
from sferic_plot.read import Run
from sferic_plot.words import INPUT, Fail
from sferic_prepare.netcdf import mapping_find
from sferic_prepare.projection import wind_turned

from . import low
from .scores import Row, difference_of

ZERO = 273.15
NEEDS = {"temperature": ("temperature_2m",), "wind_speed": ("wind_10m",), "wind_direction": ("u", "v"), "rain": ("rain",), "dew_point": ("qv",)}


def dew_point(qv, p):
    """C, of vapour by dry air at a pressure, Pa, over water (Bolton 1980)."""
    e = np.maximum(qv, 1e-12) * p / (287 / 461.5 + qv)
    part = np.log(e / 611.2)
    return 243.5 * part / (17.67 - part)


def share_of(values, at):
    """The index of the value at or before `at`, and how far at is on the way to the next; None beyond the ends."""
    slack = 1e-6 * (values[-1] - values[0]) / max(1, len(values) - 1)
    if not values[0] - slack <= at <= values[-1] + slack:
        return None
    if len(values) == 1:
        return 0, 0.0
    k = int(np.clip(np.searchsorted(values, at, side="right") - 1, 0, len(values) - 2))
    return k, float(np.clip((at - values[k]) / (values[k + 1] - values[k]), 0, 1))


class Forecast:
    """The output of a run on a map. x, y: of the map, m; projection: from places to these."""

    def __init__(self, folder):
        self.run = Run(folder)
        path = self.run.where[0][0]
        self.start = start_of(self.run)
        if self.start is None:
            raise Fail(INPUT, f"{path}: its times have no date: give &time start")
        with netCDF4.Dataset(path) as ds:
            some = ds.variables[next(iter(self.run.fields))]
            if "grid_mapping" not in some.ncattrs():
                raise Fail(INPUT, f"{path}: it lies on no map of the Earth: give &map projection")
            self.projection = mapping_find(ds, some, path)
        self.x, self.y = self.run.axes["x"], self.run.axes["y"]
        self.kept, self.tracks = {}, {}

    # ---- fields ------------------------------------------------------------------------------------------------------

    def require(self, o, names):
        for name in names:
            if name not in self.run.fields:
                raise Fail(INPUT, f"{o.where}: {o.quantity} takes {name}, which the history in {self.run.folder} has not")

    def maps(self, quantity, frame):
        """[(y, x)] of a frame that are interpolated for a quantity."""
        if (quantity, frame) not in self.kept:
            self.kept[quantity, frame] = self.maps_make(quantity, frame)
        return self.kept[quantity, frame]

    def maps_make(self, quantity, frame):
        run = self.run
        if quantity in ("pressure_msl", "low"):
            return [sea_level.sea_level(run, frame) / 100]
        if quantity == "wind_direction":
            return [sea_level.lowest(run, n, frame) for n in "uv"]
        if quantity == "dew_point":
            air = sea_level.Air(run, frame)
            ground = run.terrain.ground if run.terrain is not None and run.terrain.ground is not None else 0.0
            return [dew_point(self.plain("qv_2m", frame) if "qv_2m" in run.fields else air.qv, air.pressure_at(ground))]
        return [self.plain(NEEDS[quantity][0], frame) - (ZERO if quantity == "temperature" else 0)]

    def plain(self, name, frame):
        return np.asarray(self.run.read(name, frame, "z", 0), float)

    # ---- at a place and a time ---------------------------------------------------------------------------------------

    def corners(self, o):
        """Indices and weights of the four columns around a place."""
        x, y = self.projection.forward(o.latitude, o.longitude)
        i, j = share_of(self.x, x), share_of(self.y, y)
        if i is None or j is None:
            raise Fail(INPUT, f"{o.where}: {o.station} at {o.latitude:g} {o.longitude:g} lies outside of the domain of {self.run.folder}")
        (i, a), (j, b) = i, j
        return slice(j, j + 2), slice(i, i + 2), np.outer([1 - b, b], [1 - a, a])

    def when(self, o):
        """The frame at or before its time, and the share of the next."""
        k = share_of(self.run.times, (o.time - self.start).total_seconds())
        if k is None:
            ends = [self.start + timedelta(seconds=t) for t in (self.run.times[0], self.run.times[-1])]
            raise Fail(INPUT, f"{o.where}: {o.time} is outside of the run in {self.run.folder}, {ends[0]} to {ends[1]}")
        return k

    def at(self, o, frame, share):
        """[numbers] at its place, between two frames."""
        rows, columns, weights = self.corners(o)

        def there(n):
            return np.array([float((weights[:p.shape[0], :p.shape[1]] * p).sum()) for p in (m[rows, columns] for m in self.maps(o.quantity, n))])
        return there(frame) if share == 0 else (1 - share) * there(frame) + share * there(frame + 1)

    def value(self, o, frame, share):
        found = self.at(o, frame, share)
        if o.quantity != "wind_direction":
            return float(found[0])
        east, north = wind_turned(*found, -self.projection.turn(o.longitude))
        return float(np.degrees(np.arctan2(-east, -north)) % 360)

    # ---- rows of the table -------------------------------------------------------------------------------------------

    def check(self, o):
        if o.quantity in ("pressure_msl", "low", "dew_point") and not sea_level.is_known(self.run):
            raise Fail(INPUT, f"{o.where}: {o.quantity} takes pi_p and theta_p of cells on the ground, which the history in {self.run.folder} has not")
        self.require(o, NEEDS.get(o.quantity, ()))

    def rows(self, o):
        self.check(o)
        frame, share = self.when(o)
        self.corners(o)
        if o.quantity == "low":
            return self.low_rows(o, frame, share)
        then, first = self.value(o, frame, share), self.value(o, 0, 0.0)
        return [Row(o, o.quantity, o.unit, o.value, then, difference_of(o.quantity, then, o.value), first, difference_of(o.quantity, first, o.value))]

    def track(self, o):
        """Of a station's low: its first observation says where it begins."""
        if o.station not in self.tracks:
            fields = (self.maps("low", n)[0] for n in range(len(self.run.times)))
            self.tracks[o.station] = low.track_make(fields, self.x, self.y, self.projection.forward(o.latitude, o.longitude))
        return self.tracks[o.station]

    def low_rows(self, o, frame, share):
        track = self.track(o)
        lows = [track[n] for n in ((frame,) if share == 0 else (frame, frame + 1))]
        if track[0] is None or None in lows:
            when = self.start + timedelta(seconds=self.run.times[track.index(None)])
            raise Fail(INPUT, f"{o.where}: {self.run.folder} has no low within {low.REACH / 1e3:g} km of where {o.station} was before, at {when}")
        x, y, p = np.average(lows, axis=0, weights=[1 - share, share][:len(lows)])
        seen = (o.latitude, o.longitude)
        places = [tuple(float(c) for c in self.projection.inverse(*place)) for place in ((x, y), track[0][:2])]
        away = [distance(seen, place, self.projection.radius) / 1e3 for place in places]
        return [Row(o, "low_place", "km", seen, places[0], away[0], places[1], away[1]),
                Row(o, "low_pressure", o.unit, o.value, float(p), float(p) - o.value, track[0][2], track[0][2] - o.value)]


def distance(a, b, radius):
    """Along a great circle, m."""
    (f, k), (g, m) = np.radians(a), np.radians(b)
    return float(2 * radius * np.arcsin(np.sqrt(np.sin((g - f) / 2) ** 2 + np.cos(f) * np.cos(g) * np.sin((m - k) / 2) ** 2)))
