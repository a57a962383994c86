"""A base state on a skew-T diagram: its air, and a parcel of the lowest level lifted through it.
SPDX-License-Identifier: MIT
"""
import numpy as np

from .layout import panel
from .words import length_text, number_text, unit_text

RED, BLUE = "#b2182b", "#2166ac"
SKEW = 35  # K by which an isotherm leans right where the pressure falls to 1/e: near 45 degrees on the panel
HIGHEST = 1e4  # Pa, the top of the diagram


def saturation_pressure(kelvin):
    """Pa, over water (Bolton 1980, eq. 10)."""
    return 611.2 * np.exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65))


def saturation_ratio(pressure, kelvin):
    """kg of vapour by kg of dry air; where water would boil, as much as 1."""
    e = saturation_pressure(kelvin)
    return np.minimum(0.622 * e / np.maximum(pressure - e, 1e-9), 1)


def dew_point(pressure, qv):
    """K, of vapour qv by dry air: Bolton's formula turned round."""
    log = np.log(np.maximum(pressure * qv / (0.622 + qv), 1e-3) / 611.2)
    return (29.65 * log - 17.67 * 273.15) / (log - 17.67)


def kappa_of(qv):
    """Of unsaturated air that holds qv."""
    return 0.2854 * (1 - 0.28 * qv)


def condensation_kelvin(pressure, kelvin, qv):
    """K at which a rising parcel begins to condense (Bolton 1980, eq. 21)."""
    hectopascals = np.maximum(pressure * qv / (0.622 + qv), 1e-3) / 100
    return np.minimum(2840 / (3.5 * np.log(kelvin) - np.log(hectopascals) - 4.805) + 55, kelvin)


def theta_e(pressure, kelvin, qv, condensing=None):
    """K, equivalent potential temperature if all condensed water falls out (Bolton 1980, eq. 43)."""
    t = condensation_kelvin(pressure, kelvin, qv) if condensing is None else condensing
    return kelvin * (1e5 / pressure) ** kappa_of(qv) * np.exp((3376 / t - 2.54) * qv * (1 + 0.81 * qv))


def saturated_kelvin(pressure, equivalent):
    """K of saturated air of that theta_e, which grows with the temperature: halving finds it."""
    low, high = np.full(np.shape(pressure), 150.0), np.full(np.shape(pressure), 330.0)
    for _ in range(40):
        middle = (low + high) / 2
        warm = theta_e(pressure, middle, saturation_ratio(pressure, middle), middle) > equivalent
        low, high = np.where(warm, low, middle), np.where(warm, middle, high)
    return (low + high) / 2


def parcel_lift(pressure, kelvin, qv, through):
    """K of a parcel of that pressure, temperature and vapour at the pressures `through`, and the pressure at which it begins to
    condense: dry to there, then along theta_e."""
    kappa, t = kappa_of(qv), condensation_kelvin(pressure, kelvin, qv)
    condensing = pressure * (t / kelvin) ** (1 / kappa)
    moist = saturated_kelvin(through, theta_e(pressure, kelvin, qv))
    return np.where(through > condensing, kelvin * (through / pressure) ** kappa, moist), condensing


def is_moist(base):
    """Whether the profiles that a diagram needs are there, hold vapour, and span a range of pressure (none without gravity)."""
    parts = [base.get(n) for n in ("theta_0", "pi_0", "p_0", "qv_0")]
    return all(p is not None and p.shape == parts[0].shape and p.size > 2 for p in parts) and bool(np.any(parts[3] > 0)) \
        and parts[2][-1] < 0.99 * parts[2][0]


def figures_text(run):
    """What `sferic check` tells of a parcel of the lowest level, as the file has it: CAPE, CIN and heights."""
    told = {n: run.attrs.get(f"parcel_{n}") for n in ("cape", "cin", "lcl", "lfc", "el")}
    if told["cape"] is None:
        return ""
    heights = ", ".join(f"{n.upper()} {length_text(round(float(told[n])), 1e4)}" for n in ("lcl", "lfc", "el") if told[n] is not None)
    cape, cin = (number_text(round(float(told[n])), 5) for n in ("cape", "cin"))
    return f"CAPE {cape}, CIN {cin} {unit_text('J kg-1')}\n{heights}"


def adiabats_draw(ax, through, at, high):
    """Faint lines to read by: isotherms, dry adiabats, moist adiabats."""
    for celsius in range(-150, 60, 10):
        ax.plot(at(np.full(2, celsius + 273.15), high[[0, -1]]), high[[0, -1]], color="0.82", lw=0.5, zorder=0)
    for theta in range(240, 480, 20):
        ax.plot(at(theta * (through / 1e5) ** 0.2854, high), high, color="#d9a066", lw=0.5, zorder=0)
    for celsius in range(0, 41, 8):  # of air that is saturated at the lowest level
        start = celsius + 273.15
        equivalent = theta_e(through[0], start, saturation_ratio(through[0], start), start)
        ax.plot(at(saturated_kelvin(through, equivalent), high), high, color="#5ab4ac", lw=0.6, ls=(0, (4, 2)), zorder=0)


def skew_panel(run):
    """Temperature, dew point and a parcel of the lowest level; shaded where that is warmer than the air around."""
    base, figures = run.base, figures_text(run)
    keep = base["p_0"] >= min(HIGHEST, 0.9 * base["p_0"][0])
    p, qv = base["p_0"][keep], base["qv_0"][keep]
    t = (base["theta_0"] * base["pi_0"])[keep]
    through = np.geomspace(p[0], p[-1], 200)
    lifted, condensing = parcel_lift(p[0], t[0], qv[0], through)
    high, fine = np.log(p[0] / p), np.log(p[0] / through)
    around = np.interp(fine, high, t)

    def at(kelvin, high):
        return kelvin - 273.15 + SKEW * high

    def finish(ax):
        ax.grid(False, axis="x")
        ax.grid(True, axis="y", lw=0.5, color="0.75")
        ax.set_ylim(0, high[-1])
        pressures = [q for q in (1000, 850, 700, 500, 400, 300, 200, 150, 100) if p[-1] <= 100 * q <= p[0]]
        ax.set_yticks([np.log(p[0] / (100 * q)) for q in pressures], [str(q) for q in pressures])
        right = 10 * np.ceil((max(at(t, high).max(), at(lifted, fine).max()) + 4) / 10)
        left = min(right - 70, 10 * np.floor(at(np.maximum(dew_point(p, qv), t - 30), high).min() / 10))
        ax.set_xlim(left, right)
        adiabats_draw(ax, through, at, fine)
        ax.fill_betweenx(fine, at(around, fine), at(lifted, fine), where=lifted > around + 1e-3, color=RED, alpha=0.15, lw=0, zorder=1)
        if p[-1] < condensing < 0.999 * p[0]:
            where = np.log(p[0] / condensing)
            ax.plot(np.interp(where, fine, at(lifted, fine)), where, "o", ms=3.5, color="0.1", label="condenses")
    curves = [("$T$", RED, at(t, high), high), ("dew point", BLUE, at(dew_point(p, qv), high), high),
              ("parcel", "0.1", at(lifted, fine), fine)]
    below = "temperature [°C], along slanted lines" + (f"\n{figures}" if figures else "")
    return panel("Base state, skew-T", below, "pressure [hPa]", curves, finish)
