"""What became of every setting: a table with a row for each, in the order of the input. SPDX-License-Identifier: MIT"""
import difflib
import textwrap
from collections import Counter, namedtuple

SAME, NEAR, NOT_THERE, UNKNOWN = "same", "near", "not there", "unknown"
VERDICTS = SAME, NEAR, NOT_THERE, UNKNOWN
WIDTH = 150

Row = namedtuple("Row", "where name value verdict how")


def short(text, most):
    return text if len(text) <= most else text[:most - 3] + "..."


def unknown_how(program, name, known, mark=""):
    """What is said of a setting that no release has: a name that it may be meant to be."""
    near = difflib.get_close_matches(name, known, 1, 0.75)
    return f"no {program} that is known here has it: nothing was made of it" + (f"; did you mean {mark}{near[0]}?" if near else "")


class Told:
    """For a case that tells what became of its settings by `told(which, verdict, how)`."""

    def either(self, which, condition, yes, no):
        """One of two pairs of verdict and how."""
        self.told(which, *(yes if condition else no))


class Report:
    """Rows of (file:line, setting, its value, verdict, how)."""

    def __init__(self):
        self.rows = []

    def add(self, where, name, value, verdict, how=""):
        assert verdict in VERDICTS, verdict
        self.rows.append(Row(where, name, value, verdict, how))

    def of(self, verdict):
        return [r for r in self.rows if r.verdict == verdict]

    def summary(self):
        count = Counter(r.verdict for r in self.rows)
        return f"{len(self.rows)} settings: " + ", ".join(f"{count[v]} {v}" for v in VERDICTS)

    def lines(self):
        """The table: setting, value, verdict and how, as wide as they are; how goes on below itself."""
        cells = [(r.name, short(r.value, 40), r.verdict) for r in self.rows]
        width = [max([len(c[n]) for c in cells] + [len(h)]) for n, h in enumerate(("setting", "value", "verdict"))]
        left = "  ".join("{:%d}" % w for w in width) + "  "
        room = max(40, WIDTH - sum(width) - 6)
        out = [left.format("setting", "value", "verdict") + "here, or how, or what it would change"]
        for cell, row in zip(cells, self.rows):
            parts = textwrap.wrap(row.how, room, break_long_words=False) or [""]
            out += [(left.format(*cell) + parts[0]).rstrip()] + [" " * (sum(width) + 6) + part for part in parts[1:]]
        return out
