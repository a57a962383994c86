"""Planes, curves, and the panels of sferic-plot as figures of Bokeh. SPDX-License-Identifier: MIT"""
import numpy as np
from bokeh.models import (BoxAnnotation, ColorBar, ColumnDataSource, CrosshairTool, HoverTool, LinearColorMapper,
                          Range1d, SaveTool)
from bokeh.plotting import figure
from matplotlib import colors
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from sferic_plot.places import edges
from sferic_plot.terrain import GROUND
from sferic_plot.words import length_unit

from .raster import raster_make
from .scene import plain

TOOLS = "pan,wheel_zoom,box_zoom,reset"
SHAPES = (300, 2.6, 1 / 1.6)  # px of the shorter side at least; the widest and the tallest shape
RAIN = 2e-3  # share of the scale below which cloud and rain are left white, as sferic-plot does


def curve_figure(title, height=240):
    """A small figure of curves."""
    fig = figure(title=title, height=height, min_width=260, sizing_mode="stretch_width", tools=TOOLS, toolbar_location=None, output_backend="canvas")
    fig.title.text_font_size = "11px"
    for axis in (fig.xaxis[0], fig.yaxis[0]):
        axis.axis_label_text_font_size = "11px"
        axis.axis_label_text_font_style = "normal"
    return fig


class PlaneFigure:
    """A plane of cells, its colour bar and what lies over it; of a line of cells a curve."""

    def __init__(self, clicked, name):
        self.fig = fig = figure(frame_width=640, frame_height=400, tools=TOOLS, toolbar_location="above", active_scroll="wheel_zoom",
                                x_range=Range1d(0, 1), y_range=Range1d(0, 1), name=name, output_backend="canvas")
        fig.add_tools(SaveTool())
        fig.toolbar.logo = None
        fig.grid.visible = False
        fig.title.text_font_size = "12px"
        self.mapper = LinearColorMapper(palette=["#ffffff"] * 2, low=0, high=1, nan_color="#999999")
        self.image = ColumnDataSource({"image": [np.zeros((1, 1), np.float32)], "x": [0.0], "y": [0.0], "dw": [1.0], "dh": [1.0]}, name=name + "_image")
        self.cells = fig.image("image", "x", "y", "dw", "dh", source=self.image, color_mapper=self.mapper)
        self.line = ColumnDataSource({"x": [], "y": []}, name=name + "_line")
        self.curve = fig.line("x", "y", source=self.line, color="#1b6ca8", line_width=1.5)
        self.media = ColumnDataSource({"x": [], "y": []})
        fig.multi_line("x", "y", source=self.media, color="#222222", line_width=0.8)
        self.sheets = ColumnDataSource({"x": [], "y": []})
        fig.multi_line("x", "y", source=self.sheets, color="black", line_width=2)
        self.ground = ColumnDataSource({"x": [], "low": [], "high": []})
        fig.varea("x", "low", "high", source=self.ground, color=GROUND)
        self.mark = ColumnDataSource({"x": [], "y": []})
        fig.scatter("x", "y", source=self.mark, marker="cross", size=16, color="#d4007f", line_width=2)
        self.hover = HoverTool(renderers=[self.cells], tooltips=[("value", "@image"), ("at", "$x, $y")])
        fig.add_tools(self.hover, CrosshairTool(line_alpha=0.25))
        self.bar = ColorBar(color_mapper=self.mapper, width=14, title="", title_text_font_style="normal", title_text_font_size="11px")
        fig.add_layout(self.bar, "right")
        fig.on_event("tap", lambda event: clicked(event.x * self.unit, event.y * self.unit) if event.x is not None else None)
        self.unit, self.shape, self.has_bar = 1.0, None, True

    def bar_show(self, on):
        """One bar is enough where two planes stand side by side."""
        self.has_bar = on

    def colours_set(self, scale, low, high):
        cmap = scale.cmap
        self.mapper.update(palette=[colors.to_hex(c) for c in cmap(np.linspace(0, 1, 256))],
                           low=low + (RAIN * (high - low) if scale.sparse else 0), high=high, low_color="#ffffff" if scale.sparse else None)

    def draw(self, title, block, h, v, values, label, low, high, width):
        """Coordinates in the unit that reads best; width: px that there are for the figure."""
        source = block.run
        self.unit, unit = length_unit(max(np.ptp(source.extent(a)) for a in (block.across, block.up)))
        self.fig.title.text = title
        is_line = min(values.shape) == 1
        if is_line:
            self._line(source, block, h, v, values, label, low, high)
        else:
            f, (x, y, w, t) = raster_make(h, v, values, block.ground if block.axis != "z" else None)
            self.image.data = {"image": [f], "x": [x / self.unit], "y": [y / self.unit], "dw": [w / self.unit], "dh": [t / self.unit]}
            self.line.data = {"x": [], "y": []}
        self.cells.visible = not is_line
        self.bar.visible = self.has_bar and not is_line
        self.curve.visible = is_line
        self.hover.tooltips = [(label, "@image"), (f"{block.across}, {block.up} [{unit}]", "$x{0.[000]}, $y{0.[000]}")]
        self.bar.title = label
        key = (id(source), block.axis, block.across, block.at, is_line, width, self.unit)
        if key != self.shape:  # else what the user has zoomed to stays
            self.shape = key
            self._frame(source, block, unit, is_line, label, width)
        if is_line:
            self.fig.y_range.update(start=low - 0.05 * (high - low), end=high + 0.05 * (high - low))

    def _line(self, source, block, h, v, values, label, low, high):
        along = h if len(h) > 1 else v[:, 0] if v.ndim > 1 else v
        self.line.data = {"x": along / self.unit, "y": np.ma.filled(values.astype(float), np.nan).ravel()}

    def _frame(self, source, block, unit, is_line, label, width):
        across, up = ((a for a in (block.across, block.up)) if not is_line else
                      ((block.across if len(source.coords[block.name][block.across]) > 1 else block.up), None))
        (a, b) = (e / self.unit for e in source.extent(across))
        self.fig.x_range.update(start=a, end=b, reset_start=a, reset_end=b)
        self.fig.xaxis[0].axis_label = f"{across} [{unit}]"
        lines = [] if is_line else block.outline or []
        sheets = [] if is_line else [*(block.sheets or []), *(block.shells or [])]
        for data, some in ((self.media, lines), (self.sheets, sheets)):
            data.data = {n: [[p[i] / self.unit for p in line] for line in some] for i, n in enumerate("xy")}
        self.ground.data = {"x": [], "low": [], "high": []}
        if is_line:
            self.fig.yaxis[0].axis_label = label
            self.fig.update(frame_width=width, frame_height=320)
            return
        (c, d) = (e / self.unit for e in source.extent(up))
        self.fig.y_range.update(start=c, end=d, reset_start=c, reset_end=d)
        self.fig.yaxis[0].axis_label = f"{'height' if up == 'z' and source.domain().is_hilly else up} [{unit}]"
        if block.ground is not None and block.axis != "z":
            h = source.coords[block.name][across]
            h = h[::-(-len(h) // len(block.ground))] / self.unit
            ends = edges(h)
            ground = np.concatenate([block.ground[:1], block.ground, block.ground[-1:]]) / self.unit
            self.ground.data = {"x": np.concatenate([ends[:1], h, ends[-1:]]), "low": np.full(len(ground), min(c, ground.min())), "high": ground}
        shape = float(np.clip((b - a) / (d - c), SHAPES[2], SHAPES[1]))
        wide = int(min(width, 460 * shape))
        self.fig.update(frame_width=wide, frame_height=int(max(wide / shape, 150)))

    def mark_set(self, across=None, up=None):
        self.mark.data = {"x": [], "y": []} if across is None else {"x": [across / self.unit], "y": [up / self.unit]}


def panel_figure(panel):
    """A small panel of sferic-plot, (title, draw(ax)), as a figure: drawn by matplotlib and taken over, curve by curve."""
    title, draw = panel
    ax = Figure().add_subplot()
    ax.inches = 3.4, 1.85
    draw(ax)
    kinds = {n: "log" if scale == "log" else "linear" for n, scale in (("x_axis_type", ax.get_xscale()), ("y_axis_type", ax.get_yscale()))}
    fig = figure(title=plain(title), height=250, width=370, tools=TOOLS, toolbar_location=None, output_backend="canvas", **kinds,
                 x_range=Range1d(*map(float, ax.get_xlim())), y_range=Range1d(*map(float, ax.get_ylim())))
    fig.title.text_font_size = "12px"
    for axis, text in ((fig.xaxis[0], ax.get_xlabel()), (fig.yaxis[0], ax.get_ylabel())):
        axis.axis_label, axis.axis_label_text_font_style = plain(text), "normal"
    told = {t.get_text() for t in ax.get_legend().get_texts()} if ax.get_legend() else set()
    if not ax.axison:  # a chart that has lines of its own
        fig.axis.visible = fig.grid.visible = False
        fig.update(frame_width=300, frame_height=300, match_aspect=True)
    for line in ax.lines:
        x, y = (np.asarray(d, float) for d in (line.get_xdata(), line.get_ydata()))
        if line.get_transform() != ax.transData or len(x) != len(y):
            continue
        colour, label = colors.to_hex(line.get_color()), str(line.get_label())
        legend = {"legend_label": plain(label)} if label in told else {}
        if line.get_linestyle() not in ("None", "none", " "):
            fig.line(x, y, color=colour, line_width=1.3, line_dash="dashed" if line.get_linestyle() in ("--", ":", "-.") else "solid", **legend)
        if line.get_marker() not in ("None", "none", " ", None, ""):
            fig.scatter(x, y, color=colour, size=4, **legend)
    for patch in (p for p in ax.patches if isinstance(p, (Polygon, Rectangle))):  # shades
        corners = np.asarray(patch.get_xy() if isinstance(patch, Polygon) else
                             [patch.get_xy(), (patch.get_x() + patch.get_width(), patch.get_y() + patch.get_height())], float)
        (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
        span = {"left": left, "right": right} if patch.get_transform() != ax.transData and (bottom, top) == (0, 1) else \
            {"bottom": bottom, "top": top} if patch.get_transform() != ax.transData else {"left": left, "right": right, "bottom": bottom, "top": top}
        fig.add_layout(BoxAnnotation(fill_color=colors.to_hex(patch.get_facecolor()), fill_alpha=0.5, line_color=None, level="underlay", **span))
    if fig.legend:
        fig.legend.update(label_text_font_size="10px", spacing=0, padding=3, background_fill_alpha=0.6, click_policy="hide")
    return fig
