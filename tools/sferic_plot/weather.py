"""What the weather model shows: fields, extremes, drift of the totals, base state.
SPDX-License-Identifier: MIT
"""
import re

import numpy as np
from matplotlib import patheffects, ticker

from . import sounding, storm
from .layout import logarithmic, panel
from .places import nearest
from .words import bracketed, length_unit, unit_text

RED, BLUE = "#b2182b", "#2166ac"
# What makes energy and water of series.nc whole: what went with the rain and through open sides, less what &forcing and the ground gave.
ENERGY = ("rain_energy", 1), ("energy_out", 1), ("forcing_energy", -1), ("ground_energy", -1)
WATER = ("water_out", 1), ("forcing_water", -1), ("ground_water", -1)  # rain on the ground is in `water` itself


def fields_choose(run):
    """w and theta'. theta' that is round-off all the time, or not in the files, gives way to another field that
    varies in space or time; w only where it is no part of the story, with theta' calm or not there either."""
    if storm.is_column(run) and getattr(run, "attrs", {}).get("model") == "dynamics":  # all profiles that differ from time to time
        found = [n for n in ("w", "theta_p" if "theta_p" in run.fields else "theta", "qc", "qr") if n in run.fields]
        lively = [n for n in found if n[0] != "q" or max(run.survey(n).high) > 1e-6]
        if len(lively) > 2:
            return lively
    if storm.is_stormy(run):
        return [n for n in ("w", storm.rain_name(run)) if n in run.fields]
    first = [n for n in ("w", "theta_p" if "theta_p" in run.fields else "theta") if n in run.fields]
    tracers = [n for n in run.fields if re.fullmatch(r"q\d+", n)]
    order = first + tracers + ["pi_p"]
    if len(first) < 2:
        order += [n for n in run.fields if n not in order + ["u", "v", "theta"] and not run.is_altitude(n)]
    order += ["u", "v"]
    order = [n for n in order if n in run.fields and n not in run.maps]
    lively = [n for n in order if np.ptp([run.survey(n).low, run.survey(n).high]) > run.floor(n)]
    if {"w", "theta_p"} <= set(first) and "theta_p" in lively:
        return first
    return lively[:2] or first or order[:2]


# Maps of the ground that say the same as another, in other words.
BESIDE = "theta_flux", "friction_velocity", "inverse_obukhov"


def maps_choose(run, frames):
    """Maps worth a look unasked: those that differ from place to place in one of the frames by more than half a per cent (a flux that is given, and
    what does not evaporate, do not), and that no other one stands for."""
    def varies(name):
        values = [np.asarray(run.read(name, f), float) for f in frames]
        return max(np.ptp(v) for v in values) > 5e-3 * max(np.abs(v).max() for v in values) * (0.1 if name in ("temperature_2m", "surface_temperature") else 1)
    maps = [n for n in run.maps if not run.is_altitude(n)]
    if getattr(run, "attrs", {}).get("model", "dynamics") != "dynamics" or "heat_flux" not in maps:
        return maps
    ground = "heat_flux", "evaporation", "temperature_2m", "qv_2m", "wind_10m", "surface_temperature", "roughness", "wetness"
    return [n for n in maps if n not in BESIDE and (n not in ground or varies(n))]


def is_closed(run, series):
    """Whether series.nc counts all that comes and goes: what passes open sides on request, but not what hold_mass gives back there."""
    text = str(getattr(run, "attrs", {}).get("namelist", ""))
    opens = re.search(r"^ *(west|east|south|north) *= *'open'", text, re.M)
    counts = "energy_out" in series and re.search(r"^ *hold_mass *= *'off'", text, re.M)
    return bool(counts or not opens)


def series_panels(run, names):
    """Extremes of the fields shown, from series.nc or else, where no probe tells more, as points at the output
    times: what lies between these is not known. Drift of the totals."""
    scale, unit = run.time_unit()
    panels, s = [], run.series
    for name in [n for n in names[:2] if not run.sparse(n)]:
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
    for name, colour, also in (("energy", "#e08214", ENERGY), ("water", BLUE, WATER)):
        if s is not None and name in s and s[name].size and s[name].values[0]:
            parts = [(n, sign) for n, sign in also if n in s]
            total = s[name].values + sum(sign * s[n].values for n, sign in parts)
            label = name + "".join((" + " if sign > 0 else " − ") + n for n, sign in parts) + ("" if is_closed(run, s) else ", not closed")
            drift[label] = colour, np.abs(total / total[0] - 1)
    # A logarithm has no zero: the start, where the drift is zero by definition, is left out.
    curves = [(n, c, s["time"].values / scale, np.where(y > 0, y, np.nan)) for n, (c, y) in drift.items()
              if np.any(y > 0)]
    if curves:
        panels.append(panel("Drift of the totals", f"time [{unit}]", "|relative change|", curves,
                            logarithmic))
    return panels


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

    if not sounding.is_moist(run.base) and "theta_0" in base and (wind or np.ptp(base["theta_0"]) > 0.1):
        panels.append(panel("Base state", r"$\theta_0$ [K]", run.axis_label("z", unit),
                            [("", "0.1", base["theta_0"], z / scale)], theta_widen))
    if len(wind) == 2 and min(np.ptp(base[n]) for n in wind) > 0.5:
        panels.append(panel("Hodograph, heights in km", f"$u_0$ [{speed}]", f"$v_0$ [{speed}]",
                            [("", "0.1", base["u_0"], base["v_0"])],
                            lambda ax: heights_mark(ax, z, base["u_0"], base["v_0"])))
    elif wind:
        colours = {"u_0": RED, "v_0": BLUE}
        curves = [(f"${n[0]}_0$", colours[n], base[n], z / scale) for n in wind]
        names = ", ".join(c[0] for c in curves)
        panels.append(panel("Base-state wind", f"{names} [{speed}]", run.axis_label("z", unit), curves))
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
