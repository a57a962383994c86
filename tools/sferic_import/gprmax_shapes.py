"""Objects of gprMax as shapes, in their order: later ones cover earlier ones in both programs. Places are rounded to nodes as gprMax does.
SPDX-License-Identifier: MIT
"""
import math

from .gprmax_grid import nearest, tidy
from .gprmax_media import medium_of, soil_medium
from .report import NEAR, SAME

MOST = 256  # shapes that sferic takes
STRIPS = 100  # sheets that a triangle may take
ARC = 96  # sides of a whole circle
CURVED = "its curved surface counts by volume, in gprMax by whole cells"


class Shape:
    """One of &geometry; wires keep their nodes, so that they can be cut."""

    def __init__(self, keys, wire=None):
        self.keys, self.wire = keys, wire


def add(c, command, first=True, wire=None, **keys):
    if len(c.shapes) >= MOST:
        raise c.wrong(command, f"the model has more than {MOST} shapes, which sferic takes: paint it with &geometry file")
    shape = Shape({"shape": (keys.pop("shape"), c.text_of(command) if first else "the same"), **keys}, wire)
    c.shapes.append(shape)
    return shape


def shapes_write(c):
    """All shapes; the corners of all polygons stand with the first of these, and what is for all shapes with the first of all."""
    if c.shapes and not is_halved(c):
        c.shapes[0].keys["subpixel"] = False, "whole cells, as in gprMax; .true. is nearer to the true shape of curved dielectrics"
    corners = [x for shape in c.shapes for x in shape.keys.get("corners", [])]
    first = next((shape for shape in c.shapes if "corners" in shape.keys), None)
    for shape in c.shapes:
        keys = {k: v for k, v in shape.keys.items() if k != "corners"}
        c.deck.entry("geometry", **keys, **({"corners": (corners, "of all polygons")} if shape is first else {}))


def nodes(c, command, first, what="corner"):
    """A place in nodes, not beyond the domain."""
    values = c.numbers(command, first, 3, what)
    at = [nearest(x / s) for x, s in zip(values, c.axes.size)]
    for a in range(3):
        if not 0 <= at[a] <= c.axes.count[a]:
            raise c.wrong(command, f"{what}: {'xyz'[a]} = {values[a]:g} m lies outside of the domain, which ends at {c.axes.count[a] * c.axes.size[a]:g} m")
    return at


def extent(c, command):
    """Lower and upper nodes."""
    low, high = nodes(c, command, 0, "lower corner"), nodes(c, command, 3, "upper corner")
    for a in range(3):
        if low[a] > high[a]:
            raise c.wrong(command, f"the lower corner lies beyond the upper one along {'xyz'[a]}")
    return low, high


def smoothed(c, command, first):
    """Materials, and whether `n` for no smoothing stands behind: (medium, notes)."""
    words = command.words[first:]
    off = len(words) in (2, 4) and words[-1].lower() in ("y", "n") and words.pop().lower() == "n"
    if len(words) not in (1, 3):
        raise c.wrong(command, "one material, or three for x, y and z, and y or n behind")
    medium, how = medium_of(c, command, words)
    notes = [how] if how else []
    if off and medium not in ("pec", "vacuum"):
        notes.append("its edges take means of the media around them, smoothed")
    elif any(c.medium_keys.get(w, {}).get("dispersive") for w in words):
        notes.append("its edges take means of the media around them, where gprMax does not smooth what disperses")
    return medium, notes


def told(c, command, what, notes):
    c.told(command, *((NEAR, f"&geometry shape = '{what}': " + "; ".join(notes)) if notes else (SAME, f"&geometry shape = '{what}'")))


def box_keys(c, low, high, shape="box"):
    """Centre and size of a box between nodes (maybe broken ones); along the flat axis it is the whole."""
    axes, keys = c.axes, {}
    middle = axes.places([0.5 * (a + b) for a, b in zip(low, high)])
    keys.update(middle)
    for a in range(3):
        if a != axes.flat and (shape != "sheet" or high[a] > low[a]):
            keys["size_" + axes.name(a)] = tidy((high[a] - low[a]) * axes.size[a])
    return keys


def solid_check(c, command, low, high):
    for a in range(3):
        if low[a] == high[a] and a != c.axes.flat:
            raise c.wrong(command, f"it has no extent along {'xyz'[a]}: less than half a cell")


def box(c, command):
    low, high = extent(c, command)
    medium, notes = smoothed(c, command, 6)
    solid_check(c, command, low, high)
    add(c, command, shape="box", medium=medium, **box_keys(c, low, high))
    told(c, command, "box", notes)


def fractal(c, command):
    """A box of the mean of its soil."""
    low, high = extent(c, command)
    solid_check(c, command, low, high)
    name, mixed = command.words[11], command.words[11] in c.soils
    medium = soil_medium(c, command, name) if mixed else medium_of(c, command, [name])[0]
    c.boxes[command.words[12]] = medium
    add(c, command, shape="box", medium=medium, **box_keys(c, low, high))
    if mixed:
        c.told(command, NEAR, f"&geometry shape = 'box' of one medium, the mean in place of {command.words[10]} that vary from place to place: echoes of its grain are lacking")
    else:
        c.told(command, SAME, "&geometry shape = 'box'")


def positive(c, command, n, what="radius"):
    x = c.number(command, n, what)
    if not x > 0:
        raise c.wrong(command, f"{what} must be above 0")
    return x


def is_halved(c):
    """Are there plates, edges or triangles without thickness of a dielectric? They are boxes of half cells, which count by volume, and so does all
    else."""
    at = {"plate": 6, "edge": 6, "triangle": 10}  # where the material stands
    return any(c.media.get(x.words[at[x.name]], "") not in ("pec", "vacuum") and not (x.name == "triangle" and c.number(x, 9, "thickness") > 0)
               for x in c.commands if x.name in at)


def curved_note(c, medium):
    return [CURVED] if medium not in ("pec", "vacuum") and is_halved(c) else []


def sphere(c, command):
    at = [nearest(x / s) for x, s in zip(c.numbers(command, 0, 3, "centre"), c.axes.size)]
    radius = positive(c, command, 3)
    medium, notes = smoothed(c, command, 4)
    flat = c.axes.flat
    keys = {"shape": "sphere"} if flat is None else {"shape": "cylinder", "axis": c.axes.name(flat)}
    add(c, command, **keys, medium=medium, **c.axes.places(at), radius=radius)
    if flat is not None:
        notes.append("a disc: the cut of it in a flat model")
    told(c, command, keys["shape"], notes + curved_note(c, medium))


def cylinder(c, command):
    axes = c.axes
    ends = [[nearest(x / s) for x, s in zip(c.numbers(command, n, 3, "end"), axes.size)] for n in (0, 3)]
    radius = positive(c, command, 6)
    medium, notes = smoothed(c, command, 7)
    along = [(b - a) * s for a, b, s in zip(*ends, axes.size)]
    length = math.sqrt(sum(x * x for x in along))
    if not length:
        raise c.wrong(command, "both ends are the same")
    main = [a for a in range(3) if abs(along[a]) > 1e-9 * length]
    middle = axes.places([0.5 * (a + b) for a, b in zip(*ends)])
    what = "cylinder"
    if axes.flat is not None and axes.flat in main:
        if len(main) > 1:
            notes.append("upright: it leans in a model of one cell")
        add(c, command, shape=what, medium=medium, axis=axes.name(axes.flat), **middle, radius=radius)
    elif axes.flat is not None:
        what = "box"
        turn = in_plane(axes, along)
        add(c, command, shape=what, medium=medium, **middle, **{"size_" + turn[0]: tidy(length), "size_" + turn[1]: 2 * radius}, **turn[2])
        notes.append("its cut in a flat model")
    elif len(main) == 1:
        axis = axes.name(main[0])
        add(c, command, shape=what, medium=medium, axis=axis, **middle, radius=radius, **{"size_" + axis: tidy(length)})
    else:
        x, y, z = axes.here(along)
        add(c, command, shape=what, medium=medium, axis="z", **middle, radius=radius, size_z=tidy(length),
            turn_y=tidy(math.degrees(math.acos(z / length))),
            turn_z=tidy(math.degrees(math.atan2(y, x))))
    told(c, command, what, notes + (curved_note(c, medium) if what == "cylinder" else []))


def in_plane(axes, along):
    """(axis along, axis across, turn) of a bar in the plane of a flat model, by its letters here."""
    flat = axes.order.index(axes.flat)
    first, second = (flat + 1) % 3, (flat + 2) % 3  # right-handed about the flat axis
    here = axes.here(along)
    angle = math.degrees(math.atan2(here[second], here[first]))
    return "xyz"[first], "xyz"[second], {"turn_" + "xyz"[flat]: tidy(angle)} if angle else {}


def polygon(c, command, normal, level, thickness, corners, medium):
    """An extruded figure: corners (m) along the two axes that follow `normal` in gprMax, from `level` on."""
    axes = c.axes
    here = axes.order.index(normal)
    follow = [axes.order[(here + 1) % 3], axes.order[(here + 2) % 3]]
    theirs = [(normal + 1) % 3, (normal + 2) % 3]
    pairs = corners if follow == theirs else [(b, a) for a, b in corners]
    place = {"xyz"[here]: axes.wide / 2 if normal == axes.flat else tidy(level + 0.5 * thickness)}
    size = {} if normal == axes.flat else {"size_" + "xyz"[here]: tidy(thickness)}
    others = {"xyz"[(here + n) % 3]: 0.0 for n in (1, 2)}
    add(c, command, shape="polygon", medium=medium, axis="xyz"[here], **place, **others, **size, corner_count=len(pairs),
        corners=[tidy(x) for p in pairs for x in p])


def sector(c, command):
    normal = "xyz".find(command.words[0].lower())
    if normal < 0:
        raise c.wrong(command, f"'{command.words[0]}' is no axis: x, y or z")
    a, b, low, high, radius, start, angle = c.numbers(command, 1, 7)
    medium, notes = smoothed(c, command, 8)
    if not radius > 0 or not 0 < angle < 360 or not 0 <= start < 360 or not high > low:
        raise c.wrong(command, "wants an upper end above the lower one, a radius above 0, a start from 0 and an angle above 0, both below 360")
    size = c.axes.size[normal]
    low, high = nearest(low / size) * size, nearest(high / size) * size
    if normal == c.axes.flat:
        low, high = 0.0, size
    if not high > low:
        raise c.wrong(command, "it has no extent along its axis: less than half a cell")
    sides = max(3, round(ARC * angle / 360))
    step = math.radians(angle) / sides
    out = radius * math.sqrt(step / math.sin(step))  # the area of the arc
    arc = [(out * math.cos(math.radians(start) + n * step), out * math.sin(math.radians(start) + n * step)) for n in range(sides + 1)]
    first, second = [x for x in range(3) if x != normal]  # gprMax counts angles from the first of these towards the second
    corners = [(a, b)] + [(a + x, b + y) for x, y in arc]
    polygon(c, command, normal, low, high - low, corners if (first, second) == ((normal + 1) % 3, (normal + 2) % 3) else [(y, x) for x, y in corners],
            medium)
    told(c, command, "polygon", notes + [f"its arc has {sides} straight sides, of the same area"])


def triangle(c, command):
    axes = c.axes
    corners = [[nearest(x / s) * s for x, s in zip(c.numbers(command, n, 3, "corner"), axes.size)] for n in (0, 3, 6)]
    thickness = c.number(command, 9, "thickness")
    medium, notes = smoothed(c, command, 10)
    normal = next((a for a in range(3) if max(p[a] for p in corners) - min(p[a] for p in corners) < 1e-9 * axes.size[a]), None)
    if normal is None:
        raise c.wrong(command, "its corners lie in no plane across x, y or z")
    if thickness < 0:
        raise c.wrong(command, "thickness is 0 or more")
    plane = [(p[(normal + 1) % 3], p[(normal + 2) % 3]) for p in corners]
    (ax, ay), (bx, by), (cx, cy) = plane
    cell = axes.size[(normal + 1) % 3] * axes.size[(normal + 2) % 3]
    if abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) < 1e-9 * cell:
        raise c.wrong(command, "its corners lie on a line")
    level = corners[0][normal]
    if thickness > 0 or normal == axes.flat:
        polygon(c, command, normal, level, nearest(thickness / axes.size[normal]) * axes.size[normal] or axes.size[normal], plane, medium)
        told(c, command, "polygon", notes)
        return
    count = strips(c, command, normal, nearest(level / axes.size[normal]), plane) if medium == "pec" else 0
    if count:
        c.told(command, SAME, f"{count} of &geometry shape = 'sheet': the faces whose middles lie in it")
    else:
        polygon(c, command, normal, level - 0.5 * axes.size[normal], axes.size[normal], plane, medium)
        told(c, command, "polygon", notes + ["one cell thick: it has no sheet of that form"])


def strips(c, command, normal, level, plane):
    """A conducting triangle without thickness as rows of sheets: the faces whose middles lie in it. 0: too many."""
    axes = c.axes
    sides = [(normal + 1) % 3, (normal + 2) % 3]
    rows = sorted(range(2), key=lambda n: (max(p[n] for p in plane) - min(p[n] for p in plane)) / axes.size[sides[n]])[0]
    row_axis, line_axis = sides[rows], sides[1 - rows]
    made = []
    low, high = (nearest(f(p[rows] for p in plane) / axes.size[row_axis]) for f in (min, max))
    for j in range(low, high):
        span = crossing(plane, rows, (j + 0.5) * axes.size[row_axis])
        if span is None:
            continue
        first, last = (math.ceil(span[0] / axes.size[line_axis] - 0.5 - 1e-9), math.floor(span[1] / axes.size[line_axis] - 0.5 + 1e-9))
        if last < first:
            continue
        if made and made[-1][1] == j and made[-1][2:] == (first, last + 1):
            made[-1] = (made[-1][0], j + 1, first, last + 1)
        else:
            made.append((j, j + 1, first, last + 1))
    if not 0 < len(made) <= STRIPS:
        return 0
    for n, (a, b, first, last) in enumerate(made):
        bottom, top = [0, 0, 0], [0, 0, 0]
        bottom[normal] = top[normal] = level
        bottom[row_axis], top[row_axis], bottom[line_axis], top[line_axis] = a, b, first, last
        add(c, command, n == 0, shape="sheet", medium="pec", axis=axes.name(normal), **box_keys(c, bottom, top, "sheet"))
    return len(made)


def crossing(plane, rows, at):
    """Where a line at `at` along axis `rows` of the plane enters and leaves a triangle."""
    found = []
    for p, q in ((plane[0], plane[1]), (plane[1], plane[2]), (plane[2], plane[0])):
        if (p[rows] - at) * (q[rows] - at) < 0:
            found.append(p[1 - rows] + (q[1 - rows] - p[1 - rows]) * (at - p[rows]) / (q[rows] - p[rows]))
    return (min(found), max(found)) if len(found) == 2 else None


def plate(c, command):
    axes = c.axes
    low, high = extent(c, command)
    medium, notes = smoothed(c, command, 6)
    across = [a for a in range(3) if low[a] == high[a] and a != axes.flat]
    if axes.flat is not None and low[axes.flat] == high[axes.flat]:
        raise c.wrong(command, "it lies across the flat axis, where it does nothing: make it a #box")
    if len(across) != 1:
        raise c.wrong(command, "two of its three extents must be above 0")
    normal = across[0]
    if medium == "pec":
        add(c, command, shape="sheet", medium="pec", axis=axes.name(normal), **box_keys(c, low, high, "sheet"))
        told(c, command, "sheet", notes)
        return
    thin(c, command, low, high, [normal], medium)
    told(c, command, "box", notes + ["one cell thick, its middle on the plate"])


def thin(c, command, low, high, across, medium):
    """A box of one cell across, around nodes."""
    low, high = [float(x) for x in low], [float(x) for x in high]
    for a in across:
        low[a], high[a] = low[a] - 0.5, high[a] + 0.5
    add(c, command, shape="box", medium=medium, **box_keys(c, low, high))


def edge(c, command):
    axes = c.axes
    low, high = extent(c, command)
    medium, notes = smoothed(c, command, 6)
    along = [a for a in range(3) if low[a] < high[a]]
    if len(along) != 1:
        raise c.wrong(command, "one of its three extents must be above 0")
    axis = along[0]
    cut = wires_cut(c, axis, low, high)
    if medium == "pec":
        add(c, command, wire=(axis, low, high), **wire_keys(c, axis, low, high))
        told(c, command, "wire", notes)
    elif medium == "vacuum" and cut:
        c.told(command, SAME, "the wire has a gap there")
    else:
        thin(c, command, low, high, [a for a in range(3) if a not in (axis, axes.flat)], medium)
        told(c, command, "box", notes + ["one cell wide, its middle on the edge" + (", in a gap of the wire" if cut else "")])


def wire_keys(c, axis, low, high):
    keys = box_keys(c, low, high, "sheet")
    letter = c.axes.name(axis)
    return {"shape": "wire", "medium": "pec", "axis": letter, **c.axes.places([0.5 * (a + b) for a, b in zip(low, high)]),
            **{k: v for k, v in keys.items() if k == "size_" + letter}}


def wires_cut(c, axis, low, high):
    """Takes these edges out of the wires before: how many there were."""
    cut = 0
    for n in reversed(range(len(c.shapes))):
        wire = c.shapes[n].wire
        if wire is None or wire[0] != axis or any(wire[1][a] != low[a] for a in range(3) if a != axis):
            continue
        first, last = wire[1][axis], wire[2][axis]
        if high[axis] <= first or low[axis] >= last:
            continue
        cut += 1
        parts = [(a, b) for a, b in ((first, low[axis]), (high[axis], last)) if b > a]
        made = []
        for a, b in parts:
            ends = [list(wire[1]), list(wire[2])]
            ends[0][axis], ends[1][axis] = a, b
            keys = wire_keys(c, axis, *ends)
            said = c.shapes[n].keys["shape"][1]
            made.append(Shape({**keys, "shape": (keys["shape"], said)}, (axis, *ends)))
        c.shapes[n:n + 1] = made
    return cut
