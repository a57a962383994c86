"""What the EM model shows: the dominant component on the plane of most energy, probes and their spectra,
energy, flux and transmission, planes of the running DFT. SPDX-License-Identifier: MIT
"""
import re

import numpy as np

from .block import Block
from .layout import logarithmic, panel
from .read import plane_axis
from .spectrum import spectra
from .words import bracketed, length_unit, number_text, prefix_of

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2", "#e08214", "#3d3d3d"]


def component_choose(run):
    """The component of E (else of H, else any field) that becomes largest, sources apart."""
    groups = ([n for n in run.fields if re.fullmatch(kind, n)] for kind in ("E[xyz]", "H[xyz]", ".*"))
    names = next(g for g in groups if g)
    return max(names, key=lambda n: max(run.survey(n).size))


def planes_choose(run, name):
    """The plane on which most is to be seen; of a flat domain the domain itself; none of a line."""
    count, change = run.counts(), run.survey(name).change
    flat = [a for a in "zyx" if count[a] == 1]
    if len(flat) > 1:
        return []
    axis = flat[0] if flat else plane_axis(change)
    return [(axis, float(run.coords[name][axis][int(np.argmax(change[axis]))]))]


def media_shade(run, axis, scale):
    """Grey where a line of cells runs through media other than vacuum, for a panel's finish; None without."""
    line = run.medium_line(axis)
    if line is None or not line[1].any():
        return None
    ends, media = line
    changes = np.flatnonzero(np.diff(np.concatenate([[0], media, [0]])))

    def finish(ax):
        for first, last in zip(changes, changes[1:]):
            if media[first]:
                ax.axvspan(ends[first] / scale, ends[last] / scale, color="0.85", lw=0, zorder=0)
    return finish


def frames_lively(run, name):
    """First and last frame in which the field is more than a tenth of its largest value, sources apart."""
    s = run.survey(name)
    most = np.array(s.size)
    lively = [f for f, m in zip(s.frames, most) if m > 0.1 * most.max()]
    return (lively[0], lively[-1]) if most.max() > 0 else (0, len(run.times) - 1)


FAINT = 1e-4  # share of the largest energy: a hundredth of the amplitude


def frames_share(run, frames):
    """The energy of the liveliest of some frames, as a share of the largest of the series; 1 where there is no series of the energy."""
    s = run.series
    if s is None or "energy" not in s or "time" not in s or s.sizes["time"] < 2:
        return 1.0
    time, energy = s["time"].values.astype(float), s["energy"].values.astype(float)
    most = np.nanmax(energy)
    shown = [energy[int(np.argmin(np.abs(time - run.times[f])))] for f in frames]
    return float(np.nanmax(shown) / most) if most > 0 else 1.0


def dft_make(run):
    """|E| of the DFT monitors: blocks, a band each, those of one frequency and one shape side by side; and
    panels of those that are lines."""
    bands, panels, points = [], [], {}
    for s in spectra(run):
        if max(s.counts().values()) == 1:
            points.setdefault((s.symbol(s.name), s.unit(s.name)), []).append(s)
            continue
        axis, at, totals = s.plane_best()
        picked = sorted(np.argsort(totals)[::-1][:5].tolist())
        if sum(c > 1 for c in s.counts().values()) < 2:
            panels.append(dft_panel(s, picked))
            continue
        block = Block(s, s.name, axis, at, picked)
        beside = bands and len(picked) == 1 == len(bands[-1][0].cells) and len(bands[-1]) < 3
        if beside and abs(np.log(block.aspect() / bands[-1][0].aspect())) < 0.05:
            bands[-1].append(block)
        else:
            bands.append([block])
    return bands, panels + [points_panel(symbol, unit, some) for (symbol, unit), some in points.items()]


def points_panel(symbol, unit, some):
    """Magnitudes at points over frequency."""
    scale, prefix = prefix_of(max(float(s.frequencies.max()) for s in some))
    curves = [(s.monitor, c, s.frequencies / scale, [float(s.read(s.name, n).max()) for n in range(len(s.frequencies))])
              for s, c in zip(some, COLOURS)]
    title = f"DFT at points: {symbol}" if len(some) > 1 else f"DFT {some[0].monitor}: {symbol}"
    return panel(title, f"frequency [{prefix}Hz]", bracketed(symbol, unit), curves)


def dft_panel(s, picked):
    """Magnitudes along a line."""
    axis = max("zyx", key=lambda a: s.counts()[a])
    value = bracketed(s.symbol(s.name), s.unit(s.name))
    scale, unit = length_unit(np.ptp(s.extent(axis)))
    return panel(s.label(s.name), f"${axis}$ [{unit}]", value,
                 [(s.frame_text(n), c, s.axes[axis] / scale, s.read(s.name, n).ravel())
                  for n, c in zip(picked, COLOURS)])


def names_of(ds, dim, positions=True):
    """What a legend calls the members of a dimension: their names, else where they are, else numbers."""
    for n in (dim + "_name", dim):
        if n in ds and ds[n].dtype.kind in "SUO" and ds[n].dims == (dim,):
            return [(v.decode(errors="replace") if isinstance(v, bytes) else str(v)).strip("\0 ")
                    for v in ds[n].values]
    meanings = str(ds[dim].attrs.get("flag_meanings", "")).split() if dim in ds else []
    if len(meanings) == ds.sizes[dim]:
        return meanings
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
    """Amplitudes of the Fourier transform in dB below the largest, up to where all are below -60 dB. Of few entries
    also between the frequencies that these make, for a curve; of a record that is cut off while it rings through a
    Hann window, so that lines have no skirts."""
    y = np.nan_to_num(y)
    count = len(t)
    rings = np.abs(y[:, -max(1, count // 20):]).max() > 0.1 * np.abs(y).max()
    if rings:
        y, title = y * np.hanning(count), title + ", Hann window"
    length = max(count, 8192)
    f = np.fft.rfftfreq(length, (t[-1] - t[0]) / (count - 1))
    a = np.abs(np.fft.rfft(y, length, axis=1))
    db = 20 * np.log10(np.maximum(a / (a.max() or 1), 1e-12))
    top = f[np.flatnonzero((db > -60).any(axis=0)).max(initial=1)]
    scale, prefix = prefix_of(top)
    shown = f <= 1.1 * top
    return panel(title, f"frequency [{prefix}Hz]", "amplitude [dB]",
                 [(n, c, f[shown] / scale, v[shown]) for n, c, v in zip(labels, COLOURS, db)],
                 lambda ax: (ax.set_xlim(0, 1.05 * top / scale), ax.set_ylim(-80, 3)))


def energy_panels(run):
    """Everything of series.nc in joules, over time, on a logarithmic scale."""
    s = run.series
    held = [] if s is None or "time" not in s else \
        [n for n in s.variables if s[n].dims == ("time",) and s[n].attrs.get("units") == "J"
         and np.any(s[n].values > 0)][:4]
    if not held:
        return []
    scale, unit = run.time_unit()
    most = max(float(np.nanmax(s[n].values)) for n in held)
    after = int(np.nanargmax(s[held[0]].values))  # how the fields leave is told, how a pulse begins is not
    left = [v for n in held for v in s[n].values[after:] if v > 1e-16 * most]
    least = min(min(left, default=most), most / 1e3)
    kinds = {"energy": "total", "e": "electric", "h": "magnetic"}
    words = [re.sub(r"^energy_|_energy$", "", n) for n in held]
    words = [kinds.get(w, w) for w in words]
    curves = [(w if len(held) > 1 else "", c, s["time"].values / scale,
               np.where(s[n].values > 0, s[n].values, np.nan)) for w, c, n in zip(words, COLOURS, held)]

    def finish(ax):
        ax.set_ylim(least / 2, 2 * most)
        logarithmic(ax)
    return [panel("Energy in the domain", f"time [{unit}]", "energy [J]", curves, finish)]


LIGHT = 1e13  # Hz: above, waves are told by their length


def section_panel(f, curves):
    """What boxes scatter and absorb of a plane wave, over frequency, or of light over its wavelength in vacuum."""
    scale, prefix = prefix_of(float(np.max(f)))
    text, at = f"frequency [{prefix}Hz]", f / scale
    if f.min() > LIGHT:
        scale, unit = length_unit(299792458 / f.min())
        text, at = f"wavelength [{unit}]", 299792458 / f / scale
    narrow = (lambda ax: ax.set_xlim(at.min(), at.max())) if len(f) > 1 else None
    return panel("Cross-section", text, "power / intensity of the wave [m²]", [(n, c, at, y) for n, c, _, y in curves], narrow)


def flux_panels(run):
    """Power or energy through the monitors, and the part of the incident that it is, where that is known."""
    d = run.flux
    if d is None or "frequency" not in d or not {"frequency", "monitor"} <= set(d.sizes):
        return []
    f = np.asarray(d["frequency"].values, float)
    labels = names_of(d, "monitor", positions=False)
    scale, prefix = prefix_of(float(np.max(f)))
    xlabel = f"frequency [{prefix}Hz]"
    narrow = (lambda ax: ax.set_xlim(f.min() / scale, f.max() / scale)) if len(f) > 1 else None

    def curves_of(values):
        """Gaps where a value is left out; no curve of nothing but gaps."""
        rows = np.atleast_2d(values.transpose(..., "frequency").values)
        return [(n, c, f / scale, y) for n, c, y in zip(labels, COLOURS, rows) if np.isfinite(y).any()]
    def titled(text):
        return text if len(labels) > 1 else f"{text}: {labels[0]}"

    panels, incident = [], d["incident"] if "incident" in d else None
    transmits = "transmission" in d and bool(d["transmission"].notnull().any())
    if "flux" in d and set(d["flux"].dims) == {"monitor", "frequency"}:
        curves = curves_of(d["flux"])
        if incident is not None:
            curves.insert(0, ("incident", "0.6", f / scale, np.atleast_2d(incident.values)[0]))
        label = bracketed("flux", str(d["flux"].attrs.get("units", "")))
        panels.append(panel(titled("Flux through the monitors"), xlabel, label, curves, narrow))
    if "cross_section" in d and d["cross_section"].notnull().any():
        panels.append(section_panel(f, curves_of(abs(d["cross_section"]))))
    elif "power" in d and set(d["power"].dims) == {"monitor", "frequency"} and not transmits and d["power"].notnull().any():
        label = bracketed("power", str(d["power"].attrs.get("units", "")))
        panels.append(panel(titled("Power, steady wave of amplitude 1"), xlabel, label, curves_of(d["power"]), narrow))
    share = d["transmission"] if transmits else d["flux"] / incident if incident is not None and "flux" in d else None
    if share is not None:
        if incident is not None:  # where little comes in, the quotient is round-off
            strong = np.abs(incident)
            share = share.where(strong > 1e-3 * strong.max())
        panels.append(panel(titled("Transmission"), xlabel, "flux / flux of the reference" if transmits else "flux / incident flux",
                            curves_of(share), narrow))
    return panels


def panels_make(run, names):
    return probe_panels(run, names) + energy_panels(run) + flux_panels(run)
