"""Namelists: those that come with the program, and those that a page opens, checks and saves. SPDX-License-Identifier: MIT"""
import asyncio
import hashlib
import json
import os
import re
import shutil
import tempfile

from sferic_plot.program import program_words
from sferic_plot.words import INPUT, IO, USAGE, Fail

from .files import LARGEST, shipped_find
from .namelist import groups_find, key_at, position_of

FINDING = re.compile(r"^(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|warning): (?P<text>.*)$")
KEY = re.compile(r"^ +(\w+)%([\w%]+): ")
STRING = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"")
LOST = re.compile(r"^(?:sferic: )?(?P<kind>error|warning): (?P<text>.*)$")


def caption_of(path):
    """The first sentence of a case's comment."""
    with open(path, encoding="utf-8", errors="replace") as f:
        head = f.read(2000)
    words = " ".join(m[1] for m in re.finditer(r"^! ?(.*)$", re.split(r"\n(?:&|!? *\n)", head)[0], re.M))
    return re.split(r"(?<=\.)\s", words.strip(), maxsplit=1)[0].rstrip(".")


def kind_of(path):
    """What a case is of, as a heading."""
    with open(path, encoding="utf-8", errors="replace") as f:
        model = re.search(r"^\s*model\s*=\s*'([^']*)'", f.read(), re.M)
    return "weather" if not model or model[1] == "dynamics" else "EM waves" if model[1] == "maxwell" else "models from text files"


def digest_of(raw):
    return hashlib.sha256(raw).hexdigest()


def case_read(path):
    """Text and digest of a namelist."""
    try:
        if os.path.getsize(path) > LARGEST:
            raise Fail(INPUT, f"{path}: too large for a namelist")
        with open(path, "rb") as f:
            raw = f.read()
        return raw.decode("utf-8"), digest_of(raw)
    except UnicodeDecodeError as e:
        raise Fail(INPUT, f"{path}: not a text in UTF-8") from e
    except OSError as e:
        raise Fail(INPUT, f"{path}: {e.strerror}") from e


def case_save(path, text, digest):
    """Writes a namelist and tells its digest. digest: of the file as the page knows it, '' where it knows of none; another file is not
    overwritten."""
    if not path.endswith(".nml"):
        raise Fail(USAGE, f"{path}: the name of a namelist ends in .nml")
    if path in shipped_find().values():
        raise Fail(USAGE, f"{path} comes with the program: save it under another name")
    raw = text.encode()
    try:
        if os.path.exists(path):
            with open(path, "rb") as f:
                there = digest_of(f.read())
            if there not in (digest, digest_of(raw)):
                raise Exists(path)
        kept = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~umask()
        with tempfile.NamedTemporaryFile("wb", dir=os.path.dirname(path), prefix=".", suffix=".nml", delete=False) as f:
            f.write(raw)
        os.chmod(f.name, kept)
        os.replace(f.name, path)
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror}") from e
    return digest_of(raw)


class Exists(Fail):
    """Another file stands where one was to be saved."""

    def __init__(self, path):
        super().__init__(USAGE, f"{path} is there already, or has changed since it was opened")


def umask():
    now = os.umask(0o022)
    os.umask(now)
    return now


def files_plan(text, origin, place):
    """Of a case that is to be saved elsewhere the files that its text names, found from where it comes: the text as it will be, and
    [(from, to, name)] of those to copy along. What lies below its folder keeps its name; what a
    case that comes with the program has elsewhere comes to stand beside it."""
    if os.path.realpath(origin) == os.path.realpath(place):
        return text, []
    files, parts = {}, []
    ours = os.path.realpath(origin) in {os.path.dirname(p) for p in shipped_find().values()}  # of others nothing is fetched from elsewhere
    for low, high in [(v.low, v.high) for g in groups_find(text) for values in g.keys.values() for v in values]:
        for found in STRING.finditer(text, low, high):
            name = found[1] or found[2] or ""
            source = os.path.join(origin, name)
            if not name or os.path.isabs(name) or not os.path.isfile(source):
                continue
            inside = os.path.realpath(source).startswith(os.path.realpath(origin) + os.sep)
            if not inside and not ours:
                continue
            new = name if inside else os.path.basename(name)
            files[new] = source
            if new != name:
                parts.append((found.start(), found.end(), "'" + new + "'"))
    for begin, end, new in sorted(parts, reverse=True):
        text = text[:begin] + new + text[end:]
    return text, [(source, os.path.join(place, name), name) for name, source in files.items() if not os.path.exists(os.path.join(place, name))]


def files_copy(plan):
    """Names of the files that were copied."""
    try:
        for source, to, _ in plan:
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(source, to)
    except OSError as e:
        raise Fail(IO, f"the namelist is saved, but not what it names: {to}: {e.strerror}") from e
    return [name for _, _, name in plan]


def findings_read(said, text):
    """What sferic said of a namelist: [{kind, text, line, group, number, key}], each at its key where it has one."""
    found = []
    lines = said.splitlines()
    for n, line in enumerate(lines):
        here = FINDING.match(line)
        if here and here["file"].startswith(("/dev/stdin", "--set")):
            at = key_at(text, position_of(text, int(here["line"]), int(here["column"])))
            group, number, key = at or ("", 0, "")
            described = next((KEY.match(b) for b in lines[n + 1:n + 5] if KEY.match(b)), None) if not key else None
            if described and not any(FINDING.match(b) for b in lines[n + 1:n + 3]):
                group, key = described[1], described[2]
            found.append({"kind": here["kind"], "text": here["text"], "line": int(here["line"]), "group": group, "number": number, "key": key})
        elif (here := LOST.match(line)) and not re.search(r"\d+ errors? in the (namelist|files that it names)$", line):
            found.append({"kind": here["kind"], "text": here["text"], "line": 0, "group": "", "number": 0, "key": ""})
        elif (bare := re.match(r"^/dev/stdin: (error|warning): (.*)$", line)):
            described = next((KEY.match(b) for b in lines[n + 1:n + 2] if KEY.match(b)), None)
            group, key = (described[1], described[2]) if described else ("", "")
            found.append({"kind": bare[1], "text": bare[2], "line": 0, "group": group, "number": 0, "key": key})
    return found


def note_of(finding):
    """That results are there is no fault of a case: what can be done with them."""
    held = re.match(r"(?P<where>'.*') holds results of an earlier run \(.*--force; (?P<more>.*)$", finding["text"])
    if not held:
        return finding
    on = "restart goes on from them, " if held["more"].startswith("--restart") else "they have no checkpoint to go on from, "
    return finding | {"kind": "note", "text": f"{held['where']} holds results of an earlier run: {on}'replace results' runs the case anew, and another name for the output keeps both"}


class Sferic:
    """The program, asked for keys and checks. It is looked for when it is needed: to look at runs takes none."""

    def __init__(self, given):
        self.given, self.keys, self.checks = given, {}, {}

    @property
    def words(self):
        return program_words(self.given)

    async def ask(self, words, text=None, folder=None, of=None):
        """Code and what was said on both streams; of: whose earlier question this one takes the place of."""
        p = await asyncio.create_subprocess_exec(*self.words, *words, cwd=folder, stdin=asyncio.subprocess.PIPE if text is not None else asyncio.subprocess.DEVNULL,
                                                 stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True)
        if of is not None:
            self.stop(of)
            self.checks[of] = p
        out, err = await p.communicate(text.encode() if text is not None else None)
        if of is not None and self.checks.get(of) is p:
            del self.checks[of]
        return p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def stop(self, of=None):
        for name in [of] if of is not None else list(self.checks):
            p = self.checks.pop(name, None)
            if p and p.returncode is None:
                p.kill()

    async def keys_of(self, model, folder):
        """The keys of a case, as `sferic explain --json` tells them; of a model from a file those of its cases."""
        words = ["explain", "--json"] if not model.endswith(".sf") else ["explain", model, "--json"]
        code, out, err = (0, self.keys.get("", ""), "") if not model.endswith(".sf") and "" in self.keys else await self.ask(words, folder=folder)
        if code:
            raise Fail(code, err.strip()[-400:])
        if not model.endswith(".sf"):
            self.keys[""] = out
        found = json.loads(out)
        return [k for k in found if "model" not in k or k["model"] == model or model.endswith(".sf")]

    async def check(self, page, text, folder, out, force):
        """Exit code, findings, and what the run will cost, as `sferic check` tells it; None where a later check took its place."""
        words = ["check", "/dev/stdin", "--out", out] + (["--force"] if force else [])
        code, said, wrong = await self.ask(words, text, folder, page)
        if code < 0:
            return None
        findings = [note_of(f) for f in findings_read(wrong, text)]
        if code and not findings:
            findings = [{"kind": "error", "text": wrong.strip()[-600:] or f"sferic check ends with {code}", "line": 0, "group": "", "number": 0, "key": ""}]
        return {"code": code, "findings": findings, "costs": said}
