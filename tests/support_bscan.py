"""Echoes of the pipe of namelists/ground_radar.nml in bscan.nc, against the time that a ray takes.

usage: support_bscan.py FILE OTHER      OTHER: the same scan without the pipe
SPDX-License-Identifier: MIT
"""
import math
import sys

import netCDF4
import numpy as np

C, EPS0 = 299792458.0, 8.8541878128e-12
RADIUS, DEPTH, HALF, HEIGHT, MIDDLE, DELAY = 0.04, 0.4, 0.05, 0.03, 8e8, 6 * math.sqrt(2 * math.log(2)) / (math.pi * 5e8)


def index(f):
    """Real part of sqrt(epsilon) of soil_10."""
    w = 2 * math.pi * f
    return ((8.742 + 1.0625 / (1 + 1j * w * 18.6e-12) + 0.03101 / (1j * w * EPS0)) ** 0.5).real


def leg_first(x, n):
    """From an antenna x beside the pipe's middle down to its surface, times the index: the least of all paths that bend at the ground
    (Fermat). The pipe is small against its depth, so that a path ends where it points to its middle."""
    at = np.linspace(0, x, 4001)
    return np.min(np.hypot(at, HEIGHT) + n * np.hypot(x - at, DEPTH)) - n * RADIUS


def leg_straight(x, n):
    """Straight through the soil, into which an antenna so close to the ground sends at all angles: the latest."""
    return HEIGHT + n * (math.hypot(x, DEPTH) - RADIUS)


def arrival(x, leg, cell, dt):
    """Of the echo's envelope, s. Energy goes with the speed of the group: the index is n + f dn/df, and on the grid, upward,
    1 + (k cell)^2 (1 - (c dt / n cell)^2) / 8 times that."""
    n = index(MIDDLE)
    slow = 0.125 * (2 * math.pi * MIDDLE * n / C * cell) ** 2 * (1 - (C * dt / (n * cell)) ** 2)
    group = (n + (index(1.01 * MIDDLE) - index(0.99 * MIDDLE)) / 0.02) * (1 + slow)
    return DELAY + (leg(x - HALF, group) + leg(x + HALF, group)) / C


def main():
    with netCDF4.Dataset(sys.argv[1]) as d, netCDF4.Dataset(sys.argv[2]) as free:
        t = d["time"][:].filled()
        if d["Ey"].dimensions != ("position", "time") or d["Ey"].units != "V m-1" or d["time"].units != "s":
            sys.exit("Ey is not (position, time) in V m-1")
        middle = 0.5 * (d["source_x"][:] + d["probe_x"][:])
        if not np.allclose(d["distance"][:], middle - middle[0], atol=1e-12) or not np.allclose(d["probe_x"][:] - d["source_x"][:], 2 * HALF):
            sys.exit(f"places: {d['distance'][:]}, {middle}")
        echo = d["Ey"][:].filled() - free["Ey"][:].filled()
        if not np.allclose(free["Ey"][0], free["Ey"][1], rtol=0, atol=3e-3 * np.abs(free["Ey"][0]).max()):
            sys.exit("without the pipe traces depend on the position")
    spectrum = np.fft.fft(echo, axis=1)
    spectrum[:, len(t) // 2 + 1:] = 0
    spectrum[:, 1:len(t) // 2] *= 2
    when = t[np.argmax(np.abs(np.fft.ifft(spectrum, axis=1)), axis=1)]
    for x, is_at in zip(middle, when):
        first, last = (arrival(x, leg, 7.5e-3, t[1] - t[0]) for leg in (leg_first, leg_straight))
        print(f"{x:6.2f} m: {is_at * 1e9:.3f} ns, rays {first * 1e9:.3f} to {last * 1e9:.3f} ns")
        if not first - 1e-10 < is_at < last + 1e-10:
            sys.exit(f"the echo at x = {x:g} m comes after {is_at * 1e9:.3f} ns, rays after {first * 1e9:.3f} to {last * 1e9:.3f}")
    if np.argmin(when) != np.argmin(np.abs(middle)) or when.max() - when.min() < 1e-9:
        sys.exit(f"the apex is not above the pipe: {when}")


main()
