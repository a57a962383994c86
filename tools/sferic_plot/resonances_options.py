"""The command line of sferic-resonances. Standard library only. SPDX-License-Identifier: MIT"""
from .options import Parser


def options_parse(words=None):
    p = Parser(prog="sferic-resonances",
               description="Frequencies, decay rates and Q of what rings at the probes of an EM run, by harmonic inversion: far finer than "
               "1 / duration, which is as fine as a spectrum shows them.",
               epilog="Writes OUT/resonances.nc. Exit codes: 0 good, 2 usage, 4 input missing or damaged, 6 cannot write")
    p.add_argument("folder", metavar="OUT", help="folder that `sferic run --out OUT` wrote, with probes (&output probe_x)")
    p.add_argument("--from", dest="low", type=float, metavar="HZ", help="lowest frequency (where the traces have a thousandth of their largest amplitude)")
    p.add_argument("--to", dest="high", type=float, metavar="HZ", help="highest frequency (the same)")
    p.add_argument("--after", type=float, metavar="S", help="time from which on to look (when the sources are over)")
    p.add_argument("-o", dest="output", metavar="FILE", help="where to write (OUT/resonances.nc)")
    o = p.parse_args(words)
    if o.low is not None and o.low < 0 or o.high is not None and not o.high > (o.low or 0):
        p.error("--to wants a frequency above that of --from, which is not below 0")
    return o
