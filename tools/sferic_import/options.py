"""The command line of sferic-import. Standard library only. SPDX-License-Identifier: MIT"""
import os

from sferic_plot.options import Parser

KINDS = "cm1", "gprmax"


def options_parse(words=None):
    p = Parser(prog="sferic-import", description="Writes a CM1 namelist.input, with its input_sounding, or a gprMax .in file as a namelist of sferic, and tells of "
               "every setting whether it is the same, near (and how), not there (and what it would change) or unknown.",
               epilog="Writes OUT.nml, OUT.import.txt (the table) and the files that OUT.nml names beside it. Exit codes: 0 good, with warnings on stderr where a setting is "
               "unknown; 2 usage, or files in the way; 3 the input is not what its program reads, or, with --strict, has unknown settings; 4 input missing or damaged; 6 cannot "
               "write; those of sferic check where it refuses OUT.nml")
    p.add_argument("input", metavar="INPUT", help="namelist.input of CM1, or NAME.in of gprMax")
    p.add_argument("-o", dest="output", metavar="OUT.nml", help="the namelist to write (gprMax: NAME.nml, CM1: cm1.nml, in the current directory)")
    p.add_argument("--from", dest="kind", choices=KINDS, help="which program the input is of (told by what is in it)")
    p.add_argument("--sounding", metavar="FILE", help="the input_sounding of CM1 (the one beside INPUT)")
    p.add_argument("--strict", action="store_true", help="unknown settings are an error, and nothing is written")
    p.add_argument("--force", action="store_true", help="write over files that are there")
    p.add_argument("--no-check", action="store_true", help="do not ask `sferic check` about what was written")
    p.add_argument("--sferic", metavar="PROGRAM", help="the program that checks ($SFERIC, or build/sferic beside this one, or the one on the path)")
    p.add_argument("-q", "--quiet", action="store_true", help="the table goes into OUT.import.txt alone")
    o = p.parse_args(words)
    if o.output and not o.output.endswith(".nml"):
        p.error(f"-o {o.output}: give a name that ends with .nml")
    if o.sounding and o.kind == "gprmax":
        p.error("--sounding is for CM1")
    o.stem = os.path.splitext(o.output)[0] if o.output else None
    return o
