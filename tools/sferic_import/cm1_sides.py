"""Sides, ground, damping and turbulence of CM1. SPDX-License-Identifier: MIT"""
from .report import NEAR, NOT_THERE, SAME

SIDES = {"wbc": "west", "ebc": "east", "sbc": "south", "nbc": "north"}
KINDS = {1: ("periodic", SAME, ""), 2: ("open", NEAR, "waves leave at a fixed speed (&dynamics open_phase_speed), each wave at its own in CM1 with irbc = 4"),
         3: ("wall", SAME, ""), 4: ("wall", NEAR, "the wall slips: it takes nothing from the wind along it")}
CLOSURES = {0: ("none", SAME, "no closure"), 1: ("tke", SAME, "Deardorff (1980); its energy begins at 0"),
            2: ("smagorinsky", SAME, "Smagorinsky and Lilly"),
            3: ("tke", NEAR, "its one-part form; no part of its own near the ground"), 4: ("tke", NEAR,
                                                                                           "its one-part form; no part of its own near the ground"),
            5: ("tke", NEAR, "without backscatter and anisotropy"), 6: ("smagorinsky", NEAR, "without backscatter and anisotropy")}


def sides_work(c):
    for name, side in SIDES.items():
        kind = c.whole(name, 2)
        if kind not in KINDS:
            raise c.wrong(name, f"{name} = {kind}: CM1 has 1 periodic, 2 open, 3 and 4 walls")
        made, verdict, how = KINDS[kind]
        c.put(f"boundary%{side}", made, name)
        c.told(name, verdict, f"&boundary {side} = '{made}'" + (f"; {how}" if how else ""))
    c.open = any(c.whole(name, 2) == 2 for name in SIDES)
    unused = "not in use: no side is open"
    c.either("irbc", c.open, (NEAR, "one radiation condition: a fixed speed beside the wind, &dynamics open_phase_speed = 25 m/s"), (SAME, unused))
    c.either("cstar", c.open and c.whole("irbc", 4) < 4, (NEAR, "&dynamics open_phase_speed"), (SAME, "not in use: irbc = 4" if c.open else unused))
    if c.open and c.whole("irbc", 4) < 4 and c.number("cstar") > 0:
        c.put("dynamics%open_phase_speed", c.number("cstar"), "cstar", "m/s")
    c.either("roflux", not (c.open and c.whole("roflux")), (SAME, "off" if c.open else unused),
             (NEAR, "the mean of the wind through an open side returns to the base wind (&dynamics open_relax_time)"))
    nudged = c.open and c.whole("nudgeobc") == 1
    if nudged:
        c.put("dynamics%open_inflow_time", c.above_zero("alphobc", 60), "alphobc", "s")
    c.told("nudgeobc", *((SAME, unused) if not c.open else (SAME, "&dynamics open_inflow_time") if nudged else
                         (NEAR, "air that enters takes the base wind within 2 h (&dynamics open_inflow_time, 1e12 for never)")))
    c.told("alphobc", SAME, "&dynamics open_inflow_time" if nudged else "not in use: nudgeobc = 0")


def damping_work(c):
    kind, depth = c.whole("irdamp"), c.lid - c.number("zd", 15000)
    if kind and depth > 0:
        c.deck.put("dynamics%rayleigh_depth", depth, f"m, CM1: {c.was('zd')}")
        c.deck.put("dynamics%rayleigh_time", round(1 / c.above_zero("rdalpha", 1 / 300), 6), f"s, CM1: {c.was('rdalpha')}")
        c.told("irdamp", SAME if kind == 1 else NEAR, "&dynamics rayleigh_depth, of the same shape over height"
               + ("" if kind == 1 else "; towards the base state, not the mean of the level"))
        c.told("zd", SAME, f"&dynamics rayleigh_depth: {depth:g} m below the lid at {c.lid:g} m")
        c.told("rdalpha", SAME, "&dynamics rayleigh_time, its inverse")
    else:
        c.told("irdamp", SAME, "off" if not kind else "zd lies above the lid: no damping")
        for name in ("zd", "rdalpha"):
            c.told(name, SAME, "not in use: irdamp = 0" if not kind else "above the lid")
    on = c.whole("hrdamp") == 1
    c.either("hrdamp", on, (NOT_THERE, "no damping layer at sides: what comes back from them stays a little longer; open sides let waves out"),
             (SAME, "off"))
    c.either("xhd", on, (NOT_THERE, "as hrdamp"), (SAME, "not in use: hrdamp = 0"))


def turbulence_work(c):
    setup, model = c.whole("cm1setup", 1), c.whole("sgsmodel", 1)
    closure, verdict, how = CLOSURES.get(model, CLOSURES[1])
    unused = f"not in use: cm1setup = {setup}"
    if setup == 1:
        c.put("turbulence%closure", closure, "sgsmodel")
        c.told("cm1setup", SAME, "eddies below the grid: &turbulence")
        c.told("sgsmodel", verdict, f"&turbulence closure = '{closure}': {how}")
    elif setup == 2:
        closure = "tke"
        c.put("turbulence%closure", closure, "cm1setup")
        c.put("turbulence%mixing_length", max(c.number("l_inf", 75), 0.0), "l_inf")
        c.told("cm1setup", NEAR, "no scheme of the boundary layer: &turbulence closure = 'tke' of flat cells with Blackadar's length")
        c.told("sgsmodel", SAME, unused)
    else:
        closure = "none"
        c.told("cm1setup", SAME if setup == 0 else NEAR, "no closure, no mixing" if setup == 0
               else "&dynamics mixing = 'constant' with viscosity: heat as momentum (Prandtl number 1)")
        c.told("sgsmodel", SAME, unused)
    on = closure != "none"
    flat = setup == 2 or c.whole("tconfig", 1) == 2
    if on:
        c.put("turbulence%cells", "flat" if flat else "cubes", "tconfig")
        c.put("turbulence%vertical", "implicit" if c.whole("doimpl", 1) else "explicit", "doimpl")
    none = "not in use: no closure"
    c.told("tconfig", SAME, f"&turbulence cells = '{'flat' if flat else 'cubes'}'" if on else none)
    c.told("doimpl", SAME, "&turbulence vertical" if on else none)
    c.either("bcturbs", c.whole("bcturbs", 1) == 1 or not on, (SAME, "nothing mixes through ground and lid"),
             (NOT_THERE, "zero gradient at ground and lid: a little heat and water would mix through them"))
    c.either("ipbl", setup != 2 or not c.whole("ipbl"), (SAME, "off"),
             (NEAR, "&turbulence closure = 'tke' with mixing_length in its place: other depth of the mixed layer"))
    c.either("horizturb", setup != 2 or not c.whole("horizturb"), (SAME, "off" if not c.whole("horizturb") else unused),
             (NEAR, "mixing along x and y by the closure of flat cells, not by l_h: other horizontal mixing"))
    for name in ("l_h", "lhref1", "lhref2"):
        c.either(name, setup == 2 and c.whole("horizturb"), (NOT_THERE, "the length of horizontal mixing follows from the cells"),
                 (SAME, "not in use: horizturb = 0 or cm1setup not 2"))
    c.either("l_inf", setup == 2, (NEAR, "&turbulence mixing_length"), (SAME, unused))
    dns = setup == 3
    for name in ("bc_temp", "ptc_top", "ptc_bot", "pr_num", "sc_num"):
        c.either(name, dns, (NOT_THERE, "no temperature or flux that is held at ground and lid, one diffusivity for all"), (SAME, unused))
    c.either("viscosity", dns, (SAME, "&dynamics viscosity"), (SAME, unused))
    mixing_work(c, dns)


def mixing_work(c, dns):
    order, on = c.whole("difforder", 6), c.whole("idiff") != 0
    kind = "constant" if dns or (on and order == 2) else ("monotone" if c.whole("mdiff") else "fourth") if on else "off"
    c.put("dynamics%mixing", kind, "viscosity" if dns else "idiff")
    if kind == "constant":
        c.put("dynamics%viscosity", c.number("viscosity" if dns else "kdiff2"), "viscosity" if dns else "kdiff2", "m2/s")
    elif kind != "off":
        rate = c.number("kdiff6", 0.04) / (16 * c.above_zero("dtl", 6))
        c.deck.put("dynamics%mixing_rate", float(f"{rate:.4g}"), f"1/s, CM1: {c.was('kdiff6')}: waves of two cells fade as fast")
    unused = "not in use: idiff = 0"
    if not on:
        c.told("idiff", SAME, f"&dynamics mixing = '{kind}'")
    else:
        c.told("idiff", NEAR if kind != "constant" or c.whole("idiff") == 2 else SAME, f"&dynamics mixing = '{kind}'"
               + ("; theta' and tracers are mixed as well" if c.whole("idiff") == 2 else ""))
    if on and order != 2:
        c.told("difforder", NEAR, "of 4th order in place of 6th: waves of four cells fade twice as fast")
    else:
        c.told("difforder", SAME, "2nd order" if on else unused)
    c.either("mdiff", not on, (SAME, unused), (SAME, "&dynamics mixing"))
    c.either("kdiff6", not on or order == 2, (SAME, unused), (NEAR, "&dynamics mixing_rate: that of waves of two cells"))
    c.either("kdiff2", not on or order != 2, (SAME, unused if not on else f"not in use: difforder = {order}"), (SAME, "&dynamics viscosity"))


def drag_work(c):
    kind = c.whole("bbc", 1)
    drag, how, verdict = "none", "nothing", SAME
    sea = c.number("xland0", 2) > 1.5
    if kind == 2:
        if c.deck.get("dynamics%mixing") == "constant":
            drag, how = "no_slip", "no slip"
        else:
            verdict, how = NOT_THERE, "no slip takes mixing = 'constant': the ground takes nothing from the wind"
    elif kind == 3 and c.whole("set_ust"):
        drag, how = "friction", "&surface friction_velocity"
        c.put("surface%friction_velocity", c.number("cnst_ust"), "cnst_ust", "m/s")
        if c.whole("set_znt") and c.number("cnst_znt") > 0:
            c.put("surface%roughness", c.number("cnst_znt"), "cnst_znt", "m")
    elif kind == 3 and c.whole("set_znt"):
        drag, how = "roughness", "&surface roughness"
        c.put("surface%roughness", c.above_zero("cnst_znt", 0.1), "cnst_znt", "m")
    elif kind == 3 and c.whole("cecd", 3) == 1 and c.whole("sfcmodel") <= 1:
        drag, how = "coefficient", "&surface drag_coefficient"
        c.put("surface%drag_coefficient", c.number("cnstcd", 1e-3), "cnstcd")
    elif kind == 3:
        drag, verdict = "sea" if sea else "roughness", NEAR
        how = "by Charnock's roughness (1955)" if sea else "by a roughness of 0.1 m: give that of the land"
    if drag != "none":
        c.put("surface%drag", drag, "bbc")
    c.told("bbc", verdict, f"&surface drag = '{drag}': {how}")
    c.drag, c.sea = drag, sea
    for name, used in (("set_ust", drag == "friction"), ("cnst_ust", drag == "friction"), ("set_znt",
                                                                                           drag in ("roughness", "friction") and c.whole("set_znt")),
                       ("cnst_znt", drag in ("roughness", "friction") and c.whole("set_znt")), ("cnstcd", drag == "coefficient")):
        c.told(name, SAME, "&surface" if used else "off, or not in use")
    c.either("tbc", c.whole("tbc", 1) == 1, (SAME, "the lid slips"), (NOT_THERE, "the lid slips: it takes nothing from the wind below it"))


def flux_work(c):
    on, given = c.whole("isfcflx"), c.whole("set_flx")
    if on and given:
        c.put("surface%heat", "flux", "isfcflx")
        c.put("surface%heat_flux", c.number("cnst_shflx"), "cnst_shflx", "K m/s")
        if c.whole("imoist", 1):
            c.put("surface%vapour_flux", c.number("cnst_lhflx"), "cnst_lhflx", "m/s")
    elif on:
        c.put("surface%heat", "temperature", "isfcflx")
        c.put("surface%temperature", c.number("tsk0", 299.28), "tsk0", "K")
        if c.whole("imoist", 1):
            c.put("surface%wetness", 1.0 if c.sea else 0.3, "xland0")
        if c.drag == "none":
            c.deck.put("surface%drag", "sea" if c.sea else "roughness", "fluxes by temperature take it")
    else:
        c.told("isfcflx", SAME, "no fluxes of heat and vapour")
    if on:
        c.told("isfcflx", SAME if given else NEAR, "&surface heat = 'flux'" if given
               else "&surface heat = 'temperature', by Monin and Obukhov, which slows the wind as well")
    off = "not in use: isfcflx = 0"
    for name in ("set_flx", "cnst_shflx", "cnst_lhflx"):
        c.told(name, SAME, off if not on else "&surface" if given else "not in use: set_flx = 0")
    c.told("tsk0", SAME, off if not on else "&surface temperature" if not given else "not in use: set_flx = 1")
    c.either("xland0", on and not given, (NEAR, f"&surface wetness = {1.0 if c.sea else 0.3:g}: land has no soil"),
             (SAME, "&surface drag" if c.drag != "none" else "not in use: no drag, no fluxes"))
    used = on or c.whole("bbc", 1) == 3
    idle = "not in use: isfcflx = 0 and bbc is not 3"
    model = c.whole("sfcmodel")
    c.either("sfcmodel", not used, (SAME, idle),
             (NEAR, "one surface layer, that of Monin and Obukhov" + (", in place of neutral coefficients" if model == 1 else "")))
    c.either("cecd", not used or c.drag in ("coefficient", "friction"), (SAME, idle), (NEAR, "coefficients follow from roughness and stability"))
    c.either("cnstce", not used, (SAME, idle), (NEAR, "heat and vapour take the coefficient of the wind"))
    for name, how in (("oceanmodel", "the sea keeps its temperature"), ("initsfc", "one ground everywhere (&surface patch_* or file for others)"),
                      ("tmn0", "no soil: the ground keeps its temperature"),
                      ("lu0", "roughness and wetness are keys of &surface"), ("season", "as lu0"), ("pertflx", "fluxes take the whole wind"),
                      ("isftcflx", "one form of the exchange"),
                      ("iz0tlnd", "&surface roughness_heat"), ("oml_hml0", "the sea keeps its temperature"),
                      ("oml_gamma", "the sea keeps its temperature")):
        x = c.number(name)
        plain = not used or (name, x) in (("oceanmodel", 1), ("oceanmodel", 0), ("initsfc", 1), ("pertflx", 0), ("isftcflx", 0),
                                          ("iz0tlnd", 0)) or (name.startswith("oml_") and c.whole("oceanmodel") < 2)
        c.told(name, SAME if plain else NOT_THERE, idle if not used else how)


def work(c):
    for part in (sides_work, damping_work, turbulence_work, drag_work, flux_work):
        part(c)
