"""Diffraction orders over frequency: shares of what a plane wave carries, or the power of each order. SPDX-License-Identifier: MIT
"""
import os

import numpy as np

from .layout import panel
from .read import files_panels
from .waves import COLOURS
from .words import INPUT, Fail, bracketed, prefix_of

MOST = 6  # curves of a panel
KINDS = "efficiency", "power", "flux"


def orders_panels(run):
    """A panel of the strongest orders of each orders_NAME.nc."""
    return files_panels(run.folder, "orders_*.nc", file_panels)


def file_panels(ds, path):
    kind = next((n for n in KINDS if n in ds and ds[n].notnull().any()), None)
    if kind is None:
        return []
    value = ds[kind]
    if value.ndim != 3 or value.dims[0] != "frequency":
        raise Fail(INPUT, f"{path}: damaged, or not written by sferic (no {kind} of (frequency, order, order))")
    f = np.atleast_1d(np.asarray(ds["frequency"].values, float))
    first, second = (np.atleast_1d(np.asarray(ds[d].values, int)) for d in value.dims[1:])
    y = np.abs(np.asarray(value.values, float))
    size = {(p, q): np.nanmax(y[:, i, j], initial=0) for i, p in enumerate(first) for j, q in enumerate(second)}
    picked = sorted(sorted((o for o in size if size[o] > 0), key=lambda o: -size[o])[:MOST])
    scale, prefix = prefix_of(float(f.max()))
    curves = [(name_of(o, len(first), len(second)), colour, f / scale, y[:, list(first).index(o[0]), list(second).index(o[1])])
              for o, colour in zip(picked, COLOURS)]
    label = "efficiency" if kind == "efficiency" else bracketed(kind, str(value.attrs.get("units", "")))
    return [panel(f"Diffraction orders, {os.path.basename(path)[7:-3]}", f"frequency [{prefix}Hz]", label, curves)] if curves else []


def name_of(order, firsts, seconds):
    return str(order[0]) if seconds == 1 else str(order[1]) if firsts == 1 else f"{order[0]}, {order[1]}"
