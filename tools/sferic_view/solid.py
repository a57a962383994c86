"""One variable of a run in three dimensions, for plotly.js, which makes surfaces of it in the browser. SPDX-License-Identifier: MIT"""
import base64
import importlib.util
import os

import numpy as np
from matplotlib import colors

from sferic_plot.words import INPUT, USAGE, Fail, length_unit

from .guard import Page, Web
from .scene import Scene, plain

MOST = 72  # points a side: what a browser turns into surfaces within a second


def library_find():
    """plotly.js, which comes within a package that itself is not loaded."""
    found = importlib.util.find_spec("plotly")
    path = os.path.join(found.submodule_search_locations[0], "package_data", "plotly.min.js") if found else ""
    return path if os.path.isfile(path) else None


def solid_make(run, name, frame):
    """Values (z, y, x) at every so many cells, as base64 of float32, their places, colours and times."""
    fields = [n for n in run.fields if n not in run.maps]
    name = name if name in fields else Scene(run).name
    c = run.coords[name]
    if any(len(c[a]) < 2 for a in "xyz"):
        raise Fail(USAGE, f"{run.folder}: {name} has one cell across: there is nothing to see in three dimensions")
    frame = int(np.clip(frame, 0, len(run.times) - 1))
    thin = {a: -(-len(c[a]) // MOST) for a in "xyz"}
    first = {a: (thin[a] - 1) // 2 for a in "xyz"}
    f = run.read(name, frame, "z", slice(first["z"], None, thin["z"]))[:, first["y"]::thin["y"], first["x"]::thin["x"]]
    scene = Scene(run)
    scene.name_set(name)
    scale = scene.scale()
    scale_m, unit = length_unit(max(np.ptp(c[a]) for a in "xyz"))
    return {"name": name, "names": [[n, scene.name_text(n)] for n in fields], "frame": frame, "times": [run.frame_text(n) for n in range(len(run.times))],
            "values": base64.b64encode(np.ascontiguousarray(np.nan_to_num(f), "<f4").tobytes()).decode(),
            "axes": {a: (c[a][first[a]::thin[a]] / scale_m).tolist() for a in "xyz"}, "unit": unit, "label": scene.value_label(),
            "low": float(scale.lo), "high": float(scale.hi), "is_signed": bool(scale.signed), "case": run.case, "title": plain(run.label(name)),
            "colours": [[n / 16, colors.to_hex(scale.cmap(n / 16))] for n in range(17)], "thin": max(thin.values()), "is_hilly": run.is_hilly}


class Solid(Web):
    """The page. plotly.js writes styles of its own, and shows pictures that it makes."""

    def get(self):
        self.set_header("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'")
        super().get("solid.html")


class Library(Page):
    def get(self):
        path = library_find()
        if not path:
            raise Fail(INPUT, "no plotly.js")
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.set_header("Cache-Control", "private, max-age=86400")
        with open(path, "rb") as f:
            self.finish(f.read())
