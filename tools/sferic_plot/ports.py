"""Ports: scattering parameters in dB over frequency, reflections on a Smith chart, the input impedance of a lumped port. ports.nc of a
run holds those of the port that it drove, sparameters.nc of `sferic ports` all. SPDX-License-Identifier: MIT
"""
import glob
import os
import re

import numpy as np

from .layout import panel
from .read import netcdf_read
from .waves import COLOURS
from .words import INPUT, Fail, bracketed, number_text, prefix_of

GRID = 0.2, 0.5, 1, 2, 5  # resistances and reactances of a Smith chart, by the reference
FLOOR = -160  # dB: below this single precision has nothing
MOST = 6  # curves of a panel, panels of driven ports


class Scattering:
    """Frequencies, numbers of ports and of those that were driven, resistances, of lines their impedance (NaN: a guide), s (frequency, port, driven), input impedance
    of the one that was driven or None."""

    def __init__(self, path):
        netcdf_read(path, lambda ds: self._take(ds, path))

    def _take(self, ds, path):
        all_of_them = "driven" in ds.sizes
        dims = ("frequency", "port", "driven") if all_of_them else ("frequency", "port")
        wanted = "s_re", "s_im", "frequency", "port", "reference_resistance", "driven"
        if not set(wanted) <= set(ds.variables) or ds["s_re"].dims != dims:
            raise Fail(INPUT, f"{path}: damaged, or not written by sferic (no s_re of ({', '.join(dims)}))")
        self.attrs = dict(ds.attrs)
        self.frequency = np.asarray(ds["frequency"].values, float)
        self.port = [int(round(float(n))) for n in np.atleast_1d(ds["port"].values)]
        resistance = np.asarray(ds["reference_resistance"].values, float)
        self.resistance = np.where(resistance > 0, resistance, np.nan)
        s, of_driven = np.asarray(ds["s_re"].values + 1j * ds["s_im"].values), np.atleast_1d(ds["driven"].values)
        self.s = s if all_of_them else s[:, :, None]
        self.driven = [int(round(float(n))) for n in of_driven] if all_of_them else [p for p, d in zip(self.port, of_driven) if d > 0.5]
        self.s = self.s[:, :, :len(self.driven)]
        self.impedance = None
        if len(self.driven) == 1 and np.isfinite(self.reference(self.driven[0])):
            one = self.of(self.driven[0], self.driven[0])
            with np.errstate(divide="ignore", invalid="ignore"):
                self.impedance = self.reference(self.driven[0]) * (1 + one) / (1 - one) if all_of_them else \
                    np.asarray(ds["input_resistance"].values + 1j * ds["input_reactance"].values)

    def reference(self, port):
        return float(self.resistance[self.port.index(port)])

    def of(self, port, driven):
        return self.s[:, self.port.index(port), self.driven.index(driven)]


class Folder:
    """What `sferic ports` wrote, for a page of its own."""

    def __init__(self, folder):
        self.folder, self.scattering = folder, Scattering(os.path.join(folder, "sparameters.nc"))
        named = sorted(glob.glob(os.path.join(glob.escape(folder), "*.s*p")))
        self.case = os.path.splitext(os.path.basename(named[0] if named else os.path.realpath(folder)))[0]
        self.attrs = {"title": f"{self.case}: scattering parameters", "source": self.scattering.attrs.get("source", "")}

    def about(self):
        s = self.scattering
        kinds = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in
                 ((int(np.isfinite(s.resistance).sum()), "port"), (int(np.isnan(s.resistance).sum()), "guide port")) if n]
        scale, prefix = prefix_of(float(s.frequency.max()))
        ends = " to ".join(number_text(f / scale) for f in dict.fromkeys((s.frequency.min(), s.frequency.max())))
        return f"{' and '.join(kinds)}, {len(s.frequency)} frequencies, {ends} {prefix}Hz, from a run for each port"


def is_folder(folder):
    """Of `sferic ports`, not of a run."""
    return os.path.exists(os.path.join(folder, "sparameters.nc")) and not glob.glob(os.path.join(glob.escape(folder), "history_*.nc"))


def run_panels(run):
    """Of a run with ports, and of `sferic ports` that wrote to the same folder."""
    paths = [os.path.join(run.folder, name) for name in ("ports.nc", "sparameters.nc")]
    return [p for path in paths if os.path.exists(path) for p in ports_panels(Scattering(path))]


def ports_panels(s):
    if not s.driven or not np.isfinite(s.s).any():
        return []
    panels = [decibel_panel(s, s.driven)] if len(s.driven) < 3 else [decibel_panel(s, [d]) for d in s.driven[:MOST]]
    if s.impedance is not None:
        panels.append(impedance_panel(s))
    return panels + [smith_panel(s)]


def name_of(port, driven):
    between = "," if max(port, driven) > 9 else ""
    return f"$S_{{{port}{between}{driven}}}$"


def frequency_axis(s):
    scale, prefix = prefix_of(float(s.frequency.max()))
    return s.frequency / scale, f"frequency [{prefix}Hz]"


def decibel_panel(s, driven):
    """Of two ports all four, those of the second dashed, for of a reciprocal device they lie on those of the first; else what one driven
    port sends to itself and to those that get most."""
    pairs = [(p, d) for d in driven for p in s.port]
    if len(pairs) > MOST or len(driven) == 1:
        size = {p: np.nanmax(np.abs(s.of(*p)), initial=0) for p in pairs}
        pairs = sorted(sorted(pairs, key=lambda p: (p[0] != p[1], -size[p]))[:MOST])
    x, xlabel = frequency_axis(s)
    curves = []
    for (port, d), colour in zip(pairs, COLOURS):
        with np.errstate(divide="ignore"):
            curves.append((name_of(port, d), colour, x, 20 * np.log10(np.abs(s.of(port, d)))))
    dashed = {name_of(p, d) for p, d in pairs if d != driven[0]}

    def finish(ax):
        values = np.concatenate([np.r_[y] for _, _, _, y in curves])
        values = values[np.isfinite(values)]
        least = values.min(initial=0)
        ax.set_ylim(min(max(FLOOR, 5 * np.floor(least / 5)), -5), max(2.0, values.max(initial=0) + 1))
        if least < FLOOR:
            ax.text(0.01, 0.02, f"some below {FLOOR} dB", transform=ax.transAxes, fontsize=7, color="0.45")
        if len(x) > 1:
            ax.set_xlim(x[0], x[-1])
        for line in ax.lines:
            line.set_linestyle("--" if line.get_label() in dashed else "-")
    some = f", port {driven[0]} driven" if len(driven) == 1 and len(s.port) > 1 else ""
    title = f"Scattering parameters{some}" if len(pairs) > 1 else f"Scattering parameter {name_of(*pairs[0])}"
    return panel(title, xlabel, bracketed("magnitude", "dB"), curves, finish)


def impedance_panel(s):
    """Where it is large for what is shown, at resonances of high impedance and far from all, it leaves the panel."""
    x, xlabel = frequency_axis(s)
    z = s.impedance

    def finish(ax):
        size = np.abs(np.r_[z.real, z.imag])
        size = size[np.isfinite(size)]
        reach = min(size.max(initial=1), max(4 * np.median(size) if len(size) else 1, 3 * s.reference(s.driven[0])))
        low = min(0, np.nanmin(np.r_[z.real, z.imag, 0]))
        ax.set_ylim(max(low, -reach) * 1.05, reach * 1.05)
        ax.axhline(0, color="0.6", lw=0.6, zorder=1)
        if len(x) > 1:
            ax.set_xlim(x[0], x[-1])
    return panel(f"Input impedance of port {s.driven[0]}", xlabel, bracketed("impedance", "Ω"),
                 [("resistance", COLOURS[0], x, z.real), ("reactance", COLOURS[1], x, z.imag)], finish)


def smith_grid():
    """{name: points} of the circles of resistance and the arcs of reactance, G = (z - 1) / (z + 1)."""
    turn, lines = np.linspace(0, 2 * np.pi, 181), {}
    for r in (0, *GRID):
        lines[f"r {r}"] = r / (1 + r) + np.exp(1j * turn) / (1 + r)
    along = np.tan(np.linspace(0, np.pi / 2 - 1e-6, 91))
    for x in (0, *GRID, *(-x for x in GRID)):
        lines[f"x {x}"] = (along + 1j * x - 1) / (along + 1j * x + 1)
    return lines


def smith_panel(s):
    reflections = [(d, s.of(d, d)) for d in s.driven[:MOST]]
    references = {s.reference(d) for d, _ in reflections}
    known = len(references) == 1 and np.isfinite(next(iter(references)))
    title = f"Smith chart, {number_text(references.pop())} Ω" if known else "Smith chart, each port by its own impedance"
    if not known and np.isnan([s.reference(d) for d, _ in reflections]).all():
        title = "Smith chart, by the impedance of the mode"
    scale, prefix = prefix_of(float(s.frequency.max()))

    def draw(ax):
        ax.set_aspect("equal")
        ax.axis("off")
        for name, g in smith_grid().items():
            rim = name in ("r 0", "x 0")
            ax.plot(g.real, g.imag, color="0.45" if rim else "0.8", lw=0.8 if rim else 0.5, label=name, zorder=1)
        for x in GRID:
            for sign in (1, -1):
                g = (1j * sign * x - 1) / (1j * sign * x + 1)
                ax.text(1.09 * g.real, 1.09 * g.imag, number_text(sign * x), fontsize=6, color="0.45", ha="center", va="center")
            ax.text((x - 1) / (x + 1) + 0.02, 0.02, number_text(x), fontsize=6, color="0.45", ha="left", va="bottom")
        handles = []
        for (d, g), colour in zip(reflections, COLOURS):
            handles += ax.plot(g.real, g.imag, color=colour, lw=1.3, label=name_of(d, d), zorder=3, ls="--" if handles else "-")
            there = np.flatnonzero(np.isfinite(g))
            for n, face in zip(there[[0, -1]] if len(there) else (), ("w", colour)):
                ax.plot(g.real[n], g.imag[n], "o", ms=4, mfc=face, mec=colour, mew=1, zorder=4, label=f"end {d}")
                ax.lines[-1].frequency = float(s.frequency[n])
        ends = [number_text(f / scale) for f in (s.frequency[0], s.frequency[-1])]
        ax.text(0, -1.27, f"○ {ends[0]} {prefix}Hz   ● {ends[1]} {prefix}Hz", fontsize=7.5, ha="center", va="center")
        ax.set_xlim(-1.2, 1.2)
        ax.set_ylim(-1.32, 1.15)
        if len(handles) > 1:
            ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(-0.12, 1.02), fontsize=7, frameon=False, handlelength=1.2)
    return title, draw
