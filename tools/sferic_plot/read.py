"""Output folders: frames in order of time, fields (time, z, y, x), the lines beside them.
SPDX-License-Identifier: MIT
"""
import difflib
import glob
import os
import re

import numpy as np
import xarray as xr

from .places import MOST, PLANE, along, edges, nearest, places_same
from .terrain import Risen, Terrain, names_of
from .words import INPUT, USAGE, Fail, length_text, prefix_of, symbol_text

# Amplitudes below which a field is taken for round-off: its colour scale gets no finer.
FLOOR = {"u": 1e-3, "v": 1e-3, "w": 1e-3, "theta_p": 1e-3, "pi_p": 1e-8,
         "theta_rho": 1e-3, "reflectivity": 1, "vorticity_x": 1e-6, "vorticity_y": 1e-6, "vorticity_z": 1e-6, "updraft_helicity": 1}
WATER = "qc", "qr", "rain", "rain_rate", "reflectivity"  # of the weather: nothing in most places, which is left white
MILLIMETRES = {"rain": (1, "mm"), "rain_rate": (3600, "mm h-1")}  # water of 1 kg/m2 stands a millimetre high
COMPONENT = "[EHBDJ][xyz]"
MOVED = "; move it away to see the rest of the run"  # of one damaged file of several


def netcdf_read(path, action, advice=""):
    """action(dataset), with every way in which a damaged file fails told as one message, which ends with the advice. Times stay
    numbers: xarray would turn seconds into whole nanoseconds."""
    try:
        with xr.open_dataset(os.path.realpath(path), engine="netcdf4", decode_times=False,
                             decode_timedelta=False) as ds:
            return action(ds)
    except Fail:
        raise
    except (OSError, RuntimeError, ValueError, LookupError, AttributeError, TypeError, MemoryError) as e:
        reason = re.sub(r"^\[Errno -?\d+\] |: b''$|: ''$", "", " ".join(str(e).replace(os.path.realpath(path), "").split()))[:160] or type(e).__name__
        raise Fail(INPUT, f"{path}: damaged, or not written by sferic ({reason}){advice}") from e


def stamp_of(path):
    """Differs when a file has changed; None where it is gone."""
    try:
        about = os.stat(path)
        return about.st_ino, about.st_size, about.st_mtime_ns
    except OSError:
        return None


def files_panels(folder, pattern, panels_of):
    """panels_of(dataset, path) of every file of the folder that has such a name, in their order."""
    panels = []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), pattern))):
        panels += netcdf_read(path, lambda ds, path=path: panels_of(ds, path))
    return panels


def journal_fold(ds, path):
    """Of a run that is under way, or was killed: what came since the file was last written. A journal is a head of magic, numbers of a row,
    entries of its file, their digest; then batches of a count, rows of the time and all variables, a digest. A run ends a batch before
    it tells of it: the last one alone may be torn, and is left out."""
    if not os.path.exists(path):
        return ds
    with open(path, "rb") as f:
        raw = f.read()
    names = [n for n, v in ds.variables.items() if v.dims[:1] == ("time",) and n not in ("time", "time_h")]
    width = 1 + sum(int(np.prod(ds[n].shape[1:])) for n in names)
    head, rows, at = np.frombuffer(raw[8:32], "<u8"), [], 32
    if len(raw) < at or raw[:8] != b"SFJOURN1" or head[0] != width or head[1] != ds.sizes["time"]:
        return ds
    while at + 8 <= len(raw):
        n = int(np.frombuffer(raw[at:at + 8], "<u8")[0])
        end = at + 8 + n * width * 8
        if end + 8 > len(raw):
            break
        rows.append(np.frombuffer(raw[at + 8:end], "<f8").reshape(n, width))
        at = end + 8
    if not rows:
        return ds
    new, column = np.concatenate(rows), 1
    new = new[np.concatenate([[True], np.diff(new[:, 0]) > 0])]
    added = {"time": ("time", new[:, 0], ds["time"].attrs)}
    if "time_h" in ds:
        added["time_h"] = "time", new[:, 0] + float(ds["time_h"][0] - ds["time"][0]), ds["time_h"].attrs
    for n in names:
        shape = ds[n].shape[1:]
        size = int(np.prod(shape))
        added[n] = ds[n].dims, new[:, column:column + size].reshape((-1,) + shape), ds[n].attrs
        column += size
    fixed = {n: v for n, v in ds.variables.items() if "time" not in v.dims}
    both = xr.concat([ds.drop_vars(list(fixed)), xr.Dataset(added)], "time")
    return both.assign(fixed).assign_attrs(ds.attrs)


def frames_even(count, most):
    return sorted(set(np.linspace(0, count - 1, min(most, count)).round().astype(int).tolist()))


def namelist_number(attrs, key, default):
    """A number of the resolved namelist that every file holds."""
    found = re.search(rf"^ *{key} *= *([-+0-9.eE]+)", str(attrs.get("namelist", "")), re.M)
    return float(found.group(1)) if found else default


class Frames:
    """Fields of (z, y, x), and maps, which have one level, at a row of frames: output times of a run, frequencies of a spectrum.

    fields {name: attributes}, coords {name: {axis: cell centres}}, axes: those of the page, read() by subclass.
    """
    maps = ()
    terrain = None

    def extent(self, axis):
        e = edges(self.axes[axis])
        return e[0], e[-1]

    def counts(self):
        return {a: len(self.axes[a]) for a in "xyz"}

    def domain(self):
        """Of which this is a part: says whether a plane's place is worth telling."""
        return self

    def axis_label(self, axis, unit):
        return f"${axis}$ [{unit}]"

    def place_text(self, axis, at, extent):
        """Where a plane is, for a heading."""
        return f" at ${axis}$ = {length_text(at, extent)}"

    def place(self, name, i):
        """Where the cell [z, y, x] of a field is."""
        return {a: float(self.coords[name][a][k]) for a, k in zip("zyx", i)}

    def ground(self, name, axis, at):
        """Of the plane that plane() gives, heights of the ground; None without terrain."""
        return None

    def is_planar(self, name):
        return False

    def plane_at(self, name, axis, at):
        """Where the plane is that plane() gives."""
        return float(self.coords[name][axis][nearest(self.coords[name][axis], at)])

    def symbol(self, name):
        return symbol_text(name)

    def label(self, name):
        """What a heading calls a variable."""
        symbol = self.symbol(name)
        if re.fullmatch("[EH][xyz]", name):
            return f"{'Electric' if name[0] == 'E' else 'Magnetic'} field {symbol}"
        label = str(self.fields[name].get("long_name") or name)
        return f"{label[:1].upper()}{label[1:]} {symbol if symbol != name else ''}".rstrip()

    def unit(self, name):
        return str(self.fields.get(name, {}).get("units", ""))

    def floor(self, name):
        """The amplitude of a field below which it is round-off. Names of the weather say nothing of another model's fields."""
        return FLOOR.get(name, 0) if getattr(self, "attrs", {}).get("model", "dynamics") == "dynamics" else 0

    def signed(self, name, low, high):
        return (self.floor(name) > 0 or name.endswith("_p") or bool(re.fullmatch(COMPONENT, name))
                or low < -0.05 * high < 0)

    def from_zero(self, name):
        """Magnitudes, whose colours begin at zero."""
        return name.endswith(("_magnitude", "energy_density"))

    def sparse(self, name):
        """Cloud and rain. Another model's fields of these names are its own."""
        return name in WATER and getattr(self, "attrs", {}).get("model", "") == "dynamics"

    def plane(self, name, frame, axis, at):
        """Coordinates across and up, and values, of the plane nearest to `at`, thinned to what shows."""
        across, up = PLANE[axis]
        h, v = self.coords[name][across], self.coords[name][up]
        step_h, step_v = -(-len(h) // MOST), -(-len(v) // MOST)
        values = self.read(name, frame, axis, at)[::step_v, ::step_h]
        return h[::step_h], v[::step_v], np.ma.masked_invalid(values.astype(float))


class Run(Risen, Frames):
    """The output folder of a run. before: an earlier look at it, whose files are not opened again where they have not changed."""

    def __init__(self, folder, before=None):
        self.folder, self.looked = folder, {}
        if not os.path.isdir(folder):
            raise Fail(INPUT, f"{folder}: no such file or folder; give the folder that `sferic run --out` wrote, or a timeline")
        files = sorted(glob.glob(os.path.join(glob.escape(folder), "history_*.nc")))
        if not files:
            runs = sorted({os.path.dirname(f) for f in glob.glob(os.path.join(glob.escape(folder), "*", "history_*.nc"))})
            raise Fail(INPUT, f"{folder}: holds no history_*.nc: nothing to draw" + (f"; folders in it do: give one, {runs[0]}" if runs else ""))
        found, self.coords = {}, {}
        for path in files:
            stamp, same = stamp_of(path), before.looked.get(path) if before else None
            times, self.coords = same[1:] if same and stamp and same[0] == stamp else netcdf_read(path, lambda ds, p=path: self._look(ds, p, files[0]), MOVED if files[1:] else "")
            self.looked[path] = stamp, times, self.coords
            for n, t in enumerate(times):
                found[float(t)] = (path, n)
        if not found:
            raise Fail(INPUT, f"{files[0]}: holds no time")
        self.times = sorted(found)
        self.where = [found[t] for t in self.times]
        netcdf_read(files[0], self._describe)
        self.axes = self.coords["theta_p" if "theta_p" in self.fields else next(iter(self.fields))]
        components = any(re.fullmatch("[EH][xyz]", n) for n in self.fields)
        self.is_em = self.attrs.get("model") == "maxwell" or ("w" not in self.fields and components)
        names = self.attrs.get("case"), os.path.basename(os.path.realpath(folder)), "sferic"
        self.case = next(filter(None, (re.sub(r"[^\w.-]+", "_", str(n or "")).strip("._") for n in names)))
        self.surveys = {}
        self.series, self.probes, self.flux = (self.lines(n) for n in ("series", "probes", "flux"))

    def _look(self, ds, path, first):
        """Times of a file, and the coordinates of the fields that it and those before it hold."""
        coords = {n: {a: np.asarray(ds[d].values, float) for a, d in zip("zyx", v.dims[1:])}
                  for n, v in ds.variables.items() if v.ndim == 4 and v.dims[0] == "time"}
        # Of (time, y, x): maps, such as rain on the ground, behind the fields. They have no height: 0 stands for it.
        flat = [n for n, v in ds.variables.items() if v.dims == ("time", "y", "x")]
        coords |= {n: {"z": np.zeros(1)} | {a: np.asarray(ds[a].values, float) for a in "yx"} for n in flat}
        if not coords:
            raise Fail(INPUT, f"{path}: not written by sferic: it has no variable of (time, z, y, x)")
        common = {n: c for n, c in coords.items() if n in (self.coords or coords)}
        other = {n: self.coords[n] for n in common} if self.coords else common
        if not common or any(not places_same(c[a], other[n][a])
                             for n, c in common.items() for a in "xyz"):
            sizes = [" x ".join(str(len(next(iter(c.values()))[a])) for a in "xyz")
                     for c in (self.coords, coords)]
            what = "of different grids" if common else "without a variable in common"
            raise Fail(INPUT, f"{self.folder}: {os.path.basename(first)} ({sizes[0]} cells) and "
                       f"{os.path.basename(path)} ({sizes[1]}) are {what}: output of two runs in one folder")
        return np.atleast_1d(ds["time"].values), common

    def _describe(self, ds):
        self.attrs = dict(ds.attrs)
        self.fields = {n: dict(ds[n].attrs) for n in self.coords if ds[n].dtype.kind == "f"}
        self.maps = [n for n in self.fields if ds[n].ndim == 3]
        height, ground = names_of(ds)
        self.is_hilly = bool(height or ground)
        if height:
            self.terrain = Terrain(self.coords[height], ds[height][0].values, ds[ground][0].values if ground else None)
        profiles = [n for n in ("theta_0", "u_0", "v_0", "pi_0", "p_0", "qv_0") if n in ds.variables]
        self.base = {n: np.asarray(ds[n].values, float) for n in profiles}
        # theta' may be left out where theta is written: the base state is there to take off.
        same = "theta" in self.fields and self.base.get("theta_0", np.zeros(0)).shape == \
            self.coords["theta"]["z"].shape
        self.derives = same and "theta_p" not in self.fields
        if self.derives:
            about = {"long_name": "potential temperature less that of the base state", "units": "K"}
            self.fields["theta_p"], self.coords["theta_p"] = about, self.coords["theta"]
        self.is_region = bool(re.search(r"^\s*region\s*=\s*[-0-9]", str(self.attrs.get("namelist", "")), re.M))
        self.scale = {}
        if self.attrs.get("model") == "dynamics":
            for name, (scale, unit) in MILLIMETRES.items():
                if str(self.fields.get(name, {}).get("units", "")).startswith("kg m-2"):
                    self.scale[name] = scale
                    self.fields[name]["units"] = unit
            if "theta_rho" in self.fields:
                self.fields["theta_rho"]["long_name"] = "density potential temperature less that of the base state"
        qc = np.asarray(ds["qc_0"].values, float) if "qc_0" in ds.variables else 0
        self.rho_base = None if not {"theta_0", "qv_0"} <= set(self.base) else self.base["theta_0"] * (
            1 + self.base["qv_0"] * namelist_number(self.attrs, "vapour_gas_constant", 461.5)
            / namelist_number(self.attrs, "gas_constant", 287)) / (1 + self.base["qv_0"] + qc)
        self.medium = None
        if "medium" in ds.variables and set("zyx") <= set(ds["medium"].dims):
            m = ds["medium"].isel(time=0) if "time" in ds["medium"].dims else ds["medium"]
            self.medium = {a: np.asarray(ds[a].values, float) for a in m.dims if a in "xyz"}
        if not self.fields:
            raise Fail(INPUT, f"{self.where[0][0]}: holds no variable of real numbers of (time, z, y, x)")

    def lines(self, name):
        """What stands beside the history: series.nc, probes.nc, flux.nc."""
        path = os.path.join(self.folder, name + ".nc")
        return netcdf_read(path, lambda ds: journal_fold(ds.load(), path[:-3] + ".journal"), MOVED) if os.path.exists(path) else None

    def require(self, name):
        if name not in self.fields:
            near = difflib.get_close_matches(name, self.fields, 1)
            near = f" (did you mean '{near[0]}'?)" if near else ""
            raise Fail(USAGE, f"{self.folder}: no variable '{name}'{near}; it has {' '.join(self.fields)}")
        return name

    def read(self, name, frame, axis=None, at=None):
        """Values of (z, y, x) at a frame, or of the plane nearest to `at` across `axis`, or of a slice of levels."""
        if name == "theta_p" and self.derives:
            return self.read("theta", frame, axis, at) - self.base_at(self.base["theta_0"], "theta", axis, at)
        values = self._values(name, frame, axis, at)
        if name == "theta_rho" and self.attrs.get("model") == "dynamics":
            return values - self.base_at(self.theta_rho_base(), name, axis, at)
        return values * self.scale[name] if name in self.scale else values

    def base_at(self, base, name, axis, at):
        """A profile of the base state where read() reads a field: at the heights of cells."""
        z = self.coords[name]["z"]
        if self.terrain:
            h = self.terrain.heights(self.coords[name], axis, at)
            return along(base, 0, z, h.ravel()).reshape(h.shape)
        if isinstance(at, slice):
            return base[at, None, None]
        return base[[nearest(z, at)], None] if axis == "z" else base[:, None] if axis else base[:, None, None]

    def theta_rho_base(self):
        """theta_rho is 300 to 500 K, and what matters of it is a few K: it is shown less this, the base state's, or the mean of
        each level of the first frame."""
        if self.rho_base is None or self.rho_base.shape != self.coords["theta_rho"]["z"].shape:
            c = self.coords["theta_rho"]
            self.rho_base = self.terrain.means(c, lambda k: self._values("theta_rho", 0, "z", k)) if self.is_planar("theta_rho") else \
                self._values("theta_rho", 0).astype(float).mean(axis=(1, 2))
        return self.rho_base

    def _values(self, name, frame, axis=None, at=None):
        """As the file has them."""
        path, n = self.where[frame]
        where = {0: n}
        if name in self.maps:
            values = np.asarray(netcdf_read(path, lambda ds: ds[name][n].values))
            return values if axis == "z" else values[None] if not axis else \
                values[None].take(nearest(self.coords[name][axis], at), "zyx".index(axis))
        if axis:
            where[1 + "zyx".index(axis)] = at if isinstance(at, slice) else nearest(self.coords[name][axis], at)
        index = tuple(where.get(d, slice(None)) for d in range(4))
        return np.asarray(netcdf_read(path, lambda ds: ds[name][index].values))

    def medium_plane(self, axis, at):
        """Edges across and up, and the numbers of the media, on the plane nearest to `at`; None without."""
        if self.medium is None:
            return None
        across, up = PLANE[axis]
        pick = {axis: nearest(self.medium[axis], at)}

        def cut(ds):
            m = ds["medium"].isel(time=0) if "time" in ds["medium"].dims else ds["medium"]
            return m.isel(pick).transpose(up, across).values
        return edges(self.medium[across]), edges(self.medium[up]), netcdf_read(self.where[0][0], cut)

    def medium_line(self, axis):
        """Edges along the one axis of a line of cells, and the numbers of the media; None without."""
        across = next(a for a in "xyz" if a != axis)
        plane = self.medium_plane(across, 0) if self.medium else None
        return (edges(self.medium[axis]), plane[2].ravel().round().astype(int)) if plane else None

    def time_unit(self):
        last = abs(self.times[-1])
        if not self.is_em:
            return (1, "s") if last < 3600 else (60, "min") if last < 3 * 3600 else (3600, "h")
        scale, prefix = prefix_of(last)
        return scale, prefix + "s"

    def frame_text(self, frame):
        scale, unit = self.time_unit()
        text = f"{self.times[frame] / scale:.4g}"
        if self.is_em:  # whole steps, and so no round numbers: three digits where they tell frames apart
            short = f"{self.times[frame] / scale:.3g}"
            apart = min(np.diff(self.times), default=0) / scale
            text = short if abs(float(short) - self.times[frame] / scale) < 0.1 * apart else text
        return f"{text} {unit}"

    def survey(self, name):
        """Where a field is largest, and how large, from at most 60 frames, fewer of large fields (kept)."""
        if name not in self.surveys:
            self.surveys[name] = Survey(self, name)
        return self.surveys[name]


class Survey:
    """peak, highest: (value, frame, {axis: position}) of the largest |f| and f. frames, low, high: the frames
    looked at and their extremes; of air the largest of each level, too: levels. Of waves, size: the largest |f| of each but for a thousandth of the cells, those
    beside a source; change {axis: how much f changes within each plane across it}."""

    def __init__(self, run, name):
        c = run.coords[name]
        cells = np.prod([len(c[a]) for a in "xyz"], dtype=float)
        self.frames = frames_even(len(run.times), int(np.clip(1e9 / cells, 6, 60)))
        self.peak = self.highest = (-np.inf, 0, {a: float(c[a][0]) for a in "xyz"})
        self.low, self.high, self.size, self.change, self.levels = [], [], [], {a: 0 for a in "xyz"}, []
        width = {a: np.diff(edges(c[a])) for a in "xyz"}
        for frame in self.frames:
            f = run.read(name, frame)
            f = np.where(np.isfinite(f), f, 0)
            self.low.append(float(f.min()))
            self.high.append(float(f.max()))
            self.peak = self._better(self.peak, np.abs(f), frame, lambda i: run.place(name, i))
            self.highest = self._better(self.highest, f, frame, lambda i: run.place(name, i))
            if not run.is_em and f.ndim == 3:
                self.levels.append(f.max(axis=(1, 2)))
            if run.is_em:
                self._waves(f, width)

    def _waves(self, f, width):
        """Sources weigh too much whatever is cut off: roots of differences let the wave around them count."""
        size = np.abs(f)
        most = size.size - 1 - size.size // 1000
        self.size.append(float(np.partition(size, most, axis=None)[most]))
        for n, along in enumerate("zyx"):
            if f.shape[n] < 2:
                continue
            steps = np.sqrt(np.abs(np.diff(f, axis=n)))
            cell = {a: (w[1:] + w[:-1]) / 2 if a == along else w for a, w in width.items()}
            for a in "xyz".replace(along, ""):
                b = "xyz".replace(along, "").replace(a, "")
                self.change[a] = self.change[a] + np.einsum(f"zyx,{along},{b}->{a}", steps, cell[along], cell[b],
                                                            optimize=True)

    @staticmethod
    def _better(best, values, frame, place):
        i = np.unravel_index(np.argmax(values), values.shape)
        if values[i] > best[0]:
            return float(values[i]), frame, place(i)
        return best


def plane_axis(energy):
    """The axis across which one plane holds most; a tie to a hundredth goes to z, then y."""
    most = max(np.max(e) for e in energy.values())
    return next(a for a in "zyx" if np.max(energy[a]) >= 0.99 * most)
