"""What statistics.nc shows: means of theta, wind and cloud water of every average; of the last one fluxes, variances, what makes
and takes the energy of turbulence, cloud, and spectra with a slope of -5/3. SPDX-License-Identifier: MIT
"""
import numpy as np
from matplotlib import pyplot as plt

from .bands import bands_draw, bands_of
from .layout import panel
from .weather import BLUE, RED
from .words import bracketed, length_text, length_unit, unit_text

GREEN, ORANGE = "#1b7837", "#d95f02"
GRAVITY = 9.81  # m/s2, where the scale of plumes is made


def last(ds, name):
    """The last average of a variable; None where the file lacks it."""
    return np.asarray(ds[name].values, float)[-1] if name in ds else None


def total(ds, name):
    """The resolved flux and that by closure and ground; the sum."""
    parts = [last(ds, name + part) for part in ("_res", "_sgs")]
    return sum(p for p in parts if p is not None)


def plume_scales(ds):
    """Depth of the mixed layer, m, where the flux of buoyancy is least, and the velocity w* of plumes in it, m/s; None where the
    ground gives no heat, and under cloud, which has plumes and a least flux of its own."""
    if "cloud_cover" in ds and last(ds, "cloud_cover") > 0:
        return None
    name = "theta_vw" if "theta_vw_res" in ds else "thetaw"
    flux, z = total(ds, name), ds["z_f"].values
    depth = z[np.argmin(flux)]
    if not flux[0] > 0 or not depth > 0:
        return None
    return depth, (GRAVITY / last(ds, "theta")[0] * flux[0] * depth) ** (1 / 3)


def flux_panel(ds, name, symbol, unit, scale, height, case=""):
    curves = [("resolved", BLUE, last(ds, name + "_res"), ds["z_f"].values / scale)]
    if name + "_sgs" in ds:
        curves.append(("subgrid", ORANGE, last(ds, name + "_sgs"), ds["z_f"].values / scale))
        curves.append(("total", "0.1", total(ds, name), ds["z_f"].values / scale))

    def finish(ax):
        bands_draw(ax, case, "flux", total(ds, name)[0])
    is_known = name == "thetaw" and bands_of(case, "flux") and total(ds, name)[0] > 0
    return panel(f"Flux of {symbol}", rf"$\langle w'{symbol.strip('$')}'\rangle$ [{unit_text(unit)}]", height, curves, finish if is_known else None)


def stress_panel(ds, scale, height, case):
    """Of the wind's two fluxes together, from the ground upward."""
    size = np.hypot(total(ds, "uw"), total(ds, "vw"))
    return panel("Stress", f"stress / density [{unit_text('m2 s-2')}]", height, [("total", "0.1", size, ds["z_f"].values / scale)],
                 lambda ax: bands_draw(ax, case, "stress", 1, 1 / scale))


def averages_panel(ds, name, key, title, unit, scale, case):
    """A number of each average over the hours."""
    return panel(title, "time [h]", bracketed(name.replace("_", " "), unit), [("run", BLUE, ds["time"].values / 3600, scale * ds[name].values)],
                 lambda ax: (bands_draw(ax, case, key), ax.set_ylim(0, None)), points=True)


def variances_panel(ds, scale, height, case=""):
    """In units of w* and the depth of the mixed layer, where plumes rise from warm ground."""
    plumes = plume_scales(ds)
    speed, depth = plumes[::-1] if plumes else (1, scale)
    curves = [(rf"$\langle {n}'{n}'\rangle$", colour, last(ds, n + "_var") / speed ** 2, ds[z].values / depth)
              for n, colour, z in (("u", BLUE, "z"), ("v", GREEN, "z"), ("w", RED, "z_f"))]
    if "tke_sgs" in ds:
        curves.append(("$2/3$ subgrid energy", ORANGE, 2 / 3 * last(ds, "tke_sgs") / speed ** 2, ds["z"].values / depth))
    if not plumes:
        return panel("Variances of wind", f"variance [{unit_text('m2 s-2')}]", height, curves, lambda ax: None)
    about = f"$w_*$ {speed:.2f} {unit_text('m s-1')}, $z_i$ {length_text(depth, depth)}"
    return panel(f"Variances of wind, {about}", "variance / $w_*^2$", "$z / z_i$", curves,
                 lambda ax: (bands_draw(ax, case, "variances"), ax.set_ylim(0, 1.4)))


def spectrum_panel(ds, axis, h):
    """Variance by wavenumber of the last average at height h: density, of which the sum over all waves is the variance."""
    k, height = ds["wavenumber_" + axis].values, float(ds["height"].values[h])
    curves = []
    for name, colour in (("u", BLUE), ("v", GREEN), ("w", RED)):
        s = last(ds, f"spectrum_{axis}_{name}")[h, 1:] / k[1]
        if np.any(s > 0):
            curves.append((name, colour, k[1:], np.where(s > 0, s, np.nan)))
    if not curves or len(k) < 4:
        return None
    top = max(np.nanmax(c[3]) for c in curves)

    def finish(ax):
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.plot(k[1:], top * (k[1:] / k[1]) ** (-5 / 3), color="0.5", lw=0.9, ls="--", label="$-5/3$")
        ax.set_ylim(max(1e-6 * top, min(np.nanmin(c[3]) for c in curves)) / 2, 3 * top)
    return panel(f"Spectra along {axis} at {length_text(height, height)}", f"$k_{axis}$ [{unit_text('m-1')}]",
                 f"$E$ [{unit_text('m3 s-2')}]", curves, finish)


def budget_panel(ds, scale, height):
    carried = last(ds, "tke_transport") + last(ds, "tke_pressure")
    parts = [("shear", BLUE, last(ds, "tke_shear")), ("buoyancy", RED, last(ds, "tke_buoyancy")), ("transport", GREEN, carried),
             ("closure", ORANGE, last(ds, "tke_dissipation"))]
    curves = [(n, c, x, ds["z"].values / scale) for n, c, x in parts if x is not None]
    return panel("Resolved energy of turbulence", f"gain [{unit_text('m2 s-3')}]", height, curves, lambda ax: None)


def panels_make(run):
    """Panels of statistics.nc; none where there is no such file."""
    ds = None if run.is_em else run.lines("statistics")
    if ds is None or not ds.sizes.get("time"):
        return []
    scale, unit = length_unit(float(ds["z_f"].values[-1]))
    height, times = run.axis_label("z", unit), ds["time"].values
    clock, second = run.time_unit()
    shown = sorted({int(n) for n in np.linspace(0, len(times) - 1, min(len(times), 6))})
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(shown)))

    def mean_panel(name, symbol, unit):
        curves = [(f"to {times[n] / clock:g} {second}", c, np.asarray(ds[name].values[n]), ds["z"].values / scale)
                  for n, c in zip(shown, colours)]
        return panel(f"Mean of ${symbol}$", rf"$\langle {symbol}\rangle$ [{unit_text(unit)}]", height, curves, lambda ax: None)

    is_windy = max(np.max(np.abs(last(ds, n))) for n in "uv") > 0.5
    panels = [mean_panel("theta", r"\theta", "K")] + [mean_panel(n, n, "m s-1") for n in "uv" if is_windy]
    panels += [flux_panel(ds, "thetaw", r"$\theta$", "K m s-1", scale, height, run.case), variances_panel(ds, scale, height, run.case)]
    if is_windy:
        panels += [flux_panel(ds, n + "w", f"${n}$", "m2 s-2", scale, height) for n in "uv"
                   if np.max(np.abs(total(ds, n + "w"))) > 1e-6]
    if bands_of(run.case, "speed"):
        curves = [(label, c, np.hypot(*(np.asarray(ds[a].values[n]) for a in "uv")), ds["z"].values / scale)
                  for n, c, label in ((n, c, f"to {times[n] / clock:g} {second}") for n, c in zip(shown, colours))]
        panels.append(panel("Speed of the mean wind", f"speed [{unit_text('m s-1')}]", height, curves,
                            lambda ax: bands_draw(ax, run.case, "speed", 1, 1 / scale)))
    if bands_of(run.case, "stress") and "uw_res" in ds:
        panels.append(stress_panel(ds, scale, height, run.case))
    if "qvw_res" in ds:
        panels.append(flux_panel(ds, "qvw", "$q_v$", "kg kg-1 m s-1", scale, height))
    if "qc" in ds and np.any(ds["qc"].values[-1] > 0):
        panels.append(mean_panel("qc", "q_c", "kg kg-1"))
    if "cloud_fraction" in ds and np.any(ds["cloud_fraction"].values[-1] > 0):
        panels.append(panel("Cloud", "share of cells", height,
                            [(n, c, last(ds, n + "_fraction"), ds["z"].values / scale) for n, c in (("cloud", BLUE), ("core", RED))],
                            lambda ax: bands_draw(ax, run.case, "cloud", 1, 1 / scale)))
    panels += [averages_panel(ds, name, key, title, unit, size, run.case) for name, key, title, unit, size in
               (("cloud_cover", "cover", "Cloud cover", "1", 1), ("liquid_water_path", "path", "Liquid water path", "g m-2", 1e3))
               if name in ds and bands_of(run.case, key)]
    panels.append(budget_panel(ds, scale, height))
    for h in range(ds.sizes.get("height", 0)):
        panels += filter(None, (spectrum_panel(ds, a, h) for a in "xy" if f"spectrum_{a}_w" in ds))
    return panels
