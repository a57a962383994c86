#!/usr/bin/env python3
"""What tests/import.sh holds sferic-import to: lines of namelists, rows of tables, and what the imported cases give when they run.

usage: support_import.py WHAT ARGUMENT...
SPDX-License-Identifier: MIT
"""
import re
import sys

import numpy as np

LIGHT, EPSILON = 299792458.0, 8.8541878128e-12


def settings_read(path):
    """All 'group key = value' of a namelist in their order, without comments; entries of lists have their numbers: 'geometry 2 radius = 0.1'."""
    found, group, count = [], None, {}
    for line in open(path, encoding="utf-8"):
        text = re.sub(r"\s+!.*", "", line.rstrip())
        if text.startswith("&"):
            group = text[1:]
            count[group] = count.get(group, 0) + 1
        elif text.startswith("    ") and not text.startswith("     "):
            key, value = text.strip().split(" = ", 1)
            found.append((group, count[group], key, value))
        elif found and text.startswith("        "):
            found[-1] = (*found[-1][:3], found[-1][3] + " " + text.strip())
    return found


def has(path, *wanted):
    """wanted: 'group%key = value', 'group(N)%key = value', or 'group%key' alone for what must not be there."""
    settings = settings_read(path)
    for want in wanted:
        target, _, value = want.partition(" = ")
        group, number, key = re.fullmatch(r"(\w+)(?:\((\d+)\))?%(\w+)", target).groups()
        there = [v for g, n, k, v in settings if g == group and k == key and (number is None or n == int(number))]
        if value and value not in there:
            sys.exit(f"{path}: {target} is {there or 'not there'}, not {value}")
        if not value and there:
            sys.exit(f"{path}: {target} is there: {there}")


def row(path, name, verdict, how="", value=None):
    """A setting has this verdict, and `how` (a pattern) behind it; all of its rows, or the one of this value."""
    lines = open(path, encoding="utf-8").read().split("\n")
    verdict_at = lines[0].index("verdict")
    how_at = lines[0].index("here, or how")
    name_end = lines[0].index("value")
    rows = []
    for line in lines[1:]:
        if line[:name_end].strip():
            rows.append([line[:name_end].strip(), line[name_end:verdict_at].strip(), line[verdict_at:how_at].strip(), line[how_at:].strip()])
        elif line.strip() and rows:
            rows[-1][3] += " " + line.strip()
    mine = [r for r in rows if r[0].split(" ")[-1] == name and (value is None or r[1].startswith(value)) and not r[3].startswith("set again below")]
    if not mine:
        sys.exit(f"{path}: no row of {name}")
    for r in mine:
        if r[2] != verdict or not re.search(how, r[3]):
            sys.exit(f"{path}: {name} is '{r[2]}' ({r[3]}), not '{verdict}' ({how})")


def every(path, source):
    """Each key of a namelist has a row."""
    text = re.sub(r"![^\n]*", "", open(source, encoding="utf-8").read())
    keys = re.findall(r"(\w+)\s*=", text)
    rows = [line.split()[1] for line in open(path, encoding="utf-8").read().split("\n")[1:] if re.match(r"\w+ \w", line)]
    for key in keys:
        if key not in rows:
            sys.exit(f"{path}: {key} has no row")
    print(f"{len(keys)} settings")


def lines_of(out, name):
    import netCDF4
    with netCDF4.Dataset(f"{out}/{name}.nc") as d:
        return {k: np.array(v[:], dtype=float) for k, v in d.variables.items() if v.dtype.kind == "f" or k == "probe"}


def dipole(out):
    """Ez of a Hertzian dipole in free space, across it, against its formula."""
    d = lines_of(out, "probes")
    step, length, scale = 1e-13, 0.004, 1 / (2 * np.pi * 8e8)
    t = np.arange(0, 4e-9, step)

    def current(when):
        x = (when - 1 / 8e8) / scale
        return np.where(when > 0, -x * np.exp(0.5 - 0.5 * x * x), 0)

    charge = np.cumsum(current(t)) * step
    for n in range(3):
        r = np.hypot(d["Ez_x"][n] - 0.1, d["Ez_y"][n] - 0.1)
        late = d["time"] - r / LIGHT
        p, p1 = np.interp(late, t, charge, left=0) * length, current(late) * length
        p2 = (current(late + step) - current(late - step)) / (2 * step) * length
        exact = -(p / r ** 3 + p1 / (LIGHT * r * r) + p2 / (LIGHT ** 2 * r)) / (4 * np.pi * EPSILON)
        off = np.sqrt(np.mean((d["Ez"][:, n] - exact) ** 2) / np.mean(exact ** 2))
        print(f"{r:.3f} m: {off:.4f}")
        if not off < 0.03:
            sys.exit(f"Ez at {r:.3f} m is {off:.3f} off its formula")


def trace(out, name, probe, largest, smallest, share):
    """Largest and smallest value of a probe's record."""
    x = lines_of(out, "probes")[name][:, int(probe) - 1]
    for what, value, want in (("largest", x.max(), float(largest)), ("smallest", x.min(), float(smallest))):
        print(f"{what} {name}: {value:.6g}")
        if not abs(value - want) <= float(share) * abs(want):
            sys.exit(f"{what} {name} of probe {probe} is {value:.6g}, not {want:g}")


def reflected(out, *pairs):
    """|S11| at frequencies in GHz, within 0.01."""
    d = lines_of(out, "ports")
    s = np.hypot(d["s_re"][:, 0], d["s_im"][:, 0])
    for f, want in zip(map(float, pairs[::2]), map(float, pairs[1::2])):
        value = np.interp(f * 1e9, d["frequency"], s)
        print(f"{f} GHz: {value:.4f}")
        if not abs(value - want) < 0.01:
            sys.exit(f"|S11| at {f} GHz is {value:.4f}, not {want}")


def series(out, name, index, want, share):
    value = lines_of(out, "series")[name][int(index)]
    print(f"{name}: {value:.6g}")
    if not abs(value - float(want)) <= float(share) * abs(float(want)):
        sys.exit(f"{name} is {value:.6g}, not {want}")


# The rows of `sferic verify --full supercell` with `tke` (src/command/verify_storms.c): CM1's figures and how far off they may be.
YOUNG = (0.72, 0.98, 2.49, 6.44, 14.51)
BANDS = (("largest w at 1800 s, m/s", 20.32, 4), ("mean of largest w, 3600 to 7200 s, m/s", 45.2, 3), ("first rain, s", 1800, 300), ("rain of an hour, 1e9 kg", 1.89, 0.25 * 1.89),
         ("rain of two hours, 1e10 kg", 3.75, 0.25 * 3.75))


def storm(out):
    d = lines_of(out, "series")
    at = [int(np.argmin(np.abs(d["time"] - 300 * n))) for n in range(1, 25)]
    w, rain = d["w_max"][at], d["rain"][at]
    young = np.abs(w[:5] - YOUNG).max()
    found = w[5], w[11:].mean(), 300 * (1 + int(np.argmax(rain > 1e4))), rain[11] / 1e9, rain[23] / 1e10
    wrong = [] if young <= 1.5 else ["the young updraft"]
    print(f"largest w to 1500 s, off by at most, m/s: {young:.2f} (1.5)")
    for (name, want, off), value in zip(BANDS, found):
        print(f"{name}: {value:.4g} ({want} within {off:.3g})")
        wrong += [] if abs(value - want) <= off else [name]
    if wrong:
        sys.exit("beyond the bands: " + ", ".join(wrong))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
