"""Conducting sheets and wires, which are edges of the mesh and no cells: where they lie is told by the namelist in every file.
SPDX-License-Identifier: MIT
"""
import re

FAR = 1e9  # m: the size of what the namelist gives no size


def values_of(text):
    """'a', 2*0.5 -> ['a', 0.5, 0.5]."""
    out = []
    for count, word, number in re.findall(r"(?:(\d+)\*)?(?:'([^']*)'|([-+]?\.?\d[-+.\deE]*))", text):
        out += [float(number) if number else word] * int(count or 1)
    return out


def sheets_read(namelist):
    """[(normal, {axis: (low, high)})] of every &geometry shape = 'sheet' or 'wire', which has no normal, of a resolved namelist."""
    text = re.sub(r"('[^'\n]*')|![^\n]*", lambda m: m.group(1) or "", str(namelist))
    sheets = []
    for group in re.findall(r"&geometry\b(.*?)\n/", text, re.S):
        parts = re.split(r"(\w+) *=", group)
        key = {k: values_of(v) for k, v in zip(parts[1::2], parts[2::2])}

        def value(name, n, default):
            given = key.get(name, [])
            return given[n] if n < len(given) else default
        for n, shape in enumerate(key.get("shape", [])):
            if shape not in ("sheet", "wire"):
                continue
            axis = value("axis", n, "z")
            ends = {}
            for a in "xyz":
                half = value("size_" + a, n, FAR) / 2 if (a == axis) == (shape == "wire") else 0
                ends[a] = value(a, n, 0.0) - half, value(a, n, 0.0) + half
            sheets.append((axis if shape == "sheet" else None, ends))
    return sheets


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
