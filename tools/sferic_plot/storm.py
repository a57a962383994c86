"""What a run with rain shows: reflectivity with updrafts and cloud, cold pool, rain on the ground, heights over time.
Each picture does without what the history lacks. SPDX-License-Identifier: MIT
"""
import numpy as np

from . import sounding
from .block import Block, Over
from .layout import panel
from .places import nearest
from .terrain import OverGround
from .words import bracketed, length_text, length_unit, nice_ceil, number_text, unit_text

LOW, MIDDLE = OverGround(1000), OverGround(5000)  # m above the ground: where a radar sees the rain, where updrafts are strong
CLOUD, RAIN = 1e-4, 1e-3  # kg/kg: edge of cloud, of heavy rain
ORANGE, PINK = "#d95f02", "#d6278a"
PICTURES = {"storm": "reflectivity or qr", "cold_pool": "theta_p near the ground, on a grid of x and y", "heights": "w or qr at two times or more",
            "skew_t": "base profiles of moist air"}


def rain_name(run):
    """The field that shows rain aloft; None without."""
    return next((n for n in ("reflectivity", "qr") if n in run.fields and not run.is_em), None)


def is_stormy(run):
    """Does it rain in any frame?"""
    name = rain_name(run)
    return name is not None and max(run.survey(name).high) > (0 if name == "reflectivity" else 1e-6)


def pictures_there(run, plane):
    """Which pictures the output has something for; plane: it has maps worth a look."""
    return {"storm": rain_name(run) is not None, "cold_pool": "theta_p" in run.fields and plane and run.coords["theta_p"]["z"][0] <= LOW,
            "heights": bool(heights_names(run)), "skew_t": sounding.is_moist(run.base)}


def level_near(z, wanted):
    """The index of the level nearest to `wanted`; None if that is farther off than a level and 500 m."""
    k = nearest(z, wanted)
    return k if abs(z[k] - wanted) <= 500 + (np.diff(z).max() if len(z) > 1 else 0) else None


def levels_of(values):
    """Contour levels of a signed field without zero: round, up to four on the stronger side."""
    size = max(float(np.abs(v).max()) if v.count() else 0 for v in values)
    if size < 1:
        return np.zeros(0)
    step = nice_ceil(size / 4, (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))
    return step * np.concatenate([np.arange(-4, 0), np.arange(1, 5)])


def updraft_over(run, frames, axis, at):
    """Contours of w on a plane, at most four each way; None where it hardly blows."""
    if "w" not in run.fields:
        return None
    cells = [run.plane("w", f, axis, at) for f in frames]
    levels = levels_of([c[2] for c in cells])
    if not len(levels):
        return None
    place = run.place_text(axis, run.plane_at("w", axis, at), 1e4).replace("$z$ = ", "") if axis == "z" else ""
    step = f"{number_text(levels[-1] / 4)} {unit_text(run.unit('w'))}"
    down = ", dashed down" if min(c[2].min() for c in cells) < -levels[len(levels) // 2] else ""
    return Over(cells, levels, f"black: {run.symbol('w')}{place} every {step}{down}", "0.05")


def turning_over(run, frames):
    """Contours of updraft helicity on a plan, where the history has that map and anything turns."""
    if "updraft_helicity" not in run.maps:
        return None
    cells = [run.plane("updraft_helicity", f, "z", 0) for f in frames]
    levels = levels_of([c[2] for c in cells])
    if not len(levels):
        return None
    return Over(cells, levels, f"orange: updraft helicity every {number_text(levels[-1] / 4)} {unit_text(run.unit('updraft_helicity'))}", ORANGE)


def edge_over(run, name, frames, axis, at, level, colour, text):
    """The line within which there is more than `level` of a kind of water."""
    if name not in run.fields:
        return None
    return Over([run.plane(name, f, axis, at) for f in frames], [level], text, colour, 1.0)


def over_add(block, *overs):
    """Lines over a block, and what they are in its heading."""
    found = [o for o in overs if o is not None and any(o.is_seen(n) for n in range(len(block.cells)))]
    block.over += found
    if found:
        block.heading += "; " + ", ".join(o.text for o in found)
    return block


def cloud_over(block):
    return edge_over(block.run, "qc", block.frames, block.axis, block.at, CLOUD, PINK, "pink: edge of cloud")


def section_add(block):
    """On a vertical section of rain the updrafts and the edge of cloud."""
    return over_add(block, updraft_over(block.run, block.frames, block.axis, block.at), cloud_over(block))


def cloud_add(block):
    """On a vertical section the edge of cloud."""
    return over_add(block, cloud_over(block))


def plan_block(run, frames):
    """Rain near 1 km, the largest of each column where the history has no such level; updrafts near 5 km, and how they turn."""
    name = rain_name(run)
    z = run.coords[name]["z"]
    block = Block(run, name, "z", LOW, frames)
    if level_near(z, LOW) is None and len(z) > 1:
        block.cells = [(h, v, np.ma.masked_invalid(run.read(name, f).max(axis=0).astype(float)))
                       for f, (h, v, _) in zip(frames, map(lambda f: run.plane(name, f, "z", LOW), frames))]
        block.heading = f"{bracketed(run.label(name), run.unit(name))}, largest of each column"
    updraft = None if level_near(run.axes["z"], MIDDLE) is None else updraft_over(run, frames, "z", MIDDLE)
    return over_add(block, updraft, turning_over(run, frames))


def pool_block(run, frames):
    """theta' of the lowest level, the wind there, and where heavy rain falls."""
    ground = OverGround(run.axes["z"][0])
    block = Block(run, "theta_p", "z", ground, frames, wind=True)
    text = f"orange: rain of {1e3 * RAIN:g} {unit_text('g kg-1')}"
    return over_add(block, edge_over(run, "qr", frames, "z", ground, RAIN, ORANGE, text))


def bar_draw(ax, mesh, label, extend="neither"):
    """A colour bar at the right of a panel, its unit above."""
    bar = ax.figure.colorbar(mesh, cax=ax.inset_axes([1.03, 0, 0.045, 1]), extend=extend)
    bar.ax.tick_params(labelsize=7, length=2)
    bar.ax.set_title(label, fontsize=8, pad=5, loc="left")
    bar.outline.set_linewidth(0.5)
    return bar


def rain_panel(block):
    """A map of one time with its colour bar: (title, draw)."""
    def draw(ax):
        mesh, xlabel, ylabel = block.draw(ax, 0)
        ax.set_title("", loc="right")
        ax.grid(False)
        ax.spines[["top", "right"]].set_visible(True)
        if 1 / 3 < block.aspect() < 3:
            ax.set_aspect("equal", anchor="NW")
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        bar_draw(ax, mesh, unit_text(block.run.unit(block.name)), block.extend)
    return f"{block.run.label(block.name)}, {block.titles[0]}", draw


def heights_levels(run, name):
    """Times, heights and the largest value there, (z, time), of the frames looked at; rain in g/kg."""
    survey = run.survey(name)
    size = 1e3 if name[0] == "q" else 1
    return np.array([run.times[f] for f in survey.frames]), run.coords[name]["z"], size * np.array(survey.levels).T


def heights_panel(run, name):
    """The largest value of each level over time. What lies between output times is not known; white where there is little."""
    times, z, largest = heights_levels(run, name)
    (scale, unit), (length, metres) = run.time_unit(), length_unit(np.ptp(run.extent("z")))
    step = nice_ceil(float(largest.max()) / 10, (1, 2, 2.5, 4, 5, 8, 10))
    levels = step * np.arange(1, int(np.ceil(largest.max() / step - 1e-6)) + 1)

    def finish(ax):
        mesh = ax.contourf(times / scale, z / length, largest, levels, cmap="viridis")
        ax.grid(False)
        ax.spines[["top", "right"]].set_visible(True)
        ax.set_xlim(times[0] / scale, times[-1] / scale)
        bar_draw(ax, mesh, unit_text("g kg-1" if name[0] == "q" else run.unit(name)))
    title = {"w": "Largest $w$ of each level", "qr": "Most rain of each level", "qc": "Most cloud of each level"}[name]
    if is_column(run):
        title = {"w": "$w$", "qr": "Rain water", "qc": "Cloud water"}[name] + " over time"
    missed = peak_missed(run, name)
    return panel(title, f"time [{unit}]" + (f"\n{missed}" if missed else ""), run.axis_label("z", metres), [], finish)


def is_column(run):
    """A single column of cells."""
    count = run.counts()
    return not run.is_em and count["x"] == count["y"] == 1 and count["z"] > 1


def peak_missed(run, name):
    """What series.nc knows of an extreme that no output time has; empty where the frames come near to it."""
    s = run.series
    if s is None or name + "_max" not in s or run.is_region:  # which the series is not of
        return ""
    values = s[name + "_max"].values
    largest, shown = float(np.nanmax(values)), max(run.survey(name).high)
    if not largest > 1.2 * shown or not largest > run.floor(name):
        return ""
    scale, unit = run.time_unit()
    when = number_text(float(s["time"].values[np.nanargmax(values)]) / scale, 4)
    return f"largest of all {number_text(largest)} {unit_text(run.unit(name))}, between frames, at {when} {unit}"


def heights_names(run):
    wanted = ("qc", "qr") if is_column(run) else ("w", "qr")
    names = [n for n in wanted if n in run.fields and n not in run.maps]
    return [n for n in names if len(run.times) > 1 and len(run.coords[n]["z"]) > 2 and max(run.survey(n).high) > run.floor(n)]


def heights_panels(run):
    return [heights_panel(run, n) for n in heights_names(run)]


def skew_panels(run):
    return [sounding.skew_panel(run)] if sounding.is_moist(run.base) else []
