"""What is shown: a variable of one run or two, on a plane, at a time; and what is at a point of it. How it is drawn is told elsewhere.
SPDX-License-Identifier: MIT
"""
import copy
import os
import re

import numpy as np

from sferic_plot.block import Block, scale_set
from sferic_plot.compare import frames_common, grid_require, terrain_require
from sferic_plot.places import nearest
from sferic_plot.read import frames_even
from sferic_plot.spectrum import spectra
from sferic_plot.words import USAGE, Fail, bracketed, length_text, unit_text

HISTORY = "history"
ALONE, BESIDE, DIFFERENCE = "one run", "two runs", "difference B − A"
FRAMES, LEVELS, ACROSS = 6, 8, 256  # of which a scale is made: a sample of a field, not all of it


def plain(text):
    """Text without the marks of mathtext: 'm s$^{-1}$' is 'm s⁻¹'."""
    def raised(match):
        return match.group(1).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))

    def lowered(match):
        return match.group(1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    text = re.sub(r"\b([EHBDJ])_([xyz])\b", r"\1\2", str(text))
    text = re.sub(r"\^\{?(-?\d+)\}?", raised, re.sub(r"_\{?([\d,]+)\}?(?![\w.])", lowered, text))
    for name, letter in ((r"\theta", "θ"), (r"\pi", "π"), (r"\varphi", "φ"), ("'", "′")):
        text = text.replace(name, letter)
    return re.sub(r"\\[a-z]+|[${}]", "", text)


class Sample:
    """Of a field some levels of some frames, thinned: enough for a scale, and for where most is to be seen."""

    def __init__(self, source, name, frames):
        self.run, self.name, self.frames, self.cells = source, name, frames, []
        c = source.coords[name]
        self.thin = [-(-len(c[a]) // most) for a, most in zip("zyx", (LEVELS, ACROSS, ACROSS))]
        # Thinned levels begin in the middle of the first few: the ground and the lid are seldom what counts.
        self.first = (self.thin[0] - 1) // 2
        for f in frames:
            if name in source.maps:
                values = source.read(name, f)
            elif source.__class__.__name__ == "Spectrum":
                values = source.read(name, f)[self.first::self.thin[0]]
            else:
                values = source.read(name, f, "z", slice(self.first, None, self.thin[0]))
            self.cells.append((None, None, np.ma.masked_invalid(values[:, ::self.thin[1], ::self.thin[2]].astype(float))))

    def sizes(self):
        return [float(np.ma.max(np.abs(c[2]))) if c[2].count() else -1 for c in self.cells]

    def lively(self):
        """The middle one of the frames that hold more than a tenth of the largest value: waves come and go."""
        sizes = self.sizes()
        some = [f for f, s in zip(self.frames, sizes) if s > 0.1 * max(sizes)] or self.frames
        return some[len(some) // 2]

    def peak(self):
        """(frame, {axis: place}) of the largest value."""
        n = int(np.argmax(self.sizes()))
        f = np.ma.filled(np.abs(self.cells[n][2]), -1)
        i = np.unravel_index(np.argmax(f), f.shape)
        c = self.run.coords[self.name]
        first = self.first if self.name not in self.run.maps else 0
        return self.frames[n], {"z": float(c["z"][first + i[0] * self.thin[0]]), "y": float(c["y"][i[1] * self.thin[1]]),
                                "x": float(c["x"][i[2] * self.thin[2]])}


class Difference:
    """What scale_set() takes of B less A."""

    def __init__(self, run, name, cells):
        self.run, self.name, self.cells = run, name, cells


class Scene:
    """A choice of what to show; each setting leaves the others possible."""

    def __init__(self, run, other=None):
        self.run, self.other = run, None
        self.spectra, self.scales, self.blocks = None, {}, {}
        self.mode, self.source, self.kind = ALONE, run, HISTORY
        self.axis = "y"
        self.name = self._first_name()
        sample = self._sample(run, self.name, frames_even(len(run.times), FRAMES))
        self.at = sample.peak()[1]
        self.frame = sample.lively() if run.is_em else len(run.times) - 1
        self._axis_choose()
        if other:
            self.other_set(other)

    # ---- what there is ----

    def sources(self):
        """History, and the planes and boxes of the running DFT, whose frames are frequencies."""
        if self.spectra is None:
            self.spectra = {f"DFT {s.monitor}": s for s in spectra(self.run)}
        return {HISTORY: self.run, **self.spectra} if self.mode == ALONE else {HISTORY: self.run}

    def names(self):
        names = [n for n in self.source.fields if n not in self.source.maps] + list(self.source.maps)
        return [n for n in names if n in self.other.fields] if self.other and self.mode != ALONE else names

    def name_text(self, name):
        return plain(self.source.label(name)) + ("" if name in plain(self.source.label(name)) else f" ({name})")

    def counts(self):
        return {a: len(c) for a, c in self.source.coords[self.name].items()}

    def axes(self):
        """Across which a plane may lie: of maps z alone; of flat domains that one."""
        count = self.counts()
        if self.name in self.source.maps:
            return ["z"]
        flat = [a for a in "zyx" if count[a] == 1]
        if len(flat) == 1:
            return flat
        if len(flat) == 2:  # a line of cells: the plane along which it runs
            return ["y" if flat != ["z", "y"] and "y" in flat else "z"]
        return list("zyx")

    def places(self):
        return np.asarray(self.source.coords[self.name][self.axis], float)

    def frames(self):
        """Pairs of frames, of this run and the other."""
        if self.other and self.mode != ALONE:
            return frames_common(self.run, self.other)
        return [(n, n) for n in range(len(self.source.frequencies if self.kind != HISTORY else self.run.times))]

    def frame_text(self):
        return plain(self.source.frame_text(self.frames()[self.frame][0]))

    def place_text(self):
        if self.counts()[self.axis] < 2:
            return "" if self.name in self.source.maps or self.axis != "z" else "all there is"
        return f"{self.axis} = {length_text(self.at[self.axis], np.ptp(self.source.extent(self.axis)))}"

    # ---- choices ----

    def _first_name(self):
        fields = [n for n in self.run.fields if n not in self.run.maps]
        if not self.run.is_em:
            return next((n for n in ("w", "theta_p", "theta") if n in fields), (fields or list(self.run.fields))[0])
        components = next((g for g in ([n for n in fields if re.fullmatch(k, n)] for k in ("E[xyz]", "H[xyz]")) if g), fields[:1])
        frames = frames_even(len(self.run.times), 3)

        def size(name):
            return max((float(np.ma.max(np.abs(c[2]))) for c in Sample(self.run, name, frames).cells if c[2].count()), default=0)
        return max(components, key=size) if len(components) > 1 else components[0]

    def _sample(self, source, name, frames):
        key = id(source), name, tuple(frames)
        if key not in self.scales:
            self.scales[key] = Sample(source, name, frames)
        return self.scales[key]

    def _axis_choose(self):
        if self.axis not in self.axes():
            self.axis = self.axes()[0]
        self.at = {a: float(np.clip(self.at.get(a, 0), *sorted((c[0], c[-1])))) for a, c in self.source.coords[self.name].items()}

    def run_renew(self, run, other):
        """The same runs, looked at anew: more frames. Where the last one was shown the view follows."""
        last = self.frame == len(self.frames()) - 1
        self.other = other
        if self.source is self.run:
            self.source = run
        self.run, self.spectra = run, None
        self.blocks, self.scales = {}, {}
        self.source_set(self.kind)
        if last and self.kind == HISTORY:
            self.frame = len(self.frames()) - 1

    def other_set(self, other):
        wanted = self.mode if self.mode != ALONE else BESIDE
        self.mode_set(ALONE)
        self.other, self.scales, self.blocks = other, {}, {}
        if other:
            self.mode_set(wanted)

    def mode_set(self, mode):
        """One run, two, or their difference; what cannot be leaves all as it was."""
        before = self.mode, self.kind, self.source, self.name, self.axis, dict(self.at), self.frame
        time = self.run.times[self.frames()[self.frame][0]] if self.kind == HISTORY else None
        self.mode = mode
        try:
            if mode != ALONE:
                self.source_set(HISTORY)
                if not self.names():
                    raise Fail(USAGE, f"{self.run.folder} and {self.other.folder} have no variable in common")
                self.name_set(self.name if self.name in self.names() else self.names()[0])
            if mode == DIFFERENCE:
                terrain_require(self.run, self.other)
            if self.kind == HISTORY:
                pairs = self.frames()
                self.frame = nearest([self.run.times[a] for a, _ in pairs], time) if time is not None else len(pairs) - 1
        except Fail:
            self.mode, self.kind, self.source, self.name, self.axis, self.at, self.frame = before
            raise

    def source_set(self, kind):
        found = self.sources()
        self.kind = kind if kind in found else HISTORY
        self.source = found[self.kind]
        if self.name not in self.source.fields:
            self.name = self._first_name() if self.kind == HISTORY else self.names()[0]
        self.frame = min(self.frame, len(self.frames()) - 1)
        self._axis_choose()

    def name_set(self, name):
        if self.mode == DIFFERENCE:
            grid_require(self.run, self.other, name)
        self.name = name
        wanted = self.axis
        self._axis_choose()
        # From a map back to a field the section is the one before.
        self.axis = wanted if wanted in self.axes() else self.axis

    def axis_set(self, axis):
        self.axis = axis
        self._axis_choose()

    def place_set(self, n):
        self.at[self.axis] = float(self.places()[n])

    def place_index(self):
        return nearest(self.places(), self.at[self.axis])

    # ---- what is seen ----

    def parts(self):
        """The runs to show, each with the number of its frame in a pair."""
        if self.mode == ALONE or not self.other:
            return [(self.source, 0)]
        return [(self.run, 0), (self.other, 1)]

    def block(self, source, frame):
        """A plane of a source, with what lies over it; its cells are read for each frame."""
        key = id(source), self.name, self.axis, self.at[self.axis]
        if key not in self.blocks:
            if len(self.blocks) > 16:
                self.blocks.clear()
            self.blocks[key] = Block(source, self.name, self.axis, self.at[self.axis], [frame])
        return self.blocks[key]

    def scale(self):
        """The colours of all that is shown (lo, hi, cmap, signed, sparse), one scale for all times and planes, of two runs one for both."""
        key = "scale", self.mode, self.kind, self.name
        if key not in self.scales:
            frames = [self.frames()[n] for n in frames_even(len(self.frames()), FRAMES)]
            samples = [self._sample(s, self.name, [p[i] for p in frames]) for s, i in self.parts()]
            if self.mode == DIFFERENCE:
                a, b = samples
                samples = [Difference(self.run, self.name, [(None, None, q[2] - p[2]) for p, q in zip(a.cells, b.cells)])]
            scale_set(samples, signed=self.mode == DIFFERENCE)
            self.scales[key] = copy.copy(samples[0])
            self.scales[key].cells = None
        return self.scales[key]

    def planes(self):
        """[(title, block, h, v, values)] of what stands side by side."""
        pair = self.frames()[self.frame]
        found = []
        for source, i in self.parts():
            block = self.block(source, pair[i])
            found.append((source, block, *source.plane(self.name, pair[i], self.axis, self.at[self.axis])))
        if self.mode == DIFFERENCE:
            (_, block, h, v, a), (_, _, _, _, b) = found
            return [("B − A", block, h, v, b - a)]
        if len(found) < 2:
            return [(found[0][0].domain().case, *found[0][1:])]
        return [(f"{letter}: {os.path.basename(source.folder)}", *rest) for letter, (source, *rest) in zip("AB", found)]

    def unit(self):
        return plain(unit_text(self.source.unit(self.name)))

    def value_label(self):
        return plain(bracketed(self.source.symbol(self.name), self.source.unit(self.name)))

    def is_fixed_height(self):
        return self.axis == "z" and self.source.is_planar(self.name)

    def value_at(self, source, frame, at):
        """The value in the cell nearest to a place {axis: position}, which is a place of the plane shown."""
        h, v, f = source.plane(self.name, frame, self.axis, at[self.axis])
        across, up = (a for a in "xyz" if a != self.axis)
        i = nearest(h, at[across])
        k = nearest(v[:, i] if v.ndim > 1 else v, at[up])
        return float(f[k, i]) if f[k, i] is not np.ma.masked else float("nan")

    def cell_value(self, source, frame, at):
        """The same from a level, which is less to read of a file than a section; over terrain from the plane."""
        c = source.coords[self.name]
        if self.kind != HISTORY or self.name in source.maps or source.terrain is not None:
            return self.value_at(source, frame, at)
        level = source.read(self.name, frame, "z", at["z"])
        return float(level[nearest(c["y"], at["y"]), nearest(c["x"], at["x"])])

    def place_snap(self, across, up):
        """Of a click at (across, up) the cell that is meant: {axis: position of its centre}."""
        source = self.source
        h, v, _ = source.plane(self.name, self.frames()[self.frame][0], self.axis, self.at[self.axis])
        letters = [a for a in "xyz" if a != self.axis]
        i = nearest(h, across)
        column = v[:, i] if v.ndim > 1 else v
        return {self.axis: self.at[self.axis], letters[0]: float(h[i]), letters[1]: float(column[nearest(column, up)])}

    def along(self, source, frame, axis, at):
        """Places and values along an axis through a place: a profile."""
        across = next(a for a in ("yxz" if axis == "z" else "zyx") if a != axis)
        if self.name in source.maps:
            across = "z"
        h, v, f = source.plane(self.name, frame, across, at[across])
        letters = [a for a in "xyz" if a != across]
        if axis == letters[0]:
            k = nearest(v[:, 0] if v.ndim > 1 else v, at[letters[1]])
            return h, np.ma.filled(f[k].astype(float), np.nan)
        i = nearest(h, at[letters[0]])
        return v[:, i] if v.ndim > 1 else v, np.ma.filled(f[:, i].astype(float), np.nan)

    def profile_axes(self):
        count = self.counts()
        return [a for a in "zyx" if count[a] > 1 and not (a == "z" and self.name in self.source.maps)]
