"""Receivers, snapshots, views and steps of gprMax. SPDX-License-Identifier: MIT"""
from .gprmax_grid import nearest, tidy
from .gprmax_shapes import extent, nodes, shapes_write
from .report import NEAR, NOT_THERE, SAME

MOST = 256  # probes that sferic takes
PARTS = 40  # of the time of the first snapshot, at most, between two frames
OUTPUTS = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"}


def probe_add(c, at, said):
    """A quarter of a cell off the node, so that of each component the nearest place is that of gprMax's cell."""
    if len(c.probes) >= MOST:
        return False
    c.probes.append((c.axes.places([min(x + 0.25, n) for x, n in zip(at, c.axes.count)]), said))
    return True


def receiver(c, command):
    at = nodes(c, command, 0, "receiver")
    outputs = command.words[4:]
    currents = [w for w in outputs if w in ("Ix", "Iy", "Iz")]
    for w in outputs:
        if w not in OUTPUTS and w not in currents:
            raise c.wrong(command, f"'{w}' is none of Ex, Ey, Ez, Hx, Hy, Hz, Ix, Iy, Iz")
    if not probe_add(c, at, c.text_of(command)):
        c.told(command, NOT_THERE, f"a probe: there are {MOST} already")
    elif currents:
        c.told(command, NEAR, f"probe {len(c.probes)}: all of E and H; a current follows from H around it, or is that of a &port")
    else:
        c.told(command, SAME, f"probe {len(c.probes)} of probes.nc, each component at its place in that cell")


def receivers(c, command):
    low, high = extent(c, command)
    by = [nearest(x / s) for x, s in zip(c.numbers(command, 6, 3, "step"), c.axes.size)]
    if any(s < 0 or (s == 0 and high[a] > low[a] and a != c.axes.flat) for a, s in enumerate(by)):
        raise c.wrong(command, "steps are a cell or more along each axis where there is an extent")
    lines = [range(low[a], high[a] + 1, by[a] or 1) if a != c.axes.flat else [low[a]] for a in range(3)]
    before, left = len(c.probes), 0
    for i in lines[0]:
        for j in lines[1]:
            for k in lines[2]:
                left += not probe_add(c, [i, j, k], f"#{command.name}")
    if left:
        c.told(command, NEAR, f"probes {before + 1} to {len(c.probes)}: {left} more are lacking, for sferic takes {MOST}; &monitor kind = 'fields' or the history has planes")
    else:
        c.told(command, SAME, f"probes {before + 1} to {len(c.probes)} of probes.nc")


def field_names(c, magnetic=True):
    return ["Ex", "Ey", "Ez"] + (["Hx", "Hy", "Hz"] if magnetic else [])


def fields_add(c, names):
    c.deck.put("output%fields", list(dict.fromkeys(c.deck.get("output%fields", []) + names)), "in the history")


def snapshot(c, command):
    low, high = extent(c, command)
    text = command.words[9]
    time = c.number(command, 9, "time") * (c.dt if text.lstrip("+").isdigit() else 1.0)
    if not time > 0:
        raise c.wrong(command, "a time above 0")
    c.snapshots = [*getattr(c, "snapshots", []), (time, low, high)]
    c.told(command, NEAR, "a frame of the history at the nearest step of &time output_interval, all cells of &output region, at their centres")


def interval_of(times, dt):
    """The longest interval whose multiples meet all times within half a step."""
    first = min(times)
    for parts in range(1, PARTS + 1):
        interval = first / parts
        if all(abs(t - round(t / interval) * interval) <= 0.5 * dt for t in times):
            return interval
    return max(first / PARTS, dt)


def snapshots_write(c):
    """One interval that meets all, and the box that holds all."""
    shots = getattr(c, "snapshots", [])
    if not shots:
        return
    c.deck.put("time%output_interval", tidy(interval_of([t for t, *_ in shots], c.dt)), "s, #snapshot")
    fields_add(c, field_names(c))
    low = [min(s[1][a] for s in shots) for a in range(3)]
    high = [max(s[2][a] for s in shots) for a in range(3)]
    if any(low[a] > 0 or high[a] < c.axes.count[a] for a in range(3) if a != c.axes.flat):
        region = []
        for a in c.axes.order:
            region += [0.0, c.axes.wide] if a == c.axes.flat else [tidy(low[a] * c.axes.size[a]), tidy(high[a] * c.axes.size[a])]
        c.deck.put("output%region", region, "m, #snapshot")


def geometry_view(c, command):
    fields_add(c, ["medium"])
    c.told(command, NEAR, "'medium' among &output fields: media of all cells in every history file")


def geometry_write(c, command):
    fields_add(c, ["medium"])
    c.told(command, NEAR, "'medium' among &output fields: media of all cells, netCDF in place of HDF5")


def steps(c, command):
    """#src_steps and #rx_steps: a scan, which sferic-bscan makes."""
    every = {}
    for name in ("src_steps", "rx_steps"):
        other = c.last(name)
        every[name] = [nearest(x / s) for x, s in zip(c.numbers(other, 0, 3, "step"), c.axes.size)] if other else [0, 0, 0]
    source, probe = every["src_steps"], every["rx_steps"]
    by = source if any(source) else probe
    if not any(by):
        c.told(command, SAME, "nothing moves")
        return
    words = ",".join(f"{tidy(by[a] * c.axes.size[a]):g}" for a in c.axes.order)
    if any(source) and any(probe) and source != probe:
        c.told(command, NOT_THERE, "sources and receivers move by other steps: sferic-bscan moves both alike, or one")
        return
    still = " --still" if any(source) and not any(probe) else ""
    scan = f"sferic-bscan {c.stem}.nml --source {1 if any(source) else 0} --probe 1 --step {words}{still} --count N"
    several = len(c.probes) > 1 or len(c.sources) > 1
    c.told(command, NEAR, f"`{scan}`, N as gprMax's -n" + ("; one source and one probe move" if several else ""))
    line = f"The scan: tools/{scan}"
    if line not in c.notes:
        c.notes += ["", line]


def finish(c):
    """What is written when all commands are known."""
    shapes_write(c)
    snapshots_write(c)
    if c.probes:
        for letter in "xyz":
            c.deck.put(f"output%probe_{letter}", [p[letter] for p, _ in c.probes], "m, " + (c.probes[0][1] if letter == "x" else "likewise"))
    if not c.sources and not c.deck.get("excitation%port"):
        c.notes += ["", "There is no source: nothing happens until you add one."]
