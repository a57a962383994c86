"""The work of sferic-import. SPDX-License-Identifier: MIT"""
import os
import subprocess
import sys

from sferic_plot.program import program_words
from sferic_plot.words import IO, USAGE, Fail, outcome

from . import cm1, gprmax
from .report import NOT_THERE, UNKNOWN
from .source import NAMELIST, text_read

KINDS = {"cm1": cm1.Cm1, "gprmax": gprmax.GprMax}
TOLD = 12  # unknown settings that stderr names


def kind_find(path, text, options):
    """Which program an input is of."""
    if options.kind:
        return options.kind
    found = [k for k, module in (("cm1", cm1), ("gprmax", gprmax)) if module.looks_like(text)]
    if len(found) != 1:
        raise Fail(NAMELIST, f"{path}: neither a namelist.input of CM1, which has &param0, nor an input of gprMax, which has #domain: say which by --from")
    return found[0]


def head_make(case, options, name):
    """What stands above the namelist: what it is, and what it lacks."""
    report = case.report
    head = [f"{case.title} input {options.input} as a case of sferic, by sferic-import.", f"{report.summary()}; all of them: {name}.import.txt.",
            *case.notes]
    for verdict, title in ((NOT_THERE, "Not there, and what that changes:"), (UNKNOWN, "Unknown, and not taken:")):
        rows = report.of(verdict)
        head += ["", title] + [f"  {r.name} = {r.value}: {r.how}" for r in rows] if rows else []
    return head


def files_write(files, force):
    """All or none, {path: text}."""
    present = [p for p in files if os.path.lexists(p)]
    if present and not force:
        raise Fail(USAGE, f"{present[0]} is there already: take another -o, or write over it with --force")
    parts = []
    try:
        for path, text in files.items():
            parts.append(path + ".part")
            with open(parts[-1], "w", encoding="utf-8") as f:
                f.write(text)
        for path in files:
            os.replace(path + ".part", path)
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e
    finally:
        for part in parts:
            if os.path.exists(part):
                os.remove(part)


def check(path, options):
    """What `sferic check` says of the namelist: its warnings and errors on stderr."""
    try:
        program = program_words(options.sferic)
    except Fail:
        print("no program sferic in build/ or on the path: `sferic check` was not asked")
        return
    try:
        end = subprocess.run([*program, "check", "--force", path], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as e:
        raise Fail(USAGE, f"cannot start {program[0]}: {e.strerror or e}") from e
    sys.stderr.write(end.stderr.decode(errors="replace"))
    if end.returncode:
        raise Fail(end.returncode, f"{path} is written, but `sferic check` ends with code {end.returncode}: change it as told above")
    lines = end.stdout.decode(errors="replace").split("\n")
    print(f"{path}: sferic check is content" + "".join(f"; {line}" for line in (" ".join(row.split()) for row in lines) if line.startswith("wall time")))


def unknown_tell(report, strict):
    rows = report.of(UNKNOWN)
    for r in rows[:TOLD]:
        print(f"sferic-import: warning: {r.where}: {r.name} is unknown, and not taken: {r.how}", file=sys.stderr)
    if len(rows) > TOLD:
        print(f"sferic-import: warning: {len(rows) - TOLD} more unknown settings: see the table", file=sys.stderr)
    if rows and strict:
        raise Fail(NAMELIST, f"{len(rows)} unknown settings: nothing was written, for --strict was given")


def bring(options):
    text = text_read(options.input)
    kind = kind_find(options.input, text, options)
    if options.stem is None:
        options.stem = "cm1" if kind == "cm1" else os.path.splitext(os.path.basename(options.input))[0]
    case = KINDS[kind](options.input, text, options)
    case.translate()
    report, stem = case.report, options.stem
    unknown_tell(report, options.strict)
    table = report.lines()
    head = head_make(case, options, os.path.basename(stem))
    files = {stem + ".nml": case.deck.text(head), stem + ".import.txt": "\n".join([*table, "", report.summary()]) + "\n"}
    files |= {os.path.join(os.path.dirname(stem), name): content for name, content in case.files.items()}
    if os.path.abspath(options.input) in map(os.path.abspath, files):
        raise Fail(USAGE, f"{options.input} is the input itself: take another -o")
    files_write(files, options.force)
    print("\n".join(table + [""] if not options.quiet else []), end="\n" if not options.quiet else "")
    print(report.summary())
    print("written: " + ", ".join(files))
    if not options.no_check:
        check(stem + ".nml", options)


def main(options):
    return outcome("sferic-import", bring, options)
