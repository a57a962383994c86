"""What the command line asks for, done: pictures, movies, comparisons, redrawing.
SPDX-License-Identifier: MIT
"""
import contextlib
import copy
import glob
import json
import os
import sys
import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import animation

from . import ports
from .compare import compare_make
from .layout import Page
from .read import Run
from .timeline import options_check, timeline_make
from .view import blocks_make, frames_pick, page_make, page_title, pictures_pick, ports_page, view_choose
from .words import INPUT, IO, USAGE, Fail, outcome


@contextlib.contextmanager
def replacing(path):
    """A temporary name that becomes `path` at the end: a viewer never sees half a picture."""
    temporary = os.path.join(os.path.dirname(path), f".{os.getpid()}.{os.path.basename(path)}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e
    finally:
        plt.close("all")
        if os.path.exists(temporary):
            os.remove(temporary)


def picture_save(page, path, dpi, run):
    fig = page.finish()
    shown = "; ".join(dict.fromkeys(b.summary() for b in page.blocks))
    kind = os.path.splitext(path)[1][1:].lower()
    if kind not in fig.canvas.get_supported_filetypes():
        raise Fail(USAGE, f"{path}: a picture is written as .png, .pdf or .svg")
    about = {"Title": run.case, "Software": "sferic-plot", "Description": shown} if kind == "png" else {}
    with replacing(path) as temporary:
        fig.savefig(temporary, dpi=dpi, metadata=about)
    print(f"{path}: {shown}" if shown else path, flush=True)


def movie_save(run, options):
    options = copy.copy(options)
    options.var = pictures_pick(run, options)[1]
    if options.var == []:
        raise Fail(USAGE, f"{run.folder}: a movie shows fields, or of the pictures of moist air the storm")
    names, planes, _ = view_choose(run, options)
    frames = frames_pick(run, options, None, most=100000)
    if not planes:
        raise Fail(USAGE, f"{run.folder}: a single line of cells makes no movie")
    ffmpeg = animation.FFMpegWriter.isAvailable()
    path = options.output or os.path.join(run.folder, run.case + (".mp4" if ffmpeg else ".gif"))
    if not path.lower().endswith((".gif", ".mp4")):
        raise Fail(USAGE, f"{path}: a movie is written as .mp4 or .gif")
    if path.lower().endswith(".mp4") and not ffmpeg:
        raise Fail(USAGE, f"{path}: mp4 needs ffmpeg (apt-get install -y ffmpeg); a .gif does not")
    fps = float(np.clip(len(frames) / 10, 4, 20))
    if path.lower().endswith(".mp4"):  # yuv420p, which every player knows, wants even sizes
        even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
        writer = animation.FFMpegWriter(fps=fps, extra_args=even)
    else:
        writer = animation.PillowWriter(fps=fps)
    bands = blocks_make(run, names, planes, frames, bool(options.section))  # all frames together: one scale
    with replacing(path) as temporary:
        for n in range(len(frames)):
            page = Page()
            page.title(run, page_title(run))
            for band in bands:
                page.bands([b.of_frames([n]) for b in band])
            fig = page.finish()
            if n == 0:
                writer.setup(fig, temporary, dpi=options.dpi or 110)
            writer.fig = fig
            writer.grab_frame()
            plt.close(fig)
        writer.finish()
    shown = "; ".join(dict.fromkeys(b.summary() for band in bands for b in band))
    print(f"{path}: {len(frames)} frames; {shown}")


def live_draw(folder, options):
    """Redraw when files have changed, until status.json says that the run has ended."""
    drawn = None
    while True:
        ended = status_ended(folder)
        files = sorted(glob.glob(os.path.join(glob.escape(folder), "*.nc")))
        stamp = [(f, os.stat(f).st_mtime_ns) for f in files if os.path.exists(f)]
        if ended or (stamp != drawn and any("history_" in f for f in files)):
            try:
                picture_draw(folder, options)
                drawn = stamp
            except Fail as e:
                if ended or e.code != INPUT:
                    raise
        elif not files and drawn is None:
            print(f"sferic-plot: waiting for output in {folder}", file=sys.stderr)
            drawn = stamp
        if ended:
            return
        time.sleep(options.every)


def status_ended(folder):
    try:
        with open(os.path.join(folder, "status.json"), encoding="utf-8") as f:
            status = json.load(f)
    except (OSError, ValueError):
        return False
    state = str(status.get("state", status.get("status", ""))).lower()
    return state not in ("running", "starting", "") or (state == "" and status.get("exit_code") is not None)


def picture_draw(folder, options):
    run = Run(folder)
    picture_save(page_make(run, options), options.output or os.path.join(folder, run.case + ".png"),
                 options.dpi or 160, run)


def timeline_draw(path, options):
    page, timeline = timeline_make(path, options)
    picture_save(page, options.output or os.path.splitext(path)[0] + ".png", options.dpi or 160, timeline)


def ports_draw(path, options):
    folder = ports.Folder(path)
    picture_save(ports_page(folder), options.output or os.path.join(path, folder.case + ".png"), options.dpi or 160, folder)


def all_draw(options):
    timelines = [f for f in options.folders if os.path.isfile(f)]
    for path in timelines:
        options_check(options, path)
    scattered = [f for f in options.folders if ports.is_folder(f)]
    for path in scattered:
        options_check(options, path, "a folder of `sferic ports`", ("movie", "compare", "live", "var", "section", "time"))
    if options.compare:
        a, b = (Run(f) for f in options.folders)
        page = compare_make(a, b, options)
        path = options.output or os.path.join(b.folder, b.case + "_compare.png")
        picture_save(page, path, options.dpi or 160, b)
    for folder in [] if options.compare else options.folders:
        if folder in timelines:
            timeline_draw(folder, options)
        elif folder in scattered:
            ports_draw(folder, options)
        elif options.live:
            live_draw(folder, options)
        elif options.movie:
            movie_save(Run(folder), options)
        else:
            picture_draw(folder, options)


def main(options):
    plt.rcParams.update({"font.size": 9, "axes.linewidth": 0.6, "mathtext.fontset": "dejavusans",
                         "contour.negative_linestyle": "dashed", "figure.max_open_warning": 0})
    return outcome("sferic-plot", all_draw, options)
