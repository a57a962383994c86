"""From the levels of a source to heights above sea level. SPDX-License-Identifier: MIT"""
import numpy as np

from .grids import wind_between
from .moisture import G, R, ratio_saturated, virtual

CEILING = 30000  # m: what lies above is of no use below a lid
LAPSE = 6.5e-3  # K/m below the source's air: that of the standard atmosphere
STEPS = (100, 2000), (250, 6000), (500, np.inf)  # m: step up to a height


def heights_make(lowest, top):
    """Every 100 m to 2 km, every 250 m to 6 km, every 500 m above: finer than levels of analyses are there. From the highest step at or
    below the lowest ground, m, to the lowest at or above the top."""
    z = [100.0 * np.floor(min(lowest, 0) / 100)]
    while z[-1] < top:
        z.append(z[-1] + next(step for step, end in STEPS if z[-1] < end))
    return np.array(z)


class Columns:
    """Air on the columns of a case and the levels of its source: fields of (level, y, x). ground: height of the source's ground, m, or
    None: what lies below is made up by whoever wrote the source, and not taken."""

    def __init__(self, height, log_p, temperature, u, v, qv, ground):
        self.height, self.log_p, self.temperature, self.u, self.v, self.qv = height, log_p, temperature, u, v, qv
        low = np.zeros(height.shape[1:], int) if ground is None else (height < ground).sum(axis=0)
        self.lowest = np.minimum(low, len(height) - 2)

    def level(self, values, k):
        return np.take_along_axis(values, k[None], 0)[0]

    def at(self, z):
        """temperature, log of pressure, u, v, qv of (y, x) at height z: along straight lines between levels; pressure between two levels
        as hydrostatic balance with that temperature has it, and as the source has it on both."""
        k = np.clip((self.height <= z).sum(axis=0) - 1, self.lowest, len(self.height) - 2)
        z0, z1 = self.level(self.height, k), self.level(self.height, k + 1)
        share = np.clip((z - z0) / (z1 - z0), 0, 1)
        line = lambda values: (1 - share) * self.level(values, k) + share * self.level(values, k + 1)
        t, u, v, qv = line(self.temperature), line(self.u), line(self.v), line(self.qv)
        p0, p1 = self.level(self.log_p, k), self.level(self.log_p, k + 1)
        t0, t1 = (virtual(self.level(self.temperature, n), self.level(self.qv, n)) for n in (k, k + 1))
        log_p = p0 + (p1 - p0) * share_of_pressure(share, t0, t1)
        t_below = t + LAPSE * np.maximum(z0 - z, 0)
        moist = virtual(1.0, qv)
        below = G / (R * moist * LAPSE) * np.log(t_below / t)
        above = G / (R * moist * t) * np.maximum(z - z1, 0)
        log_p = log_p + below - above
        return t_below, log_p, u, v, np.minimum(qv, ratio_saturated(t_below, np.exp(log_p)))


def share_of_pressure(share, t0, t1):
    """Of the fall of ln p over a layer, at a share of its height: the integral of 1/T along a straight line from t0 to t1."""
    grown = (t1 - t0) / t0
    small = np.abs(grown) < 1e-6
    safe = np.where(small, 1.0, grown)
    return np.where(small, share, np.log1p(safe * share) / np.log1p(safe))


def columns_make(air, window, turn, source_turn):
    """The air of a source on the columns of a case, winds along its axes."""
    cubic = lambda values: np.stack([window.cubic(level) for level in values])
    height, temperature = cubic(air.height), cubic(air.temperature)
    log_p = cubic(np.log(air.pressure)) if air.pressure.ndim == 3 else np.broadcast_to(np.log(air.pressure)[:, None, None], height.shape)
    u, v = wind_between(cubic(air.u), cubic(air.v), source_turn, turn)
    qv = np.stack([np.maximum(window.linear(level), 0) for level in air.qv])
    ground = window.linear(air.ground["terrain"]) if "terrain" in air.ground else None
    return Columns(height, log_p, temperature, u, v, qv, ground)
