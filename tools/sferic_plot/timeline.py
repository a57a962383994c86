"""The timeline of a run: what each rank's lanes did when, as bars. SPDX-License-Identifier: MIT"""
import array
import json
import os

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, to_rgb

from .block import GRAY
from .layout import LEFT, STEPS, Page
from .words import INPUT, USAGE, Fail, number_text, prefix_of

LANES = ("in", "compute", "out", "halo", "output")
IN, COMPUTE, OUT = range(3)
COLOUR = ("#4393c3", "#e08214", "#5aae61", "#8073ac", "0.6")  # of lanes, where slabs have none
RANKS, FEW, MANY = 4, 200, 2000  # ranks on a page; spans of a rank: few are all drawn, many are no whole pass
RASTER = 4000  # bars side by side: more do not show
ROW, BAR = 0.25, 0.78  # inches a lane, and the share of it that a bar takes


class Timeline:
    """A file of `sferic run --timeline`. Times are in seconds from its beginning."""

    def __init__(self, path):
        self.path, self.case = path, os.path.splitext(os.path.basename(path))[0]
        self.attrs = {"title": "Timeline"}
        numbers = array.array("d")

        def event_take(e):  # spans become seven numbers while the file is read: there may be millions
            if e.get("ph") != "X":
                return e
            a = e.get("args", {})
            numbers.extend((e["pid"], e["tid"], e["ts"], e["dur"], a.get("slab", -1), a.get("step", -1),
                            a.get("bytes", 0)))
            return None

        try:
            with open(path, encoding="utf-8") as f:
                whole = json.load(f, object_hook=event_take)
            about = whole["otherData"]
            if about["program"] != "sferic" or "traceEvents" not in whole:
                raise ValueError("of another program")
            self.ranks = int(about["ranks"])
            of = np.array(numbers).reshape(-1, 7)
            if not np.isfinite(of).all() or not np.isin(of[:, 1], range(len(LANES))).all():
                raise ValueError("spans of no lane")
        except OSError as e:
            raise Fail(INPUT, f"{path}: {e.strerror or e}") from e
        except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as e:
            if path.endswith(".nml"):
                raise Fail(INPUT, f"{path}: a namelist; give the folder of its output, once `sferic run` has written it") from e
            raise Fail(INPUT, f"{path}: damaged, or no timeline of `sferic run --timeline` ({' '.join(str(e).split())})") from e
        if not len(of):
            raise Fail(INPUT, f"{path}: holds no span: nothing to draw")
        of = of[np.argsort(of[:, 2], kind="stable")]
        self.rank, self.lane, self.slab, self.step = (of[:, n].astype(int) for n in (0, 1, 4, 5))
        self.begin, self.end, self.bytes = of[:, 2] * 1e-6, (of[:, 2] + of[:, 3]) * 1e-6, of[:, 6]
        self.slabs = self.slab.max() + 1
        self.drawn = np.unique(self.rank)[:RANKS].tolist()

    def of(self, rank, lane=None):
        """Which spans are of a rank, and of a lane."""
        return (self.rank == rank) & (True if lane is None else self.lane == lane)


class Window:
    """From when to when, and what that is called."""

    def __init__(self, t, asked):
        self.low, self.high, self.text = 0.0, t.end.max(), "all"
        if asked:
            self._ask(t, asked)
        else:
            mine = t.of(max(t.drawn, key=lambda r: np.count_nonzero(t.of(r))))
            if np.count_nonzero(mine) > FEW:
                self._choose(t, mine)
        self.width = max(self.high - self.low, 1e-9)
        self.scale, self.prefix = prefix_of(self.width)
        self.scale = min(self.scale, 1.0)
        self.prefix = self.prefix if self.scale < 1 else ""
        self.zero = np.floor(self.low / self.scale * (1 + 1e-12)) * self.scale

    def _ask(self, t, asked):
        if len(asked) != 2 or not asked[0] < asked[1]:
            raise Fail(USAGE, f"{t.path}: --time of a timeline wants two times, the first before the second")
        if not 0 <= asked[0] < self.high:
            raise Fail(USAGE, f"{t.path}: time {asked[0]:g} s is not between 0 and {self.high:g} s")
        self.low, self.high = asked[0], min(asked[1], self.high)
        self.text = f"{asked[0]:g} to {asked[1]:g} s"

    def _choose(self, t, mine):
        """A few passes from the middle, that are no more spans than show; else as many spans."""
        steps = np.unique(t.step[mine & (t.lane <= OUT)])
        count = int(np.clip(FEW * len(steps) // np.count_nonzero(mine), 1, 4))
        first = (len(steps) - count) // 2
        picked = steps[first:first + count]
        inside = np.flatnonzero(mine & (t.lane <= OUT) & np.isin(t.step, picked))
        self.text = f"the pass{'es' if count > 1 else ''} from step " + " and ".join(", ".join(map(str, picked)).rsplit(", ", 1))
        if not 0 < len(inside) <= MANY:
            every = np.flatnonzero(mine)
            inside = every[(len(every) - FEW) // 2:(len(every) + FEW) // 2]
            self.text = f"{FEW} spans from the middle"
        self.low, self.high = t.begin[inside].min(), t.end[inside].max()

    def label(self):
        unit = f"[{self.prefix}s]"
        places = max(0, int(round(-np.log10(self.scale))))
        return f"time {unit}" if self.zero == 0 else f"time after {self.zero:.{places}f} s {unit}"


def covered(begin, end):
    """How long at least one of these spans, in order of their begins, lasts."""
    if not len(begin):
        return 0.0
    before = np.maximum.accumulate(np.append(begin[0], end[:-1]))
    return float(np.maximum(end - np.maximum(begin, before), 0).sum())


class Lanes:
    """The lanes of one rank in a window: how busy they are, and their bars."""

    def __init__(self, t, rank, window, rows):
        self.t, self.rank, self.window, self.rows = t, rank, window, rows
        seen = t.of(rank) & (t.begin < window.high) & (t.end > window.low)
        self.spans = [np.flatnonzero(seen & (t.lane == n)) for n in range(len(LANES))]
        self.inside = [(np.maximum(t.begin[s], window.low), np.minimum(t.end[s], window.high)) for s in self.spans]
        self.busy = np.array([covered(*ends) for ends in self.inside])

    def hidden(self):
        """(in + compute + out - wall) / (in + compute + out - the longest of them): 0 when one waits for the other, 1 when
        all that can go on at the same time does. None where nothing is moved."""
        ends = [self.inside[n] for n in (IN, COMPUTE, OUT) if len(self.spans[n])]
        three = self.busy[:OUT + 1]
        most = three.sum() - three.max()
        if most <= 1e-9 * three.sum():
            return None
        wall = max(e.max() for _, e in ends) - min(b.min() for b, _ in ends)
        return float(np.clip((three.sum() - wall) / most, 0, 1))

    def rate(self, lane):
        """GB/s while the lane moves bytes."""
        moved = self.spans[lane][self.t.bytes[self.spans[lane]] > 0]
        lasted = (self.t.end[moved] - self.t.begin[moved]).sum()
        return self.t.bytes[moved].sum() / lasted * 1e-9 if lasted > 0 else None

    def text(self):
        parts = []
        for n in self.rows:
            rate = self.rate(n)
            parts.append(f"{LANES[n]} {percent(self.busy[n] / self.window.width)}"
                         + (f" at {number_text(rate)} GB/s" if rate else ""))
        hidden = self.hidden()
        return "Busy: " + ", ".join(parts) + "." + \
            ("" if hidden is None else f" Hidden behind computing: {percent(hidden)} of the transfers.")

    def summary(self):
        """For the terminal."""
        hidden = self.hidden()
        return f"rank {self.rank}: " + ", ".join(f"{LANES[n]} {percent(self.busy[n] / self.window.width)}"
                                                 for n in self.rows) + \
            ("" if hidden is None else f", {percent(hidden)} of the transfers hidden")

    def draw(self, ax, colour_of):
        w = self.window
        for row, lane in enumerate(self.rows):
            begin, end, slab = bars_join(self.t.begin[self.spans[lane]], self.t.end[self.spans[lane]],
                                         self.t.slab[self.spans[lane]], w.width / RASTER)
            if not len(begin):
                continue
            inches = (np.minimum(end, w.high) - np.maximum(begin, w.low)) / w.width * ax.inches[0]
            numbered = self.t.slabs > 1 and np.median(inches) > number_width(self.t.slabs - 1)
            colours = [colour_of(lane, s) for s in slab]
            wide = (inches > 0.03) & (np.median(inches) > 0.08)  # these lie apart by a white line
            ax.broken_barh(np.stack([begin - w.zero, end - begin], axis=1) / w.scale, (row - BAR / 2, BAR),
                           facecolors=colours, edgecolors=["w" if v else c for v, c in zip(wide, colours)],
                           linewidths=np.where(wide, 0.5, 0.15), label=LANES[lane])
            for b, e, s, c, room in zip(begin, end, slab, colours, inches):
                if numbered and s >= 0 and room > number_width(s):
                    middle = (max(b, w.low) + min(e, w.high)) / 2 - w.zero
                    ax.text(middle / w.scale, row + 0.02, str(s), ha="center", va="center_baseline", fontsize=7,
                            color="w" if np.dot(to_rgb(c), (0.3, 0.59, 0.11)) < 0.55 else "0.1", clip_on=True)


def percent(share):
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.0095 else "< 1 %"


def number_width(slab):
    """Inches that a bar needs to be numbered."""
    return 0.04 + 0.062 * len(str(slab))


def bars_join(begin, end, slab, least):
    """Bars that begin in the same cell of a raster are one: they do not show apart."""
    cell = np.floor(begin / least)
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    return (begin[first], np.maximum.reduceat(end, first), slab[first]) if len(first) else (begin, end, slab)


def colours_make(slabs):
    """colour(lane, slab) and, where there are several slabs, the map of their colours."""
    if slabs < 2:
        return lambda lane, _: COLOUR[lane], None
    shades = plt.get_cmap("viridis")(np.linspace(0.08, 0.95, slabs))
    return lambda _, slab: tuple(shades[slab][:3]) if slab >= 0 else (0.6, 0.6, 0.6), ListedColormap(shades)


def slabs_bar(page, cmap, x, y, h):
    """The colours of slabs."""
    ax = page.axes(x, y, 0.13, h)
    norm = BoundaryNorm(np.arange(cmap.N + 1) - 0.5, cmap.N)
    bar = page.fig.colorbar(ScalarMappable(norm, cmap), cax=ax, spacing="proportional", drawedges=False)
    bar.locator = ticker.MaxNLocator(max(2, int(h / 0.25)), integer=True, steps=STEPS)
    bar.formatter = ticker.FormatStrFormatter("%d")
    bar.update_ticks()
    ax.minorticks_off()
    bar.outline.set_linewidth(0.5)
    ax.invert_yaxis()  # the first on top, as the lanes
    ax.set_title("slab", fontsize=8.5, loc="left", pad=4)


def axes_dress(ax, lanes, w, last):
    ax.set_xlim((w.low - w.zero) / w.scale, (w.low + w.width - w.zero) / w.scale)
    ax.set_ylim(len(lanes.rows) - 0.5, -0.5)
    ax.yaxis.set_major_locator(ticker.FixedLocator(range(len(lanes.rows))))
    ax.set_yticklabels([LANES[n] for n in lanes.rows], fontsize=8.5)
    ax.xaxis.set_major_locator(ticker.MaxNLocator(10, steps=STEPS))
    ax.tick_params(axis="y", length=0)
    ax.tick_params(labelbottom=last)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(True, axis="x", lw=0.4, color="0.88")
    ax.set_axisbelow(True)
    ax.set_xlabel(w.label() if last else "", fontsize=8.5, labelpad=1)


def page_title(t, window):
    ranks = f"{t.ranks} ranks" if t.ranks > 1 else "one rank"
    if t.ranks > len(t.drawn):
        ranks += f", the first {len(t.drawn)} drawn" if len(t.drawn) > 1 else f", rank {t.drawn[0]} drawn"
    scale, prefix = prefix_of(t.end.max())
    return f"{t.path}: {ranks}; {len(t.begin):,} spans in {number_text(t.end.max() / scale)} {prefix}s; " \
        f"drawn: {window.text}"


def timeline_make(path, options):
    """The page of a timeline, and the timeline."""
    t = Timeline(path)
    window = Window(t, options.time)
    rows = [n for n in range(len(LANES)) if any(t.of(r, n).any() for r in t.drawn)]
    colour_of, cmap = colours_make(int(t.slabs))
    page = Page()
    page.title(t, page_title(t, window))
    width = page.width - LEFT - (0.85 if cmap else 0.2)
    page.y -= 0.08
    for rank in t.drawn:
        lanes = Lanes(t, rank, window, rows)
        page.y += 0.24
        ax = page.axes(LEFT, page.y, width, ROW * len(rows))
        lanes.draw(ax, colour_of)
        axes_dress(ax, lanes, window, rank == t.drawn[-1])
        ax.set_title(f"rank {rank}", loc="left", fontsize=9.5, pad=3)
        page.names.append(f"rank {rank}")
        if cmap and rank == t.drawn[0]:
            slabs_bar(page, cmap, LEFT + width + 0.16, page.y, ROW * len(rows))
        page.y += ROW * len(rows) + (0.52 if rank == t.drawn[-1] else 0.2)
        page.text(LEFT, page.y, lanes.text(), fontsize=8.5, color=GRAY)
        page.y += 0.12
        page.blocks.append(lanes)
    return page, t


def options_check(options, path, what="a timeline", without=("movie", "compare", "live", "var", "section")):
    """What else is asked for must be of a timeline, or of what else is no run."""
    for name in without:
        if getattr(options, name):
            raise Fail(USAGE, f"{path}: {what} knows no --{name}")
