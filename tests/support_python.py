#!/usr/bin/env python3
"""A python that has loaded its modules once and forks for every script that it is asked to run.

usage: support_python.py MODULE... <requests >exit codes

A request is a list of texts, each ended by a NUL: how many follow, then working directory, file for stdout, file for stderr,
script and its arguments. The script runs in a child as `python3 SCRIPT ARGUMENT...` would, less the time to load MODULEs, for 120 s of
processor time at most; its exit code is one line of the answer.
SPDX-License-Identifier: MIT
"""
import importlib
import os
import resource
import runpy
import sys


def texts_read(stream):
    """The next request; None at the end."""
    def text():
        out = bytearray()
        while (c := stream.read(1)) not in (b"", b"\0"):
            out += c
        return None if not c else os.fsdecode(bytes(out))

    count = text()
    return None if count is None else [text() for _ in range(int(count))]


def become(directory, out, err, script):
    """Makes this process the one that runs `script`."""
    os.chdir(directory)
    for path, flags, fd in ((os.devnull, os.O_RDONLY, 0), (out, os.O_WRONLY, 1), (err, os.O_WRONLY, 2)):
        f = os.open(path, flags | (os.O_CREAT | os.O_TRUNC if fd else 0), 0o666)
        os.dup2(f, fd)
        os.close(f)
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    sys.path[0] = os.path.dirname(os.path.abspath(script))


def main():
    for name in sys.argv[1:]:
        importlib.import_module(name)
    while (texts := texts_read(sys.stdin.buffer.raw)) is not None:
        directory, out, err, *words = texts
        child = os.fork()
        if child == 0:
            become(directory, out, err, words[0])
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
            return  # as any python ends
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code if code >= 0 else 128 - code, flush=True)


main()
