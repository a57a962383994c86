"""Maps of a sphere onto a plane, as the program has them (Snyder 1987, USGS Professional Paper 1395, chapters 7, 15
and 21). SPDX-License-Identifier: MIT
"""
import numpy as np

KINDS = "lambert", "polar_stereographic", "mercator", "latitude_longitude"


def longitude_near(longitude, meridian):
    """The same place, within half a turn of the meridian, degrees."""
    return meridian + (longitude - meridian + 180) % 360 - 180


class Projection:
    """With t = tan(pi/4 - h phi/2): rho = a F t^n, theta = n (lambda - lambda_0), x = rho sin theta, y = h (rho_0 - rho cos theta); of
    Mercator's x = a k (lambda - lambda_0), y = -a k ln t; of latitude and longitude the same x, and y = a phi. h is 1 where the cone stands over the north pole, -1 over the south.

    parallels: two latitudes of true scale, of which only Lambert's map takes the second. origin: latitude of y = 0 on the central
    meridian of Lambert's map. Degrees and metres; ValueError tells what cannot be."""

    def __init__(self, kind, radius, parallels, meridian, origin=0.0):
        self.kind, self.radius, self.meridian, self.origin = kind, radius, meridian, origin
        self.parallels, self.false_easting, self.false_northing = tuple(parallels), 0.0, 0.0
        self.h, self.n, self.rho_0 = (-1 if sum(parallels) < 0 else 1), 0.0, 0.0
        phi = np.radians([self.h * p for p in parallels])
        if kind != "polar_stereographic" and np.any(np.abs(parallels) >= 90):
            raise ValueError("a standard parallel lies at a pole, where this map is none")
        if kind == "lambert":
            self.lambert_make(phi)
        elif kind == "polar_stereographic":
            if parallels[0] == 0:
                raise ValueError("the true scale of a polar stereographic map lies on the equator, and does not say which pole is its own")
            self.n, self.scale = 1.0, 1 + np.sin(phi[0])
        else:
            self.h, self.scale = 1, np.cos(phi[0])

    def lambert_make(self, phi):
        if abs(sum(phi)) < 1e-8:
            raise ValueError("the standard parallels of Lambert's map lie as far north of the equator as south: take 'mercator'")
        t = self.narrow(phi)
        self.n = np.sin(phi[0]) if abs(phi[0] - phi[1]) < 1e-9 else np.log(np.cos(phi[0]) / np.cos(phi[1])) / np.log(t[0] / t[1])
        self.scale = np.cos(phi[0]) / (self.n * t[0] ** self.n)
        self.rho_0 = self.rho(self.origin)

    @staticmethod
    def narrow(phi):
        """t of latitudes on the side of the cone, radians."""
        return np.tan(np.pi / 4 - np.asarray(phi) / 2)

    def rho(self, latitude):
        return self.radius * self.scale * self.narrow(self.h * np.radians(latitude)) ** self.n

    def forward(self, latitude, longitude):
        """x, y of places, m."""
        east = np.radians(longitude_near(longitude, self.meridian) - self.meridian)
        if self.kind == "latitude_longitude":
            x, y = self.radius * self.scale * east, self.radius * np.radians(latitude)
        elif self.kind == "mercator":
            x, y = self.radius * self.scale * east, -self.radius * self.scale * np.log(self.narrow(np.radians(latitude)))
        else:
            rho, theta = self.rho(latitude), self.n * east
            x, y = rho * np.sin(theta), self.h * (self.rho_0 - rho * np.cos(theta))
        return x + self.false_easting, y + self.false_northing

    def inverse(self, x, y):
        """Latitude and longitude (-180 to 180) of points, degrees."""
        x, y = x - self.false_easting, y - self.false_northing
        if self.kind == "latitude_longitude":
            return np.degrees(y / self.radius), longitude_near(self.meridian + np.degrees(x / (self.radius * self.scale)), 0)
        if self.kind == "mercator":
            t, east = np.exp(-y / (self.radius * self.scale)), x / (self.radius * self.scale)
        else:
            down = self.rho_0 - self.h * y
            t, east = (np.hypot(x, down) / (self.radius * self.scale)) ** (1 / self.n), np.arctan2(x, down) / self.n
        return self.h * np.degrees(np.pi / 2 - 2 * np.arctan(t)), longitude_near(self.meridian + np.degrees(east), 0)

    def factor(self, latitude):
        """Metres of the map by metres of the sphere; of latitude and longitude those along x."""
        s = np.sin(self.h * np.radians(latitude))
        if self.kind == "polar_stereographic":
            return self.scale / (1 + s)
        c = np.cos(np.radians(latitude))
        return (self.scale if self.n == 0 else self.n * self.rho(latitude) / self.radius) / c

    def factor_y(self, latitude):
        """The same along y."""
        return np.ones_like(latitude) if self.kind == "latitude_longitude" else self.factor(latitude)

    def turn(self, longitude):
        """By how much the x axis of the map is turned from east toward north, radians."""
        return -self.h * self.n * np.radians(longitude_near(longitude, self.meridian) - self.meridian)

    def attributes(self):
        """As CF-1.11 has them (appendix F)."""
        a = {"earth_radius": self.radius, "false_easting": self.false_easting, "false_northing": self.false_northing}
        if self.kind == "lambert":
            both = self.parallels if self.parallels[0] != self.parallels[1] else self.parallels[:1]
            return {"grid_mapping_name": "lambert_conformal_conic", "standard_parallel": np.array(both, dtype=float),
                    "longitude_of_central_meridian": self.meridian, "latitude_of_projection_origin": self.origin, **a}
        if self.kind == "latitude_longitude":
            return {"grid_mapping_name": "latitude_longitude", "longitude_of_central_meridian": self.meridian, "standard_parallel": self.parallels[0], **a}
        if self.kind == "mercator":
            return {"grid_mapping_name": "mercator", "longitude_of_projection_origin": self.meridian, "standard_parallel": self.parallels[0], **a}
        return {"grid_mapping_name": "polar_stereographic", "straight_vertical_longitude_from_pole": self.meridian,
                "latitude_of_projection_origin": 90.0 * self.h, "standard_parallel": self.parallels[0], **a}


def wind_turned(u, v, angle):
    """Components along axes that are turned by an angle, radians, from those of u and v, anticlockwise."""
    c, s = np.cos(angle), np.sin(angle)
    return c * u + s * v, c * v - s * u
