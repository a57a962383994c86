"""Where the program sferic is. SPDX-License-Identifier: MIT"""
import os
import shlex
import shutil
import sys

from .words import USAGE, Fail


def program_words(given=None):
    """The program, with words before it if need be: what is given, $SFERIC, build/sferic beside the tool that asks, or the one on the path."""
    if given or os.environ.get("SFERIC"):
        return shlex.split(given or os.environ["SFERIC"])
    here = os.path.dirname(os.path.realpath(sys.argv[0]))
    places = os.path.join(here, "..", "build", "sferic"), os.path.join(here, "sferic")
    found = next((os.path.normpath(p) for p in places if os.access(p, os.X_OK)), None) or shutil.which("sferic")
    if not found:
        raise Fail(USAGE, "no program sferic in build/ or on the path: build it with `make`, or give --sferic")
    return [found]
