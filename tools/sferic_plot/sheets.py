"""Conducting sheets and wires, which are edges of the mesh and no cells: where they lie is told by the namelist in every file.
SPDX-License-Identifier: MIT
"""
import re

FAR = 1e9  # m: the size of what the namelist gives no size


def values_of(text):
    """'a', 2*0.5 -> ['a', 0.5, 0.5]."""
    out = []
    for count, word, number, truth in re.findall(r"(?:(\d+)\*)?(?:'([^']*)'|([-+]?\.?\d[-+.\deE]*)|\.(true|false)\.)", text):
        out += [float(number) if number else truth == "true" if truth else word] * int(count or 1)
    return out


def shapes_read(namelist):
    """(shape, value(name, default)) of every shape of &geometry of a resolved namelist."""
    text = re.sub(r"('[^'\n]*')|![^\n]*", lambda m: m.group(1) or "", str(namelist))
    for group in re.findall(r"&geometry\b(.*?)\n/", text, re.S):
        parts = re.split(r"(\w+) *=", group)
        key = {k: values_of(v) for k, v in zip(parts[1::2], parts[2::2])}

        for n, shape in enumerate(key.get("shape", [])):
            def value(name, default, n=n, key=key):
                given = key.get(name, [])
                return given[n] if n < len(given) else default
            yield shape, value


def is_turned(value):
    return any(value("turn_" + a, 0.0) for a in "xyz")


def sheets_read(namelist):
    """[(normal, {axis: (low, high)})] of every shape 'sheet' along the grid, or 'wire', which has no normal."""
    sheets = []
    for shape, value in shapes_read(namelist):
        if shape not in ("sheet", "wire") or (shape == "sheet" and is_turned(value)):
            continue
        axis = value("axis", "z")
        ends = {}
        for a in "xyz":
            half = value("size_" + a, FAR) / 2 if (a == axis) == (shape == "wire") else 0
            ends[a] = value(a, 0.0) - half, value(a, 0.0) + half
        sheets.append((axis if shape == "sheet" else None, ends))
    return sheets


def has_shells(namelist):
    """Is there a sheet of another orientation, or curved?"""
    solids = ("box", "sphere", "cylinder", "cone", "polygon", "stl")
    return any(shape == "disc" or (shape == "sheet" and is_turned(value)) or (shape in solids and value("shell", False))
               for shape, value in shapes_read(namelist))


def sheets_cut(sheets, axis, across, up, low, high):
    """What a plane shows whose cells reach from low to high along `axis`: a line of a sheet that it cuts, the rim of one that lies in
    these cells, a wire in them, as [((across, up), (across, up))...]. A wire through the plane is no line."""
    lines = []
    for normal, ends in sheets:
        (first, last), (a, b), (c, d) = ends[axis], ends[across], ends[up]
        if last < low or first > high:
            continue
        if normal is None and a == b and c == d:
            continue
        corners = [(a, c), (b, c), (b, d), (a, d)]
        lines += zip(corners, corners[1:] + corners[:1]) if normal == axis else [((a, c), (b, d))]
    return lines
