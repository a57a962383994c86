"""The line of sferic-plot that draws what is shown, and its picture or movie. SPDX-License-Identifier: MIT"""
import asyncio
import os
import shlex
import signal
import sys


from .scene import ALONE, HISTORY

# Beside the program as it was started, or, of a link, beside what that leads to.
PLOT = next((p for p in (os.path.join(os.path.dirname(f), "sferic-plot") for f in (sys.argv[0], os.path.realpath(sys.argv[0]))) if os.path.isfile(p)),
            "sferic-plot")


def words_of(scene, movie=False):
    """The arguments of sferic-plot. It makes no movie of two runs, and shows the running DFT of a run with all else."""
    if scene.mode != ALONE:
        words = ["--compare", scene.run.folder, scene.other.folder]
    else:
        words = [scene.run.folder]
    if movie:
        words.append("--movie")
    if scene.kind != HISTORY:
        return words
    words += ["--var", scene.name]
    if scene.name not in scene.run.maps and scene.counts()[scene.axis] > 1:
        words += ["--section", f"{scene.axis}={scene.at[scene.axis]:.9g}"]
    if not movie:
        words += ["--time", f"{scene.run.times[scene.frames()[scene.frame][0]]:.9g}"]
    return words


def line_of(scene, movie=False):
    return shlex.join([PLOT] + [os.path.relpath(w) if os.path.isabs(w) and len(os.path.relpath(w)) < len(w) else w for w in words_of(scene, movie)])


def name_of(scene, movie):
    """What a picture is called: after what it shows, in the folder of the run."""
    parts = [scene.run.case]
    if scene.kind == HISTORY:
        parts.append(scene.name)
        if scene.name not in scene.run.maps and scene.counts()[scene.axis] > 1:
            parts.append(f"{scene.axis}{scene.at[scene.axis]:.6g}")
    if scene.mode != ALONE:
        parts.append("compare")
    if not movie and scene.kind == HISTORY:
        parts.append(f"t{scene.run.times[scene.frames()[scene.frame][0]]:.6g}")
    return os.path.join((scene.other if scene.mode != ALONE else scene.run).folder, "_".join(parts))


class Maker:
    """Runs sferic-plot beside the server, one picture at a time; pictures that were made are served by number."""

    def __init__(self):
        self.made, self.busy = [], None

    async def make(self, scene, movie):
        """The number of the file, or None and what went wrong."""
        if self.busy:
            return None, "another picture is being made"
        base, words = name_of(scene, movie), words_of(scene, movie)
        ends = (".mp4", ".gif") if movie else (".png",)
        said = b""
        for end in ends:  # without ffmpeg there is no mp4
            path = base + end
            self.busy = await asyncio.create_subprocess_exec(sys.executable, PLOT, *words, "-o", path, start_new_session=True,
                                                             stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
            try:
                said = (await self.busy.communicate())[1]
                code = self.busy.returncode
            finally:
                self.busy = None
            if code == 0:
                self.made.append(path)
                return len(self.made) - 1, path
            if b"ffmpeg" not in said:
                break
        return None, said.decode("utf-8", "replace").strip()[-400:] or f"sferic-plot ended with {code}"

    def stop(self):
        if self.busy and self.busy.returncode is None:
            try:
                os.killpg(self.busy.pid, signal.SIGTERM)
            except OSError:
                pass


