"""What the EM model shows: the dominant component on the plane of most energy, probes and their spectra.
SPDX-License-Identifier: MIT
"""
import re

import numpy as np

from .layout import panel
from .read import plane_axis
from .words import bracketed, length_unit, number_text, prefix_of

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2", "#e08214", "#3d3d3d"]


def component_choose(run):
    """The component of E (else of H, else any field) whose square has the largest integral over the run."""
    groups = ([n for n in run.fields if re.fullmatch(kind, n)] for kind in ("E[xyz]", "H[xyz]", ".*"))
    names = next(g for g in groups if g)
    return max(names, key=lambda n: float(np.sum(run.survey(n).energy["z"] @ np.ones(len(run.coords[n]["z"])))))


def planes_choose(run, name):
    """The plane on which the field has most energy; of a flat domain the domain itself; none of a line."""
    count, energy = run.counts(), run.survey(name).energy
    flat = [a for a in "zyx" if count[a] == 1]
    if len(flat) > 1:
        return []
    axis = flat[0] if flat else plane_axis(energy)
    return [(axis, float(run.coords[name][axis][int(np.argmax(energy[axis]))]))]


def frames_lively(run, name):
    """First and last frame in which the field is more than a hundredth of its largest value."""
    s = run.survey(name)
    most = np.maximum(np.abs(s.low), np.abs(s.high))
    lively = [f for f, m in zip(s.frames, most) if m > 0.01 * most.max()]
    return (lively[0], lively[-1]) if len(lively) > 1 else (0, len(run.times) - 1)


def names_of(ds, dim, positions=True):
    """What a legend calls the members of a dimension: their names, else where they are, else numbers."""
    for n in (dim + "_name", dim):
        if n in ds and ds[n].dtype.kind in "SUO" and ds[n].dims == (dim,):
            return [(v.decode(errors="replace") if isinstance(v, bytes) else str(v)).strip("\0 ")
                    for v in ds[n].values]
    axes = [dim + "_" + a for a in "xyz"]
    if positions and all(n in ds for n in axes):
        at = np.stack([np.asarray(ds[n].values, float) for n in axes], axis=1)
        scale, unit = length_unit(2 * np.abs(at).max() or 1)
        return [", ".join(number_text(x / scale) for x in p) + " " + unit for p in at]
    return [f"{dim} {n + 1}" for n in range(ds.sizes[dim])]


def probe_panels(run, names):
    """Traces at up to six probes, and for EM waves their amplitude spectra beside."""
    p = run.probes
    if p is None or not {"time", "probe"} <= set(p.sizes) or 0 in (p.sizes["time"], p.sizes["probe"]):
        return []
    held = [n for n in p.variables if set(p[n].dims) == {"time", "probe"} and p[n].dtype.kind == "f"]
    shown = [n for n in names if n in held][:2]
    if run.is_em and not shown:
        kinds = [n for n in held if n[0] == "E"] or [n for n in held if n[0] == "H"] or held
        shown = sorted(kinds, key=lambda n: -np.nanmax(np.abs(p[n].values)))[:1]
    panels, labels = [], names_of(p, "probe")
    for name in shown:
        clock = "time_h" if name[0] in "HBJ" and "time_h" in p else "time"
        t = p[clock].values.astype(float)
        y = p[name].transpose("probe", "time").values.astype(float)[:6]
        scale, unit = run.time_unit()
        label = bracketed(run.symbol(name), str(p[name].attrs.get("units", "")))
        panels.append(panel(f"{run.symbol(name)} at the probes", f"time [{unit}]", label,
                            [(n, c, t / scale, v) for n, c, v in zip(labels, COLOURS, y)]))
        if run.is_em and len(t) > 8:
            panels.append(spectrum_panel(f"Spectrum of {run.symbol(name)} at the probes", labels, t, y))
    return panels


def spectrum_panel(title, labels, t, y):
    """Amplitudes of the discrete Fourier transform in dB below the largest, up to where all are below -60 dB."""
    f = np.fft.rfftfreq(len(t), (t[-1] - t[0]) / (len(t) - 1))
    a = np.abs(np.fft.rfft(np.nan_to_num(y), axis=1))
    db = 20 * np.log10(np.maximum(a / (a.max() or 1), 1e-12))
    top = f[np.flatnonzero((db > -60).any(axis=0)).max(initial=1)]
    scale, prefix = prefix_of(top)
    shown = f <= 1.1 * top
    return panel(title, f"frequency [{prefix}Hz]", "amplitude [dB]",
                 [(n, c, f[shown] / scale, v[shown]) for n, c, v in zip(labels, COLOURS, db)],
                 lambda ax: (ax.set_xlim(0, 1.05 * top / scale), ax.set_ylim(-80, 3)))


def panels_make(run, names):
    return probe_panels(run, names)
