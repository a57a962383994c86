"""The page: rows and columns of blocks, colour bars, small panels. SPDX-License-Identifier: MIT"""
import re
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker

from .block import GRAY
from .words import digits_of, number_text, power_of, power_text

STEPS = [1, 2, 2.5, 5, 10]
WIDTH, LEFT, GAP = 12.0, 0.72, 0.16


class Page:
    """A figure of fixed width that grows downwards."""

    def __init__(self, width=WIDTH):
        self.fig, self.width, self.y = plt.figure(figsize=(width, 4)), width, 0.12
        self.boxes, self.texts, self.blocks = [], [], []
        self.names = []  # of what is drawn: headings and titles of panels

    def polar(self, x, y, size):
        ax = self.fig.add_axes([0, 0, 1, 1], label=str(len(self.boxes)), projection="polar")
        ax.inches = size, size
        self.boxes.append((ax, (x, y, size, size)))
        ax.tick_params(labelsize=7, pad=0)
        ax.grid(True, lw=0.4, color="0.85")
        return ax

    def axes(self, x, y, w, h, prune=None):
        ax = self.fig.add_axes([0, 0, 1, 1], label=str(len(self.boxes)))
        ax.inches = w, h
        self.boxes.append((ax, (x, y, w, h)))
        ax.tick_params(labelsize=8, length=2.5, pad=2)
        ax.xaxis.set_major_locator(ticker.MaxNLocator(max(2, int(w / 0.45)), steps=STEPS, prune=prune))
        ax.yaxis.set_major_locator(ticker.MaxNLocator(max(2, int(h / 0.30)), steps=STEPS))
        return ax

    def fold(self, title, width, fontsize=9):
        """A title on two lines where it would run into its neighbour's."""
        def length(text):
            drawn = self.fig.text(0, 0, text, fontsize=fontsize)
            inches = drawn.get_window_extent(self.fig.canvas.get_renderer()).width / self.fig.dpi
            drawn.remove()
            return inches
        words = title.split(" ")
        ends = [n for n in range(1, len(words)) if " ".join(words[:n]).count("$") % 2 == 0]  # not within a formula
        if not ends or length(title) <= width:
            return title
        lines = [(" ".join(words[:n]), " ".join(words[n:])) for n in ends]
        return "\n".join(min(lines, key=lambda pair: max(map(len, pair))))

    def text(self, x, y, text, **style):
        self.texts.append((self.fig.text(0, 0, text, va="baseline", **style), x, y))

    def finish(self):
        height = self.y + 0.1
        self.fig.set_size_inches(self.width, height)
        for ax, (x, y, w, h) in self.boxes:
            ax.set_position([x / self.width, 1 - (y + h) / height, w / self.width, h / height])
        for text, x, y in self.texts:
            text.set_position((x / self.width, 1 - y / height))
        return self.fig

    def colourbar(self, mesh, block, x, y, w, h):
        ax = self.axes(x, y, w, h)
        flat = w > h
        orientation = "horizontal" if flat else "vertical"
        bar = self.fig.colorbar(mesh, cax=ax, orientation=orientation, extend=block.extend)
        bar.locator = ticker.MaxNLocator(max(2, min(8, int(w / 0.45))) if flat else max(2, int(h / 0.32)), steps=STEPS,
                                         symmetric=block.signed)
        power = power_of(max(abs(block.lo), abs(block.hi)))
        digits = digits_of(block.lo, block.hi)
        bar.formatter = ticker.FuncFormatter(lambda v, _: number_text(v / 10.0 ** power, digits))
        bar.update_ticks()
        if power and flat:
            end = 1.05 if block.extend in ("max", "both") else 1  # beyond the arrow
            ax.annotate(power_text(power), (end, 0.5), (10, 0), xycoords="axes fraction",
                        textcoords="offset points", va="center", fontsize=8)
        elif power:
            ax.set_title(power_text(power), fontsize=7.5, loc="left", pad=8)
        bar.outline.set_linewidth(0.5)
        self.blocks.append(block)

    def row(self, block, x, y, w, h, bottom=True, left=True):
        """Panels of width w side by side from x, colour bar at their right; returns the x beyond it."""
        for n in range(len(block.cells)):
            ax = self.axes(x, y, w, h, prune="upper" if n < len(block.cells) - 1 else None)
            mesh, xlabel, ylabel = block.draw(ax, n)
            ax.tick_params(labelbottom=bottom, labelleft=left and n == 0)
            ax.set_xlabel(xlabel if bottom else "", fontsize=8.5, labelpad=1)
            ax.set_ylabel(ylabel if left and n == 0 else "", fontsize=8.5, labelpad=2)
            x += w + GAP
        self.colourbar(mesh, block, x, y, 0.13, h)
        return x + 0.13 + 0.55

    def column(self, block, x, y, w, h, left=True):
        """Panels one below the other from y, colour bar below; returns the y beyond it."""
        last = len(block.cells) - 1
        for n in range(last + 1):
            ax = self.axes(x, y, w, h)
            mesh, xlabel, ylabel = block.draw(ax, n)
            ax.tick_params(labelbottom=n == last, labelleft=left)
            ax.set_xlabel(xlabel if n == last else "", fontsize=8.5, labelpad=1)
            ax.set_ylabel(ylabel if left else "", fontsize=8.5, labelpad=2)
            y += h + (0.26 if n < last else 0.45)
        self.colourbar(mesh, block, x + 0.15 * w, y, 0.7 * w, 0.11)
        return y + 0.11 + 0.36

    @staticmethod
    def fit(part, width):
        return 10 * width / (0.085 * len(re.sub(r"[$^{}\\]|theta", "", part)))

    def folds(self, text, width):
        """A heading takes two lines, or it runs into the heading beside."""
        return self.fit(text, width) < 7 and "; " in text

    def heading(self, text, x=LEFT, width=WIDTH - LEFT):
        lines = [text]
        if self.folds(text, width):
            lines = [part.strip() for part in text.split("; ", 1)]
        for n, line in enumerate(lines):
            self.text(x, self.y + 0.14 - 0.17 * (len(lines) - 1 - n), line, fontsize=min(10, max(5, min(self.fit(line, width) for line in lines))), fontweight="medium")
        self.names.append(text)

    def title(self, run, second, third=""):
        for line in textwrap.wrap(str(run.attrs.get("title") or run.case), 105)[:2]:
            self.text(LEFT, self.y + 0.2, line.replace("$", r"\$"), fontsize=14, fontweight="bold")
            self.y += 0.28
        for line in filter(None, (second, third)):
            self.text(LEFT, self.y + 0.13, line.replace("$", r"\$"), fontsize=8.5, color=GRAY)
            self.y += 0.17
        self.y += 0.17

    def bands(self, blocks, drop=False, widest=3.6, alone=10):
        """Blocks of one plane: a row each; columns when the plane is long or there is one time. drop: a first
        frame that is blank in all of them gives its room to the others. Panels of a row are no wider than
        `widest`, those of a column than `alone`."""
        frames = len(blocks[0].cells)
        begin = 0
        if drop and frames > 2:  # of maps of rain all that came before it fell
            most = frames - 1 if all(b.sparse and b.name in b.run.maps for b in blocks) else 1
            while begin < most and all(b.blank(begin) for b in blocks):
                begin += 1
        blocks = [b.of_frames(range(begin, frames)) for b in blocks] if begin else blocks
        aspect, frames = blocks[0].aspect(), len(blocks[0].cells)
        if aspect > 3 or frames == 1:
            w = min((self.width - LEFT - 0.3 - 0.35 * (len(blocks) - 1)) / len(blocks), alone)
            h = float(np.clip(w / aspect, 1.05 if frames > 1 else 1.6, 4.6))
            w = min(w, max(2.4, h * aspect))
            room = w if len(blocks) > 1 else self.width - LEFT
            self.y += 0.12 if any(self.folds(b.heading, room) for b in blocks) else 0
            for n, block in enumerate(blocks):
                self.heading(block.heading, LEFT + n * (w + 0.35), room)
            self.y += 0.45
            self.y = max(self.column(b, LEFT + n * (w + 0.35), self.y, w, h, n == 0)
                         for n, b in enumerate(blocks))
            return
        w = min((self.width - LEFT - 0.75 - GAP * frames) / frames, widest)
        h = float(np.clip(w / aspect, 1.1, 3.6))
        w = min(w, max(1.2, h * aspect))
        for n, block in enumerate(blocks):
            self.heading(block.heading)
            self.y += 0.45
            bottom = n == len(blocks) - 1
            self.row(block, LEFT, self.y, w, h, bottom)
            self.y += h + (0.55 if bottom else 0.2)

    def polars(self, panels, most=3, size=2.7, gap=1.05):
        """Round panels, up to `most` a row; each is (title, draw(ax))."""
        for n in range(0, len(panels), most):
            self.y += 0.2
            for m, (title, draw) in enumerate(panels[n:n + most]):
                ax = self.polar(LEFT + m * (size + gap), self.y + 0.3, size)
                draw(ax)
                ax.set_title(title, loc="left", x=-0.1, fontsize=8.5, pad=20)
                self.names.append(title)
            self.y += size + 0.75

    def lines(self, panels, most=5, height=1.85, gap=0.8, widest=None):
        """Small panels, up to `most` a row, `gap` apart; each is (title, draw(ax))."""
        rows = -(-len(panels) // most)
        each = -(-len(panels) // max(1, rows))
        for n in range(0, len(panels), max(1, each)):
            w = min((self.width - LEFT - 0.2 - (each - 1) * gap) / each, widest or (3.4 if most > 3 else 4.6))
            titles = [self.fold(title, w + 0.8 * gap) for title, _ in panels[n:n + each]]
            self.y += 0.28 + 0.15 * max(t.count("\n") for t in titles)
            below = 0
            for m, (title, draw) in enumerate(panels[n:n + each]):
                ax = self.axes(LEFT + m * (w + gap), self.y, w, height)
                ax.grid(True, lw=0.4, color="0.88")
                ax.spines[["top", "right"]].set_visible(False)
                ax.ticklabel_format(style="sci", scilimits=(-2, 4), useMathText=True)
                for axis in (ax.xaxis, ax.yaxis):
                    axis.get_offset_text().set_fontsize(7)
                draw(ax)
                ax.set_title(titles[m], loc="left", fontsize=9, pad=14, y=1.0)
                ax.xaxis.label.set_size(8.5)
                below = max(below, 0.17 * ax.get_xlabel().count("\n"))
                ax.yaxis.label.set_size(8.5)
                self.names.append(title)
            self.y += height + 0.5 + below


def panel(title, xlabel, ylabel, curves, finish=None, points=False):
    """What Page.lines takes; curves are (label, colour or None, x, y). points: values between which nothing
    is known."""
    def draw(ax):
        for label, colour, x, y in curves:
            x, y = envelope(np.asarray(x), np.asarray(y))
            ax.plot(x, y, color=colour, lw=1.1, label=label, ls="none" if points else "-",
                    marker="." if len(x) < 12 or points else None)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        if finish:
            finish(ax)
        many = len(curves) > 3 and finish is None
        columns = 3 if ax.inches[0] > 2 else 2
        if many:  # a legend of its own above the curves
            low, high = ax.get_ylim()
            ax.set_ylim(low, high + 0.13 * -(-len(curves) // columns) * (high - low))
        if len(curves) > 1:
            ax.legend(ncol=columns if many else 1, loc="upper center" if many else "best", fontsize=7, frameon=False,
                      handlelength=1.4, borderaxespad=0.1, labelspacing=0.25)
    return title, draw


def logarithmic(ax):
    """A logarithmic axis upward, of whole decades where there are few."""
    low, high = ax.dataLim.minposy, ax.dataLim.y1
    ax.set_yscale("log")
    if 0 < low <= high < 100 * low:
        ax.set_ylim(10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high * 1.0001)))


def envelope(x, y, most=8000):
    """Long curves by the extremes of even pieces: what a picture can show of them, and no peak lost."""
    piece = len(x) // (most // 2)
    if piece < 2:
        return x, y
    n = len(x) // piece * piece
    rows = np.where(np.isfinite(y[:n]), y[:n], 0).reshape(-1, piece)
    at = np.sort(np.stack([rows.argmin(axis=1), rows.argmax(axis=1)], axis=1), axis=1)
    at = np.append((at + piece * np.arange(len(rows))[:, None]).ravel(), np.arange(n, len(x)))
    return x[at], y[at]
