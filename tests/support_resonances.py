"""What sferic-resonances finds: in sums of decaying waves that are made here, and in files of the program.

usage: support_resonances.py made              sums of decaying waves, by the functions of the program
       support_resonances.py write DIR         a folder with probes.nc of two modes, closer than 1 / duration
       support_resonances.py cavity FILE DT N  resonances.nc of namelists/cavity.nml against the grid's own frequencies, N of them
       support_resonances.py lossy FILE RATE   its decay rates
       support_resonances.py end DIR SECONDS   when its sources are over
SPDX-License-Identifier: MIT
"""
import math
import os
import sys

import netCDF4
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from sferic_plot.pencil import Band, modes_find  # noqa: E402
from sferic_plot.sources import sources_end  # noqa: E402

C = 299792458.0
MODES = (1.0e9, 300, 1), (1.013e9, 50, 0.5), (1.5e9, 1000, 0.1), (1.52e9, 2000, 2)  # frequency, Q, amplitude


def near(what, value, should, tolerance):
    if not abs(value - should) <= tolerance * abs(should):
        sys.exit(f"{what}: {value!r}, not {should!r} within {tolerance}")


def waves(n, dt, modes, traces, noise=0.0):
    """Traces (n, traces), and the amplitudes (modes, traces)."""
    random = np.random.default_rng(7)
    t, x, amplitudes = np.arange(n) * dt, np.zeros((n, traces)), []
    for f, q, a in modes:
        at = a * (0.2 + random.random(traces)) * np.exp(2j * np.pi * random.random(traces))
        x += (np.exp(2j * np.pi * f * (1 + 0.5j / q) * t)[:, None] * at).real
        amplitudes.append(np.abs(at))
    return x + noise * random.standard_normal(x.shape), np.array(amplitudes)


def made():
    """Frequency, Q and amplitudes of all modes, the last two of single-precision noise: taken as they are, and thinned."""
    for n, dt, low, high, noise, tolerance, modes in (
            (600, 2e-11, 0.5e9, 2e9, 0, 1e-6, MODES), (20000, 2e-12, 0.8e9, 1.8e9, 0, 1e-6, MODES),
            (100000, 2e-12, 0.8e9, 1.8e9, 1e-7, 1e-6, MODES), (20000, 2e-12, 1.4e9, 1.8e9, 1e-7, 1e-5, MODES[2:])):
        x, amplitudes = waves(n, dt, MODES, 5, noise)
        band = Band(x, dt, low, high)
        s, spread, a, full = modes_find(band, low, high)
        strong = np.sqrt((a ** 2).sum(1)) > 1e-5 * np.sqrt((a ** 2).sum(1).max())
        s, spread, a = s[strong], spread[strong], a[strong]
        if full or len(s) != len(modes) or band.is_thinned() != (n > 700):
            sys.exit(f"{n} samples: {len(s)} modes, full {full}, thinned {band.is_thinned()}")
        for m, (f, q, _) in enumerate(modes):
            near("frequency", s[m].imag / (2 * np.pi), f, 0.1 * tolerance)
            near("Q", -0.5 * s[m].imag / s[m].real, q, 10 * tolerance)
            if abs(s[m].imag / (2 * np.pi) - f) > 30 * spread[m, 0] + 1e-14 * f:
                sys.exit(f"{n} samples: off by more than 30 of its errors")
            for r in range(5):
                near("amplitude", a[m, r], amplitudes[MODES.index(modes[m]), r], 10 * tolerance)
    if not modes_find(Band(np.random.default_rng(1).standard_normal((600, 4)), 1e-11, 1e9, 5e9), 1e9, 5e9)[3]:
        sys.exit("noise is taken for few waves")


def write(folder):
    os.makedirs(folder, exist_ok=True)
    x, _ = waves(4000, 2e-12, ((1e9, 400, 1), (1.05e9, 500, 1)), 4)
    with netCDF4.Dataset(os.path.join(folder, "probes.nc"), "w") as d:
        d.case, d.model, d.namelist = "made", "maxwell", "&source\n  kind = 2*'electric' ! kind\n  waveform =   ! (not given)\n  frequency = 2*8e8\n  delay = 0, 2e-9\n/\n"
        d.createDimension("time", None)
        d.createDimension("probe", 2)
        d.createVariable("time", "f8", ("time",))[:] = np.arange(4000) * 2e-12
        for n in ("probe_x", "probe_y", "probe_z"):
            d.createVariable(n, "f8", ("probe",))[:] = 0.5
        d.createVariable("probe", "i4", ("probe",))[:] = 1, 2
        for c, name in enumerate(("Ex", "Hy")):
            d.createVariable(name, "f8", ("time", "probe"))[:] = x[:, 2 * c:2 * c + 2]


def cavity(path, dt, count):
    """sin^2(w dt / 2) / (c dt)^2 = sum sin^2(k d / 2) / d^2, 20 x 16 x 12 cells of 5 cm."""
    of = []
    for m in range(6):
        for n in range(6):
            for p in range(6):
                if (m > 0) + (n > 0) + (p > 0) > 1:
                    square = sum((math.sin(0.5 * math.pi * q / cells) / 0.05) ** 2 for q, cells in ((m, 20), (n, 16), (p, 12)))
                    of.append(math.asin(C * float(dt) * math.sqrt(square)) / (math.pi * float(dt)))
    with netCDF4.Dataset(path) as d:
        f = d["frequency"][:].filled()
        if len(f) < int(count) or d["Ez_amplitude"].shape != (len(f), 1) or d["Ez_amplitude"].units != "V m-1":
            sys.exit(f"{path}: {len(f)} modes")
        for n, should in enumerate(sorted(of)[:int(count)]):
            near(f"mode {n + 1}", f[n], should, 1e-6)
            if not np.ma.is_masked(d["Q"][n]) and not d["Q"][n] > 1e7:
                sys.exit(f"mode {n + 1} of a cavity without losses has Q {d['Q'][n]}")


def lossy(path, rate):
    with netCDF4.Dataset(path) as d:
        for n in range(6):
            near("decay rate", float(d["decay_rate"][n]), float(rate), 2e-4)
            near("Q", float(d["Q"][n]), math.pi * float(d["frequency"][n]) / float(rate), 2e-4)


def end(folder, seconds):
    near("end of the sources", sources_end(open(os.path.join(folder, "namelist.nml"), encoding="utf-8").read(), folder), float(seconds), 1e-3)


globals()[sys.argv[1]](*sys.argv[2:])
