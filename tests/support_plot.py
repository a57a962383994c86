#!/usr/bin/env python3
"""Output folders as a run leaves them, filled with formulas: support_plot.py KIND OUT [option...]

KIND: bubble (x-z), current (51.2 x 6.4 km), storm (3-D), rest, column, meridian (nx 1), em (3-D with probes).
Options: shift=AMOUNT adds to w, frames=N, bare (history files only), nan (one cell of w is not a number),
stagger (w on z faces, u on x faces), packed (all frames in one file), nx=N. SPDX-License-Identifier: MIT
"""
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
        "Ex": ("electric field, x", "V m-1", ""), "Ey": ("electric field, y", "V m-1", ""),
        "Ez": ("electric field, z", "V m-1", ""), "Hx": ("magnetic field, x", "A m-1", ""),
        "theta_0": ("base potential temperature", "K", ""), "pi_0": ("base Exner function", "1", ""),
        "u_0": ("base eastward wind", "m s-1", ""), "v_0": ("base northward wind", "m s-1", "")}


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


def rest(x, y, z, s):
    noise = np.random.default_rng(int(100 * s)).standard_normal(x.shape)
    return dict(u=1e-6 * noise, v=0 * x, w=1e-6 * noise, theta_p=1e-7 * noise, pi_p=1e-10 * noise)


def meridian(x, y, z, s):
    return bubble(y, x, z, s)


def em(x, y, z, s):
    r = np.sqrt(x * x + y * y + z * z) + 2e-3
    k = 2 * np.pi / 0.02
    pulse = np.exp(-((r - 0.045 * s) / 0.012) ** 2) * np.cos(k * (r - 0.045 * s)) * 0.01 / r
    return dict(Ex=0.2 * pulse * x / r, Ey=0.2 * pulse * y / r, Ez=pulse, Hx=pulse / 377)


# kind: function, extents x0 x1 y0 y1 z1 (m), nx ny nz, last time (s), frames
KINDS = {"bubble": (bubble, (-10e3, 10e3, 0, 200, 10e3), (80, 1, 50), 1000, 11),
         "current": (current, (-25.6e3, 25.6e3, 0, 200, 6.4e3), (256, 1, 32), 900, 10),
         "storm": (storm, (-60e3, 60e3, -60e3, 60e3, 18e3), (60, 60, 36), 7200, 13),
         "rest": (rest, (0, 40e3, 0, 500, 10e3), (80, 1, 40), 3600, 5),
         "column": (bubble, (-100, 100, -100, 100, 10e3), (1, 1, 50), 1000, 5),
         "meridian": (meridian, (-100, 100, -10e3, 10e3, 10e3), (1, 80, 50), 1000, 6),
         "em": (em, (-0.05, 0.05, -0.04, 0.04, 0.06), (50, 40, 30), 4e-10, 6)}


def variable(ds, name, kind, dims, values, meta=None):
    v = ds.createVariable(name, kind, dims)
    long_name, unit, standard = meta or META[name]
    v.long_name, v.units = long_name, unit
    if standard:
        v.standard_name = standard
    v[:] = values


def main():
    kind, out, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    word = dict(w.partition("=")[::2] for w in words)
    function, (x0, x1, y0, y1, z1), (nx, ny, nz), last, frames = KINDS[kind]
    frames, nx = int(word.get("frames", frames)), int(word.get("nx", nx))
    wave = kind == "em"
    z0 = -0.03 if wave else 0
    ends = ((x0, x1, nx), (y0, y1, ny), (z0, z0 + z1, nz))
    x, y, z = (a + (np.arange(n) + 0.5) * (b - a) / n for a, b, n in ends)
    os.makedirs(out, exist_ok=True)
    times = np.linspace(0, last, frames) if frames > 1 else np.array([0.0])
    state = []
    for t in times:
        zz, yy, xx = np.meshgrid(z, y, x, indexing="ij")
        fields = function(xx, yy, zz, t / last)
        if "w" in fields:
            fields["w"] = fields["w"] + float(word.get("shift", 0))
        if not wave:
            fields["density"] = 1.2 * np.exp(-zz / 8000)
        if "nan" in word:
            fields["w"][nz // 2, 0, nx // 2] = np.nan
        state.append(fields)
    axes = {"x": x, "y": y, "z": z}
    if "stagger" in word:
        axes["z_w"], axes["x_u"] = np.append(z, 2 * z[-1] - z[-2]) - z[0], x - (x[1] - x[0]) / 2
        for fields in state:
            fields["w"] = np.concatenate([fields["w"], fields["w"][-1:]])
    title = {"bubble": "Rising warm bubble of 2 K", "current": "Density current of Straka et al. (1993)",
             "storm": "Split supercell, Oklahoma sounding of 3 May 1999"}.get(kind, kind)
    groups = [list(range(frames))] if "packed" in word else [[n] for n in range(frames)]
    for group in groups:
        name = f"history_{times[group[0]]:012.3f}.nc" if not wave else f"history_{group[0]:012.3f}.nc"
        with netCDF4.Dataset(os.path.join(out, name), "w") as ds:
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
                variable(ds, f, "f4", dims, np.array([state[n][f] for n in group]))
            if not wave:
                sheared = kind == "storm"
                variable(ds, "theta_0", "f8", ("z",), 300 + (3e-3 * z if kind != "current" else 0 * z))
                variable(ds, "u_0", "f8", ("z",), (-5 + 0.0025 * z) * sheared)
                variable(ds, "v_0", "f8", ("z",), 4 * np.sin(z / 6000) * sheared)
    if "bare" not in word:
        lines_write(out, kind, axes, times, state, last)
    # Last, as a run does: whoever sees that it ended finds whole files.
    with open(os.path.join(out, "status.json"), "w", encoding="utf-8") as f:
        json.dump({"state": word.get("state", "done"), "exit_code": 0}, f)


def lines_write(out, kind, axes, times, state, last):
    """series.nc and probes.nc."""
    wave = kind == "em"
    dense = np.linspace(0, last, 600 if wave else 200)
    part = dense / last
    about = ("time", "s" if wave else "seconds since 2000-01-01 00:00:00", "time")
    if not wave:
        with netCDF4.Dataset(os.path.join(out, "series.nc"), "w") as ds:
            ds.createDimension("time", None)
            variable(ds, "time", "f8", ("time",), dense, about)
            for f in ("w", "theta_p"):
                for end, action in (("max", np.nanmax), ("min", np.nanmin)):
                    values = np.interp(dense, times, [action(s[f]) for s in state])
                    variable(ds, f"{f}_{end}", "f8", ("time",), values, (f"{end} {f}", META[f][1], ""))
            variable(ds, "mass_drift", "f8", ("time",), 2e-8 * np.sin(9 * part), ("change of mass", "1", ""))
            variable(ds, "energy", "f8", ("time",), 1e15 * (1 + 3e-6 * part), ("total energy", "J", ""))
    with netCDF4.Dataset(os.path.join(out, "probes.nc"), "w") as ds:
        ds.createDimension("time", None)
        ds.createDimension("probe", 2)
        variable(ds, "time", "f8", ("time",), dense, about)
        ds.createDimension("name_length", 16)
        ds.createVariable("probe_name", "S1", ("probe", "name_length"))[:] = netCDF4.stringtochar(
            np.array(["near", "far"], "S16"))
        for a in "xyz":
            variable(ds, "probe_" + a, "f8", ("probe",), [axes[a][0], axes[a][-1]], (a, "m", ""))
        wave_form = [np.exp(-((part - c) / 0.08) ** 2) * np.sin(60 * part) for c in (0.3, 0.6)]
        variable(ds, "Ez" if wave else "w", "f4", ("time", "probe"), np.array(wave_form).T)


main()
