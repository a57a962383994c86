"""Resonances of a run: reads its probes, finds what rings, prints a table and writes resonances.nc.
SPDX-License-Identifier: MIT
"""
import os
import sys

import numpy as np
import xarray as xr

from .pencil import Band, modes_find
from .read import journal_fold, netcdf_read
from .sources import sources_end
from .words import INPUT, IO, USAGE, Fail, outcome

ETA0 = 376.730313412  # ohm: H times it counts as E
COMPONENTS = "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"
FAINT = 1e-3  # of the largest amplitude of a spectrum: ends the band
NOTHING = 1e-5  # of the strongest mode: not told
LASTING = 3e-6  # share of the amplitude: a mode that loses less over the record loses nothing that 32 bits show


def warn(text):
    print(f"sferic-resonances: warning: {text}", file=sys.stderr)


class Traces:
    """All components at all probes from `after` on, as one array (time, trace) in V/m."""

    def __init__(self, folder, after):
        path = os.path.join(folder, "probes.nc")
        if not os.path.isdir(folder):
            raise Fail(INPUT, f"{folder}: no such folder")
        if not os.path.exists(path):
            raise Fail(INPUT, f"{folder}: holds no probes.nc; give the run &output probe_x, probe_y, probe_z")
        ds = netcdf_read(path, lambda d: journal_fold(d.load(), path[:-3] + ".journal"))
        self.names = [n for n in COMPONENTS if n in ds]
        if not self.names:
            raise Fail(INPUT, f"{path}: holds no component of E or H: this is for runs of the EM model")
        self.attrs, self.units = dict(ds.attrs), {n: ds[n].attrs.get("units", "1") for n in self.names}
        self.places = {n: ds[n] for n in ("probe", "probe_x", "probe_y", "probe_z")}
        t = ds["time"].values.astype(float)
        self.over = sources_end(str(ds.attrs.get("namelist", "")), folder)
        begin = self.over if after is None else after
        if not begin < t[-1]:
            what = "the sources are not over before the record ends" if after is None else f"--after {after:.6g} s is not within the record, which ends"
            raise Fail(USAGE, f"{what} at {t[-1]:.6g} s: run longer, or give an earlier --after")
        first = int(np.searchsorted(t, begin))
        self.start, self.end, n = float(t[first]), float(t[-1]), len(t) - first
        if n < 20:
            raise Fail(INPUT, f"only {n} entries of {path} follow {begin:.6g} s: run longer, or give an earlier --after")
        self.dt = (self.end - self.start) / (n - 1)
        self.probes = ds.sizes["probe"]
        raw = np.stack([ds[c].values[first:] for c in self.names], axis=2).astype(float)  # time, probe, component
        self.scale = np.array([ETA0 if c[0] == "H" else 1.0 for c in self.names])
        self.values = (raw * self.scale).reshape(n, -1)
        if not np.isfinite(self.values).all():
            raise Fail(INPUT, f"{path}: holds values that are no numbers after {begin:.6g} s")
        if not self.values.any():
            raise Fail(INPUT, f"{path}: all traces are 0 after {begin:.6g} s: nothing rings there")

    def band(self, low, high):
        """From where to where all of them together have FAINT of the largest amplitude, where it is not given, Hz."""
        n = len(self.values)
        size = np.sqrt((np.abs(np.fft.rfft(self.values * np.blackman(n)[:, None], 4 * n, axis=0)) ** 2).sum(1))
        f = np.fft.rfftfreq(4 * n, self.dt)
        some = np.flatnonzero(size >= FAINT * size.max())
        return f[some[0]] if low is None else low, f[some[-1]] if high is None else high


def modes_write(path, traces, modes, spread, amplitude, names):
    q = quality(modes, spread)
    about = {
        "frequency": (modes.imag / (2 * np.pi), "frequency of the mode", "Hz"),
        "frequency_error": (spread[:, 0], "how far its frequency depends on the length of the pencil", "Hz"),
        "decay_rate": (-modes.real, "decay rate of the amplitude", "s-1"),
        "decay_rate_error": (spread[:, 1], "how far its decay rate depends on the length of the pencil", "s-1"),
        "Q": (q, "quality factor, pi frequency / decay_rate; missing where the decay is less than its error", "1")}
    data = {n: (("mode",), v, {"long_name": meaning, "units": units}) for n, (v, meaning, units) in about.items()}
    for c, name in enumerate(names):
        data[name + "_amplitude"] = ("mode", "probe"), amplitude[:, :, c], {
            "long_name": f"amplitude of {name} of the mode at the probe, at time_start", "units": traces.units[name]}
    data["time_start"] = (), traces.start, {"long_name": "time from which on the traces are looked at", "units": "s"}
    ds = xr.Dataset(data, coords=traces.places | {"mode": ("mode", np.arange(1, len(modes) + 1), {"long_name": "number of the mode", "units": "1"})})
    keep = "title", "institution", "source", "case", "model", "precision"
    ds.attrs = {"Conventions": "CF-1.11"} | {n: traces.attrs[n] for n in keep if n in traces.attrs} | {
        "history": "sferic-resonances " + " ".join(sys.argv[1:])}
    try:
        ds.to_netcdf(path, engine="netcdf4", encoding={n: {"_FillValue": np.nan if n == "Q" else None} for n in ds.variables})
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e


def quality(modes, spread):
    """Q; NaN where the decay is not more than its error."""
    decay = -modes.real
    return np.where(decay > spread[:, 1], 0.5 * modes.imag / np.where(decay > 0, decay, 1), np.nan)


def table_print(modes, spread, strength):
    print("    frequency [Hz]     error [Hz]   decay [1/s]    error [1/s]           Q   amplitude [V/m]")
    for s, (df, dr), q, a in zip(modes, spread, quality(modes, spread), strength):
        q = f"> {0.5 * s.imag / dr:.2g}" if np.isnan(q) else f"{q:.6g}"
        print(f"{s.imag / (2 * np.pi):18.10g} {df:14.2g} {-s.real:13.6g} {dr:14.2g} {q:>11} {a:17.4g}")


def doubts(traces, modes, spread, band, full, low):
    """What the figures may not be worth."""
    span = traces.end - traces.start
    if traces.start < 0.9999 * traces.over:
        warn(f"the sources are on until {traces.over:.6g} s: what they drive counts as ringing before; leave --after out")
    if full:
        warn("the traces hold more waves than the record can tell apart, or noise: give a narrower --from and --to, or run longer")
    if span * low < 10:
        warn(f"the record of {span:.3g} s holds {span * low:.2g} periods of the lowest frequency: run longer")
    f = modes.imag / (2 * np.pi)
    if len(f) > 1 and np.diff(f).min() * span < 1:
        n = int(np.argmin(np.diff(f)))
        warn(f"{f[n]:.6g} and {f[n + 1]:.6g} Hz are closer than 1 / {span:.3g} s: only exact traces tell them apart; run {1 / np.diff(f)[n]:.2g} s longer")
    wide = spread[:, 0] > 1e-3 * f
    if wide.any():
        warn(f"{wide.sum()} of the frequencies are not certain to a thousandth (their errors say so): run longer")


def resonances(options):
    traces = Traces(options.folder, options.after)
    low, high = traces.band(options.low, options.high)
    if not low < high:
        raise Fail(USAGE, f"nothing lies between {low:.6g} and {high:.6g} Hz: give both --from and --to")
    if high > 0.5 / traces.dt:
        raise Fail(USAGE, f"entries {traces.dt:.3g} s apart show no more than {0.5 / traces.dt:.6g} Hz: give a lower --to")
    band = Band(traces.values, traces.dt, low, high)
    modes, spread, amplitude, full = modes_find(band, low, high)
    if len(modes):
        strong = np.sqrt((amplitude ** 2).sum(1))
        some = strong > NOTHING * strong.max()
        modes, spread, amplitude = modes[some], spread[some], amplitude[some]
        spread[:, 1] = np.maximum(spread[:, 1], LASTING / (traces.end - traces.start))
    print(f"{options.folder}: {low:.6g} to {high:.6g} Hz, from {traces.start:.6g} to {traces.end:.6g} s: {len(modes)} resonance{'s' * (len(modes) != 1)}")
    amplitude = amplitude.reshape(len(modes), traces.probes, len(traces.names))
    table_print(modes, spread, amplitude.max(axis=(1, 2), initial=0))
    doubts(traces, modes, spread, band, full, low)
    path = options.output or os.path.join(options.folder, "resonances.nc")
    modes_write(path, traces, modes, spread, amplitude / traces.scale, traces.names)
    print(path)


def main(options):
    return outcome("sferic-resonances", resonances, options)
