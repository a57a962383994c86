"""A scan: a case run with its source and its probe at one position after the other, and the traces side by side.
SPDX-License-Identifier: MIT
"""
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

from .colours import diverging
from .program import program_words
from .read import journal_fold, netcdf_read
from .sources import entries_read
from .words import INPUT, IO, USAGE, Fail, outcome, prefix_of

COMPONENTS = "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"
STOPPED = 75  # exit code of sferic run


def say(text):
    print(f"sferic-bscan: {text}", flush=True)


class Scan:
    """Its folders, and the places of source and probe."""

    def __init__(self, options):
        self.o, self.program = options, program_words(options.sferic)
        if not os.path.isfile(options.case):
            raise Fail(INPUT, f"{options.case}: no such file")
        self.is_known()
        text = self.namelist_first()
        self.sources = [e for e in entries_read(text, "source") if "kind" in e]
        probes = [e for e in entries_read(text, "output") if any("probe_" + a in e for a in "xyz")]
        self.source = self.place(self.sources, options.source, "", "sources (&source)") if options.source else None
        self.probe = self.place(probes, options.probe, "probe_", "probes (&output probe_x, probe_y, probe_z)")

    def folder(self, n):
        return os.path.join(self.o.out, f"position_{n + 1:04d}")

    def digest(self):
        """Of the namelist and of the files that it names, beside it or where the program runs."""
        with open(self.o.case, "rb") as f:
            text = f.read()
        all_of = hashlib.sha256(text)
        for name in sorted(set(re.findall(rb"['\"]([^'\"\n]+)['\"]", text + " ".join(self.o.set).encode()))):
            places = os.path.join(os.path.dirname(self.o.case).encode(), name), name
            path = next((p for p in places if os.path.isfile(p)), None)
            if path:
                with open(path, "rb") as f:
                    all_of.update(name + hashlib.sha256(f.read()).digest())
        return all_of.hexdigest()

    def is_known(self):
        """What stands in the folder must be the same scan; it may be a shorter one."""
        case = self.digest()
        mine = {"case": case, "set": self.o.set, "source": self.o.source, "probe": self.o.probe, "step": list(self.o.step), "still": self.o.still}
        path = os.path.join(self.o.out, "bscan.json")
        try:
            if os.path.exists(path) and glob.glob(self.folder(0)[:-4] + "*"):
                with open(path, encoding="utf-8") as f:
                    if json.load(f) != mine:
                        raise Fail(USAGE, f"{self.o.out} holds a scan of another case, or with other options: choose another --out, or remove it")
            else:
                os.makedirs(self.o.out, exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    json.dump(mine, f)
        except ValueError as e:
            raise Fail(INPUT, f"{path}: damaged: remove {self.o.out}") from e
        except OSError as e:
            raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e

    def namelist_first(self):
        """The whole namelist of the first position: one step of it, to begin with."""
        path = os.path.join(self.folder(0), "namelist.nml")
        if self.state(0) is None or not os.path.exists(path):
            code = self.command("run", 0, "-q", "--force", "--stop-after-steps", "1")
            if code not in (0, STOPPED):
                raise Fail(code, f"`sferic run` of the first position ends with code {code}")
        with open(path, encoding="utf-8") as f:
            return f.read()

    @staticmethod
    def place(entries, number, prefix, what):
        """x, y, z of entry `number`; what is not given is 0."""
        if number > len(entries):
            raise Fail(USAGE, f"the case has {len(entries)} {what}, no number {number}")
        return np.array([float(entries[number - 1].get(prefix + a, 0)) for a in "xyz"])

    def places(self, n):
        """Of source (NaN: none moves) and probe at position n."""
        step = n * np.array(self.o.step)
        return (self.source + step if self.o.source else np.full(3, np.nan)), self.probe + (0 if self.o.still else 1) * step

    def state(self, n):
        try:
            with open(os.path.join(self.folder(n), "status.json"), encoding="utf-8") as f:
                return str(json.load(f).get("state"))
        except (OSError, ValueError):
            return None

    def command(self, verb, n, *words):
        """Exit code of sferic at position n."""
        o, sets = self.o, list(self.o.set)
        for a in range(3):
            if n and o.step[a] and o.source:
                sets.append(f"source%{'xyz'[a]}({o.source})={self.places(n)[0][a]:.12g}")
            if n and o.step[a] and not o.still:
                sets.append(f"output%probe_{'xyz'[a]}({o.probe})={self.places(n)[1][a]:.12g}")
        line = self.program + [verb, o.case] + [w for s in sets for w in ("--set", s)] + ["--out", self.folder(n)]
        try:
            end = subprocess.run(line + list(words), stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        except OSError as e:
            raise Fail(USAGE, f"cannot start {line[0]}: {e.strerror or e}") from e
        if end.returncode != STOPPED or "--stop-after-steps" not in words:
            sys.stderr.write(end.stderr.decode(errors="replace"))
        return end.returncode

    def run(self):
        """All positions that are not done. The last is looked at before any is run: it may lie outside of the domain."""
        last = self.o.count - 1
        if self.state(last) != "done" and (code := self.command("check", last, "--force")):
            raise Fail(code, f"position {last + 1} of {self.o.count} cannot be run: take fewer or shorter steps")
        for n in range(self.o.count):
            if self.state(n) == "done":
                continue
            goes_on = glob.glob(os.path.join(self.folder(n), "restart_*.nc"))
            say(f"position {n + 1} of {self.o.count}" + (", goes on" if goes_on and n else ""))
            code = self.command("run", n, "-q", *(("--restart", "auto") if goes_on else ("--force",)))
            if code:
                raise Fail(code, f"position {n + 1} of {self.o.count} ends with code {code}; the same command goes on from here")

    def traces(self, n):
        path = os.path.join(self.folder(n), "probes.nc")
        if not os.path.exists(path):
            raise Fail(INPUT, f"{path}: no such file; remove {self.folder(n)} to have it run again")
        ds = netcdf_read(path, lambda d: journal_fold(d.load(), path[:-3] + ".journal"))
        return ds.isel(probe=self.o.probe - 1).drop_vars("probe")

    def component(self):
        if self.o.component or not self.o.source:
            return self.o.component or "Ez"
        entry = self.sources[self.o.source - 1]
        return ("H" if entry.get("kind") == "magnetic" else "E") + entry.get("axis", "z")


def moves_check(scan, runs, name):
    """Places are those of the grid: steps of broken cells are uneven."""
    at = np.array([[float(r[f"{name}_{a}"]) for a in "xyz"] for r in runs])
    size = np.linalg.norm(scan.o.step)
    if not scan.o.still and len(at) > 1 and np.abs(np.diff(at, axis=0) - scan.o.step).max() > 0.01 * size:
        print(f"sferic-bscan: warning: steps of {size:.4g} m are no whole cells, and places are those of the grid: the probe moves by "
              f"{np.linalg.norm(np.diff(at, axis=0), axis=1).min():.4g} to {np.linalg.norm(np.diff(at, axis=0), axis=1).max():.4g} m", file=sys.stderr)


def collect(scan):
    """All traces as (position, time)."""
    runs = [scan.traces(n) for n in range(scan.o.count)]
    t = runs[0]["time"].values
    for n, r in enumerate(runs):
        if len(r["time"]) != len(t) or np.abs(r["time"].values - t).max() > 1e-9 * t[-1]:
            raise Fail(INPUT, f"{scan.folder(n)} has other times than {scan.folder(0)}: all runs must have the same steps and duration")
    source, probe = (np.array(p) for p in zip(*(scan.places(n) for n in range(scan.o.count))))
    data = {"time_h": ("time", runs[0]["time_h"].values, runs[0]["time_h"].attrs)} if "time_h" in runs[0] else {}
    for name in (c for c in COMPONENTS if c in runs[0]):
        data[name] = ("position", "time"), np.stack([r[name].values for r in runs]), runs[0][name].attrs | {"coordinates": "distance"}
    for who, where in (("source", source), ("probe", probe)):
        for a in range(3):
            data[f"{who}_{'xyz'[a]}"] = "position", where[:, a], {"long_name": f"{'xyz'[a]} of the {who}, as it was asked for", "units": "m"}
    distance = np.arange(scan.o.count) * np.linalg.norm(scan.o.step)
    ds = xr.Dataset(data, coords={
        "position": ("position", np.arange(1, scan.o.count + 1), {"long_name": "number of the position", "units": "1"}),
        "distance": ("position", distance, {"long_name": "distance from the first position", "units": "m"}),
        "time": ("time", t, runs[0]["time"].attrs)})
    keep = "title", "institution", "source", "case", "model", "precision"
    ds.attrs = {"Conventions": "CF-1.11"} | {n: runs[0].attrs[n] for n in keep if n in runs[0].attrs} | {"history": "sferic-bscan " + shlex.join(sys.argv[1:])}
    return ds, runs


def picture_draw(ds, name, path, dpi):
    """The traces as they are, and less their median over the positions, which is what does not depend on them: time downwards."""
    x, t, field = ds["distance"].values, ds["time"].values, ds[name].values.T.astype(float)
    scale, prefix = prefix_of(t[-1])
    panels = [("as recorded", field), ("less the median of all positions", field - np.median(field, axis=1, keepdims=True))]
    fig, axes = plt.subplots(1, 2, figsize=(12, 6.2), sharey=True, constrained_layout=True)
    edge = np.concatenate([[x[0] - 0.5 * (x[1] - x[0])], 0.5 * (x[1:] + x[:-1]), [x[-1] + 0.5 * (x[-1] - x[-2])]]) if len(x) > 1 else np.array([-0.5, 0.5])
    every = max(1, len(t) // 2000)
    for ax, (what, values) in zip(axes, panels):
        # Echoes are far weaker than what comes straight from the source: colours end where a fiftieth of all is beyond.
        limit = np.quantile(np.abs(values), 0.98) or np.abs(values).max() or 1
        shown = values[::every][:-1]
        mesh = ax.pcolormesh(edge, t[::every] / scale, shown, cmap=diverging(), vmin=-limit, vmax=limit, rasterized=True)
        ax.set_title(what, fontsize=10)
        ax.set_xlabel("distance from the first position [m]")
        fig.colorbar(mesh, ax=ax, extend="both", shrink=0.7, label=f"${name[0]}_{name[1]}$ [{ds[name].attrs.get('units', '1')}]")
    axes[0].set_ylabel(f"time [{prefix}s]")
    axes[0].invert_yaxis()
    fig.suptitle(str(ds.attrs.get("title", "")).replace("$", r"\$"), fontsize=13, fontweight="bold")
    try:
        fig.savefig(path, dpi=dpi)
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e


def bscan(options):
    scan = Scan(options)
    scan.run()
    ds, runs = collect(scan)
    name, path = scan.component(), os.path.join(options.out, "bscan.nc")
    if name not in ds:
        raise Fail(INPUT, f"{options.out}: the runs hold no {name}")
    moves_check(scan, runs, name)
    try:
        ds.to_netcdf(path, engine="netcdf4", encoding={n: {"_FillValue": None} for n in ds.variables})
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e
    picture_draw(ds, name, path[:-3] + ".png", options.dpi)
    print(f"{path}\n{path[:-3]}.png: {name} at {options.count} positions")


def main(options):
    plt.rcParams.update({"font.size": 9, "axes.linewidth": 0.6, "mathtext.fontset": "dejavusans"})
    return outcome("sferic-bscan", bscan, options)
