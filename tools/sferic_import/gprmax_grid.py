"""Cells, steps and layers of gprMax, and how its axes lie in sferic. SPDX-License-Identifier: MIT"""
import math

from .report import NEAR, NOT_THERE, SAME

LIGHT, ETA = 299792458.0, 376.730313668  # m/s, ohm
LAYER = 10  # cells, gprMax's own
WIDE = 100.0  # cells of a flat case are so many times as wide: its steps are those of two dimensions
LARGEST = 100000, 100000, 10000  # cells along x, y and z that sferic takes
SIDES = (("west", "east"), ("south", "north"), ("bottom", "top"))
PROFILES = {"constant": 0, "linear": 1, "quadratic": 2, "cubic": 3, "quartic": 4, "quintic": 5, "sextic": 6, "septic": 7, "octic": 8}


def nearest(x):
    """The nearest whole number, of halves the lower one towards 0: as gprMax rounds."""
    return int(math.copysign(math.ceil(abs(x) - 0.5), x))


class Axes:
    """Where x, y and z of gprMax lie: order[a] is the axis of gprMax that lies along axis a here. flat: the one of one cell, of gprMax; wide: its
    size here, m."""

    def __init__(self, count, size):
        self.count, self.size = count, size
        self.flat = next((a for a in range(3) if count[a] == 1), None)
        self.order = (0, 2, 1) if self.flat == 2 else (0, 1, 2)
        self.wide = WIDE * max(size[a] for a in range(3) if a != self.flat)

    def name(self, axis):
        """The letter here of an axis of gprMax."""
        return "xyz"[self.order.index(axis)]

    def here(self, values):
        """Three values of gprMax's axes in the order of those here."""
        return [values[a] for a in self.order]

    def length(self, axis):
        """Size of a cell here, m."""
        return self.wide if axis == self.flat else self.size[axis]

    def places(self, nodes):
        """{x, y, z: m} of a place in cells of gprMax's axes; the middle along the flat one."""
        return {self.name(a): self.wide / 2 if a == self.flat else tidy(nodes[a] * self.size[a]) for a in range(3)}


def tidy(x):
    return float(f"{x:.12g}")


def grid_work(c):
    domain, cells = c.last("domain"), c.last("dx_dy_dz")
    for command in (domain, cells):
        if len(command.words) != 3:
            raise c.wrong(command, "three numbers: along x, y and z")
    size = c.numbers(cells, 0, 3, "size of a cell")
    if not all(s > 0 for s in size):
        raise c.wrong(cells, "sizes of cells must be above 0")
    count = [nearest(x / s) for x, s in zip(c.numbers(domain, 0, 3, "size of the domain"), size)]
    if not all(n >= 1 for n in count):
        raise c.wrong(domain, "at least one cell along each axis")
    axes = c.axes = Axes(count, size)
    if axes.flat is not None and count.count(1) > 1:
        raise c.wrong(domain, "one cell along more than one axis: gprMax has models of two and three dimensions")
    for a, most in enumerate(LARGEST):
        if axes.here(count)[a] > most:
            raise c.wrong(domain, f"{axes.here(count)[a]} cells along {'xyz'[a]}: sferic takes {most}")
    for a, axis in enumerate(axes.order):
        c.deck.put(f"grid%n{'xyz'[a]}", count[axis], f"cells, #domain, along gprMax's {'xyz'[axis]}")
    for a, axis in enumerate(axes.order):
        c.deck.put(f"grid%d{'xyz'[a]}", tidy(axes.length(axis)), "m, of no effect on a flat case, wide so that steps are those of two dimensions"
                   if axis == axes.flat else "m, #dx_dy_dz")
    swap = axes.flat == 2
    if swap:
        c.notes += ["", "The model is flat along z of gprMax, which lies along y here, and y along z: its Ez is Ey, its Hx and Hy are -Hx and -Hz."]
    note = "" if axes.flat is None else "; flat along z, which is y here, and y is z" if swap else f"; flat along {'xyz'[axes.flat]}"
    c.told(domain, SAME, "&grid " + " x ".join(str(n) for n in axes.here(count)) + " cells" + note)
    c.told(cells, SAME, "&grid" + (f"; {axes.wide:g} m along the flat axis, of no effect" if axes.flat is not None else ""))


def time_work(c):
    axes, factor = c.axes, 1.0
    command = c.last("time_step_stability_factor")
    if command:
        factor = c.number(command, 0, "factor")
        if not 0 < factor <= 1:
            raise c.wrong(command, "a factor above 0, 1 at most")
        c.told(command, SAME, "&maxwell courant")
    c.deck.put("maxwell%courant", factor, "#time_step_stability_factor" if command else "the longest stable step, as in gprMax")
    c.dt = factor / (LIGHT * math.sqrt(sum(axes.size[a] ** -2 for a in range(3) if a != axes.flat)))
    window = c.last("time_window")
    if len(window.words) != 1:
        raise c.wrong(window, "one number: seconds, or iterations as a whole number")
    x = c.number(window, 0, "time window")
    if not x > 0:
        raise c.wrong(window, "a time above 0")
    if window.words[0].lstrip("+").isdigit():
        c.window = max(int(x) - 1, 1) * c.dt
        c.deck.put("time%duration", tidy(c.window * (1 - 1e-6)), f"s, #time_window: {window.words[0]} iterations")
    else:
        c.window = x
        c.deck.put("time%duration", x, "s, #time_window")
    c.told(window, SAME, "&time duration")


def layers_work(c):
    axes, command = c.axes, c.last("pml_cells")
    cells = [LAYER] * 6  # x0 y0 z0 xmax ymax zmax
    if command:
        if len(command.words) not in (1, 6):
            raise c.wrong(command, f"{len(command.words)} values, not one or six")
        cells = [c.whole(command, n, "cells") for n in range(len(command.words))] * (6 if len(command.words) == 1 else 1)
        if min(cells) < 0 or max(cells) > 100:
            raise c.wrong(command, "from 0 to 100 cells")
    if axes.flat is not None:
        cells[axes.flat] = cells[axes.flat + 3] = 0
    for a in range(3):
        if a != axes.flat and 2 * max(cells[a], cells[a + 3]) >= axes.count[a]:
            raise c.wrong(command or c.last("domain"), f"layers of {max(cells[a], cells[a + 3])} cells do not leave any of the {axes.count[a]} along {'xyz'[a]}")
    for a, axis in enumerate(axes.order):
        for end in range(2):
            kind = "periodic" if axis == axes.flat else "cpml" if cells[axis + 3 * end] else "pec"
            c.deck.put(f"boundary%{SIDES[a][end]}", kind, "" if kind != "pec" else "no layer: gprMax ends at a conductor")
    if max(cells):
        c.deck.put("cpml%cells", max(cells), "#pml_cells" if command else "as many as gprMax has by itself")
    if command:
        used = {n for a, n in enumerate(cells) if a % 3 != axes.flat and n}
        c.either(command, len(used) <= 1, (SAME, "&cpml cells, &boundary"), (NEAR, f"&cpml cells = {max(cells)} at all sides that have a layer"))


def cfs(c, command):
    """alpha, kappa and sigma of a layer; of two sets the first counts."""
    if command is not c.all("pml_cfs")[0]:
        c.told(command, NOT_THERE, "layers are of first order: waves along a side come back a little stronger")
        return
    for n in (0, 4, 8):
        if command.words[n] not in PROFILES:
            raise c.wrong(command, f"'{command.words[n]}' is none of {', '.join(PROFILES)}")
    kappa = max(c.number(command, 7, "largest kappa"), 1.0)
    order = PROFILES[command.words[8]]
    c.deck.put("cpml%order", float(max(order, 1)), "#pml_cfs: of sigma, and of kappa")
    c.deck.put("cpml%kappa", kappa, "#pml_cfs")
    alpha = c.number(command, 3, "largest alpha") * ETA * min(c.axes.size[a] for a in range(3) if a != c.axes.flat)
    if alpha <= 100:
        c.deck.put("cpml%alpha", tidy(float(f"{alpha:.6g}")), "#pml_cfs: by wave impedance and cell size")
        c.deck.put("cpml%alpha_order", float(PROFILES[command.words[0]]) if command.words[1] == "reverse" else 0.0,
                   "#pml_cfs: falls into the layer, or stays")
    how = "&cpml order, kappa, alpha, alpha_order"
    if command.words[11].lower() == "none":
        c.deck.put("cpml%sigma_factor", 1.0, "#pml_cfs: 0.8 (m + 1) / (eta0 n cell)")
        how += ", sigma_factor"
    else:
        how += "; the largest sigma follows from the medium"
    c.told(command, NEAR, how + "; one order for sigma and kappa")


def formulation(c, command):
    c.told(command, NEAR, "a convolutional layer (CPML) in place of a recursive integration: as good for a first order")


def threads(c, command):
    n = c.whole(command, 0, "threads")
    if not 1 <= n <= 1024:
        raise c.wrong(command, "from 1 to 1024 threads")
    c.told(command, SAME, f"no effect on the result: `sferic run --set pipeline%threads={n}`")


def work(c):
    for part in (grid_work, time_work, layers_work):
        part(c)


def place_read(c, command, electric):
    """(axis here, place, length of a cell along it, how many cells of gprMax that are) of a source: axis and coordinates are its first four words."""
    axes = c.axes
    along = "xyz".find(command.words[0].lower()) if len(command.words[0]) == 1 else -1
    if along < 0:
        raise c.wrong(command, f"'{command.words[0]}' is no direction: x, y or z")
    if axes.flat is not None and along != axes.flat:
        raise c.wrong(command, f"in a model that is flat along {'xyz'[axes.flat]} sources point along it")
    values = c.numbers(command, 1, 3, "place")
    at = [nearest(x / s) for x, s in zip(values, axes.size)]
    for a in range(3):
        if not 0 <= at[a] <= axes.count[a] - (1 if a == along and a != axes.flat else 0):
            raise c.wrong(command, f"{'xyz'[a]} = {values[a]:g} m lies outside of the domain")
    half = [0.5 if (a == along) == electric else 0.0 for a in range(3)]
    place = axes.places([x + h for x, h in zip(at, half)])
    length = axes.length(along)
    return axes.name(along), place, length, length / axes.size[along]
