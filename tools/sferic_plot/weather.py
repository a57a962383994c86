"""What the weather model shows: fields, extremes, drift of the totals, base state.
SPDX-License-Identifier: MIT
"""
import re

import numpy as np
from matplotlib import patheffects, ticker

from .layout import logarithmic, panel
from .read import nearest
from .words import bracketed, length_unit, unit_text

RED, BLUE = "#b2182b", "#2166ac"


def fields_choose(run):
    """w and theta'. theta' that is round-off all the time, or not in the files, gives way to another field that
    varies in space or time; w only where it is no part of the story, with theta' calm or not there either."""
    if {"w", "reflectivity"} <= set(run.fields) and run.survey("reflectivity").peak[0] > 0:
        return ["w", "reflectivity"]
    first = [n for n in ("w", "theta_p" if "theta_p" in run.fields else "theta") if n in run.fields]
    tracers = [n for n in run.fields if re.fullmatch(r"q\d+", n)]
    order = first + tracers + ["pi_p"]
    if len(first) < 2:
        order += [n for n in run.fields if n not in order + ["u", "v", "theta"]]
    order += ["u", "v"]
    order = [n for n in order if n in run.fields and n not in run.maps]
    lively = [n for n in order if np.ptp([run.survey(n).low, run.survey(n).high]) > run.floor(n)]
    if {"w", "theta_p"} <= set(first) and "theta_p" in lively:
        return first
    return lively[:2] or first or order[:2]


def series_panels(run, names):
    """Extremes of the fields shown, from series.nc or else, where no probe tells more, as points at the output
    times: what lies between these is not known. Drift of the totals."""
    scale, unit = run.time_unit()
    panels, s = [], run.series
    for name in [n for n in names[:2] if n != "reflectivity"]:
        dense = s is not None and {name + "_max", name + "_min"} <= set(s.variables)
        if dense:
            t, high, low = (s[n].values for n in ("time", name + "_max", name + "_min"))
        elif run.probes is not None and name in run.probes:
            continue
        else:
            seen = run.survey(name)
            t, high, low = np.array([run.times[f] for f in seen.frames]), seen.high, seen.low
        floor = run.floor(name) or 1e-30
        calm = max(np.nanmax(np.abs(v), initial=0) for v in (low, high)) < floor
        label = bracketed(run.symbol(name), run.unit(name))
        curves = [("max", RED, t / scale, high), ("min", BLUE, t / scale, low)]
        title = f"Extremes of {run.symbol(name)}" + ("" if dense else " at output times")
        panels.append(panel(title, f"time [{unit}]", label, curves,
                            (lambda ax, y=floor: ax.set_ylim(-y, y)) if calm else None, points=not dense))
    drift = {}
    if s is not None and "mass_drift" in s:
        drift["mass"] = "0.2", np.abs(s["mass_drift"].values)
    if s is not None and "energy" in s and s["energy"].size and s["energy"].values[0]:
        drift["energy"] = "#e08214", np.abs(s["energy"].values / s["energy"].values[0] - 1)
    # A logarithm has no zero: the start, where the drift is zero by definition, is left out.
    curves = [(n, c, s["time"].values / scale, np.where(y > 0, y, np.nan)) for n, (c, y) in drift.items()
              if np.any(y > 0)]
    if curves:
        panels.append(panel("Drift of the totals", f"time [{unit}]", "|relative change|", curves,
                            logarithmic))
    return panels


def height_panel(run):
    """The strongest updraft of each level over time, and in contours the most rain there. Of output times: what lies between is
    not known."""
    w, rain = run.survey("w"), run.survey("qr")
    z, (scale, unit), (length, metres) = run.axes["z"], run.time_unit(), length_unit(np.ptp(run.extent("z")))
    times = np.array([run.times[f] for f in w.frames]) / scale
    updraft, water = np.array(w.levels).T, 1e3 * np.array(rain.levels).T
    top = max(updraft.max(), 1)

    def finish(ax):
        ax.contourf(times, z / length, updraft, np.linspace(0, top, 9), cmap="viridis")
        ax.grid(False)
        levels = [q for q in (1, 5) if q < water.max()]
        if levels:
            ax.contour(times, z / length, water, levels, colors="w", linewidths=0.8)
            ax.text(0.03, 0.96, f"rain, {' and '.join(map(str, levels))} {unit_text('g kg-1')}", color="w", fontsize=7, va="top",
                    transform=ax.transAxes)
    return panel(f"Largest $w$, to {top:.0f} {unit_text('m s-1')}", f"time [{unit}]", f"$z$ [{metres}]", [], finish)


def saturation_pressure(kelvin):
    """Pa, over water (Bolton 1980)."""
    return 611.2 * np.exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65))


def dew_point(pressure, qv):
    """K, of vapour qv by dry air: Bolton's formula turned round."""
    log = np.log(np.maximum(pressure * qv / (0.622 + qv), 1e-3) / 611.2)
    return (29.65 * log - 17.67 * 273.15) / (log - 17.67)


def parcel_lift(pressure, kelvin, qv):
    """Temperatures of a parcel of the lowest level at all pressures: dry to saturation, then what condenses leaves it. K."""
    cp, gas, vapour, latent = 1004.5, 287.0, 461.5, 2.501e6
    t, found, full = kelvin[0], [kelvin[0]], False
    for p0, p1 in zip(pressure[:-1], pressure[1:]):
        steps = np.linspace(np.log(p0), np.log(p1), 21)
        for a, b in zip(steps[:-1], steps[1:]):
            def slope(t, at):
                e = saturation_pressure(t)
                q = gas / vapour * e / (np.exp(at) - e)
                full_now = full or qv[0] >= q
                return (gas * t + latent * q) / (cp + latent ** 2 * q / (vapour * t * t)) if full_now else gas * t / cp
            half = t + 0.5 * (b - a) * slope(t, a)
            t += (b - a) * slope(half, 0.5 * (a + b))
            e = saturation_pressure(t)
            full = full or qv[0] >= gas / vapour * e / (np.exp(b) - e)
        found.append(t)
    return np.array(found)


def skew_panel(base):
    """Temperature, dew point and a lifted parcel over the logarithm of pressure, isotherms slanted by 35 K a factor of e."""
    p, t = base["p_0"], base["theta_0"] * base["pi_0"]
    dew, lifted = dew_point(p, base["qv_0"]), parcel_lift(p, t, base["qv_0"])
    high = np.log(p[0] / p)

    def at(kelvin):
        return kelvin - 273.15 + 35 * high

    def finish(ax):
        ax.set_ylim(0, high[-1])
        pressures = [q for q in (1000, 850, 700, 500, 300, 200, 100) if p[-1] <= 100 * q <= p[0]]
        ax.set_yticks([np.log(p[0] / (100 * q)) for q in pressures], [str(q) for q in pressures])
        low = np.floor(min(at(t).min(), at(np.maximum(dew, t - 40)).min()) / 20) * 20
        ax.set_xlim(low, at(lifted).max() + 5)
        for degrees in np.arange(-140, 60, 20):
            ax.plot([degrees, degrees + 35 * high[-1]], [0, high[-1]], color="0.85", lw=0.6, zorder=0)
    return panel("Base state, skew-T", "temperature [°C] at the bottom", "pressure [hPa]",
                 [("$T$", RED, at(t), high), ("dew point", BLUE, at(dew), high), ("parcel", "0.1", at(lifted), high)], finish)


def base_panels(run):
    """theta_0 where it varies or the wind blows; the wind as a hodograph where it turns."""
    z = run.axes["z"]
    if len(z) < 2:  # of a history of one level
        return []
    scale, unit = length_unit(np.ptp(run.extent("z")))
    base = {n: v for n, v in run.base.items() if v.shape == z.shape}
    wind = [n for n in ("u_0", "v_0") if n in base and np.any(np.abs(base[n]) > 1e-6)]
    speed = unit_text("m s-1")
    panels = []

    def theta_widen(ax):
        ax.xaxis.set_major_locator(ticker.MaxNLocator(4))
        if np.ptp(base["theta_0"]) < 0.1:
            ax.set_xlim(base["theta_0"].mean() - 1, base["theta_0"].mean() + 1)

    if {"theta_0", "pi_0", "p_0", "qv_0"} <= set(base) and np.any(base["qv_0"] > 0):
        panels.append(skew_panel(base))
    elif "theta_0" in base and (wind or np.ptp(base["theta_0"]) > 0.1):
        panels.append(panel("Base state", r"$\theta_0$ [K]", f"$z$ [{unit}]",
                            [("", "0.1", base["theta_0"], z / scale)], theta_widen))
    if len(wind) == 2 and min(np.ptp(base[n]) for n in wind) > 0.5:
        panels.append(panel("Hodograph, heights in km", f"$u_0$ [{speed}]", f"$v_0$ [{speed}]",
                            [("", "0.1", base["u_0"], base["v_0"])],
                            lambda ax: heights_mark(ax, z, base["u_0"], base["v_0"])))
    elif wind:
        colours = {"u_0": RED, "v_0": BLUE}
        curves = [(f"${n[0]}_0$", colours[n], base[n], z / scale) for n in wind]
        names = ", ".join(c[0] for c in curves)
        panels.append(panel("Base-state wind", f"{names} [{speed}]", f"$z$ [{unit}]", curves))
    return panels


def heights_mark(ax, z, u, v):
    """Dots and heights on a hodograph, one scale for both winds; each height stands where it is farthest from
    the line, the dots and the other heights."""
    inch = max((np.ptp(u) + 1) / ax.inches[0], (np.ptp(v) + 1) / ax.inches[1]) * 1.2  # m/s an inch
    for values, size, limit in ((u, ax.inches[0], ax.set_xlim), (v, ax.inches[1], ax.set_ylim)):
        middle = (values.min() + values.max()) / 2
        limit(middle - inch * size / 2, middle + inch * size / 2)
    marked = []
    for k in [nearest(z, h) for h in (0, 1e3, 3e3, 6e3, 10e3) if h < z[-1]]:
        if all(np.hypot(u[k] - u[m], v[k] - v[m]) > 0.1 * inch for m in marked):
            marked.append(k)
    part = np.linspace(0, len(z) - 1, 30 * len(z))
    taken = [np.stack([np.interp(part, np.arange(len(z)), w) for w in (u, v)], axis=1) / inch]
    taken.append(np.array([(u[k], v[k]) for k in marked]) / inch)
    box = np.array([(a, b) for a in (-0.06, 0, 0.06) for b in (-0.05, 0, 0.05)])  # a label's half size, inches
    low, high = (np.array([f()[n] for f in (ax.get_xlim, ax.get_ylim)]) / inch for n in (0, 1))
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for k in marked:
        dot = np.array([u[k], v[k]]) / inch
        ax.plot(u[k], v[k], "o", ms=3.5, color=RED)
        free = -1, None
        for far in (0.12, 0.17, 0.23):
            for at in dot + far * np.stack([np.cos(turns), np.sin(turns)], axis=1):
                if np.any(at - 0.07 < low) or np.any(at + 0.07 > high):
                    continue
                gap = min(np.hypot(*(t[:, None] - (at + box)).T).min() for t in taken)
                free = max(free, (min(gap, 0.08) - 0.1 * far, tuple(at)))
        at = np.array(free[1])
        taken.append(at + box)
        text = ax.annotate(f"{z[k] / 1e3:.0f}", at * inch, fontsize=7.5, color=RED, ha="center", va="center")
        text.set_path_effects([patheffects.withStroke(linewidth=1.5, foreground="w")])
