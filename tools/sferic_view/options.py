"""The command line. Imports nothing but the standard library: --help works where there is no Bokeh.
SPDX-License-Identifier: MIT
"""
import argparse
import difflib
import os

from sferic_plot.options import Parser
from sferic_plot.words import INPUT

from .files import namelist_check, shipped_find


def port_parse(text):
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port: 0, which takes a free one, or 1 to 65535")
    return int(text)


def options_parse(words=None):
    p = Parser(prog="sferic-view", description="Shows runs in the browser, also while they go on.",
               epilog="The page is served to this machine alone, and to whoever has the address that is printed. Ctrl-C ends it. "
                      "exit codes: 0 good, 2 usage, 4 input missing, or no namelist")
    p.add_argument("what", nargs="?", metavar="OUT | CASE",
                   help="folder that `sferic run --out OUT` wrote or writes, or a namelist, or the name of a case that comes with the program, to change, check and run; without either the page lists what is there")
    p.add_argument("--compare", metavar="OUT", help="a second run, beside the first or as difference")
    p.add_argument("--sferic", metavar="PROGRAM", help="what checks and runs cases, with words before it if need be: 'mpirun -n 4 sferic' ($SFERIC, or build/sferic beside this one, or the one on the path)")
    p.add_argument("--port", type=port_parse, default=0, metavar="N", help="where to listen on 127.0.0.1 (0: a free port)")
    p.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    o = p.parse_args(words)
    if o.compare and not o.what:
        p.error("--compare wants a first run beside it: sferic-view A --compare B")
    if o.what and not o.compare and not os.path.exists(o.what):
        shipped = shipped_find()
        name = os.path.basename(o.what).removesuffix(".nml")
        near = [n for n in shipped if len(name) > 2 and n.startswith(name)] or difflib.get_close_matches(name, shipped, 1, 0.75)
        if o.what in shipped:
            o.what = shipped[o.what]
        elif near:
            p.exit(INPUT, f"sferic-view: {o.what}: no such folder or file, and no case of that name; did you mean the case '{near[0]}'?\n")
    for path in filter(None, (o.what, o.compare)):
        if not os.path.isdir(path) and not (path == o.what and not o.compare and os.path.isfile(path)):
            p.exit(INPUT, f"sferic-view: {path}: no such folder or file; give the folder that `sferic run --out` wrote, or a namelist\n")
    if o.what and os.path.isfile(o.what):
        try:
            wrong = namelist_check(o.what)
        except OSError as e:
            wrong = e.strerror
        if wrong:
            p.exit(INPUT, f"sferic-view: {o.what}: {wrong}\n")
    return o
