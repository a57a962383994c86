"""The command line. Imports nothing but the standard library: --help works where there is no matplotlib.
SPDX-License-Identifier: MIT
"""
import argparse
import re

from .words import USAGE


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(USAGE, f"{self.prog}: {message} ({self.prog} --help)\n")


def section_parse(text):
    match = re.fullmatch(r"\s*([xyz])\s*=\s*([-+0-9.eE]+)\s*", text)
    try:
        return match.group(1), float(match.group(2))
    except (AttributeError, ValueError):
        raise argparse.ArgumentTypeError(f"'{text}' is not x=, y= or z= and a position in metres") from None


def options_parse(words=None):
    p = Parser(prog="sferic-plot", description="Pictures from the output folders of sferic runs.",
               epilog="exit codes: 0 good, 2 usage, 4 input missing or damaged, 6 cannot write")
    p.add_argument("folders", nargs="+", metavar="OUT",
                   help="folder that `sferic run --out OUT` or `sferic ports --out OUT` wrote, or a file of a run's --timeline")
    for name, meaning in (("movie", "all times as mp4, or as GIF where there is no ffmpeg"),
                          ("compare", "of two OUT, A and B: both and B - A, at the last common time"),
                          ("live", "redraw until the run's status.json says that it ended")):
        p.add_argument("--" + name, action="store_true", help=meaning)
    p.add_argument("--every", type=float, default=5, metavar="S", help="seconds between looks of --live (5)")
    p.add_argument("--var", action="append", metavar="NAME", help="draw this variable, of moist air the picture storm, cold_pool, heights or skew_t, or of a run on the Earth weather_map; may be repeated")
    p.add_argument("--section", action="append", type=section_parse, default=[], metavar="y=M",
                   help="cut at x=, y= or z= (metres); may be repeated")
    p.add_argument("--level", type=float, metavar="M", help="plan view at this height, as --section z=M")
    p.add_argument("--time", type=lambda s: [float(t) for t in s.split(",")], metavar="S[,S]",
                   help="output times nearest to these (seconds); of a timeline from when to when")
    p.add_argument("-o", dest="output", metavar="FILE", help="where to write (OUT/<case>.png; a timeline's is beside it)")
    p.add_argument("--dpi", type=int, metavar="N", help="dots per inch (160; movies 110)")
    o = p.parse_args(words)
    if o.level is not None:
        o.section.append(("z", o.level))
    if o.compare and len(o.folders) != 2:
        p.error("--compare wants two folders, A and B")
    if o.output and len(o.folders) > 1 and not o.compare:
        p.error("-o names one file, but there are several folders")
    if o.live and (o.movie or o.compare or len(o.folders) > 1):
        p.error("--live draws one folder, without --movie or --compare")
    if o.movie and o.compare:
        p.error("--movie and --compare do not go together")
    if o.dpi is not None and not 20 <= o.dpi <= 1200:
        p.error("--dpi wants 20 to 1200")
    if not o.every > 0:
        p.error("--every wants a positive number of seconds")
    return o
