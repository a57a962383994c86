"""The command line of sferic-against. Standard library only. SPDX-License-Identifier: MIT"""
from sferic_plot.options import Parser


def options_parse(words=None):
    p = Parser(prog="sferic-against", description="A run on a map of the Earth beside what was observed: each observation, the forecast there and then, how far "
               "it is off, and how far off persistence is, which takes all to stay as it was at the start. docs/forecast.md tells how.",
               epilog="Exit codes: 0 good, 2 usage, 4 input missing, damaged or refused, 6 cannot write")
    p.add_argument("folder", metavar="OUT", help="folder that `sferic run --out OUT` wrote, of a case with &map")
    p.add_argument("observations", metavar="OBSERVATIONS.txt", help="lines of: station latitude longitude time quantity value [unit]")
    p.add_argument("--json", metavar="FILE", help="write the same as JSON, too")
    return p.parse_args(words)
