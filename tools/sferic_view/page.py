"""Controls and figures together, one of each for each open page. SPDX-License-Identifier: MIT"""
import contextlib
import functools
import html
import os
import time
from urllib.parse import urlencode

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import (AutocompleteInput, Button, ColumnDataSource, Div, NumericInput, PreText, RadioButtonGroup, Select, Slider, TabPanel,
                          Tabs, Toggle)

from sferic_plot import ports, turbulence, waves, weather
from sferic_plot.orders import orders_panels
from sferic_plot.words import Fail, length_unit

from .command import line_of
from .drawing import PlaneFigure, curve_figure, panel_figure
from .runs import folders_find, is_output, status_read, status_text
from .scene import ALONE, BESIDE, DIFFERENCE, HISTORY, Scene, plain
from .solid import library_find

MODES = [ALONE, BESIDE, DIFFERENCE]
LOOK_MS, PLAY_MS = 2000, 150
SLICE = 0.04  # s that reading a time series takes before others have their turn
WIDE, HALF = 700, 370  # px of a figure alone, and of one of two


def told(action):
    """What goes wrong is told on the page, and stays there until the next action of the user."""
    @functools.wraps(action)
    def guarded(self, *arguments):
        try:
            return action(self, *arguments)
        except Fail as e:
            with contextlib.suppress(Fail):
                self.controls_show()
            self.message(str(e))
    return guarded


def begun(action):
    """An action of the user."""
    @functools.wraps(action)
    def fresh(self, *arguments):
        self.message("")
        return told(action)(self, *arguments)
    return fresh


class View:
    """An open page. A control changes the scene and asks for a drawing; a drawing is made once, however many asked meanwhile."""

    def __init__(self, document, runs, maker):
        self.document, self.runs, self.maker = document, runs, maker
        self.asked = self.showing = False
        self.limits, self.picked, self.reading, self.panels_of = {}, None, None, None
        self.scene = self.wanted = self.ports = None
        self.controls_make()
        self.figures_make()
        self.document.title = "sferic-view"
        self.document.add_root(self.layout())
        given = document.session_context.request.arguments if document.session_context else {}
        first, second = ([v.decode("utf-8", "replace") for v in given.get(n, [])][:1] for n in ("run", "with"))
        self.run_open((first or [""])[0], (second or [""])[0])
        self.document.add_periodic_callback(self.look, LOOK_MS)

    # ---- what is on the page ----

    def controls_make(self):
        def on(widget, what, action):
            widget.on_change(what, lambda attr, old, new: None if self.showing else action(new))
            return widget
        wide = {"width": 290}
        known = folders_find("out", ".")
        fill = {"completions": known, "restrict": False, "min_characters": 1, "case_sensitive": False, "search_strategy": "includes", "max_completions": 12}
        self.run = on(AutocompleteInput(title="run: folder of its output", name="run", **fill, **wide), "value", lambda v: self.run_open(v))
        self.other = on(AutocompleteInput(title="second run, to compare", name="other", **fill, **wide), "value", self.other_open)
        self.mode = on(RadioButtonGroup(labels=["A", "A and B", "B − A"], active=0, name="mode", **wide), "active", self.mode_choose)
        self.source = on(Select(title="of", name="source", **wide), "value", self.source_choose)
        self.name = on(Select(title="variable", name="variable", **wide), "value", self.name_choose)
        self.axis = on(RadioButtonGroup(labels=["across x", "across y", "level z"], name="axis", **wide), "active", self.axis_choose)
        self.place = on(Slider(start=0, end=1, value=0, step=1, show_value=False, title=None, name="place", **wide), "value", self.place_choose)
        self.time = on(Slider(start=0, end=1, value=0, step=1, show_value=False, title=None, name="time", **wide), "value", self.time_choose)
        self.place_told, self.time_told = (Div(text="", disable_math=True, name=n, margin=(6, 5, -4, 5)) for n in ("place_text", "time_text"))
        self.steps = []
        for text, step, label in (("|◀", -10 ** 9, "first"), ("◀", -1, "earlier"), ("▶", 1, "later"), ("▶|", 10 ** 9, "last")):
            b = Button(label=text, width=44, margin=(5, 2, 5, 5), name=label)
            b.on_click(functools.partial(self.time_step, step))
            self.steps.append(b)
        self.play = Toggle(label="play", width=74, margin=(5, 2, 5, 5), name="play")
        self.play.on_change("active", lambda attr, old, new: self.play_set(new))
        self.playing = None
        self.low = on(NumericInput(title="colours from", mode="float", width=135, name="low"), "value", lambda v: self.limit_set())
        self.high = on(NumericInput(title="to", mode="float", width=135, name="high"), "value", lambda v: self.limit_set())
        self.fit = Button(label="fit to this plane", width=140, name="fit")
        self.fit.on_click(self.limits_fit)
        self.whole = Button(label="fit to the run", width=140, name="whole")
        self.whole.on_click(self.limits_drop)
        self.picture, self.movie = (Button(label=n, width=140, name=n) for n in ("picture", "movie"))
        self.picture.on_click(lambda: self.make_picture(False))
        self.movie.on_click(lambda: self.make_picture(True))
        self.links = Div(text="", name="links", disable_math=True, **wide)
        self.made = Div(text="", name="made", disable_math=True, **wide)
        self.line = PreText(text="", name="command", stylesheets=["pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:11px}"], width=290)
        self.caption = Div(text="", name="caption", disable_math=True, margin=(8, 5, 0, 5), styles={"font-size": "14px"})
        self.heading = Div(text="", name="heading", disable_math=True, styles={"font-size": "15px"}, sizing_mode="stretch_width")
        self.error = Div(text="", name="error", disable_math=True, styles={"color": "#a00000", "font-weight": "bold"}, sizing_mode="stretch_width")

    def figures_make(self):
        self.one, self.two = PlaneFigure(self.pick, "plane"), PlaneFigure(self.pick, "plane_b")
        self.two.fig.x_range, self.two.fig.y_range = self.one.fig.x_range, self.one.fig.y_range  # zoomed together
        self.value = PreText(text="click a cell: its value, time series and profile", name="value", stylesheets=["pre{white-space:pre-wrap;overflow-wrap:anywhere}"], sizing_mode="stretch_width")
        self.series, self.profile = curve_figure("time series"), curve_figure("profile")
        self.profile_axis = RadioButtonGroup(labels=["z", "y", "x"], active=0, name="profile_axis", width=120)
        self.profile_axis.on_change("active", lambda attr, old, new: None if self.showing else self.profile_draw())
        self.curves = []
        for fig, name in ((self.series, "series"), (self.profile, "profile")):
            for letter, colour in (("A", "#1b6ca8"), ("B", "#d1495b")):
                data = ColumnDataSource({"x": [], "y": []}, name=f"{name}_{letter}")
                fig.line("x", "y", source=data, color=colour, line_width=1.5)
                fig.scatter("x", "y", source=data, color=colour, size=3)
                self.curves.append(data)
        self.now = ColumnDataSource({"x": [], "y": []})
        self.series.scatter("x", "y", source=self.now, marker="circle_cross", size=10, color="#d4007f", fill_alpha=0)
        self.below = column(row(self.series, self.profile, sizing_mode="stretch_width"), self.profile_axis, sizing_mode="stretch_width", visible=False)
        self.panels = column(children=[], name="panels")

    def layout(self):
        self.controls = column(self.other, self.mode, self.source, self.name, self.axis, self.place_told, self.place, self.time_told, self.time,
                               row(*self.steps, self.play, spacing=2), row(self.low, self.high), row(self.fit, self.whole),
                               row(self.picture, self.movie), self.links, self.made, self.line, width=300, spacing=4, visible=False)
        left = column(self.run, self.controls, width=300, spacing=4)
        planes = column(self.caption, row(self.one.fig, self.two.fig), self.value, self.below, sizing_mode="stretch_width")
        self.tabs = Tabs(tabs=[TabPanel(title="planes", child=planes), TabPanel(title="probes, spectra, series", child=self.panels)],
                         name="tabs", sizing_mode="stretch_width")
        self.tabs.on_change("active", lambda attr, old, new: self.ask())
        return column(self.heading, self.error, row(left, self.tabs, sizing_mode="stretch_width", spacing=14), sizing_mode="stretch_width")

    def message(self, text):
        self.error.text = html.escape(text)

    # ---- what the controls do ----

    @begun
    def run_open(self, folder, second=""):
        if not folder.strip():
            raise Fail(4, "name a folder of output, as `sferic run --out` wrote it")
        self.wanted = folder.strip(), second
        self.ports = ports.Folder(folder.strip()) if ports.is_folder(folder.strip()) else None
        if self.ports:
            self.ports_draw()
            return
        self.scene = Scene(self.runs.get(folder.strip()))
        self.document.title = f"{self.scene.run.case} — sferic-view"
        self.limits, self.panels_of = {}, None
        self.one.shape = self.two.shape = None
        self.unpick()
        self.ask()
        second = second or self.other.value
        if second:
            self.other_open(second)

    @begun
    def other_open(self, folder):
        if self.scene:
            self.limits = {}
            self.unpick()
            self.ask()
            try:
                self.scene.other_set(self.runs.get(folder.strip()) if folder.strip() else None)
            except Fail:
                self.scene.other = None
                raise

    @begun
    def mode_choose(self, n):
        if MODES[n] != ALONE and not self.scene.other:
            raise Fail(4, "name the second run first")
        self.scene.mode_set(MODES[n])
        self.limits = {}
        self.one.shape = self.two.shape = None
        self.unpick()
        self.ask()

    @begun
    def source_choose(self, kind):
        self.scene.source_set(kind)
        self.unpick()
        self.ask()

    @begun
    def name_choose(self, name):
        self.scene.name_set(name)
        self.picked_again()
        self.ask()

    @begun
    def axis_choose(self, n):
        axis = "xyz"[n]
        if axis not in self.scene.axes():
            raise Fail(2, f"there is no plane across {axis} of {self.scene.name}")
        self.scene.axis_set(axis)
        self.unpick()
        self.ask()

    @begun
    def place_choose(self, n):
        self.scene.place_set(int(n))
        self.unpick()
        self.ask()

    @begun
    def time_choose(self, n):
        self.scene.frame = int(n)
        self.ask()

    @begun
    def time_step(self, step):
        self.scene.frame = int(np.clip(self.scene.frame + step, 0, len(self.scene.frames()) - 1))
        self.ask()

    def play_set(self, on):
        if self.playing:
            self.document.remove_periodic_callback(self.playing)
        self.playing = self.document.add_periodic_callback(self.play_on, PLAY_MS) if on else None
        self.play.label = "pause" if on else "play"

    def play_on(self):
        if self.scene:
            self.scene.frame = (self.scene.frame + 1) % len(self.scene.frames())
            self.draw()

    def limits_key(self):
        return self.scene.mode == DIFFERENCE, self.scene.kind, self.scene.name

    @begun
    def limit_set(self):
        low, high = self.low.value, self.high.value
        if low is None or high is None or not low < high:
            raise Fail(2, "colours go from a number to a larger one")
        self.limits[self.limits_key()] = low, high
        self.ask()

    @begun
    def limits_fit(self):
        values = [p[4] for p in self.scene.planes()]
        values = np.concatenate([v.compressed() for v in values])
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        if self.scene.scale().signed:
            high = max(abs(low), abs(high))
            low = -high
        self.limits[self.limits_key()] = (low, high) if high > low else (low - 1e-12, high + 1e-12)
        self.ask()

    @begun
    def limits_drop(self):
        self.limits.pop(self.limits_key(), None)
        self.ask()

    # ---- what is drawn ----

    def ask(self):
        if not self.asked:
            self.asked = True
            self.document.add_next_tick_callback(self.draw)

    @told
    def draw(self):
        self.asked = False
        if not self.scene:
            return
        self.controls_show()
        if self.tabs.active == 1:
            self.panels_draw()
            return
        scene, scale = self.scene, self.scene.scale()
        low, high = self.limits.get(self.limits_key(), (scale.lo, scale.hi))
        planes = scene.planes()
        self.two.fig.visible = len(planes) > 1
        where = ", ".join(filter(None, (scene.place_text(), scene.frame_text())))
        self.one.bar_show(len(planes) < 2)
        for fig, (title, block, h, v, values) in zip((self.one, self.two), planes):
            fig.colours_set(scale, low, high)
            fig.draw(title, block, h, v, values, scene.value_label(), low, high, HALF if len(planes) > 1 else WIDE)
        self.point_draw()
        self.caption.text = html.escape(f"{plain(scene.source.label(scene.name))}: {where}")  # at the end: what it says is shown

    def controls_show(self):
        """Controls as the scene is. While they are set they change nothing."""
        scene = self.scene
        if not scene:
            return
        self.showing = True
        try:
            run = scene.run
            self.controls.visible = True
            self.heading.text = f"<b>{html.escape(run.case)}</b> — {html.escape(run.folder)} — {html.escape(status_text(run))}"
            self.run.value = run.folder
            if scene.other:
                self.other.value = scene.other.folder
            self.mode.active, self.mode.disabled = MODES.index(scene.mode), scene.other is None
            kinds = list(scene.sources())
            self.source.update(options=kinds, value=scene.kind, visible=len(kinds) > 1)
            self.name.update(options=[(n, scene.name_text(n)) for n in scene.names()], value=scene.name)
            axes = scene.axes()
            self.axis.update(active="xyz".index(scene.axis), disabled=len(axes) < 2)
            places = scene.places()
            self.place.update(end=max(len(places) - 1, 1), value=scene.place_index(), disabled=len(places) < 2)
            self.place_told.text = html.escape(scene.place_text() + (f"  ({scene.place_index() + 1} of {len(places)})" if len(places) > 1 else ""))
            frames = scene.frames()
            self.time.update(end=max(len(frames) - 1, 1), value=scene.frame, disabled=len(frames) < 2)
            self.time_told.text = html.escape(f"{'frequency' if scene.kind != HISTORY else 'time'} {scene.frame_text()}  ({scene.frame + 1} of {len(frames)})")
            scale = scene.scale()
            low, high = self.limits.get(self.limits_key(), (scale.lo, scale.hi))
            self.low.value, self.high.value = float(low), float(high)
            self.line.text = line_of(scene)
            link = urlencode({"run": run.folder, "name": scene.name, "frame": frames[scene.frame][0]})
            is_solid = scene.kind == HISTORY and min(scene.counts().values()) > 1 and library_find() is not None
            links = [f'<a href="/solid?{html.escape(link)}" target="_blank">in three dimensions</a>'] if is_solid else []
            if os.path.isfile(os.path.join(run.folder, "namelist.nml")):
                link = urlencode({"file": os.path.join(run.folder, "namelist.nml")})
                links.append(f'<a href="/case?{html.escape(link)}" target="_blank">its namelist</a>')
            self.links.text = " · ".join(links + ['<a href="/">runs and cases</a>'])
            self.movie.disabled = scene.mode != ALONE or scene.kind != HISTORY or min(len(places), 2) == 0
            axes = scene.profile_axes()
            self.profile_axis.update(labels=axes, active=min(self.profile_axis.active or 0, max(len(axes) - 1, 0)), visible=len(axes) > 1)
        finally:
            self.showing = False

    def panels_draw(self):
        """Probes, spectra, flux, transmission, series: the panels that sferic-plot has of a run beside its planes."""
        run = self.scene.run
        key = id(run), self.scene.name
        if key == self.panels_of:
            return
        held = set(run.series.variables) if run.series is not None else set()
        names = [n for n in dict.fromkeys([self.scene.name, "w", "theta_p"]) if n in run.fields]
        if run.is_em:
            found = ports.run_panels(run) + waves.panels_make(run, names[:1]) + waves.dft_make(run)[1] + orders_panels(run)
        else:
            dense = [n for n in names if {n + "_max", n + "_min"} <= held]  # else all frames would be read
            found = waves.probe_panels(run, names[:2]) + weather.series_panels(run, dense) + weather.base_panels(run) + turbulence.panels_make(run)
        self.panels_set(found)
        self.panels_of = key

    def panels_set(self, found):
        figures = [panel_figure(p) for p in found]
        self.panels.children = [row(*figures[n:n + 2]) for n in range(0, len(figures), 2)] or \
            [Div(text="No probes, no flux, no time series here: none of probes.nc, flux.nc, series.nc has any.")]

    def ports_draw(self):
        """A folder of `sferic ports`, which has no planes."""
        self.scene, self.controls.visible = None, False
        self.document.title = f"{self.ports.case} — sferic-view"
        self.heading.text = f"<b>{html.escape(self.ports.case)}</b> — {html.escape(self.ports.folder)} — {html.escape(self.ports.about())}"
        self.panels_set(ports.ports_panels(self.ports.scattering))
        self.tabs.active = 1

    # ---- a point ----

    def unpick(self):
        self.picked, self.reading = None, None
        self.one.mark_set()
        self.two.mark_set()
        for data in self.curves + [self.now]:
            data.data = {"x": [], "y": []}
        self.value.text = "click a cell: its value, time series and profile"
        self.below.visible = False

    def picked_again(self):
        """The same place in another variable."""
        at = self.picked
        self.unpick()
        if at and self.scene.axis in at and self.scene.name not in self.scene.source.maps:
            self.picked = at
            self.series_begin()

    @begun
    def pick(self, across, up):
        if not self.scene:
            return
        self.unpick()
        self.picked = self.scene.place_snap(across, up)
        self.series_begin()
        self.ask()

    def series_begin(self):
        self.reading = [(source, i, n, pair[i]) for source, i in self.scene.parts() for n, pair in enumerate(self.scene.frames())]
        self.found = {}
        self.document.add_next_tick_callback(self.series_read)

    @told
    def series_read(self):
        """Frame after frame, as long as others wait no longer than is noticed."""
        end = time.monotonic() + SLICE
        while self.reading and time.monotonic() < end:
            source, i, n, frame = self.reading.pop(0)
            self.found[i, n] = self.scene.cell_value(source, frame, self.picked)
        if self.found and self.picked:
            self.series_draw()
        if self.reading:
            self.document.add_next_tick_callback(self.series_read)

    def times_shown(self):
        scene = self.scene
        if scene.kind != HISTORY:
            return np.asarray(scene.source.frequencies), "frequency [Hz]"
        scale, unit = scene.run.time_unit()
        return np.array([scene.run.times[a] for a, _ in scene.frames()]) / scale, f"time [{unit}]"

    def series_draw(self):
        scene = self.scene
        t, label = self.times_shown()
        for i, data in enumerate(self.curves[:2]):
            known = sorted(n for j, n in self.found if j == i)
            data.data = {"x": t[known], "y": np.array([self.found[i, n] for n in known], float)}
        self.series.xaxis[0].axis_label, self.series.yaxis[0].axis_label = label, scene.value_label()
        self.series.title.text = "time series" + ("" if not self.reading else f" (reading, {len(self.reading)} to go)")
        y = self.found.get((0, scene.frame))
        self.now.data = {"x": [] if y is None else [t[scene.frame]], "y": [] if y is None else [y]}

    def point_draw(self):
        scene, at = self.scene, self.picked
        if not at:
            return
        self.below.visible = True
        pair = scene.frames()[scene.frame]
        values = [scene.value_at(source, pair[i], at) for source, i in scene.parts()]
        letters = [a for a in "xyz" if a != scene.axis]
        for fig in (self.one, self.two):
            fig.mark_set(*(at[a] for a in letters))
        unit = scene.unit()
        told_values = [f"{v:.7g} {unit}".rstrip() for v in values]
        if len(values) > 1:
            told_values = [f"A {told_values[0]}", f"B {told_values[1]}", f"B − A {values[1] - values[0]:.7g} {unit}".rstrip()]
        where = ", ".join(f"{a} = {at[a]:.6g} m" for a in "xyz" if len(scene.source.coords[scene.name][a]) > 1)
        self.value.text = f"{scene.name}: {'; '.join(told_values)} at {where}, {scene.frame_text()}"
        self.series_draw()
        self.profile_draw()

    @told
    def profile_draw(self):
        scene, at = self.scene, self.picked
        axes = scene.profile_axes()
        if not at or not axes:
            return
        axis = axes[min(self.profile_axis.active or 0, len(axes) - 1)]
        scale, unit = length_unit(np.ptp(scene.source.extent(axis)))
        upright = axis == "z"
        pair = scene.frames()[scene.frame]
        for data, (source, i) in zip(self.curves[2:], scene.parts()):
            places, values = scene.along(source, pair[i], axis, at)
            place, value = ("y", "x") if upright else ("x", "y")
            data.data = {place: np.asarray(places, float) / scale, value: np.asarray(values, float)}
        labels = scene.value_label(), f"{axis} [{unit}]"
        self.profile.xaxis[0].axis_label, self.profile.yaxis[0].axis_label = labels if upright else labels[::-1]
        self.profile.title.text = f"profile along {axis}"

    # ---- what goes on beside ----

    def look(self):
        """New frames of a run that goes on; of one that has just begun the first."""
        if not self.scene:
            if self.wanted and is_output(self.wanted[0]):
                self.run_open(*self.wanted)
            return
        try:
            run = self.runs.get(self.scene.run.folder)
            other = self.runs.get(self.scene.other.folder) if self.scene.other else None
        except Fail as e:
            self.message(str(e))
            return
        if run is not self.scene.run or other is not self.scene.other:
            try:
                self.scene.run_renew(run, other)
            except Fail as e:  # such as a folder that another run has taken
                self.message(str(e))
                self.run_open(run.folder)
            self.ask()
            if self.picked:
                self.series_begin()
        elif status_read(run.folder) and f"{html.escape(status_text(run))}" not in self.heading.text:
            self.ask()

    def make_picture(self, movie):
        if not self.scene:
            return
        self.made.text = "drawing …"

        async def work():
            try:
                number, said = await self.maker.make(self.scene, movie)
            except OSError as e:
                number, said = None, str(e)
            self.document.add_next_tick_callback(lambda: done(number, said))

        def done(number, said):
            self.made.text = f'<a href="/made/{number}" target="_blank">{html.escape(os.path.basename(said))}</a> in the run\'s folder' \
                if number is not None else html.escape(said)
        self.document.add_next_tick_callback(work)
