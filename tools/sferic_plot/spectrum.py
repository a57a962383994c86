"""Planes and boxes of the running DFT. SPDX-License-Identifier: MIT"""
import glob
import os
import re

import numpy as np

from .places import edges, nearest
from .read import Frames, netcdf_read, plane_axis
from .words import INPUT, Fail, prefix_of


def spectra(run):
    """The DFT monitors of a run."""
    files = sorted(glob.glob(os.path.join(glob.escape(run.folder), "dft_*.nc")))
    return [Spectrum(path, run) for path in files]


class Spectrum(Frames):
    """One dft_NAME.nc: complex fields of (frequency, z, y, x), at the cells (x ...) or, staggered, each on its own nodes (x_f ...) and cells; its one
    field here is the magnitude of E, or of H, or the specific absorption rate where the file has it, in the cells, its frames are the frequencies."""

    def __init__(self, path, run):
        self.path, self.run = path, run
        self.monitor = os.path.basename(path)[4:-3]
        netcdf_read(path, self._describe)

    def _describe(self, ds):
        parts = [n[:-3] for n in ds.variables if re.fullmatch("[EH][xyz]_re", n) and n[:-2] + "im" in ds]
        kind = "E" if any(n[0] == "E" for n in parts) else "H"
        self.parts = [n for n in parts if n[0] == kind]
        sides = [d.replace("_f", "") for d in ds[self.parts[0] + "_re"].dims] if self.parts else []
        if sides != ["frequency", "z", "y", "x"]:
            raise Fail(INPUT, f"{self.path}: damaged, or not written by sferic (no Ex_re and Ex_im, or the "
                       "like, of (frequency, z, y, x))")
        self.frequencies = np.atleast_1d(np.asarray(ds["frequency"].values, float))
        # A plane has one cell and one node across: it lies on its nodes.
        flat = {a: a + "_f" in ds and ds.sizes[a + "_f"] == 1 for a in "xyz"}
        self.axes = {a: np.atleast_1d(np.asarray(ds[a + "_f" if flat[a] else a].values, float)) for a in "xyz"}
        self.rate = "sar" if "sar" in ds else None  # what media take for their mass, in place of the field that they take it of
        if self.rate:
            self.name, self.field_symbol = "SAR", "SAR"
            self.coords, self.fields = {self.name: self.axes}, {self.name: {"units": str(ds["sar"].attrs.get("units", ""))}}
            return
        one = len(self.parts) == 1
        self.name = f"|{self.parts[0] if one else kind}|"
        self.field_symbol = f"$|{kind}_{self.parts[0][1]}|$" if one else f"$|{kind}|$"
        self.coords = {self.name: self.axes}
        unit = str(ds[self.parts[0] + "_re"].attrs.get("units", ""))
        self.fields = {self.name: {"units": unit}}

    def domain(self):
        return self.run

    def symbol(self, name):
        return self.field_symbol

    def label(self, name):
        return f"DFT {self.monitor}: {self.field_symbol}"

    def signed(self, name, low, high):
        return False

    def from_zero(self, name):
        return True

    def medium_plane(self, axis, at):
        low, high = self.run.extent(axis)
        return self.run.medium_plane(axis, at) if low <= at <= high else None

    def frame_text(self, frame):
        scale, prefix = prefix_of(self.frequencies[frame])
        return f"{self.frequencies[frame] / scale:.4g} {prefix}Hz"

    def read(self, name, frame, axis=None, at=None):
        where = {a: nearest(self.axes[a], at) if a == axis else slice(None) for a in "xyz"}

        def part(ds, name):
            """A component in the cells: the mean over its nodes around each, of which the last may be missing."""
            v = ds[name].isel(frequency=frame)
            for a in "zyx":
                if a in v.dims and (a == axis or v.sizes[a] == len(self.axes[a])):
                    v = v.isel({a: where[a]})
                    continue
                if a in v.dims:  # the two cells beside a plane of nodes
                    below, above = ds[a].values
                    share = (self.axes[a][0] - below) / (above - below)
                    v = v.isel({a: [0]}) * (1 - share) + v.isel({a: [1]}).values * share
                    continue
                at_cells, nodes = np.atleast_1d(self.axes[a][where[a]]), ds[a + "_f"].values
                above = np.searchsorted(nodes, at_cells)
                on = np.isin(at_cells, nodes)
                pair = [v.isel({a + "_f": np.clip(above - m, 0, len(nodes) - 1)}).values for m in (0, ~on)]
                v = v.isel({a + "_f": np.zeros(len(at_cells), int)}).copy(data=sum(pair) / 2)
                v = v.isel({a + "_f": 0}) if a == axis else v
            return v.values.astype(float)

        def magnitude(ds):
            if self.rate:
                v = ds[self.rate].isel(frequency=frame)
                return v.isel({a: where[a] for a in "zyx"}).values.astype(float)
            return np.sqrt(sum(part(ds, p + end) ** 2 for p in self.parts for end in ("_re", "_im")))
        return netcdf_read(self.path, magnitude)

    def plane_best(self):
        """(axis, position) of the plane with most of the squared magnitude, and the total of each frequency."""
        count, width = self.counts(), {a: np.diff(edges(self.axes[a])) for a in "xyz"}
        flat = [a for a in "zyx" if count[a] == 1]
        totals, energy = np.zeros(len(self.frequencies)), {a: 0 for a in "xyz"}
        for n in range(len(self.frequencies)):
            square = self.read(self.name, n) ** 2
            totals[n] = np.nansum(square)
            for a, letters in (("z", "yx"), ("y", "zx"), ("x", "zy")):
                sums = np.einsum(f"zyx,{letters[0]},{letters[1]}->{a}", np.nan_to_num(square),
                                 width[letters[0]], width[letters[1]])
                energy[a] = energy[a] + sums
        axis = flat[0] if flat else plane_axis(energy)
        return axis, float(self.axes[axis][int(np.argmax(energy[axis]))]), totals
