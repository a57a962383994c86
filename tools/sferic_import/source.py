"""Texts that are read, and what to say of a place in them. SPDX-License-Identifier: MIT"""
import math
import os
import re

from sferic_plot.words import INPUT, Fail

NAMELIST = 3  # exit code: what stands in a file is not what its program reads
MOST = 64 * 1024 * 1024  # bytes: no input file of these programs is larger
LARGEST = 1e100  # of numbers, and the inverse of the smallest but 0: what is made of them is a number, too


def text_read(path):
    """The text of a file; what cannot be one is refused."""
    if os.path.isdir(path):
        raise Fail(INPUT, f"{path}: is a directory: name the input file in it")
    try:
        with open(path, "rb") as f:
            data = f.read(MOST + 1)
    except OSError as e:
        raise Fail(INPUT, f"{path}: {e.strerror or e}") from e
    if len(data) > MOST or b"\0" in data:
        raise Fail(INPUT, f"{path}: not a text: give the input file, not an output or a program")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise Fail(INPUT, f"{path}:{line}: not UTF-8: save the file as UTF-8, for example with iconv -f latin1 -t utf-8") from e


def beside(path, name):
    """A file that `path` names: from the current directory, or from where `path` lies. None: in neither."""
    places = name, os.path.join(os.path.dirname(path), name)
    return next((p for p in places if os.path.exists(p)), None)


def wrong(path, line, text):
    """What is wrong at a line, for raise."""
    return Fail(NAMELIST, f"{path}:{line}: {text}")


def number_read(text, path, line, what):
    """A number as Fortran (1d-5, 1-5) or Python write it."""
    try:
        value = float(re.sub(r"(?<=[\d.])(?=[+-]\d+$)", "e", text.lower().replace("d", "e")))
    except ValueError:
        raise wrong(path, line, f"{what}: '{text}' is not a number") from None
    if not math.isfinite(value):
        raise wrong(path, line, f"{what}: {text} is not a finite number")
    if value and not 1 / LARGEST < abs(value) < LARGEST:
        raise wrong(path, line, f"{what}: {text} is too {'large' if abs(value) > 1 else 'small'} for any model")
    return value
