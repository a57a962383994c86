"""Which fields, planes and times to show, and the page that they make. SPDX-License-Identifier: MIT"""
import copy

import matplotlib.pyplot as plt
import numpy as np

from . import earth, ports, storm, turbulence, waves, weather
from .block import Block, scales_share
from .far import far_panels
from .layout import Page, panel
from .orders import orders_panels
from .places import nearest
from .read import frames_even
from .terrain import OverGround
from .words import USAGE, Fail, bracketed, length_text, length_unit, number_text


GROWING = "theta", "theta_e", "theta_rho"
PICTURES = {**storm.PICTURES, "weather_map": earth.NEEDS}


def frames_pick(run, options, peak_frame, most=5, span=None):
    """First, middle ones, last (of `span`); the one nearest to the peak's gives way to it. Or those that --time
    names."""
    if options.time:
        low, high = run.times[0], run.times[-1]
        slack = 1e-6 * max(abs(high), 1e-30)
        for t in options.time:
            if not low - slack <= t <= high + slack:
                raise Fail(USAGE, f"{run.folder}: time {t:g} s is not between {low:g} and {high:g} s")
        return sorted({nearest(run.times, t) for t in options.time})
    first, last = span or (0, len(run.times) - 1)
    picked = [first + n for n in frames_even(last - first + 1, most)]
    if peak_frame is not None and peak_frame not in picked and len(picked) > 2:
        picked[min(range(1, len(picked) - 1), key=lambda n: abs(picked[n] - peak_frame))] = peak_frame
    return sorted(set(picked))


def is_plane(run):
    """Is a map worth a plan view? Else it is a line along the longer axis."""
    count = run.counts()
    return min(count["x"], count["y"]) > 4


def view_choose(run, options):
    """Names of the fields to fill, the planes [(axis, position)] to cut, the frame of the strongest w. Maps lie in no plane but their own:
    they are chosen where nothing else is."""
    asked = [run.require(n) for n in dict.fromkeys(options.var or [])]
    names = [n for n in asked if n not in run.maps]
    if asked and not names:
        return asked, [("z", 0)] if is_plane(run) else [], None
    names = names or ([waves.component_choose(run)] if run.is_em else weather.fields_choose(run))
    planes = []
    for axis, position in options.section:
        low, high = run.extent(axis)
        if not low <= position <= high:
            raise Fail(USAGE, f"{run.folder}: {axis} = {position:g} m is outside {low:g} to {high:g} m")
        planes.append((axis, position))
    if run.is_em:
        return names, planes or waves.planes_choose(run, names[0]), None
    at = {a: sum(run.extent(a)) / 2 for a in "xyz"}
    updraft, peak_frame = at["z"], None
    for name in (["w", "theta_p"] if {"w", "theta_p"} <= set(run.fields) else names[:1]):
        survey = run.survey(name)
        if survey.peak[0] > run.floor(name):
            at, peak_frame, updraft = survey.peak[2], survey.peak[1], survey.highest[2]["z"]
            break
    if names[0] in GROWING:
        updraft = OverGround(run.axes["z"][0])  # they grow with height, and what is looked for is the air near the ground
    count = run.counts()
    if not planes:
        few = count["x"] <= 4 and count["y"] > count["x"]
        flat = count["z"] <= 4 and min(count["x"], count["y"]) > 4
        if max(count["x"], count["y"]) > 1 and not flat:
            planes.append(("x", at["x"]) if few else ("y", at["y"]))
        if min(count["x"], count["y"]) > 4:
            planes.append(("z", updraft))
    return names, planes, peak_frame


def blocks_make(run, names, planes, frames, chosen=False):
    """For each plane its blocks; w on a vertical section carries theta' contours and the edge of cloud, on a plan view the wind. The
    plan view beside a section is of the first variable, or of the rain of a storm, unless the user chose the planes."""
    bands, rain = [], storm.rain_name(run)
    for axis, at in planes:
        if axis == "z" and rain in names and not chosen:
            more = [n for n in names if n != rain] if len(planes) == 1 else []
            bands.append([storm.plan_block(run, frames)] + [Block(run, n, axis, at, frames) for n in more])
        elif axis == "z":
            bands.append([Block(run, names[0], axis, at, frames, wind=not run.is_em)])
            more = names[1:] if len(planes) == 1 or chosen else []
            bands[-1] += [Block(run, n, axis, at, frames) for n in more]
        else:
            over = "theta_p" if "theta_p" in run.fields else None
            bands.append([Block(run, n, axis, at, frames, contour=over if n == "w" else None) for n in names])
            bands[-1] = [storm.section_add(b) if b.name == rain else storm.cloud_add(b) if b.name == "w" and rain not in names else b
                         for b in bands[-1]]
    for band in bands:
        for b in band:
            missed = storm.peak_missed(run, "w") if b.name == "w" and not run.is_em else ""
            b.heading += f"; {missed}" if missed else ""
    # The ground's plan of what grows with height would be of one colour on the scale of all heights.
    scales_share([b for band in bands for b in band if chosen or b.axis != "z" or b.name not in GROWING])
    return bands


def page_title(run):
    count = [len(run.axes[a]) for a in "xyz"]
    cells = []
    for a in "xyz":
        if len(run.axes[a]) > 1:
            d = np.diff(run.axes[a])
            text = length_text(d.min(), 4.001 * d.min())
            cells.append(f"Δ{a} {text}" + ("" if np.ptp(d) < 1e-3 * d.min() else " and more"))
    shown = " of the output region" if run.is_region else ""
    ground = run.terrain.range_text() if run.terrain else ""
    return "   ".join([f"{run.case}: {' × '.join(map(str, count))} cells{shown}, {', '.join(cells + [ground] * bool(ground))}",
                       f"{run.attrs.get('model', '')}", str(run.attrs.get("source", ""))[:70]])


def frames_text(run, frames, span, faint):
    """Which frames the page shows where it does not show all, and how little is in them where the wave has passed between."""
    parts = []
    if len(frames) < len(run.times):
        chosen = ", where the field is above a tenth of its largest" if span and span != (0, len(run.times) - 1) else ""
        parts.append(f"{len(frames)} of {len(run.times)} frames{chosen}")
    if faint < waves.FAINT:
        parts.append(f"the frames hold {number_text(float(f'{faint:.1g}'))} of the largest energy: the waves passed between them, "
                     "set time%output_interval")
    return "; ".join(parts)


def line_panels(run, names, frames):
    """Values along the one axis of a run that is a line of cells."""
    count = run.counts()
    axis = max("yx" if set(names) & set(run.maps) else "zyx", key=lambda a: count[a])
    scale, unit = length_unit(np.ptp(run.extent(axis)))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(frames)))
    panels = []
    for name in names:
        # Of a map of a section the middle row, or column, of the few that there are.
        middle = sum(run.extent("x" if axis == "y" else "y")) / 2
        lines = [(run.frame_text(f), c, run.coords[name][axis] / scale,
                  (run.read(name, f, "x" if axis == "y" else "y", middle) if name in run.maps else run.read(name, f)).ravel())
                 for f, c in zip(frames, colours)]
        value, place = bracketed(run.symbol(name), run.unit(name)), run.axis_label(axis, unit)
        shade = waves.media_shade(run, axis, scale)
        if axis == "z" and not run.is_em:  # a column of air stands
            panels.append(panel(run.label(name), value, place, [(n, c, y, x) for n, c, x, y in lines]))
        else:
            panels.append(panel(run.label(name) + (", media shaded" if shade else ""), place, value, lines, shade))
    return panels


def ground_panel(run, name):
    """A map of a single column is a number: over time, from series.nc where that has it, else at the output times."""
    scale, unit = run.time_unit()
    s, dense = run.series, name + "_max"
    if s is not None and dense in s:
        t, values = s["time"].values, s[dense].values * run.scale.get(name, 1)
    else:
        t, values = np.array(run.times), np.array([float(np.max(run.read(name, f))) for f in range(len(run.times))])
    return panel(run.label(name), f"time [{unit}]", bracketed(run.symbol(name), run.unit(name)), [("", "0.1", t / scale, values)])


def pictures_pick(run, options):
    """Of a storm the pictures to draw, and the fields that --var names beside, None where it is not given. Nothing chosen: all that
    there is something for; what is chosen by name must be there."""
    there = {} if run.is_em else {**storm.pictures_there(run, is_plane(run)), "weather_map": is_plane(run) and earth.is_known(run)}
    asked = list(dict.fromkeys(options.var or []))
    named = [n for n in asked if n in there and n not in run.fields]
    for name in named:
        if not there[name]:
            raise Fail(USAGE, f"{run.folder}: no picture '{name}': it takes {PICTURES[name]}")
    if not asked:
        always = ("skew_t", "heights") if storm.is_column(run) else ("skew_t", "weather_map")
        shown = [] if options.section else [n for n in there if there[n] and (n in always or storm.is_stormy(run))]
        return shown, None
    return named, [storm.rain_name(run) if n == "storm" else n for n in asked if n not in named or n == "storm"]


def ports_page(folder):
    """Of what `sferic ports` wrote."""
    page = Page()
    page.title(folder, folder.about(), str(folder.attrs.get("source", ""))[:70])
    page.lines(ports.ports_panels(folder.scattering), most=3, height=2.9)
    return page


def page_make(run, options):
    pictures, var = pictures_pick(run, options)
    options = copy.copy(options)
    options.var = var
    chosen = not (var is None or options.var)  # pictures alone: no field
    names, planes, peak_frame = view_choose(run, options) if not chosen else ([], [], None)
    span = waves.frames_lively(run, names[0]) if run.is_em else None
    frames = frames_pick(run, options, peak_frame, span=span, most=5 if planes else 7)
    page = Page()
    told = "" if options.time or not (planes or {"cold_pool", "weather_map"} & set(pictures) or names) else frames_text(run, frames, span, waves.frames_share(run, frames) if run.is_em else 1)
    page.title(run, page_title(run), told)
    if var and all(run.is_altitude(n) for n in var):  # the same at all times
        frames = frames[:1]
    if "weather_map" in pictures:
        page.bands([earth.map_block(run, frames if options.time else frames_pick(run, options, None, most=3))])
    maps = weather.maps_choose(run, frames) if var is None else [n for n in run.maps if n in var]
    names = [n for n in names if n not in maps]
    for band in blocks_make(run, names, planes, frames, bool(options.section)) if names else []:
        page.bands(band, drop=not options.time)
    if "cold_pool" in pictures:
        page.bands([storm.pool_block(run, frames)], drop=not options.time)
    panels = [] if planes or not names else line_panels(run, names, frames)
    tall = []
    if "rain" in maps and "storm" in pictures and var is None and is_plane(run):  # at the end: earlier ones are parts of it
        maps.remove("rain")
        page.blocks.append(Block(run, "rain", "z", 0, frames[-1:]))
        tall.append(storm.rain_panel(page.blocks[-1]))
    if "updraft_helicity" in maps and "storm" in pictures and var is None and is_plane(run):  # lines over the plan of rain
        maps.remove("updraft_helicity")
    if maps and is_plane(run):
        page.bands([Block(run, n, "z", 0, frames) for n in maps], drop=not options.time, widest=2.5)
    elif maps and storm.is_column(run):
        panels += [ground_panel(run, n) for n in maps]
    elif maps:
        panels += line_panels(run, maps, frames)
    if run.is_em:
        bands, lines = waves.dft_make(run)
        for band in bands:
            page.bands(band, widest=2.8, alone=4.2)
        page.polars(far_panels(run))
        page.lines(ports.run_panels(run), most=3, height=2.9)
        page.lines(panels + orders_panels(run) + waves.panels_make(run, names) + lines, most=3)
        return page
    tall += storm.heights_panels(run) if "heights" in pictures else []
    tall += storm.skew_panels(run) if "skew_t" in pictures else []
    page.lines(tall, most=3, height=3.2, gap=1.2)
    if var is None and not options.section:
        page.lines(turbulence.panels_make(run), most=3, height=2.6)
    if not chosen:
        panels += weather.series_panels(run, names) + weather.base_panels(run) + waves.probe_panels(run, names)
    page.lines(panels)
    return page
