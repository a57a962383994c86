"""What each setting of CM1 becomes: RULES {name: rule(case, value) -> (verdict, how)}.

A rule writes into the namelist what it says. `worked` is for those that cm1_grid, cm1_sides and cm1_air have worked out. Names are those of
releases 19 to 21. SPDX-License-Identifier: MIT
"""
from .report import NEAR, NOT_THERE, SAME


def worked(c, v):
    raise AssertionError(f"{v.name} was not worked out")


def free(why):
    """No effect on the state of the run."""
    return lambda c, v: (SAME, f"no effect on the result: {why}")


def to(target, unit=""):
    """The same number under another name."""
    def rule(c, v):
        c.put(target, c.number(v.name), v.name, unit)
        return SAME, "&" + target.replace("%", " ")
    return rule


def only(value, how, otherwise, verdict=NOT_THERE):
    """The same where it is `value`."""
    return lambda c, v: (SAME, how) if c.number(v.name) == value else (verdict, otherwise)


def unless(switch, off, rule):
    """Not in use where another setting is `off`."""
    return lambda c, v: (SAME, f"not in use: {switch} = {off}") if c.number(switch, off) == off else rule(c, v)


FLAT = {"upwind5": "upwind3", "centred6": "centred4"}  # advection over flat ground alone, and what stands for it over terrain


def wind_order(c, v):
    orders = {2: ("centred4", NEAR), 3: ("upwind3", SAME), 4: ("centred4", SAME), 5: ("upwind5", SAME), 6: ("centred6", SAME), 7: ("upwind5", NEAR),
              8: ("centred6", NEAR),
              9: ("upwind5", NEAR), 10: ("centred6", NEAR)}
    order = c.whole("hadvordrv", 5)
    made, verdict = orders.get(order, ("upwind5", NEAR))
    if made in FLAT and c.whole("terrain_flag") and c.whole("itern"):
        made, verdict = FLAT[made], NEAR
    c.put("dynamics%advection", made, "hadvordrv")
    mine = c.whole(v.name)
    if mine != order:
        return NEAR, f"&dynamics advection = '{made}': one order for wind and theta' along all axes, that of hadvordrv"
    if v.name.endswith("s") and mine != 5 and c.whole("imoist", 1):
        return NEAR, f"theta' by &dynamics advection = '{made}'; water and tracers upwind of 5th order"
    return verdict, f"&dynamics advection = '{made}'" + ("" if verdict == SAME else f": the nearest to order {mine}")


def step(c, v):
    c.put("time%dt", c.above_zero("dtl", 6), "dtl", "s")
    return SAME, "&time dt" + (", the first step" if c.whole("adapt_dt") else "")


def duration(c, v):
    name = "run_time" if c.number("run_time", -1) > 0 else "timax"
    c.put("time%duration", c.above_zero(name, 7200), name, "s")
    return SAME, "&time duration" if v.name == name else "not in use: " + ("run_time is given" if name == "run_time" else "below 0")


def interval(target):
    """Below 0 is CM1's 'never', or 'every step'."""
    def rule(c, v):
        x = c.number(v.name)
        if x > 0:
            c.put(target, x, v.name, "s")
            return SAME, "&" + target.replace("%", " ")
        if v.name == "statfrq":
            c.put(target, c.above_zero("dtl", 6), v.name, "s")
            return SAME, "an entry every step of dtl"
        return SAME, "none"
    return rule


def adaptive(c, v):
    if c.whole("adapt_dt"):
        c.deck.put("time%adaptive", True, "CM1: adapt_dt = 1")
        return NEAR, "&time adaptive: steps keep a Courant number of their own (courant_target)"
    return SAME, "steps of dtl"


def testcase(c, v):
    case = {1: "convective_boundary_layer", 3: "shallow_cumulus", 9: "stable_boundary_layer"}.get(c.whole("testcase"))
    if not c.whole("testcase"):
        return SAME, "no test case"
    return NOT_THERE, "forcing and physics of that test case are lacking, so that the air drifts" + (f": the case {case} of sferic has them" if case
                                                                                                     else ": &forcing may hold them")


def solver(c, v):
    kind = c.whole("psolver", 3)
    how = {1: "no small steps in CM1, which damp sound", 2: "explicit along z in CM1", 4: "sound travels, anelastic in CM1",
           5: "sound travels, incompressible in CM1",
           6: "compressible, Boussinesq in CM1", 7: "the true speed of sound, a lower one in CM1"}
    return (SAME, "small steps, implicit along z") if kind == 3 else (NEAR, "small steps, implicit along z: " + how.get(kind, "CM1's other solver"))


def small_steps(c, v):
    count = max(2, min(100, c.whole("nsound", 6) // 2 * 2))
    c.put("dynamics%small_steps", count, "nsound")
    return (SAME if count == c.whole("nsound", 6) else NEAR), f"&dynamics small_steps = {count}"


def tracers(c, v):
    count = min(max(c.whole("npt", 1), 0), 32) if c.whole("iptra") else 0
    if count:
        c.put("dynamics%tracers", count, "npt")
        return NEAR, "&dynamics tracers; what they begin as is in CM1's sources: give &initial variable = 'tracer'"
    return SAME, "no tracers"


def flexible(c, v):
    return (SAME, "not in use: 0") if c.number(v.name) == 0 else (NOT_THERE, "what it does is in your CM1's own sources: base.F, init3d.F")


def mass(c, v):
    c.put("dynamics%hold_mass", "on" if c.whole("apmasscon") else "off", "apmasscon")
    return SAME, "&dynamics hold_mass"


def weno(c, v):
    if c.whole(v.name) == 0:
        return SAME, "no WENO"
    what = "water and tracers are" if v.name == "advwenos" else "the wind is"
    return NEAR, f"{what} carried linearly upwind: edges are a little softer, an updraft peaks some m/s lower in its first half hour"


def weno_order(c, v):
    return (SAME, "not in use: advwenos = advwenov = 0") if not c.whole("advwenos") and not c.whole("advwenov") else (NEAR,
                                                                                                                      "of 5th order, linearly upwind")


def ramp(c, v):
    return (SAME, "off") if not c.whole("ramp_sgs") else (NEAR,
                                                          "the closure has its constants from the first step on: a young updraft is some m/s weaker")


def date(c, v):
    """Year to second: the date of time 0."""
    parts = [c.whole(n, d) for n, d in (("year", 2000), ("month", 1), ("day", 1), ("hour", 0), ("minute", 0), ("second", 0))]
    month_ends = 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
    inside = 1 <= parts[0] <= 9999 and 1 <= parts[1] <= 12 and 1 <= parts[2] <= month_ends[parts[1] - 1]
    inside = inside and 0 <= parts[3] <= 23 and 0 <= parts[4] <= 59 and 0 <= parts[5] <= 59
    if not inside:
        return NOT_THERE, "no such date: times count from 2000-01-01"
    c.deck.put("time%start", "{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}".format(*parts), "CM1: year to second")
    return SAME, "&time start"


def fields(*names, needs=None, verdict=SAME, how=""):
    """output_*: variables of the history."""
    def rule(c, v):
        if not c.number(v.name):
            return SAME, "off"
        if needs and not needs(c):
            return SAME, "nothing of that kind in this case"
        c.deck.put("output%fields", c.deck.get("output%fields", []) + list(names))
        return verdict, "&output fields: " + ", ".join(names) + (f"; {how}" if how else "")
    return rule


def lacking(why):
    return lambda c, v: (SAME, "off") if not c.number(v.name) else (NOT_THERE, why)


def series(what, verdict=SAME):
    return lambda c, v: (SAME, "off") if not c.number(v.name) else (verdict, what if what.startswith("the history") else "series.nc: " + what)


def moist(c):
    return c.whole("imoist", 1) != 0


def rains(c):
    return c.deck.get("water%scheme") == "kessler"


def has_tke(c):
    return c.deck.get("turbulence%closure") == "tke"


def ground(c):
    return c.deck.get("surface%drag", "none") != "none" or c.deck.get("surface%heat", "none") != "none"


def hills(c):
    return any(name == "terrain" for name, _ in c.deck.entries)


RULES = {name: worked for name in """
    nx ny nz dx dy dz stretch_x dx_inner dx_outer nos_x_len tot_x_len stretch_y dy_inner dy_outer nos_y_len tot_y_len stretch_z ztop str_bot
    str_top dz_bot dz_top iorigin imove umove vmove wbc ebc sbc nbc irbc cstar roflux nudgeobc alphobc irdamp zd rdalpha hrdamp xhd cm1setup
    sgsmodel tconfig doimpl bcturbs ipbl horizturb l_h lhref1 lhref2 l_inf bc_temp ptc_top ptc_bot pr_num sc_num viscosity idiff difforder
    mdiff kdiff6 kdiff2 bbc tbc set_ust cnst_ust set_znt cnst_znt cnstcd isfcflx set_flx cnst_shflx cnst_lhflx tsk0 xland0 sfcmodel cecd
    cnstce oceanmodel initsfc tmn0 lu0 season pertflx isftcflx iz0tlnd oml_hml0 oml_gamma isnd iwnd iinit irandp ibalance imoist ptype
    eqtset efall ihail iautoc ndcnst nt_c v_t icor fcor betaplane lspgrad terrain_flag itern""".split()}
RULES |= {
    # &param0
    "ppnode": free("ranks are mpirun's"), "nodex": free("ranks are mpirun's"), "nodey": free("ranks are mpirun's"),
    "timeformat": free("how times are printed"),
    "timestats": free("times are told at the end"), "procfiles": free("ranks write one file"), "outunits": free("output is in m"),
    # &param1
    "dtl": step, "timax": duration, "run_time": duration, "tapfrq": interval("time%output_interval"), "rstfrq": interval("time%restart_interval"),
    "statfrq": interval("time%series_interval"), "prclfrq": unless("iprcl", 0, lacking("no parcels")),
    # &param2
    "testcase": testcase, "adapt_dt": adaptive,
    "irst": only(0, "a new run", "the run begins anew: files of CM1 are no checkpoints; give its fields by &initial file"),
    "rstnum": unless("irst", 0, lacking("the run begins anew")),
    "iconly": only(0, "the run goes on", "`sferic run --stop-after-steps 1` writes the start", NEAR),
    "hadvordrv": wind_order, "vadvordrv": wind_order, "hadvordrs": wind_order, "vadvordrs": wind_order, "advwenos": weno, "advwenov": weno,
    "weno_order": weno_order,
    "apmasscon": mass, "psolver": solver, "nsound": small_steps,
    "idiss": only(0, "off", "what turbulence takes from the wind does not warm the air"),
    "rterm": only(0, "off", "no relaxation of temperature: &forcing theta_rate or nudging_time may stand for radiation"),
    "cuparam": only(0, "off", "no scheme of convection: clouds must be as large as some cells"),
    "axisymm": only(0, "a plane", "the grid is a plane: a section along x in place of a disc; run it in three dimensions"),
    "iptra": tracers, "npt": unless("iptra", 0, lambda c, v: (SAME if c.whole("npt") <= 32 else NEAR, "&dynamics tracers, 32 at most")),
    "pdtra": unless("iptra", 0, only(1, "tracers stay above zero", "tracers stay above zero", NEAR)),
    "iprcl": only(0, "off", "no parcels: a tracer may mark the air, `sferic check` lifts one parcel"),
    "nparcels": unless("iprcl", 0, lacking("no parcels")),
    # &param3
    "kdiv": to("dynamics%divergence_damping"), "alph": to("dynamics%off_centring"),
    "csound": lambda c, v: (SAME, "not in use") if c.whole("psolver", 3) not in (6, 7) else (NEAR, "the true speed of sound"),
    # &param11, &param12
    "radopt": only(0, "off", "no radiation: the air does not cool by 1 to 2 K a day; &forcing theta_rate can hold that"),
    "dtrad": unless("radopt", 0, lacking("no radiation")), "ctrlat": unless("radopt", 0, lacking("no radiation")),
    "ctrlon": unless("radopt", 0, lacking("no radiation")),
    **{n: date for n in ("year", "month", "day", "hour", "minute", "second")},
    "ramp_sgs": ramp, "ramp_time": unless("ramp_sgs", 0, ramp),
    "t2p_avg": lambda c, v: (SAME, "not in use") if c.whole("sgsmodel", 1) not in (3, 4) else (NOT_THERE, "no part of the closure near the ground"),
    # &param8
    **{f"var{n}": flexible for n in range(1, 21)},
    # &param9
    "output_format": only(2, "netCDF", "netCDF, CF-1.11", NEAR),
    "output_filetype": only(2, "a file for each time", "a file for each time (&output frames_per_file joins them)", NEAR),
    "output_interp": lacking("heights are in the history (height), `sferic-plot` draws at one height"),
    "output_rain": fields("rain", "rain_rate", needs=rains, verdict=NEAR, how="on the moving grid"),
    "output_sws": lacking("no swath of the strongest wind"), "output_svs": lacking("no swath of vorticity"),
    "output_sps": lacking("no swath of pressure"), "output_srs": lacking("no swath of rain water"), "output_sgs": lacking("no swath of graupel"),
    "output_sus": lacking("no swath of the strongest updraft"),
    "output_shs": lacking("no swath of helicity"), "output_coldpool": fields("theta_p", verdict=NEAR, how="`sferic-plot --var cold_pool` draws it"),
    "output_sfcflx": fields("theta_flux", "heat_flux", needs=ground),
    "output_sfcparams": fields("friction_velocity", "inverse_obukhov", needs=ground, verdict=NEAR, how="no coefficients"),
    "output_sfcdiags": fields("temperature_2m", "wind_10m", needs=ground),
    "output_psfc": fields("pressure", verdict=NEAR, how="that of the lowest level"),
    "output_zs": fields("terrain_height", needs=hills), "output_zh": fields("height"),
    "output_basestate": fields("theta_p", verdict=NEAR, how="the base state is a profile in every file"),
    "output_th": fields("theta"), "output_thpert": fields("theta_p"), "output_prs": fields("pressure"),
    "output_prspert": fields("pi_p", verdict=NEAR, how="as the Exner function"),
    "output_pi": fields("pi_p", verdict=NEAR, how="less the base state"), "output_pipert": fields("pi_p"), "output_rho": fields("density"),
    "output_rhopert": fields("density", verdict=NEAR, how="with the base state"),
    "output_tke": fields("tke", needs=has_tke), "output_km": lacking("no viscosity of eddies in the history (it is 0.1 l tke^1/2)"),
    "output_kh": lacking("no diffusivity of eddies in the history"),
    "output_qv": fields("qv", needs=moist), "output_qvpert": fields("qv", needs=moist, verdict=NEAR, how="with the base state"),
    "output_q": lambda c, v: fields(*(["qv", "qc", "qr"] if rains(c) else ["qv", "qc"]), needs=moist)(c, v),
    "output_dbz": fields("reflectivity", needs=rains),
    "output_buoyancy": fields("theta_rho", needs=moist, verdict=NEAR, how="buoyancy is its departure"),
    "output_u": fields("u"), "output_upert": fields("u", verdict=NEAR, how="with the base wind"), "output_uinterp": fields("u"),
    "output_v": fields("v"), "output_vpert": fields("v", verdict=NEAR, how="with the base wind"),
    "output_vinterp": fields("v"), "output_w": fields("w"), "output_winterp": fields("w"),
    "output_vort": fields("vorticity_x", "vorticity_y", "vorticity_z"), "output_pv": lacking("no potential vorticity"),
    "output_uh": fields("updraft_helicity"), "output_pblten": lacking("no tendencies"),
    "output_dissten": lacking("no dissipation (&statistics has its mean)"), "output_fallvel": lacking("no speed of rain"),
    "output_nm": lacking("no N2: it follows from theta"), "output_def": lacking("no deformation: it follows from the wind"),
    "output_radten": lacking("no radiation"),
    **{f"output_{n}": lacking("that of the base state is an attribute of every file (parcel_" + n + "), none by column") for n in ("cape", "cin",
                                                                                                                                   "lcl", "lfc")},
    "output_pwat": lacking("it follows from qv and density"), "output_lwp": lacking("it follows from qc and density"),
    **{f"output_{n}budget": lacking("no terms of the budget by point (&statistics has budgets of means)") for n in ("th", "qv", "u", "v", "w")},
    "output_pdcomp": lacking("pressure has no parts"),
    # &param10
    "stat_w": series("w_max, w_min"), "stat_wlevs": series("w_max of all levels; the history has levels", NEAR), "stat_u": series("speed_max", NEAR),
    "stat_v": series("speed_max", NEAR),
    "stat_rmw": lacking("no radius of the strongest wind"), "stat_pipert": series("pi_p_mean; profiles.nc has means by level", NEAR),
    "stat_prspert": series("pi_p_mean", NEAR), "stat_thpert": series("theta_p_min, theta_p_max"),
    "stat_q": series("qc_max, qr_max", NEAR), "stat_tke": series("the history has tke", NEAR), "stat_km": lacking("no viscosity of eddies"),
    "stat_kh": lacking("no diffusivity of eddies"), "stat_div": lacking("no divergence"),
    "stat_rh": series("the history has relative_humidity on request", NEAR), "stat_rhi": lacking("no ice"),
    "stat_the": series("the history has theta_e on request", NEAR), "stat_cloud": series("the history has qc", NEAR),
    "stat_sfcprs": series("the history has pressure", NEAR), "stat_wsp": series("speed_max of all levels", NEAR), "stat_cfl": series("courant"),
    "stat_vort": series("the history has vorticity on request", NEAR),
    "stat_tmass": series("mass, mass_drift"), "stat_tmois": series("water"), "stat_qmass": series("vapour, cloud_water, rain_water"),
    "stat_tenerg": series("energy"), "stat_mo": lacking("no momentum of all air"),
    "stat_tmf": lacking("no mass flux"), "stat_pcn": series("rain, rain_rate_max", NEAR), "stat_qsrc": series("water, rain, water_out", NEAR),
    # &param14, &param15
    "diagfrq": unless("dodomaindiag", 0, to("statistics%interval", "s")),
    "dodomaindiag": only(0, "off", "statistics.nc: profiles of means, variances and fluxes", NEAR),
    "doazimavg": only(0, "off", "no means around a centre"), "azimavgfrq": unless("doazimavg", 0, lacking("no means around a centre")),
    "rlen": unless("doazimavg", 0, lacking("no means around a centre")),
    "do_adapt_move": only(0, "off", "the grid moves steadily: it may lose the storm"),
    "adapt_move_frq": unless("do_adapt_move", 0, lacking("the grid moves steadily")),
}


def restart(c, v):
    return SAME, "no effect on the result: a checkpoint has the whole state, to the bit"


def parcels(c, v):
    return (SAME, "not in use: iprcl = 0") if not c.whole("iprcl") else (NOT_THERE, "no parcels")


def nssl(c, v):
    if c.whole("ptype", 5) not in (26, 27, 28):
        return SAME, "not in use: ptype is not 26 to 28"
    return NOT_THERE, "no ice, no number of drops: Kessler's rain has its own constants"


def switched(switches, why):
    """A group of a process that its switches turn on."""
    def rule(c, v):
        on = any(w.name in switches and w.text.lower().strip(".")[:1] in ("t", "1") for w in c.values)
        return (NOT_THERE, why) if on else (SAME, "not in use: " + ", ".join(switches[:2]) + " are off")
    return rule


RECYCLE = [f"do_recycle_{side}" for side in "wsen"]
STARTS = {  # begin of a name, or of its group, that RULES has not: {begin: rule}
    "restart_": restart, "prcl_": parcels, "nssl2mom": nssl, "param17": only(0, "not in use", "the domain is one"),
    "param18": switched(RECYCLE, "no recycled eddies at sides: turbulence takes some distance to grow"),
    "param19": switched(["do_lsnudge"], "no nudging: &forcing nudging_time can do it"), "param20": switched(["do_ib"], "no buildings in the air"),
    "param21": switched(["hurr_vg"], "no forcing of a hurricane"),
}
