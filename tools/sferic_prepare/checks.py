"""What is refused of a source, and what is warned of. SPDX-License-Identifier: MIT"""
import sys

import numpy as np

from sferic_plot.words import INPUT, Fail

from .moisture import G, R, virtual

COLD, HOT, MOIST, FAST = 150, 340, 0.04, 150  # K, K, kg/kg, m/s
MISMATCH, MISMATCH_TOLD = 1500, 500  # m
RESIDUAL, RESIDUAL_FROM = 0.01, 4e4  # of a layer; Pa
SEA_LEVEL = 200, 300  # Pa; m of terrain


def warn(text):
    print(f"sferic-prepare: warning: {text}", file=sys.stderr, flush=True)


def level_text(air, k):
    p = air.pressure[k]
    return f"{np.mean(p) / 100:g} hPa" if p.ndim == 0 else f"level {k + 1} from the ground"


def values_check(air, path):
    """No cell is masked, and all are what air can have."""
    for what, values, low, high, unit in (("temperature", air.temperature, COLD, HOT, "K"), ("u", air.u, -FAST, FAST, "m/s"), ("v", air.v, -FAST, FAST, "m/s"),
                                          ("height", air.height, -1000, 1e5, "m"), ("vapour", air.qv, 0, MOIST, "kg/kg")):
        for k, level in enumerate(values):
            if np.isnan(level).any():
                raise Fail(INPUT, f"{path}: {what} at {level_text(air, k)}, {air.time}: {int(np.isnan(level).sum())} cells of the domain are masked")
            worst = level.min() if level.min() < low else level.max()
            # A packed field may hold round-off below 0 where there is no vapour.
            if worst > high or worst < low - (1e-5 if what == "vapour" else 0):
                raise Fail(INPUT, f"{path}: {what} at {level_text(air, k)}, {air.time}: {worst:.6g} {unit} is not within {low} to {high}")
    for what, values in air.ground.items():
        if what != "sea_surface_temperature" and np.isnan(values).any():
            raise Fail(INPUT, f"{path}: {what.replace('_', ' ')}, {air.time}: {int(np.isnan(values).sum())} cells of the domain are masked")


def heights_check(air, path):
    rise = np.diff(air.height, axis=0)
    if not (rise > 0).all():
        k = int(np.argmax((rise <= 0).any(axis=(1, 2))))
        raise Fail(INPUT, f"{path}: levels are not sorted: {level_text(air, k + 1)} lies below {level_text(air, k)}, {air.time}")


def balance_check(air):
    """Is the air as high as its temperature makes it?"""
    t = virtual(air.temperature, air.qv)
    log_p = np.log(air.pressure) if air.pressure.ndim == 3 else np.log(air.pressure)[:, None, None]
    thick = np.diff(air.height, axis=0)
    off = np.abs(R / G * (t[1:] + t[:-1]) / 2 * -np.diff(log_p, axis=0) / thick - 1)
    counts = np.broadcast_to(np.exp(log_p[1:]) >= RESIDUAL_FROM, off.shape)
    if "terrain" in air.ground:
        counts = counts & (air.height[:-1] > air.ground["terrain"])
    if (off[counts] > RESIDUAL).any():
        k = int(np.argmax(np.where(counts, off, 0).max(axis=(1, 2))))
        warn(f"{air.time}: a layer above {level_text(air, k)} is up to {100 * off[counts].max():.2g} % thicker or thinner than its temperature makes it")


def air_check(air, path):
    values_check(air, path)
    heights_check(air, path)
    balance_check(air)


def mismatch_check(fine, coarse, path):
    """Of the case's terrain and the source's, m."""
    off = np.abs(fine - coarse)
    j, i = np.unravel_index(np.argmax(off), off.shape)
    text = f"its terrain at column {i}, row {j} (from 0) is {fine[j, i]:.0f} m high and the source's {coarse[j, i]:.0f} m"
    if off.max() > MISMATCH:
        raise Fail(INPUT, f"{path}: {text}: more than {MISMATCH} m apart; are its longitudes and units right?")
    if off.max() > MISMATCH_TOLD:
        warn(f"{path}: {text}")


def sea_level_check(made, given, terrain, time):
    """Pressure at sea level, Pa, as the air has it and as the source says it, over low ground."""
    low = terrain < SEA_LEVEL[1]
    if not low.any():
        return
    rms = float(np.sqrt(np.mean((made - given)[low] ** 2)))
    if rms > SEA_LEVEL[0]:
        warn(f"{time}: pressure at sea level is {rms / 100:.1f} hPa rms off what the source says")


def times_check(case, times):
    """Do the source's times cover the run's?"""
    if case.time is None:
        warn(f"{case.path}: &time start is not given; the source begins at {times[0]}")
    elif case.time != times[0]:
        warn(f"{case.path}: &time start is {case.time}, and the source begins at {times[0]}")
    span = (times[-1] - times[0]).total_seconds()
    if span < case.duration:
        warn(f"the source covers {span:g} s of the {case.duration:g} s of the run: its sides stay as they are after that")
