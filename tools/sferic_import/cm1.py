"""CM1's namelist.input as a namelist of sferic (Bryan and Fritsch 2002; releases 19 to 21 of CM1).

What takes several settings is worked out first (grid, sides, air), then every setting gets its row: of what was worked out, or of the
table. SPDX-License-Identifier: MIT
"""
import os

from . import cm1_air, cm1_grid, cm1_sides
from .cm1_table import RULES, STARTS
from .deck import Deck
from .fortran import values_read
from .report import SAME, UNKNOWN, Report, Told, unknown_how
from .source import number_read, wrong

WORDS = {".true.": 1.0, ".false.": 0.0, "t": 1.0, "f": 0.0, "true": 1.0, "false": 0.0, ".t.": 1.0, ".f.": 0.0}
NEEDED = "nx", "ny", "nz", "timax"
LARGEST = {"nx": 100000, "ny": 100000, "nz": 10000}  # cells along an axis that sferic takes


class Cm1(Told):
    """Values by name; what was worked out so far: `found` {name: (verdict, how)}, `files` {name: text} to write, `notes` of the head."""

    title = "CM1"

    def __init__(self, path, text, options):
        self.path, self.options, self.deck, self.report = path, options, Deck(), Report()
        self.values = values_read(text, path)
        self.numbers, self.lines, self.found, self.files, self.notes = {}, {}, {}, {}, []
        self.stem = options.stem or "cm1"
        for v in self.values:
            if v.name in RULES:
                word = WORDS.get(v.text.lower())
                self.numbers[v.name] = number_read(v.text, path, v.line, v.name) if word is None else word
                self.lines[v.name] = v.line
        for name in NEEDED:
            if name not in self.numbers:
                raise wrong(path, text.count("\n") or 1, f"no {name}: a namelist.input of CM1 has it in &{'param1' if name == 'timax' else 'param0'}")
        for name, most in LARGEST.items():
            if not 1 <= self.number(name) <= most or self.number(name) % 1:
                raise self.wrong(name, f"{name} = {self.number(name):g}: give a whole number from 1 to {most}")

    def number(self, name, default=0.0):
        return self.numbers.get(name, default)

    def whole(self, name, default=0):
        """As an integer: what is not one is refused."""
        x = self.numbers.get(name, float(default))
        if x != int(x):
            raise self.wrong(name, f"{name} = {x:g} is not a whole number")
        return int(x)

    def above_zero(self, name, default):
        """A number that must be more than 0."""
        x = self.number(name, default)
        if not x > 0:
            raise self.wrong(name, f"{name} = {x:g}: give a number above 0")
        return x

    def wrong(self, name, text):
        return wrong(self.path, self.lines.get(name, 1), text)

    def told(self, name, verdict, how):
        self.found[name] = verdict, how

    def was(self, name):
        """'dtl = 6' as a comment: the setting that a line came of."""
        return f"{name} = {self.number(name):g}" if name in self.numbers else f"{name}, not given"

    def put(self, target, value, name, unit=""):
        self.deck.put(target, value, f"{unit + ', ' if unit else ''}CM1: {self.was(name)}")

    def translate(self):
        self.deck.put("case%name", "".join(c if c.isalnum() or c in "-_" else "_" for c in os.path.basename(self.stem)))
        self.deck.put("case%title", f"CM1 {os.path.basename(self.path)}"[:200])
        self.deck.put("case%model", "dynamics")
        for part in (cm1_grid.work, cm1_sides.work, cm1_air.work):
            part(self)
        last = {v.name: n for n, v in enumerate(self.values)}
        for n, v in enumerate(self.values):
            self.report.add(f"{self.path}:{v.line}", f"{v.group} {v.name}", v.text, *self.verdict(v, last[v.name] == n))
        fields_finish(self)

    def verdict(self, v, last):
        if v.name not in RULES:
            start = next((s for s in STARTS if v.name.startswith(s) or v.group.startswith(s)), None)
            if start is None:
                return UNKNOWN, unknown_how("release of CM1", v.name, RULES)
            return STARTS[start](self, v)
        if not last:
            return SAME, "set again below, which counts"
        return self.found[v.name] if v.name in self.found else RULES[v.name](self, v)


def fields_finish(c):
    """&output fields: what output_* asked for, each once."""
    fields = c.deck.get("output%fields", [])
    if fields:
        c.deck.put("output%fields", list(dict.fromkeys(fields)), "CM1: output_*")


def looks_like(text):
    """Is it a namelist.input of CM1?"""
    low = text.lower()
    return "&param0" in low or "&param1" in low and "&param2" in low
