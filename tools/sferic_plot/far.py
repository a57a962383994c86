"""Polar cuts of the far field: directivity, or the radar cross-section where there is a plane wave.
SPDX-License-Identifier: MIT
"""
import os

import numpy as np

from .read import files_panels
from .words import INPUT, Fail, number_text, prefix_of

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2"]
SPAN = 40  # dB from the rim to the middle
KINDS = {"rcs": ("radar cross-section", "dBsm"), "directivity": ("directivity", "dBi")}


def far_panels(run):
    """A polar panel for up to three frequencies of each far_NAME.nc."""
    return files_panels(run.folder, "far_*.nc", file_panels)


def file_panels(ds, path):
    kind = next((n for n in KINDS if n in ds and ds[n].dims == ("frequency", "theta", "phi")), None)
    if kind is None:
        raise Fail(INPUT, f"{path}: damaged, or not written by sferic (no directivity or rcs of (frequency, theta, phi))")
    frequencies = np.atleast_1d(np.asarray(ds["frequency"].values, float))
    value = np.asarray(ds[kind].values, float)
    theta, phi = np.asarray(ds["theta"].values, float), np.asarray(ds["phi"].values, float)
    there = [f for f in range(len(frequencies)) if np.nanmax(value[f], initial=0) > 0]
    picked = [there[n] for n in sorted({0, len(there) // 2, len(there) - 1})] if there else []
    name = os.path.basename(path)[4:-3]
    return [polar_panel(name, kind, frequencies[f], cuts_of(value[f], theta, phi)) for f in picked]


def cuts_of(value, theta, phi):
    """Up to three cuts, (label, degrees clockwise from the top, values, as values go round): across the axis of phi 0 and
    of 90 degrees, or the nearest, each with its other half where the file has that; of a single theta the cone of phi."""
    if len(theta) == 1:
        return [(rf"$\theta$ {number_text(theta[0])}°", phi, value[0])]
    cuts = []
    for n in dict.fromkeys(int(np.argmin(np.abs(phi - wanted))) for wanted in (0, 90)):
        angle, line = theta, value[:, n]
        other = np.flatnonzero(np.abs(np.mod(phi - phi[n], 360) - 180) < 1e-6)
        if len(other) and theta.min() >= 0:
            angle, line = np.concatenate([-theta[::-1], theta]), np.concatenate([value[::-1, other[0]], line])
        cuts.append((rf"$\varphi$ {number_text(phi[n])}°", angle, line))
    return cuts


def polar_panel(name, kind, frequency, cuts):
    scale, prefix = prefix_of(frequency)
    words, unit = KINDS[kind]
    title = f"Far field {name}, {number_text(frequency / scale)} {prefix}Hz: {words} [{unit}]"
    most = max(np.nanmax(line) for _, _, line in cuts)
    top = 5 * np.ceil((10 * np.log10(most) + 1e-9) / 5)
    flat = len(cuts) == 1 and "theta" in cuts[0][0]

    def draw(ax):
        for (label, angle, line), colour in zip(cuts, COLOURS):
            with np.errstate(divide="ignore"):
                db = 10 * np.log10(np.where(np.isfinite(line) & (line > 0), line, 1e-300))
            ax.plot(np.radians(angle), np.maximum(db, top - SPAN), color=colour, lw=1.2, label=label)
        ax.set_theta_zero_location("E" if flat else "N")
        ax.set_theta_direction(1 if flat else -1)
        ax.set_ylim(top - SPAN, top)
        ax.set_yticks(np.arange(top - SPAN + 10, top + 1, 10))
        ax.set_thetagrids(range(0, 360, 30), [f"{a if flat or a <= 180 else 360 - a}°" for a in range(0, 360, 30)])
        ax.set_rlabel_position(75)
        ax.legend(loc="lower left", bbox_to_anchor=(-0.16, -0.1), fontsize=7, frameon=False, handlelength=1.4)
    return title, draw
