"""The command line of sferic-bscan. Standard library only. SPDX-License-Identifier: MIT"""
import argparse
import os

from .options import Parser

COMPONENTS = "Ex", "Ey", "Ez", "Hx", "Hy", "Hz"


def step_parse(text):
    try:
        step = tuple(float(part) for part in text.split(","))
    except ValueError:
        step = ()
    if len(step) != 3 or not any(step):
        raise argparse.ArgumentTypeError(f"'{text}' is not dx,dy,dz in metres, such as 0.02,0,0")
    return step


def options_parse(words=None):
    p = Parser(prog="sferic-bscan", description="Runs an EM case with a source and a probe at one position after the other, and puts the traces side by "
               "side: a radargram. Positions that are done are not run again, stopped ones go on: call it again until all are done.",
               epilog="Writes DIR/bscan.nc, DIR/bscan.png and a folder for each run. Exit codes: those of sferic run; 2 usage, 4 input missing or damaged, 6 cannot write")
    p.add_argument("case", metavar="CASE.nml", help="namelist of the first position")
    p.add_argument("--source", type=int, required=True, metavar="N", help="which entry of &source moves, from 1; 0: none")
    p.add_argument("--probe", type=int, required=True, metavar="M", help="which probe moves and is recorded, from 1")
    p.add_argument("--step", type=step_parse, required=True, metavar="DX,DY,DZ", help="from one position to the next, m: best whole cells")
    p.add_argument("--count", type=int, required=True, metavar="K", help="how many positions")
    p.add_argument("--still", action="store_true", help="the probe stays where it is, and the source alone moves")
    p.add_argument("--component", choices=COMPONENTS, help="what the picture shows (the component of the source; the file holds all)")
    p.add_argument("--out", metavar="DIR", help="where the files go (out/CASE_bscan)")
    p.add_argument("--set", action="append", default=[], metavar="G%K=V", help="an override for all runs, as of sferic run; may be repeated")
    p.add_argument("--sferic", metavar="PROGRAM", help="the program, with words before it if need be: 'mpirun -n 4 sferic' ($SFERIC, or build/sferic beside this one, or the one on the path)")
    p.add_argument("--dpi", type=int, default=160, metavar="N", help="dots per inch of the picture (160)")
    o = p.parse_args(words)
    if o.count < 1 or o.source < 0 or o.probe < 1:
        p.error("--count and --probe want numbers from 1, --source one from 0")
    if o.still and not o.source:
        p.error("--still and --source 0: nothing moves")
    if not 20 <= o.dpi <= 1200:
        p.error("--dpi wants 20 to 1200")
    name = os.path.splitext(os.path.basename(o.case))[0]
    o.out = o.out or os.path.join("out", name + "_bscan")
    return o
