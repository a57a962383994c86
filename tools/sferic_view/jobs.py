"""Runs that the page starts: `sferic run` on a terminal of its own, whose last lines and progress bar the page shows.
SPDX-License-Identifier: MIT
"""
import asyncio
import contextlib
import fcntl
import os
import pty
import re
import shlex
import signal
import struct
import termios
import time

from .runs import status_read

LINES = 200
STOPPED = 75  # exit code of a run that wrote a checkpoint
MEANING = {0: "done", STOPPED: "stopped, with a checkpoint: restart goes on from it"}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Job:
    """A run: its lines as a terminal would show them."""

    def __init__(self, number, words, out):
        self.number, self.words, self.out = number, words, out
        self.text, self.code, self.begun, self.process = "", None, time.time(), None
        self.master = None

    async def start(self):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 110, 0, 0))
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        try:
            self.process = await asyncio.create_subprocess_exec(*self.words, stdin=asyncio.subprocess.DEVNULL, stdout=slave, stderr=slave,
                                                                env=environment, start_new_session=True)
        finally:
            os.close(slave)
        loop = asyncio.get_running_loop()
        loop.add_reader(self.master, self.read)

        async def wait():
            self.code = await self.process.wait()
            while self.read():
                pass
            loop.remove_reader(self.master)
            os.close(self.master)
        self.waiting = asyncio.ensure_future(wait())

    def read(self):
        """What has been said since; False where nothing is left."""
        try:
            if self.code is not None:
                os.set_blocking(self.master, False)
            raw = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            raw = b""
        if not raw and self.code is None:
            asyncio.get_running_loop().remove_reader(self.master)
        self.text += ESCAPES.sub("", raw.decode("utf-8", "replace"))
        rows = self.text.replace("\r\n", "\n").split("\n")
        self.text = "\n".join(r.rsplit("\r", 1)[-1] for r in rows[-LINES:])
        return bool(raw)

    def stop(self):
        """By the signal that mpirun hands on to its ranks."""
        if self.code is None:
            self.process.send_signal(signal.SIGUSR1)

    def state(self):
        if self.code is None:
            return "running"
        if self.code and status_read(self.out).get("state") == "stopped":  # mpirun has a code of its own
            return MEANING[STOPPED]
        return MEANING.get(self.code, f"ended with code {self.code}" if self.code > 0 else f"was killed by signal {-self.code}")

    def told(self):
        return {"number": self.number, "state": self.state(), "is_running": self.code is None, "code": self.code, "out": self.out,
                "command": shlex.join(self.words), "text": self.text}


class Jobs:
    def __init__(self):
        self.all = []

    async def start(self, words, out):
        self.all.append(Job(len(self.all), words, out))
        await self.all[-1].start()
        return self.all[-1]

    def newest_of(self, out):
        return next((j for j in reversed(self.all) if j.out == out), None)

    async def end(self):
        """All runs are asked to stop; they write their checkpoints."""
        left = [j for j in self.all if j.code is None]
        for j in left:
            j.stop()
        if left:
            with contextlib.suppress(OSError):  # of a terminal that is closed
                print(f"sferic-view: waiting for {len(left)} run{'s' if len(left) > 1 else ''} to write a checkpoint", flush=True)
            await asyncio.gather(*(j.waiting for j in left))
