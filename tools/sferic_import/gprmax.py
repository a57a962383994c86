"""gprMax's .in file as a namelist of sferic (Warren, Giannopoulos and Giannakis 2016; gprMax 3).

Commands are read in their order with what #include_file names, sorted by what they are about, and every one gets its row. Where the domain is
one cell along z, y and z change places: sferic has its flat cases along y. SPDX-License-Identifier: MIT
"""
import os
import re
from collections import namedtuple

from sferic_plot.words import INPUT, Fail

from . import gprmax_grid, gprmax_output
from .deck import Deck
from .gprmax_commands import COMMANDS, PASSES, later_find
from .gprmax_media import Lacking
from .report import NOT_THERE, SAME, UNKNOWN, Report, Told, unknown_how
from .source import beside, number_read, text_read, wrong

Command = namedtuple("Command", "name words path line n")
LINE = re.compile(r"#(\w+):(.*)")
DEEPEST = 8  # files that include files
NEEDED = "domain", "dx_dy_dz", "time_window"


def looks_like(text):
    """Is it an input of gprMax?"""
    return re.search(r"^#(domain|dx_dy_dz|time_window|python):", text, re.M) is not None


def commands_read(path, text, depth=0):
    """Commands in their order; #python is one, with the number of its lines, and prose is none."""
    found, lines, n = [], text.split("\n"), 0
    while n < len(lines):
        line = lines[n].rstrip()
        n += 1
        if not line.startswith("#") or line.startswith("##"):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise wrong(path, n, f"'{line[:40]}' is no command: write #name: with its values behind, or ## before a comment")
        name, words = match[1].lower(), match[2].split()
        begin = n
        if name == "python":
            while n < len(lines) and not lines[n].startswith("#end_python:"):
                n += 1
            if n == len(lines):
                raise wrong(path, begin, "#python: has no #end_python:")
            words = [f"{n - begin} lines"]
            n += 1
        elif name == "include_file":
            found += included(path, begin, words, depth)
            continue
        found.append(Command(name, words, path, begin, len(found)))
    return found


def included(path, line, words, depth):
    if len(words) != 1:
        raise wrong(path, line, "#include_file: wants one file name")
    place = beside(path, words[0])
    if place is None:
        raise Fail(INPUT, f"{path}:{line}: {words[0]}: no such file, neither here nor beside {path}")
    if depth == DEEPEST:
        raise wrong(path, line, f"files include each other more than {DEEPEST} deep")
    return [Command("include_file", words, path, line, 0)] + commands_read(place, text_read(place), depth + 1)


class GprMax(Told):
    """The model as far as it is known: grid of cells and how axes are turned, media, waveforms, probes; `files` {name: text} to write."""

    title = "gprMax"

    def __init__(self, path, text, options):
        self.path, self.options, self.deck, self.report = path, options, Deck(), Report()
        self.stem = options.stem
        self.commands = [c._replace(n=n) for n, c in enumerate(commands_read(path, text))]
        self.rows, self.files, self.notes = {}, {}, []
        self.media = {"pec": "pec", "free_space": "vacuum"}
        self.medium_keys, self.soils, self.waveforms, self.probes, self.shapes, self.boxes, self.sources = {}, {}, {}, [], [], {}, []
        for name in NEEDED:
            if not self.all(name):
                python = next((c for c in self.commands if c.name == "python"), None)
                advice = (f"; is it made by the Python at line {python.line}? That is not executed: let `python -m gprMax {path} -n 1 --geometry-only --write-processed` write "
                          "its commands, and import that file") if python else ""
                raise wrong(path, 1, f"no #{name}: which every input of gprMax has{advice}")

    def all(self, name):
        return [c for c in self.commands if c.name == name]

    def last(self, name):
        return (self.all(name) or [None])[-1]

    def wrong(self, c, text):
        return wrong(c.path, c.line, f"#{c.name}: {text}")

    def number(self, c, n, what):
        return number_read(c.words[n], c.path, c.line, f"#{c.name}: {what}")

    def numbers(self, c, first, count, what="value"):
        return [self.number(c, n, what) for n in range(first, first + count)]

    def whole(self, c, n, what):
        x = self.number(c, n, what)
        if x != int(x):
            raise self.wrong(c, f"{what}: '{c.words[n]}' is not a whole number")
        return int(x)

    def told(self, c, verdict, how):
        self.rows[c.n] = verdict, how

    def text_of(self, c):
        """A command as a comment of the line that it became."""
        text = f"#{c.name}: {' '.join(c.words)}"
        return text if len(text) <= 90 else text[:87] + "..."

    def file_name(self, c, what):
        """A file that is written beside the namelist."""
        return f"{os.path.basename(self.stem)}_{re.sub(r'[^A-Za-z0-9_-]', '_', what)}.txt"

    def translate(self):
        self.deck.put("case%name", re.sub(r"[^A-Za-z0-9_-]", "_", os.path.basename(self.stem)))
        title = self.last("title")
        self.deck.put("case%title", (" ".join(title.words) if title else f"gprMax {os.path.basename(self.path)}")[:200])
        self.deck.put("case%model", "maxwell")
        self.deck.put("maxwell%allow_coarse", True, "as in gprMax, which warns of few cells a wavelength")
        gprmax_grid.work(self)
        for c in self.commands:
            if c.name in COMMANDS:
                self.count_check(c)
        for names in PASSES:
            for c in self.commands:
                if c.name in names and c.n not in self.rows:
                    self.take(c)
        gprmax_output.finish(self)
        for c in self.commands:
            family = later_find(c.name)
            verdict, how = self.rows.get(c.n, (NOT_THERE, family) if family else (UNKNOWN, unknown_how("gprMax", c.name, COMMANDS, "#")))
            self.report.add(f"{c.path}:{c.line}", "#" + c.name, " ".join(c.words), verdict, how)

    def take(self, c):
        try:
            COMMANDS[c.name].work(self, c)
        except Lacking as e:
            self.told(c, NOT_THERE, str(e))

    def count_check(self, c):
        command = COMMANDS[c.name]
        if not command.least <= len(c.words) <= command.most:
            raise self.wrong(c, f"{len(c.words)} values, not {command.form or 'none'}")
        if command.single and c is not self.last(c.name):
            self.told(c, SAME, "given again below, which counts")
