"""Base state, wind, what starts the flow, water and Coriolis force of CM1. SPDX-License-Identifier: MIT"""
import math
import os

from .report import NEAR, NOT_THERE, SAME
from .sounding import sounding_find, sounding_read, sounding_text

G, CP, RD = 9.81, 1005.7, 287.04  # CM1's constants
LEVELS = 200  # of a sounding from a formula

# isnd: what is put into &base, verdict, how
BASES = {
    1: ({"profile": "neutral", "surface_theta": 300.0, "surface_pressure": 1e5}, SAME, "theta = 300 K"),
    2: ({"profile": "isothermal", "temperature": 250.0, "surface_pressure": 1e5}, SAME, "T = 250 K"),
    4: ({"profile": "saturated", "theta_e": 320.0, "total_water": 0.02,
    "surface_pressure": 1e5}, SAME, "cloud of theta_e = 320 K (Bryan and Fritsch 2002)"),
    5: ({"profile": "weisman_klemp", "moist_layer": 0.014}, SAME, "Weisman and Klemp (1982), 14 g/kg in the boundary layer"),
    9: ({"profile": "constant_n", "surface_theta": 288.0, "brunt_vaisala": 0.01, "surface_pressure": 1e5}, SAME, "N = 0.01 1/s, 288 K at the ground"),
    10: ({"profile": "constant_n", "surface_theta": 288.0, "brunt_vaisala": 0.01,
    "relative_humidity": 1.0}, NEAR, "saturated, N of dry air: the stability of cloud is another"),
    11: ({"profile": "saturated", "theta_e": 320.0, "total_water": 0.02}, NEAR, "cloud of one theta_e everywhere, 320 K"),
}
CASES = {14: "convective_boundary_layer", 18: "shear_layer", 19: "shallow_cumulus", 20: "shallow_cumulus", 15: "shallow_cumulus",
         22: "stable_boundary_layer"}

# iwnd: what is put into &base, how
SHEAR = ("wind_u", "wind_v", "wind_u_top", "wind_v_top", "shear_bottom", "shear_top")
PI = math.pi


def shear(*values):
    return {"wind": "shear", **dict(zip(SHEAR, values))}


WINDS = {
    0: ({"wind": "calm"}, "calm"),
    1: (shear(0.0, 0.0, 10.0, 0.0, 0.0, 2500.0), "u from 0 to 10 m/s at 2500 m (Rotunno, Klemp and Weisman 1988)"),
    2: ({"wind": "quarter_circle", "turn_radius": 7.0, "turn_top": 2000.0, "wind_u_top": 31.0, "wind_v_top": 7.0, "shear_top": 6000.0},
        "a quarter of a circle of 7 m/s up to 2 km, 31 m/s at 6 km (Weisman and Klemp 1984)"),
    3: (shear(-40 / PI, 40 / PI, 40 / PI + 40, 40 / PI, 0.0, 7500.0), "u from -12.7 to 52.7 m/s at 7500 m, v 12.7 m/s"),
    4: ({"wind": "tanh", "wind_u": 0.0, "wind_u_top": 35.0, "shear_bottom": 0.0,
    "shear_top": 3000.0}, "35 m/s tanh(z / 3 km) (Weisman and Klemp 1982)"),
    9: (shear(-8.75, 0.0, -4.61, 0.0, 700.0, 3000.0), "u from -8.75 m/s at 700 m to -4.61 at 3 km (Siebesma and others 2003)"),
    11: (shear(-9.9, -3.8, -1.9, -3.8, 0.0, 4000.0), "u from -9.9 m/s to -1.9 at 4 km, v -3.8 m/s (vanZanten and others 2011)"),
}
CONSTANT = {1: (1.0, 0.0), 2: (15.0, 0.0), 4: (7.0, -5.5), 9: (8.0, 0.0), 11: (2.0, 0.0)}  # iwnd = 6 by testcase


def bubble(shape, amplitude, x, y, z, radius, height, variable="theta"):
    """Of a radius 0 along y: the same all along it."""
    return {"shape": shape, "variable": variable, "amplitude": amplitude, "x": x, **({"y": y, "radius_y": radius} if y is not None else {}), "z": z,
    "radius_x": radius, "radius_z": height}


def starts(c):
    """iinit: perturbations, verdict, how."""
    x, y = c.middle
    warm = "of (1 + cos pi L) / 2 at L radii"
    pool = abs(c.west - x)
    return {
        0: ([], SAME, "no perturbation"),
        1: ([bubble("cosine_squared", 1.0, x, y, 1400.0, 1e4, 1400.0)], SAME, "a bubble of 1 K, 10 km and 1.4 km, " + warm),
        2: ([bubble("cosine", -6.0, c.west, None, 0.0, pool, 2500.0)], NEAR, "cold air of -6 K from the western side to the middle, " + warm
            + ", where CM1 has a step and a line; its vapour stays"),
        3: ([bubble("cosine_squared", 2.0, 3e4, yy, 1400.0, 1e4, 1400.0) for yy in (3e3, 33e3, 63e3)], SAME, "three bubbles of 2 K along y"),
        4: ([bubble("cosine_squared", 2.0, 0.0, None, 2000.0, 2e3, 2000.0, "buoyancy")], SAME,
            "a bubble in cloud as light as 2 K (Bryan and Fritsch 2002)"),
        5: ([bubble("cosine", -15.0, 0.0, None, 3000.0, 4e3, 2000.0, "temperature")], SAME, "air of -15 K (Straka and others 1993)"),
        8: ([bubble("cosine_squared", 2.0, 15e4, None, 1500.0, 1e4, 1500.0)], NEAR,
            "a line of 2 K along y; noise of 0.2 K below 3 km, in all of the domain"),
        11: ([bubble("witch_sine", 0.01, 1e5, None, 0.0, 5e3, 0.0)], SAME if abs(c.lid - 1e4) < 1 else NEAR,
             "0.01 K sin(pi z / lid) / (1 + x2/a2) (Skamarock and Klemp 1994)"),
    }


MISSING = {7: "no vortex of a tropical cyclone: calm air; give one by &initial file", 9: "no forced convergence", 10: "no forcing of momentum",
           12: "no nudging of an updraft",
           13: "no perturbation of sines"}
NOISE = {0: (0.01, 1e6), 1: (0.1, 100.0), 2: (0.1, 100.0), 3: (0.1, 1600.0), 4: (0.1, 1000.0), 5: (0.1, 1000.0), 6: (0.1, 100.0), 7: (0.1, 1000.0),
         10: (0.1, 100.0), 11: (0.1, 100.0)}


def formula_levels(c, theta_of):
    """Dry air of a formula as a sounding."""
    return [[z, theta_of(z), 0.0] for z in (c.lid * (n + 1) / LEVELS for n in range(LEVELS))]


def sounding_use(c, text, how, verdict, winds):
    name = os.path.basename(c.stem) + ".input_sounding"
    c.files[name] = text
    c.deck.put("base%profile", "sounding", f"CM1: {c.was('isnd')}")
    c.deck.put("base%sounding", name, how)
    c.told("isnd", verdict, f"&base sounding = '{name}': {how}")
    if winds:
        c.deck.put("base%wind", "sounding", "CM1: its u and v")
        c.told("iwnd", SAME, "not in use: isnd = 7 has its own wind")


def base_work(c):
    isnd = c.whole("isnd", 5)
    if isnd in (7, 17):
        path = sounding_find(c, c.options)
        ground, levels = sounding_read(path, isnd == 7)
        if isnd == 17:
            levels = [level[:3] for level in levels]
        low = isnd == 7 and levels[0][0] > c.lowest
        how = f"the {len(levels)} levels of {path}" + ("; below the first of them its wind, which CM1 extrapolates" if low else "")
        sounding_use(c, sounding_text(ground, levels), how, NEAR if low else SAME, isnd == 7)
    elif isnd == 3:
        lapse = 0.0065
        sounding_use(c, sounding_text([1000.0, 300.0, 0.0], formula_levels(c, lambda z: 300 * max(1 - lapse * z / 300,
                                                                                                  0.3) ** (1 - G / (lapse * CP)))),
                     "T falls by 6.5 K/km from 300 K", NEAR, False)
    elif isnd == 8:
        lapse = 0.005 if c.whole("testcase") in (6, 10) else -0.0030581
        sounding_use(c, sounding_text([1000.0, 300.0, 0.0], formula_levels(c, lambda z: 300 + lapse * z)), f"theta = 300 K + {lapse * 1000:g} K/km",
                     NEAR, False)
    elif isnd in BASES:
        keys, verdict, how = BASES[isnd]
        for key, value in keys.items():
            c.deck.put(f"base%{key}", value, f"CM1: {c.was('isnd')}")
        c.told("isnd", verdict, f"&base profile = '{keys['profile']}': {how}")
        if isnd == 5 and not c.whole("imoist", 1):
            c.deck.put("base%moist_layer", 0.0, "CM1: imoist = 0")
        if isnd in (4, 5, 11):
            c.needs_water = True
    else:
        c.deck.put("base%profile", "neutral", f"not that of CM1: {c.was('isnd')}")
        near = f"; the case {CASES[isnd]} of sferic has air of that kind" if isnd in CASES else ""
        c.told("isnd", NOT_THERE, f"the air is neutral, of 300 K, in its place, so that the flow is another: give &base a sounding{near}")


def wind_work(c):
    if "iwnd" in c.found:
        return
    iwnd = c.whole("iwnd")
    if iwnd in WINDS:
        keys, how = WINDS[iwnd]
    elif iwnd == 6:
        u, v = CONSTANT.get(c.whole("testcase"), (10.0, 0.0))
        keys, how = {"wind": "constant", "wind_u": u, "wind_v": v}, f"{u:g} m/s eastward, {v:g} northward"
    elif iwnd == 8:
        keys, how = shear(0.0, 40.0, 0.0, 0.0, 0.0, 18000.0), "v falls from 40 m/s to 0 at 18 km"
    elif iwnd == 10:
        keys, how = shear(3.0, -9.0, 3 + 4.3e-3 * c.lid, -9 + 5.6e-3 * c.lid, 0.0, c.lid), "u = 3 m/s + 4.3 z/km, v = -9 m/s + 5.6 z/km"
    elif iwnd == 5:
        z = [0.0] + [4000.0 + 100 * n for n in range(21)]
        turn = [0.0] + [math.pi / 2 - math.pi / 4 * (1 + math.cos(math.pi * n / 20)) for n in range(21)]
        keys = {"wind": "table", "table_z": z, "table_u": [round(15 * math.cos(a), 6) for a in turn],
        "table_v": [round(15 * math.sin(a), 6) for a in turn]}
        how = "15 m/s that turns from east to north from 4 to 6 km"
    else:
        c.deck.put("base%wind", "calm", f"not that of CM1: {c.was('iwnd')}")
        c.told("iwnd", NOT_THERE, "the wind is calm in its place, so that the flow is another: give &base a table of the wind")
        return
    for key, value in keys.items():
        c.deck.put(f"base%{key}", value, f"CM1: {c.was('iwnd')}")
    c.told("iwnd", SAME, f"&base wind = '{keys['wind']}': {how}")


def start_work(c):
    iinit, testcase = c.whole("iinit", 1), c.whole("testcase")
    known = starts(c)
    if iinit in known:
        made, verdict, how = known[iinit]
        for keys in made:
            first, *others = keys.items()
            c.deck.entry("initial", **{first[0]: (first[1], f"CM1: {c.was('iinit')}")}, **dict(others))
        c.told("iinit", verdict, f"&initial: {how}" if made else how)
    else:
        c.told("iinit", NOT_THERE, MISSING.get(iinit, "CM1's own source has it") + ": nothing starts the flow but noise")
    noise, top = (0.2, 3000.0) if iinit == 8 else (0.0, 0.0)
    if c.whole("irandp"):
        noise, top = NOISE.get(testcase, NOISE[0])
    if noise:
        c.deck.entry("initial", noise=(noise, f"K, CM1: {c.was('irandp' if c.whole('irandp') else 'iinit')}"), noise_top=top)
    c.either("irandp", c.whole("irandp"), (NEAR, f"&initial noise: as large ({noise:g} K), of other random numbers"), (SAME, "no noise"))
    balance = c.whole("ibalance")
    if balance:
        c.deck.entry("initial", balance=("hydrostatic", f"CM1: {c.was('ibalance')}"))
    c.told("ibalance", *((SAME, "no balance") if not balance else (SAME, "&initial balance = 'hydrostatic'") if balance == 1 else
                         (NEAR, "hydrostatic balance in place of the anelastic one: sound of the first minute differs")))


def water_work(c):
    moist, ptype = c.whole("imoist", 1), c.whole("ptype", 5)
    dry = "not in use: imoist = 0"
    c.told("imoist", SAME, "&water" if moist else "no &water")
    if not moist:
        if getattr(c, "needs_water", False):
            c.deck.put("water%scheme", "saturation", "the base state is made with it")
            c.told("imoist", NEAR, "&water scheme = 'saturation': the base state is made with it")
            if c.whole("isnd", 5) == 5:
                c.told("imoist", SAME, "&base moist_layer = 0: no vapour")
        for name in ("ptype", "eqtset", "efall", "ihail", "iautoc", "ndcnst", "nt_c", "v_t"):
            c.told(name, SAME, dry)
        return
    if ptype == 1:
        scheme, verdict, how = "kessler", SAME, "&water scheme = 'kessler'"
    elif ptype == 0:
        scheme, verdict, how = "saturation", NEAR, "&water scheme = 'saturation': vapour becomes cloud beyond saturation, which CM1 lets stay vapour"
    else:
        scheme, verdict, how = "kessler", NEAR, "Kessler's rain"
        if ptype != 6:
            how += ", no ice: no heat of freezing, no anvil, no hail, so that rain and cold pool of a storm are others"
    c.put("water%scheme", scheme, "ptype")
    c.told("ptype", verdict, how)
    full = c.whole("eqtset", 2) == 2
    c.put("water%equations", "full" if full else "simple", "eqtset")
    c.told("eqtset", SAME, f"&water equations = '{'full' if full else 'simple'}'")
    c.either("efall", not c.whole("efall"), (SAME, "off"), (NEAR, "rain takes the energy along that it has, not that of its friction"))
    ice = ptype not in (0, 1, 6)
    for name, how in (("ihail", "no ice: see ptype"), ("iautoc", "&water autoconversion_rate"), ("ndcnst", "cloud has no number of drops"),
                      ("nt_c", "cloud has no number of drops")):
        c.either(name, ice and (name != "iautoc" or ptype == 2) and (name != "nt_c" or ptype == 3) and (name != "ndcnst" or ptype == 5)
                 and (name != "ihail" or ptype in (2, 5)),
                 (NOT_THERE, how),
                 (SAME, f"not in use: ptype = {ptype}"))
    c.either("v_t", ptype == 6, (NEAR, "rain falls by &water fall_speed, not at one speed"), (SAME, f"not in use: ptype = {ptype}"))


def coriolis_work(c):
    on, force = c.whole("icor"), c.whole("lspgrad")
    c.told("icor", SAME, "&dynamics coriolis_f" if on else "no Coriolis force")
    c.told("fcor", SAME, "&dynamics coriolis_f" if on else "not in use: icor = 0")
    c.either("betaplane", not on or not c.whole("betaplane"), (SAME, "off, or not in use"),
             (NOT_THERE, "f is one number (&map gives it by latitude): no Rossby waves"))
    if on:
        c.put("dynamics%coriolis_f", c.number("fcor", 5e-5), "fcor", "1/s")
    if on and force == 0:
        for key in ("geostrophic_u", "geostrophic_v"):
            c.deck.put("forcing%z", 0.0, "m")
            c.deck.put(f"forcing%{key}", 0.0, f"m/s, CM1: {c.was('lspgrad')}: no pressure gradient of a larger scale")
        c.told("lspgrad", SAME, "&forcing geostrophic_u = geostrophic_v = 0: the Coriolis force turns all of the wind")
    elif on and force in (1, 2):
        c.either("lspgrad", force == 1, (SAME, "the base wind is geostrophic"),
                 (NEAR, "the base wind is geostrophic, in place of ug and vg of CM1's sources (&forcing geostrophic_u)"))
    else:
        c.either("lspgrad", force in (0, 1, 2), (SAME, "off"),
                 (NOT_THERE, "no pressure gradient of a vortex or as given: &forcing u_rate and v_rate can hold one"))


HILLS = {1: ({"shape": "ridge", "height": 400.0, "half_width": 1000.0}, "a ridge of 400 m, 1 km"),
         2: ({"shape": "schaer", "height": 250.0, "half_width": 5000.0, "wavelength": 4000.0}, "ridges under a bell (Schaer and others 2002)"),
         3: ({"shape": "bell", "height": 500.0, "half_width": 20000.0}, "a hill of 500 m, 20 km")}


def terrain_work(c):
    on, kind = c.whole("terrain_flag"), c.whole("itern")
    if not on or not kind:
        c.told("terrain_flag", SAME, "flat ground")
        c.told("itern", SAME, "flat ground" if not kind else "not in use: terrain_flag = .false.")
        return
    if kind not in HILLS:
        c.told("terrain_flag", NOT_THERE, "flat ground: see itern")
        c.told("itern", NOT_THERE, "the ground is flat: give its heights by &terrain file (netCDF)")
        return
    keys, how = HILLS[kind]
    x = {1: 0.5 * c.number("dx"), 2: c.west + (c.whole("nx") // 2 - 0.5) * c.number("dx"), 3: 0.25 * (c.west + c.extent["x"])}[kind]
    y = 0.25 * (c.south + c.extent["y"]) if kind == 3 else 0.0
    c.deck.entry("terrain", **{"shape": (keys["shape"], f"CM1: {c.was('itern')}")}, **{k: v for k, v in keys.items() if k != "shape"}, x=x, y=y,
                 coordinate=("basic", "as in CM1: Gal-Chen and Somerville (1975)"))
    c.told("terrain_flag", SAME, "&terrain")
    c.told("itern", SAME, f"&terrain shape = '{keys['shape']}': {how}")


def work(c):
    for key, value, unit in (("gravity", G, "m/s2"), ("heat_capacity", CP, "J/kg/K"), ("gas_constant", RD, "J/kg/K")):
        c.deck.put(f"dynamics%{key}", value, f"{unit}, CM1's constant")
    for part in (base_work, wind_work, start_work, water_work, coriolis_work, terrain_work):
        part(c)
