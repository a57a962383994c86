#!/usr/bin/env python3
"""What the panels of sferic-plot hold: support_plot_look.py ROWS, a file of lines `NAME | ARGUMENTS | EXPRESSION`.

Each expression is evaluated on the page that the arguments make; it knows run, page, names (headings and titles), blocks,
block(NAME, AXIS) the first of a field on planes across an
axis, storm and sounding, texts() what stands beside panels, panel(TITLE) the axes of that title, curves(TITLE) its lines as {label: (x, y)}; shown(TITLE) whether it is there. `same` as
arguments keeps the page. A line `ok` or `FAIL` for each. SPDX-License-Identifier: MIT
"""
import os
import sys

import matplotlib
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
sys.dont_write_bytecode = True
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sferic_plot import colours, ports, sounding, storm
from sferic_plot.options import options_parse
from sferic_plot.read import Run
from sferic_plot.timeline import timeline_make
from sferic_plot.view import page_make, ports_page
from sferic_plot.words import digits_of, number_text


def texts_apart(ax):
    """No two texts on the axes overlap, nor a text and a dot or the line; all lie within."""
    draw = ax.figure.canvas.get_renderer()
    ax.figure.canvas.draw()
    texts = [t.get_window_extent(draw) for t in ax.texts]
    dots = [ax.transData.transform((line.get_xdata()[0], line.get_ydata()[0])) for line in ax.lines
            if len(line.get_xdata()) == 1]
    line = ax.transData.transform(np.stack(ax.lines[0].get_data(), axis=1))
    dots += [a + (b - a) * k / 50 for a, b in zip(line, line[1:]) for k in range(50)]
    frame = ax.get_window_extent(draw)
    return not any(a.overlaps(b) for n, a in enumerate(texts) for b in texts[:n]) and \
        not any(t.contains(*d) for t in texts for d in dots) and \
        all(frame.x0 <= t.x0 and t.x1 <= frame.x1 and frame.y0 <= t.y0 and t.y1 <= frame.y1 for t in texts)


def lightness(cmap):
    return colours.lab(cmap(np.linspace(0, 1, 257))[:, :3])[:, 0]


def panel(title):
    return next(ax for ax in page.fig.axes if ax.get_title("left") == title)


def shown(title):
    return any(ax.get_title("left") == title for ax in page.fig.axes)


def texts():
    """Of the page beside its panels: its title, what the run is, which frames were chosen."""
    return [t.get_text() for t in page.fig.texts]


def curves(title):
    return {line.get_label(): (np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))
            for line in panel(title).lines}


def block(name, axis):
    return next(b for b in blocks if (b.name, b.axis) == (name, axis))


def pseudoadiabat(pressures, kelvin):
    """Temperatures of saturated air that starts at kelvin and loses what condenses: the lapse rate, step by step."""
    found = [kelvin]
    for a, b in zip(pressures, pressures[1:]):
        for step in range(50):
            p = a * (b / a) ** ((step + 0.5) / 50)
            e = 611.2 * np.exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65))
            q, latent = 0.622 * e / (p - e), 2.501e6 - 2370 * (kelvin - 273.15)
            slope = (287.04 * kelvin + latent * q) * (1 + q / 0.622) / (1005.7 + 1870 * q + 0.622 * latent ** 2 * q * (1 + q / 0.622) / (287.04 * kelvin ** 2))
            kelvin += np.log(b / a) / 50 * slope
        found.append(kelvin)
    return np.array(found)


for row in open(sys.argv[1], encoding="utf-8"):
    name, words, expression = (w.strip() for w in row.split("|", 2))
    try:
        if words != "same":
            plt.close("all")
            options = options_parse(words.split())
            if os.path.isfile(options.folders[0]):
                page, run = timeline_make(options.folders[0], options)
            elif ports.is_folder(options.folders[0]):
                run = ports.Folder(options.folders[0])
                page = ports_page(run)
            else:
                run = Run(options.folders[0])
                page = page_make(run, options)
            page.finish()
            names, blocks = page.names, page.blocks
        good = bool(eval(expression))
    except Exception as e:
        good, expression = False, f"{expression}: {type(e).__name__} {e}"
    print(f"ok   {name}" if good else f"FAIL {name}: {expression}")
