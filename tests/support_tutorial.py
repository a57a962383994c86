"""Runs a tutorial as a reader would: support_tutorial.py PAGE FOLDER, with the programs on PATH and FOLDER as home and sources.

Of PAGE, Markdown, fenced blocks are taken in turn:
    sh       is typed, in the folder and with the variables that the block before left; it must end well
    fortran  is a file: the comment `<!-- file: NAME -->` or `<!-- append: NAME -->` stands before it
    text     is what the block before printed: its lines stand in the output in this order, with the same words and numbers within 1 %, or
             within what the comment `<!-- within N % -->` before says; a line `...` leaves lines out, `...` at its end the rest of a line
`<!-- not run: WHY -->` before a block leaves it alone. At the end every file named in backticks below out/ and every picture must be there, and
every number in bold in the text must be one that a block of text has, rounded or not. SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import subprocess
import sys
import time

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"


class Wrong(Exception):
    pass


def blocks_read(page):
    """(kind, comments before it, lines, line number), and the text between them."""
    found, prose, notes, block = [], [], [], None
    with open(page, encoding="utf-8") as f:
        for n, line in enumerate(f.read().splitlines(), 1):
            fence = re.match(r"```(\w*)\s*$", line)
            if block is not None and fence:
                found.append(block)
                block, notes = None, []
            elif block is not None:
                block[2].append(line)
            elif fence:
                block = (fence.group(1), notes, [], n)
            elif re.match(r"<!-- .* -->$", line):
                notes.append(line[5:-4])
            else:
                prose.append((n, line))
                if line.strip():
                    notes = []
    if block is not None:
        raise Wrong(f"line {block[3]}: the block has no end")
    return found, prose


def note(notes, word):
    return next((n[len(word) + 1:].strip() for n in notes if n.startswith(word + ":") or n.startswith(word + " ")), None)


def parts(line):
    """Words between numbers, numbers as written."""
    line = " ".join(line.split())
    return re.split(NUMBER, line), re.findall(NUMBER, line)


def agrees(quoted, printed, within):
    rest = quoted.rstrip().endswith("...")
    words, numbers = parts(quoted.rstrip()[:-3] if rest else quoted)
    words_there, numbers_there = parts(printed)
    if rest:
        if len(words_there) < len(words) or not words_there[len(words) - 1].startswith(words[-1].rstrip()):
            return False
        words_there, numbers_there = words_there[:len(words) - 1] + words[-1:], numbers_there[:len(numbers)]
    if words != words_there or len(numbers) != len(numbers_there):
        return False
    return all(abs(float(a) - float(b)) <= within * abs(float(b)) + 1.001 * last_digit(a) for a, b in zip(numbers, numbers_there))


def last_digit(number):
    mantissa, _, power = number.lower().partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])) if "." in mantissa or power else 0.0


def quote_check(lines, output, within, n):
    printed, at = output.splitlines(), 0
    for i, line in enumerate(lines):
        if line.strip() in ("", "..."):
            continue
        while at < len(printed) and not agrees(line, printed[at], within):
            at += 1
        if at == len(printed):
            raise Wrong(f"line {n + 1 + i}: this was not printed, within {100 * within:g} %:\n    {line}\nbut this:\n{output}")
        at += 1


def typed(script, env, cwd, state):
    """The block in bash, as if all were typed in one terminal."""
    after = f"\nexport -p >{state}.env\npwd >{state}.cwd\n"
    before = f"set -e\n[ ! -e {state}.env ] || . {state}.env\n"
    with open(state + ".out", "wb") as f:
        rc = subprocess.run(["bash", "-c", before + script + after], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT).returncode
    with open(state + ".out", encoding="utf-8", errors="replace") as f:
        output = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", f.read().replace("\r", "\n"))
    with open(state + ".cwd", encoding="utf-8") if rc == 0 else open(os.devnull, encoding="utf-8") as f:
        return rc, output, f.read().strip() or cwd


def page_run(page, folder):
    blocks, prose = blocks_read(page)
    wrong = []
    env, cwd, output, quoted = dict(os.environ, HOME=folder), folder, "", []
    state = os.path.join(folder, ".tutorial")
    for f in glob.glob(glob.escape(state) + ".*"):
        os.remove(f)
    for kind, notes, lines, n in blocks:
        if note(notes, "not run") is not None:
            continue
        if kind == "sh":
            began = time.monotonic()
            rc, output, cwd = typed("\n".join(lines), env, cwd, state)
            print(f"{time.monotonic() - began:5.1f} s  line {n}: {lines[0][:90]}", flush=True)
            if os.environ.get("TUTORIAL_SHOW"):
                print(output)
            if rc:
                raise Wrong(f"line {n}: exit code {rc} of\n    " + "\n    ".join(lines) + f"\n{output}")
        elif kind == "text":
            within = float((note(notes, "within") or "1 %").split()[0]) / 100
            try:
                quote_check(lines, output, within, n)
            except Wrong as e:
                wrong.append(str(e))
            quoted += [float(x) for line in lines for x in re.findall(NUMBER, line)]
        elif kind == "fortran":
            name, more = note(notes, "file"), note(notes, "append")
            if not (name or more):
                raise Wrong(f"line {n}: which file is this? <!-- file: NAME --> or <!-- append: NAME -->")
            with open(os.path.join(cwd, name or more), "w" if name else "a", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
        else:
            raise Wrong(f"line {n}: a block of '{kind}': sh, fortran or text")
    for n, line in prose:
        for name in re.findall(r"`(out/[^`\s*]+|[^`\s/*]+\.(?:png|nc|s\d+p))`", line):
            if not os.path.exists(os.path.join(cwd, name)):
                wrong.append(f"line {n}: {name} is not there")
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", line):
            if not os.path.exists(os.path.join(os.path.dirname(page), picture)):
                wrong.append(f"line {n}: the picture {picture} is not there")
        for bold in re.findall(r"\*\*([^*]*)\*\*", line):
            for x in re.findall(NUMBER, bold):
                if not any(abs(q - float(x)) <= 0.5000001 * (last_digit(x) or 1) or f"{q:g}" == x for q in quoted):
                    wrong.append(f"line {n}: {x} is bold, but in no block of text")
    if wrong:
        raise Wrong("\n".join(wrong))
    print(f"{os.path.basename(page)}: {len(blocks)} blocks")


if __name__ == "__main__":
    try:
        page_run(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    except Wrong as e:
        sys.exit(f"{os.path.basename(sys.argv[1])}, {e}")
