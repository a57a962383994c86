#!/usr/bin/env python3
"""Output folders as a run leaves them, filled with formulas: support_plot.py KIND OUT [option...]

KIND: bubble (x-z), current (51.2 x 6.4 km), storm (3-D), rainy (3-D, moist), rest, column, meridian (nx 1); of EM waves em (3-D
with a dielectric, probes, flux, DFT planes), slice (ny 1), line (x alone). timeline: OUT is its file. ports: of `sferic ports`.
Options: shift=AMOUNT adds to w or Ez, frames=N, bare (history files only), nan (one cell of w is not a number),
stagger (w on z faces, u on x faces), packed (all frames in one file), nx=N, theta (theta for theta_p),
only=NAME (that field alone), without=NAME,NAME (fields, maps and base profiles that are left out), ny=N, up=M (levels from that
height on), terrain=HEIGHT (of a hill in the middle, over which levels rise less with height, and a tracer q1 of a thousandth of
the height), knot (a base wind whose heights crowd), lag (probes record H only, on its own
clock); of a timeline passes=N, ranks=N, slabs=N; ports=N, through=DB. SPDX-License-Identifier: MIT
"""
import contextlib
import json
import os
import sys

import netCDF4
import numpy as np

META = {"u": ("eastward wind", "m s-1", "x_wind"), "v": ("northward wind", "m s-1", "y_wind"),
        "w": ("vertical velocity", "m s-1", "upward_air_velocity"),
        "theta_p": ("potential temperature perturbation", "K", ""),
        "pi_p": ("Exner function perturbation", "1", ""),
        "density": ("air density", "kg m-3", "air_density"),
        "theta": ("potential temperature", "K", "air_potential_temperature"),
        "E_magnitude": ("magnitude of the electric field", "V m-1", ""),
        "energy_density": ("energy density", "J m-3", ""),
        "qv": ("water vapour by dry air", "kg kg-1", ""), "qc": ("cloud water by dry air", "kg kg-1", ""),
        "qr": ("rain water by dry air", "kg kg-1", ""), "rain": ("rain on the ground since the start", "kg m-2", ""),
        "reflectivity": ("radar reflectivity of rain", "dBZ", "equivalent_reflectivity_factor"),
        "p_0": ("base pressure", "Pa", ""), "qv_0": ("base water vapour", "kg kg-1", ""),
        **{"E" + a: ("electric field, " + a, "V m-1", "") for a in "xyz"},
        **{"H" + a: ("magnetic field, " + a, "A m-1", "") for a in "xyz"},
        "height": ("height of cell centres above sea level", "m", "altitude"), "q1": ("tracer", "1", ""),
        "terrain_height": ("height of the ground above sea level", "m", "surface_altitude"),
        "terrain_large": ("large hills", "m", ""), "terrain_small": ("small hills", "m", ""),
        "theta_0": ("base potential temperature", "K", ""), "pi_0": ("base Exner function", "1", ""),
        "u_0": ("base eastward wind", "m s-1", ""), "v_0": ("base northward wind", "m s-1", "")}


@contextlib.contextmanager
def file_new(path):
    """As a run does: under another name, until it is whole."""
    with netCDF4.Dataset(path + ".part", "w") as ds:
        yield ds
    os.replace(path + ".part", path)


def gauss(x, y, z, x0, y0, z0, rx, ry, rz):
    return np.exp(-((x - x0) / rx) ** 2 - ((y - y0) / ry) ** 2 - ((z - z0) / rz) ** 2)


def bubble(x, y, z, s):
    height = 2000 + 4500 * s
    th = 2 * gauss(x, 0, z, 0, 0, height, 1500 + 800 * s, 1, 1200 - 300 * s)
    w = 12 * s * (gauss(x, 0, z, 0, 0, height - 300, 1200, 1, 1800)
                  - 0.5 * gauss(np.abs(x), 0, z, 2600, 0, height - 300, 1000, 1, 1500))
    return dict(u=5 * s * np.sin(x / 3000) * np.cos(z / 3000), v=0 * x, w=w, theta_p=th, pi_p=1e-4 * w)


def current(x, y, z, s):
    front = 2000 + 13500 * s
    head = gauss(np.abs(x), 0, z, front, 0, 1200, 1400, 1, 1100)
    body = np.where(np.abs(x) < front, np.exp(-(z / 900) ** 2) * (0.6 + 0.3 * np.sin(np.abs(x) / 700) * s), 0)
    cold = gauss(x, 0, z, 0, 0, 3000, 2500, 1, 1200) if s < 0.02 else np.maximum(head, body)
    th = -16 * (1 - 0.4 * s) * cold
    w = 13 * np.minimum(1, 4 * s) * (gauss(np.abs(x), 0, z, front + 600, 0, 1500, 900, 1, 1200)
                                     - 1.2 * gauss(np.abs(x), 0, z, front - 1500, 0, 2000, 1100, 1, 1300))
    u = 30 * np.tanh(x / 4000) * np.exp(-(z / 1500) ** 2) * s
    return dict(u=u, v=0 * x, w=w, theta_p=th, pi_p=1e-4 * th)


def storm(x, y, z, s):
    right = gauss(x, y, z, -20e3 + 40e3 * s, -12e3 * s, 8000, 6000, 5000, 5000)
    left = gauss(x, y, z, -20e3 + 40e3 * s, 14e3 * s, 8000, 5000, 4500, 4500)
    down = gauss(x, y, z, -28e3 + 40e3 * s, 0, 3000, 7000, 9000, 2500)
    w = 45 * s * (right + 0.6 * left - 0.35 * down)
    th = 7 * s * (right + 0.6 * left) - 6 * s * gauss(x, y, z, -30e3 + 40e3 * s, 0, 0, 12e3, 14e3, 1500) + \
        (3 * gauss(x, y, z, -20e3, 0, 1500, 8e3, 8e3, 1400) if s < 0.05 else 0)
    u, v = -5 + 0.0025 * z + 8 * s * right, 4 * np.sin(z / 6000) - y / 4000 * s * right
    return dict(u=u, v=v, w=w, theta_p=th, pi_p=1e-4 * w)


def rainy(x, y, z, s):
    """An updraft of 40 m/s that leans over its rain, and a cold pool."""
    w = 40 * s * gauss(x, y, z, 5e3, -3e3, 6800, 5e3, 5e3, 4000) - 9 * s * gauss(x, y, z, -5e3, -3e3, 2000, 5e3, 5e3, 2500)
    qr = 8e-3 * s * gauss(x, y, z, -2e3 + 6e-1 * z, -3e3, 3000, 6e3, 5e3, 5000)
    with np.errstate(divide="ignore"):
        dbz = np.maximum(43.1 + 17.5 * np.log10(1.1e3 * qr), -35)
    return dict(u=-3 + 0.002 * z + x / 4000 * s * np.exp(-z / 1500), v=y / 4000 * s * np.exp(-z / 1500), w=w,
                theta_p=5 * s * gauss(x, y, z, 5e3, -3e3, 7500, 5e3, 5e3, 3000) - 7 * s * gauss(x, y, z, -5e3, -3e3, 0, 9e3, 9e3, 1200),
                qv=np.interp(z, *moist_air()[::3]), qc=2e-3 * s * gauss(x, y, z, 5e3, -3e3, 6000, 6e3, 6e3, 4500), qr=qr, reflectivity=dbz,
                rain=30 * s ** 2 * gauss(x, y, 0, -6e3, -3e3, 0, 8e3, 6e3, 1)[:1])


def moist_air():
    """Heights, theta, Exner function and vapour of a moist air under a tropopause at 12 km."""
    z = np.arange(0, 20001, 50.0)
    theta = np.where(z < 12e3, 300 + 43 * (z / 12e3) ** 1.25, 343 * np.exp(9.81 / (1004.5 * 213) * (z - 12e3)))
    pi = 1 - np.concatenate([[0], np.cumsum(9.81 / 1004.5 * 50 / ((theta[1:] + theta[:-1]) / 2))])
    kelvin, p = theta * pi, 1e5 * pi ** 3.5
    e = 611.2 * np.exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65)) * np.where(z < 12e3, 1 - 0.75 * (z / 12e3) ** 1.25, 0.25)
    return z, theta, pi, np.minimum(0.622 * e / (p - e), 0.014)


def rest(x, y, z, s):
    noise = np.random.default_rng(int(100 * s)).standard_normal(x.shape)
    return dict(u=1e-6 * noise, v=0 * x, w=1e-6 * noise, theta_p=1e-7 * noise, pi_p=1e-10 * noise)


def meridian(x, y, z, s):
    return bubble(y, x, z, s)


def em(x, y, z, s):
    """A pulse of 15 GHz from a dipole along z at the origin, its near field included: Ez strongest at z = 0."""
    r = np.sqrt(x * x + y * y + z * z) + 2e-3
    sin2, cross = (x * x + y * y) / r ** 2, z / r ** 2
    front = r - 0.06 * s
    pulse = np.exp(-(front / 0.008) ** 2) * np.cos(2 * np.pi / 0.02 * front) * (0.01 / r + (0.003 / r) ** 3)
    e = dict(Ex=-pulse * x * cross, Ey=-pulse * y * cross, Ez=pulse * sin2 + (0.002 / r) ** 3 * pulse)
    h = dict(Hx=-pulse * y / r / 377, Hy=pulse * x / r / 377, Hz=0 * x)
    magnitude = np.sqrt(sum(f * f for f in e.values()))
    density = 8.854e-12 / 2 * magnitude ** 2 + 4e-7 * np.pi / 2 * sum(f * f for f in h.values())
    return dict(**e, **h, E_magnitude=magnitude, energy_density=density)


def line(x, y, z, s):
    pulse = np.exp(-((x + 0.04 - 0.08 * s) / 0.006) ** 2)
    return dict(Ez=pulse, Hy=-pulse / 377)


# kind: function, extents x0 x1 y0 y1 z1 (m), nx ny nz, last time (s), frames
KINDS = {"bubble": (bubble, (-10e3, 10e3, 0, 200, 10e3), (80, 1, 50), 1000, 11),
         "current": (current, (-25.6e3, 25.6e3, 0, 200, 6.4e3), (256, 1, 32), 900, 10),
         "storm": (storm, (-60e3, 60e3, -60e3, 60e3, 18e3), (60, 60, 36), 7200, 13),
         "rainy": (rainy, (-24e3, 24e3, -24e3, 24e3, 16e3), (24, 24, 20), 3600, 3),
         "rest": (rest, (0, 40e3, 0, 500, 10e3), (80, 1, 40), 3600, 5),
         "column": (bubble, (-100, 100, -100, 100, 10e3), (1, 1, 50), 1000, 5),
         "meridian": (meridian, (-100, 100, -10e3, 10e3, 10e3), (1, 80, 50), 1000, 6),
         "em": (em, (-0.05, 0.05, -0.04, 0.04, 0.06), (51, 41, 31), 2e-10, 6),
         "slice": (em, (-5e-6, 5e-6, -5e-7, 5e-7, 6e-6), (60, 1, 40), 3e-14, 5),
         "line": (line, (-0.05, 0.05, -0.001, 0.001, 0.002), (200, 1, 1), 3e-10, 5)}
WAVES = "em", "slice", "line"


def variable(ds, name, kind, dims, values, meta=None):
    v = ds.createVariable(name, kind, dims)
    long_name, unit, standard = meta or META[name]
    v.long_name, v.units = long_name, unit
    if standard:
        v.standard_name = standard
    v[:] = values


def timeline_write(out, passes, ranks, slabs):
    """Passes of 7 ms. On even ranks slab n comes in at n ms, is computed and goes out, 1 ms each, while others do the
    same; on odd ranks one waits for the other, in a third of the time. At 6 ms rows are exchanged for 0.5 ms."""
    names, events = ("in", "compute", "out", "halo"), []

    def span(rank, lane, begin, duration, step, **more):
        slab = f"slab {more['slab']}" if "slab" in more else names[lane]
        events.append({"ph": "X", "name": slab, "cat": names[lane], "pid": rank, "tid": lane, "ts": 1e3 * begin,
                       "dur": 1e3 * duration, "args": {"step": step, **more}})

    for rank in range(ranks):
        events.append({"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}"}})
        for step in range(0, 8 * passes, 8):
            t = 7 * step / 8
            for slab in range(slabs):
                for lane in range(3):
                    begin, length = (slab + lane, 1) if rank % 2 == 0 else (slab + lane / 3, 1 / 3)
                    moved = {"bytes": 20000000} if lane != 1 else {}
                    span(rank, lane, t + begin, length, step, slab=slab, rows=[9 * slab, 9 * slab + 9], **moved)
            span(rank, 3, t + 6, 0.5, step)
    with open(out, "w", encoding="utf-8") as f:
        json.dump({"otherData": {"program": "sferic", "ranks": ranks}, "traceEvents": events}, f)


def ports_write(out, ports, through=None):
    """sparameters.nc of one port that ends in 20 ohm and 2 nH, or of two with 1 nH and 1 pF in series between them, or of n that share
    what comes evenly; 50 ohm each; nothing is known of the first frequency. through: dB of what goes from one port to the others instead."""
    frequency = np.linspace(1e9, 9e9, 81)
    w = 2j * np.pi * frequency
    z = 20 + 2e-9 * w if ports == 1 else 1e-9 * w + 1e12 / w
    s = np.full((len(w), ports, ports), (1 + 0j) / ports)
    if ports < 3:
        s[:] = ((z - 50) / (z + 50) if ports == 1 else 100 / (z + 100))[:, None, None]
    for n in range(ports if ports == 2 else 0):
        s[:, n, n] = z / (z + 100)
    if through is not None:
        s[:, ~np.eye(ports, dtype=bool)] = 10 ** (through / 20)
    s[0] = np.nan
    os.makedirs(out, exist_ok=True)
    with file_new(os.path.join(out, "sparameters.nc")) as ds:
        for name, values in (("frequency", frequency), ("port", np.arange(ports) + 1), ("driven", np.arange(ports) + 1)):
            ds.createDimension(name, len(values))
            variable(ds, name, "f8", (name,), values, (name, "Hz" if name == "frequency" else "1", ""))
        variable(ds, "reference_resistance", "f8", ("port",), np.full(ports, 50.0), ("resistance", "ohm", ""))
        variable(ds, "s_re", "f8", ("frequency", "port", "driven"), s.real, ("real part", "1", ""))
        variable(ds, "s_im", "f8", ("frequency", "port", "driven"), s.imag, ("imaginary part", "1", ""))
    open(os.path.join(out, f"device.s{ports}p"), "w", encoding="utf-8").close()


def main():
    kind, out, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    word = dict(w.partition("=")[::2] for w in words)
    if kind == "timeline":
        timeline_write(out, *(int(word.get(*d)) for d in (("passes", 1), ("ranks", 1), ("slabs", 4))))
        return
    if kind == "ports":
        ports_write(out, int(word.get("ports", 2)), float(word["through"]) if "through" in word else None)
        return
    function, (x0, x1, y0, y1, z1), (nx, ny, nz), last, frames = KINDS[kind]
    frames, nx, ny = int(word.get("frames", frames)), int(word.get("nx", nx)), int(word.get("ny", ny))
    without = word.get("without", "").split(",")
    wave = kind in WAVES
    z0 = -z1 / 2 if wave else 0
    ends = ((x0, x1, nx), (y0, y1, ny), (z0, z0 + z1, nz))
    x, y, z = (a + (np.arange(n) + 0.5) * (b - a) / n for a, b, n in ends)
    z = z[z >= float(word.get("up", z[0]))]
    nz = len(z)
    os.makedirs(out, exist_ok=True)
    times = np.linspace(0, last, frames) if frames > 1 else np.array([0.0])
    state = []
    for t in times:
        zz, yy, xx = np.meshgrid(z, y, x, indexing="ij")
        ground = float(word.get("terrain", 0)) * gauss(xx, yy, 0, x0 / 6 + x1 / 6, 0, 0, (x1 - x0) / 5, x1 - x0, 1)
        zz += ground * (1 - zz / z1)
        size = 1e4 if kind == "slice" else 1  # the same waves, ten thousand times smaller
        fields = function(xx * size, yy * size, zz * size, t / last)
        fields["Ez" if wave else "w"] += float(word.get("shift", 0))
        if not wave:
            fields["density"] = 1.2 * np.exp(-zz / 8000)
        if "terrain" in word:
            fields |= {"q1": 1e-3 * zz, "height": zz, "terrain_height": ground[:1], "terrain_large": 0.8 * ground[:1],
                       "terrain_small": 0.2 * ground[:1]}
        if "theta" in words:
            fields["theta"] = fields.pop("theta_p") + 300 + (3e-3 * zz if kind != "current" else 0)
        fields = {n: f for n, f in fields.items() if n == word.get("only", n) and n not in without}
        if "nan" in word:
            fields["w"][nz // 2, 0, nx // 2] = np.nan
        state.append(fields)
    axes = {"x": x, "y": y, "z": z}
    if "stagger" in word:
        axes["z_w"], axes["x_u"] = np.append(z, 2 * z[-1] - z[-2]) - z[0], x - (x[1] - x[0]) / 2
        for fields in state:
            fields["w"] = np.concatenate([fields["w"], fields["w"][-1:]])
    title = {"bubble": "Rising warm bubble of 2 K", "current": "Density current of Straka et al. (1993)",
             "storm": "Split supercell, Oklahoma sounding of 3 May 1999", "rainy": "Rain beside an updraft"}.get(kind, kind)
    groups = [list(range(frames))] if "packed" in word else [[n] for n in range(frames)]
    for group in groups:
        name = f"history_{times[group[0]]:012.3f}.nc" if not wave else f"history_{group[0]:012.3f}.nc"
        with file_new(os.path.join(out, name)) as ds:
            ds.title, ds.case, ds.model = title, kind, "maxwell" if wave else "dynamics"
            ds.source, ds.history, ds.Conventions = "sferic 0.1.0", "made for a test", "CF-1.11"
            ds.createDimension("time", None)
            for a, c in axes.items():
                ds.createDimension(a, len(c))
                variable(ds, a, "f8", (a,), c, (a, "m", ""))
            t = "s" if wave else "seconds since 2000-01-01 00:00:00"
            variable(ds, "time", "f8", ("time",), times[group], ("time", t, "time"))
            for f in state[0]:
                dims = ("time", "z_w" if len(state[0][f]) > nz else "z", "y",
                        "x_u" if f == "u" and "stagger" in word else "x")
                values = np.array([state[n][f] for n in group])
                variable(ds, f, "f4", *((("time", "y", "x"), values[:, 0]) if f == "rain" or f.startswith("terrain") else (dims, values)))
            if kind == "em":
                ds.namelist = "&geometry\n  shape = 'sphere', 'sheet' ! each shape's kind\n  axis = 2*'x'\n  x = 0.025, -0.02\n" \
                    "  size_y = 1e9, 0.03\n  subpixel = .true.\n/\n\n&geometry\n  shape = 'sheet', 'wire', 'wire'\n  axis = 'z', 'y', 'z'\n" \
                    "  x = 0, -0.01\n  z = 0.02\n  size_y = 1e9, 0.01\n/\n"
                zz, yy, xx = np.meshgrid(z, y, x, indexing="ij")
                media = (np.hypot(xx - 0.025, yy) < 0.008).astype("i2")
                variable(ds, "medium", "i2", ("z", "y", "x"), media, ("number of the medium", "1", ""))
                if "shell" in words:
                    ds.namelist = "&geometry\n  shape = 'sheet', 'sphere'\n  turn_y = 30, 0\n  shell = .false., .true.\n/\n"
                    ring = np.abs(np.hypot(xx + 0.02, yy) - 0.01) < 0.002
                    variable(ds, "conductor", "f4", ("time", "z", "y", "x"), np.array([np.where(ring, 0.5, 0.25)] * len(group)),
                             ("share of edges that conduct", "1", ""))
            if not wave:
                sheared = kind == "storm" and "knot" not in words
                knot = np.interp(z, [0, 2.7e3, 6e3, 10e3, 18e3], [0, 42, 45.2, 48.4, 52]) * ("knot" in words)
                base = {"theta_0": 300 + (3e-3 * z if kind != "current" else 0 * z)}
                if kind == "rainy":
                    base = dict(zip(("theta_0", "pi_0", "qv_0"), (np.interp(z, moist_air()[0], v) for v in moist_air()[1:])))
                    base["p_0"] = 1e5 * base["pi_0"] ** 3.5
                for name in [n for n in base if n not in without]:
                    variable(ds, name, "f8", ("z",), base[name])
                variable(ds, "u_0", "f8", ("z",), (-5 + 0.0025 * z) * sheared + knot)
                variable(ds, "v_0", "f8", ("z",), 4 * np.sin(z / 6000) * sheared + 0.9 * knot)
    if "bare" not in word:
        if wave:
            waves_write(out, kind, axes, last, word)
        else:
            lines_write(out, kind, axes, times, state, last)
    # Last, as a run does: whoever sees that it ended finds whole files.
    with open(os.path.join(out, "status.json"), "w", encoding="utf-8") as f:
        json.dump({"state": word.get("state", "done"), "exit_code": 0}, f)


def lines_write(out, kind, axes, times, state, last):
    """series.nc and probes.nc."""
    dense = np.linspace(0, last, 200)
    part = dense / last
    about = ("time", "seconds since 2000-01-01 00:00:00", "time")
    with file_new(os.path.join(out, "series.nc")) as ds:
        ds.createDimension("time", None)
        variable(ds, "time", "f8", ("time",), dense, about)
        for f in [n for n in ("w", "theta_p") if n in state[0]]:
            for end, action in (("max", np.nanmax), ("min", np.nanmin)):
                values = np.interp(dense, times, [action(s[f]) for s in state])
                variable(ds, f"{f}_{end}", "f8", ("time",), values, (f"{end} {f}", META[f][1], ""))
        variable(ds, "mass_drift", "f8", ("time",), 2e-8 * np.sin(9 * part), ("change of mass", "1", ""))
        variable(ds, "energy", "f8", ("time",), 1e15 * (1 + 3e-6 * part), ("total energy", "J", ""))
    with file_new(os.path.join(out, "probes.nc")) as ds:
        probes_begin(ds, dense, about, [[axes[a][k] for a in "xyz"] for k in (0, -1)])
        names_write(ds, "probe", ["near", "far"])
        wave_form = [np.exp(-((part - c) / 0.08) ** 2) * np.sin(60 * part) for c in (0.3, 0.6)]
        variable(ds, "w", "f4", ("time", "probe"), np.array(wave_form).T)


def probes_begin(ds, dense, about, places):
    ds.createDimension("time", None)
    ds.createDimension("probe", len(places))
    variable(ds, "time", "f8", ("time",), dense, about)
    for n, a in enumerate("xyz"):
        variable(ds, "probe_" + a, "f8", ("probe",), [p[n] for p in places], (a, "m", ""))


def names_write(ds, dim, names):
    ds.createDimension("name_length", 16)
    ds.createVariable(dim + "_name", "S1", (dim, "name_length"))[:] = netCDF4.stringtochar(
        np.array(names, "S16"))


def waves_write(out, kind, axes, last, word):
    """probes.nc, series.nc, flux.nc and two DFT planes. At the probes a pulse about f0 = 6 / last, whose spectrum
    is largest there; of the flux 60 % passes at f0."""
    f0, count = 6 / last, 4000
    dense = np.linspace(0, 5 * last, count)
    seconds = ("time", "s", "time")
    places = [(0.01, 0, 0), (0.03, 0.01, 0.0)]
    with file_new(os.path.join(out, "probes.nc")) as ds:
        probes_begin(ds, dense, seconds, places)
        late = dense - dense[1] / 2
        variable(ds, "time_h", "f8", ("time",), late, ("time of H", "s", "time"))
        for name, size, t in (("Ex", 0.1, dense), ("Ez", 2.5, dense), ("Hy", 0.01, late)):
            if name[0] == "E" and "lag" in word:
                continue
            pulse = [a * np.exp(-((t - c) / (0.3 * last)) ** 2) * np.cos(2 * np.pi * f0 * (t - c))
                     for c, a in ((last, 1), (1.8 * last, 0.4))]
            variable(ds, name, "f4", ("time", "probe"), size * np.array(pulse).T)
    with file_new(os.path.join(out, "series.nc")) as ds:
        ds.createDimension("time", None)
        variable(ds, "time", "f8", ("time",), dense, seconds)
        decay = 3e-12 * np.exp(-dense / (0.25 * last)) * (1 - np.exp(-dense / (0.05 * last)))
        variable(ds, "energy", "f8", ("time",), decay, ("energy", "J", ""))
        variable(ds, "energy_electric", "f8", ("time",), decay * (0.5 + 0.1 * np.sin(40 * dense / last)),
                 ("electric energy", "J", ""))
        variable(ds, "Ez_max", "f8", ("time",), decay * 1e12, ("largest Ez", "V m-1", ""))
    frequency = np.linspace(0.2, 2, 91) * f0
    with file_new(os.path.join(out, "flux.nc")) as ds:
        ds.createDimension("frequency", len(frequency))
        ds.createDimension("monitor", 2)
        variable(ds, "frequency", "f8", ("frequency",), frequency, ("frequency", "Hz", ""))
        names_write(ds, "monitor", ["through", "back"])
        incident = 1e-20 * np.exp(-((frequency / f0 - 1) / 0.25) ** 2)
        through = 0.6 * np.cos(3 * (frequency / f0 - 1)) ** 2
        variable(ds, "incident", "f8", ("frequency",), incident, ("incident flux", "W s2", ""))
        variable(ds, "flux", "f8", ("monitor", "frequency"), incident * [through, 1 - through],
                 ("flux", "W s2", ""))
    for name, axis in (("xy", "z"), ("xz", "y")):
        with file_new(os.path.join(out, f"dft_{name}.nc")) as ds:
            ds.createDimension("frequency", 2)
            variable(ds, "frequency", "f8", ("frequency",), [f0, 1.5 * f0], ("frequency", "Hz", ""))
            held = {a: c if a != axis else c[len(c) // 2:len(c) // 2 + 1] for a, c in axes.items()}
            for a, c in held.items():
                ds.createDimension(a, len(c))
                variable(ds, a, "f8", (a,), c, (a, "m", ""))
            zz, yy, xx = np.meshgrid(held["z"], held["y"], held["x"], indexing="ij")
            r = np.sqrt(xx ** 2 + yy ** 2 + zz ** 2) + 0.1 * np.ptp(axes["x"])
            for n, share in (("Ex", 3), ("Ez", 4)):  # |E| = 5 / r
                phase = np.stack([2 * np.pi * k * r * 50 for k in (1, 1.5)])
                for end, wave in (("re", np.cos), ("im", np.sin)):
                    amplitude = np.array([1, 0.5])[:, None, None, None] * share * 1e-12 / r
                    variable(ds, f"{n}_{end}", "f4", ("frequency", "z", "y", "x"), amplitude * wave(phase),
                             (n, "V m-1 s", ""))


main()
