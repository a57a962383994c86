"""The namelist of a case: its groups, and what of them places its columns. SPDX-License-Identifier: MIT"""
import os
import re
from datetime import datetime

import numpy as np

from sferic_plot.words import INPUT, Fail

from .projection import KINDS, Projection

NAMELIST = 3  # exit code
WANTED = "grid", "map", "time", "driver"  # groups that place the columns and their times; of the others nothing is asked
TOKEN = re.compile(r"\s+|![^\n]*|,|(?P<end>/|&end\b)|(?P<key>[a-z_]\w*)\s*(?:\(\s*(?P<at>\d+)?[^()=\n]*\)\s*)?=|"
                   r"(?:(?P<times>\d+)\*)?(?:(?P<quote>['\"])(?P<text>(?:(?!(?P=quote)).|(?P=quote){2})*)(?P=quote)|(?P<word>[^\s,!'\"/=&]+))",
                   re.I | re.S)
BETWEEN, HEAD = re.compile(r"[^&!]+|![^\n]*|&(?!(?:%s)\b)" % "|".join(WANTED), re.I), re.compile(r"&(\w+)")


def group_read(text, at, path):
    """Keys with their lists of values, from the place after &name on, and where the group ends."""
    keys, values, n = {}, None, 0
    while (token := TOKEN.match(text, at)) is not None:
        at = token.end()
        if token["end"]:
            return keys, at
        if token["key"]:
            values, n = keys.setdefault(token["key"].lower(), {}), int(token["at"] or 1)
        elif token["word"] or token["quote"]:
            if values is None:
                break
            value = token["word"] if token["word"] else token["text"].replace(token["quote"] * 2, token["quote"])
            for _ in range(int(token["times"] or 1)):
                values[n] = value
                n += 1
    raise Fail(NAMELIST, f"{path}:{text.count(chr(10), 0, at) + 1}: not what a namelist holds: {text[at:at + 20].split(chr(10))[0]}")


def head_find(text, at):
    """The next &name of a wanted group, or None."""
    while (skipped := BETWEEN.match(text, at)) is not None:
        at = skipped.end()
    return HEAD.match(text, at)


def groups_read(path):
    """{wanted group: {key: {number from 1: text}}}; of a group that is there twice the later values count."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        raise Fail(INPUT, f"{path}: {getattr(e, 'strerror', None) or 'not a text'}") from e
    groups, at = {}, 0
    while (head := head_find(text, at)) is not None:
        keys, at = group_read(text, head.end(), path)
        for key, values in keys.items():
            groups.setdefault(head[1].lower(), {}).setdefault(key, {}).update(values)
    return groups


class Case:
    """Where the columns of a case are: nx, ny, dx, dy, x and y (cell centres, m), projection, lid (m), time (of its start, or
    None), rows (of the zone along its sides)."""

    def __init__(self, path):
        self.path, self.groups = path, groups_read(path)
        self.name = os.path.splitext(os.path.basename(path))[0]
        for key in ("size_x", "size_y"):
            if key in self.groups.get("grid", {}):
                raise Fail(NAMELIST, f"{path}: &grid {key} makes columns of several sizes: sferic-prepare wants dx and dy alone")
        self.nx, self.ny = (int(self.number("grid", k, d)) for k, d in (("nx", 64), ("ny", 1)))
        self.dx, self.dy = self.number("grid", "dx", 1000), self.number("grid", "dy", 1000)
        if self.nx < 1 or self.ny < 1 or not (self.dx > 0 and self.dy > 0):
            raise Fail(NAMELIST, f"{path}: &grid wants nx and ny from 1, dx and dy above 0")
        self.x = self.number("grid", "origin_x", 0) + self.dx * (np.arange(self.nx) + 0.5)
        self.y = self.number("grid", "origin_y", 0) + self.dy * (np.arange(self.ny) + 0.5)
        self.lid = self.lid_find()
        self.time = self.time_find()
        self.duration = self.number("time", "duration", 3600)
        self.rows = int(self.number("driver", "rows", 8))
        self.projection = self.projection_find()

    def text(self, group, key, default):
        return self.groups.get(group, {}).get(key, {}).get(1, default)

    def numbers(self, group, key):
        values = self.groups.get(group, {}).get(key, {})
        try:
            return [float(re.sub("[dD]", "e", values[n])) for n in sorted(values)]
        except ValueError as e:
            raise Fail(NAMELIST, f"{self.path}: &{group} {key}: '{' '.join(values.values())}' is no number") from e

    def number(self, group, key, default):
        return (self.numbers(group, key) or [default])[0]

    def lid_find(self):
        """Height of the lid, m: the sum of the cells as the program makes them."""
        sizes = self.numbers("grid", "size_z")
        if sizes:
            return sum(sizes)
        z, dz = 0.0, self.number("grid", "dz", 500)
        ratio, start, most = (self.number("grid", k, d) for k, d in (("stretch_ratio", 1), ("stretch_from", 0), ("dz_max", 1e6)))
        for k in range(int(self.number("grid", "nz", 32))):
            if k and ratio > 1 and z >= start:
                dz = min(dz * ratio, most)
            z += dz
        return z

    def time_find(self):
        text = self.text("time", "start", None)
        try:
            return text and datetime.fromisoformat(text)
        except ValueError as e:
            raise Fail(NAMELIST, f"{self.path}: &time start: '{text}' is not YYYY-MM-DD hh:mm:ss") from e

    def projection_find(self):
        """The map of &map, shifted so that its centre is the middle of the domain."""
        kind = self.text("map", "projection", "none").lower()
        if kind not in KINDS:
            raise Fail(NAMELIST, f"{self.path}: &map projection is '{kind}': a forecast needs to know where on Earth it is: {', '.join(KINDS)}")
        if not self.numbers("map", "centre_latitude") or not self.numbers("map", "centre_longitude"):
            raise Fail(NAMELIST, f"{self.path}: &map lacks centre_latitude or centre_longitude: the place of the domain's middle")
        latitude, longitude = (self.number("map", "centre_" + k, 0) for k in ("latitude", "longitude"))
        parallels = self.numbers("map", "standard_parallels") or [latitude]
        try:
            p = Projection(kind, self.number("map", "earth_radius", 6371229.0), (parallels * 2)[:2],
                           self.number("map", "central_meridian", longitude), latitude)
            x, y = p.forward(latitude, longitude)
        except ValueError as e:
            raise Fail(NAMELIST, f"{self.path}: &map: {e}") from e
        p.false_easting = float((self.x[0] + self.x[-1]) / 2 - x)
        p.false_northing = float((self.y[0] + self.y[-1]) / 2 - y)
        return p

    def places(self):
        """Latitude and longitude of all columns, degrees (y, x)."""
        return self.projection.inverse(*np.meshgrid(self.x, self.y))
