"""Output folders that are open, and which there are. SPDX-License-Identifier: MIT"""
import glob
import json
import os

from sferic_plot import ports
from sferic_plot.read import Run

OPEN_MOST = 8


def stamp_of(folder):
    """Changes when a file of results comes, goes or grows; journals grow while a run goes on."""
    found = []
    with os.scandir(folder) as entries:
        for e in entries:
            if e.name.endswith((".nc", ".journal")):
                about = e.stat()
                found.append((e.name, about.st_size, about.st_mtime_ns))
    return tuple(sorted(found))


class Runs:
    """Runs by folder, shared by all pages: {folder: (stamp, Run)}, those last asked for."""

    def __init__(self):
        self.held = {}

    def get(self, folder):
        """The run of a folder as it is now."""
        folder = os.path.abspath(os.path.expanduser(folder))
        try:
            stamp = stamp_of(folder)
        except OSError:
            stamp = None  # Run says what is wrong
        before = self.held.pop(folder, None)
        if before and before[0] == stamp:
            run = before[1]
        else:
            run = Run(folder, before[1] if before else None)
        self.held[folder] = stamp, run
        while len(self.held) > OPEN_MOST:
            self.held.pop(next(iter(self.held)))
        return run


def status_read(folder):
    """What status.json says; {} where there is none."""
    try:
        with open(os.path.join(folder, "status.json"), encoding="utf-8") as f:
            status = json.load(f)
        return status if isinstance(status, dict) else {}
    except (OSError, ValueError):
        return {}


def status_text(run):
    status = status_read(run.folder)
    state = str(status.get("state", "")) or "unknown"
    count = f"{len(run.times)} output time{'s' if len(run.times) > 1 else ''}"
    message = str(status.get("message", ""))
    return f"{state}, {count}" + (f": {message}" if message else "")


def is_output(folder):
    return bool(glob.glob(os.path.join(glob.escape(folder), "history_*.nc"))) or ports.is_folder(folder)


def folders_find(*places):
    """Folders with output in some places, the newest first."""
    found = {}
    for place in dict.fromkeys(os.path.abspath(p) for p in places):
        try:
            with os.scandir(place) as entries:
                for e in entries:
                    if e.is_dir() and is_output(e.path):
                        found[e.path] = e.stat().st_mtime
        except OSError:
            continue
    return sorted(found, key=lambda f: -found[f])


