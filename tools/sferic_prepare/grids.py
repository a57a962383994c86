"""Points of a source, and where the columns of a case lie among them. SPDX-License-Identifier: MIT"""
import numpy as np

from .projection import wind_turned

MARGIN = 2  # points around the domain: those of a bicubic, and one for round-off


def cubic_weights(s):
    """Of the four points around, at a share s of the way between the middle two (Keys 1981, a = -1/2)."""
    return np.stack([((2 - s) * s - 1) * s / 2, ((3 * s - 5) * s * s + 2) / 2, ((4 - 3 * s) * s + 1) * s / 2, (s - 1) * s * s / 2])


class Window:
    """The points of a source that a case needs, and its columns among them.

    rows, columns (2-D): which; sign: -1 where winds change sides, beyond a pole; j, i: each column's lower neighbour, in the window;
    t, s: share of the way to the next."""

    def __init__(self, rows, columns, sign, fj, fi):
        self.rows, self.columns, self.sign = rows, columns, sign
        n, m = (np.clip(np.floor(f).astype(int), 0, size - 2) for f, size in ((fj, rows.shape[0]), (fi, rows.shape[1])))
        self.j, self.i, self.t, self.s = n, m, fj - n, fi - m

    def take(self, values, is_wind=False):
        """The window of a field of the whole source."""
        part = values[self.rows, self.columns]
        return part * self.sign if is_wind else part

    def linear(self, part):
        """Values on the columns, between four points."""
        j, i, t, s = self.j, self.i, self.t, self.s
        south, north = (part[j + d, i] * (1 - s) + part[j + d, i + 1] * s for d in (0, 1))
        return south * (1 - t) + north * t

    def cubic(self, part):
        """Values on the columns, on a bicubic through sixteen points; at the edge of a source its outermost stand for those beyond."""
        wt, ws = cubic_weights(self.t), cubic_weights(self.s)
        rows = [np.clip(self.j + d, 0, part.shape[0] - 1) for d in (-1, 0, 1, 2)]
        columns = [np.clip(self.i + d, 0, part.shape[1] - 1) for d in (-1, 0, 1, 2)]
        return sum(wt[n] * sum(ws[m] * part[rows[n], columns[m]] for m in range(4)) for n in range(4))


class LatLon:
    """Points on parallels and meridians: latitudes and longitudes in the file's order, degrees, which go one way throughout."""
    wind_is_along = False  # winds are along its axes and those of the Earth alike

    def __init__(self, latitudes, longitudes):
        self.latitudes = np.asarray(latitudes, dtype=float)
        step = np.diff(np.asarray(longitudes, dtype=float)) % 360
        self.is_westward = step.size > 0 and step[0] > 180
        self.longitudes = float(longitudes[0]) + np.concatenate([[0], np.cumsum(step - 360 * self.is_westward)])
        self.is_up = self.latitudes[-1] > self.latitudes[0]

    def key(self):
        return "latlon", self.latitudes.tobytes(), self.longitudes.tobytes()

    def shape(self):
        return self.latitudes.size, self.longitudes.size

    def words(self):
        return f"latitudes {self.latitudes.min():g} to {self.latitudes.max():g}, longitudes {self.longitudes.min():g} to {self.longitudes.max():g}"

    def is_round(self):
        """Do its meridians go round the Earth?"""
        n = self.longitudes.size
        turn = abs(self.longitudes[-1] - self.longitudes[0]) / (n - 1)
        return abs(n * turn - 360) < 0.5 * turn

    def turn(self, latitude, longitude):
        return 0.0

    def window(self, latitude, longitude):
        """Of places, degrees; None: some lie outside."""
        step = (self.longitudes[-1] - self.longitudes[0]) / (self.longitudes.size - 1)
        first = self.longitudes[0]
        # The middle of all places is found modulo a turn, the others near it: a domain may lie across the file's ends.
        middle = longitude[longitude.shape[0] // 2, longitude.shape[1] // 2]
        fi = (middle - first) / step % (360 / abs(step)) + ((longitude - middle + 180) % 360 - 180) / step
        known = self.latitudes if self.is_up else self.latitudes[::-1]
        fj = self.row_of(known, latitude)
        if not self.is_up:
            fj = known.size - 1 - fj
        return self.cut(fj, fi)

    def row_of(self, known, latitude):
        """Places among increasing latitudes, beyond their ends on in their last steps."""
        n = known.size
        fj = np.interp(latitude, known, np.arange(n))
        fj = np.where(latitude < known[0], (latitude - known[0]) / (known[1] - known[0]), fj)
        return np.where(latitude > known[-1], n - 1 + (latitude - known[-1]) / (known[-1] - known[-2]), fj)

    def pole_beyond(self, last):
        """Twice the place of the pole beyond row 0, or beyond the last: rows j and this less j are opposite. None: too far to tell."""
        n = self.latitudes.size
        at, step = (self.latitudes[-1], self.latitudes[-1] - self.latitudes[-2]) if last else (self.latitudes[0], self.latitudes[0] - self.latitudes[1])
        gap = ((90 if step > 0 else -90) - at) / step
        if not self.is_round() or self.longitudes.size % 2 or gap > 0.75:
            return None
        half = round(2 * gap)
        return 2 * (n - 1) + half if last else -half

    def cut(self, fj, fi):
        rows, columns = self.shape()
        j0, j1 = int(np.floor(fj.min())) - MARGIN + 1, int(np.floor(fj.max())) + MARGIN + 1
        i0, i1 = int(np.floor(fi.min())) - MARGIN + 1, int(np.floor(fi.max())) + MARGIN + 1
        j, low, high = np.arange(j0, j1), self.pole_beyond(False), self.pole_beyond(True)
        if low is None:
            if fj.min() < -1e-6:
                return None
            j = j[j >= 0]
        if high is None:
            if fj.max() > rows - 1 + 1e-6:
                return None
            j = j[j < rows]
        i = np.arange(i0, i1)
        if not self.is_round():
            if fi.min() < -1e-6 or fi.max() > columns - 1 + 1e-6:
                return None
            i = i[(i >= 0) & (i < columns)]
        far = (j < 0) | (j >= rows)
        there = np.where(j < 0, (low or 0) - j, np.where(j >= rows, (high or 0) - j, j))
        if np.any((there < 0) | (there >= rows)):
            return None
        every = (i[None, :] + np.where(far, columns // 2, 0)[:, None]) % columns
        return Window(np.broadcast_to(there[:, None], every.shape), every, np.where(far, -1.0, 1.0)[:, None], fj - j[0], fi - i[0])


class Projected:
    """Points of equal distances dx, dy (m; below 0: backward) on a map, from the first at x0, y0 on."""

    def __init__(self, projection, x0, y0, dx, dy, nx, ny, wind_is_along=True):
        self.projection, self.x0, self.y0, self.dx, self.dy, self.nx, self.ny = projection, x0, y0, dx, dy, nx, ny
        self.wind_is_along = wind_is_along

    def key(self):
        p = self.projection
        return (p.kind, p.radius, p.parallels, p.meridian, self.nx, self.ny) + tuple(round(v / abs(self.dx), 3) for v in (self.x0, self.y0, self.dx, self.dy))

    def shape(self):
        return self.ny, self.nx

    def words(self):
        lat, lon = self.projection.inverse(self.x0 + self.dx * np.array([0, self.nx - 1]), self.y0 + self.dy * np.array([0, self.ny - 1]))
        return f"{self.projection.kind} from {lat[0]:.2f} N {lon[0]:.2f} E to {lat[1]:.2f} N {lon[1]:.2f} E"

    def turn(self, latitude, longitude):
        """Of its x axis from east, radians, where winds are along it."""
        return self.projection.turn(longitude) if self.wind_is_along else 0.0

    def window(self, latitude, longitude):
        x, y = self.projection.forward(latitude, longitude)
        fj, fi = (y - self.y0) / self.dy, (x - self.x0) / self.dx
        if min(fj.min(), fi.min()) < 0 or fj.max() > self.ny - 1 or fi.max() > self.nx - 1:
            return None
        (j0, j1), (i0, i1) = ((max(int(f.min()) - MARGIN, 0), min(int(f.max()) + MARGIN + 2, n)) for f, n in ((fj, self.ny), (fi, self.nx)))
        j, i = np.meshgrid(np.arange(j0, j1), np.arange(i0, i1), indexing="ij")
        return Window(j, i, 1.0, fj - j0, fi - i0)


def wind_between(u, v, source_turn, turn):
    """From axes turned by source_turn from east to axes turned by `turn`, radians."""
    return wind_turned(u, v, turn - source_turn)
