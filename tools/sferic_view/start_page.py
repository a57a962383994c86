"""The page of a case: a namelist as a form and as a text, what sferic check says of it, and its run. The text is all there is: the form
writes into it, and what is saved is what one would have written. SPDX-License-Identifier: MIT
"""
import json
import os

from sferic_plot.words import INPUT, USAGE, Fail

from .cases import Exists, case_read, case_save, files_copy, files_plan
from .files import shipped_find
from .guard import Page, Web
from .namelist import edited, entry_removed, look, quoted
from .solid import solid_make

class Case(Web):
    def get(self):
        super().get("case.html")


def model_of(groups):
    """What &case model says, of the first that says it."""
    for g in groups:
        if g["name"] == "case" and "model" in g["keys"]:
            return g["keys"]["model"]["value"].strip("'\" ") or "dynamics"
    return "dynamics"


def name_of(groups):
    for g in groups:
        if g["name"] == "case" and "name" in g["keys"]:
            return g["keys"]["name"]["value"].strip("'\" ")
    return ""


class Api(Page):
    """Questions of the page, in JSON: /api/WHAT."""

    def initialize(self, sferic, jobs, runs):
        self.sferic, self.jobs, self.runs = sferic, jobs, runs

    async def post(self, what):
        try:
            if "application/json" not in self.request.headers.get("Content-Type", ""):
                raise Fail(USAGE, "questions are JSON")
            asked = json.loads(self.request.body)
            answer = await getattr(self, "do_" + what)(**asked)
        except Exists as e:
            answer = {"error": str(e), "exists": True}
        except (Fail, ValueError, TypeError, KeyError) as e:
            answer = {"error": str(e)}
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json.dumps(answer))

    @staticmethod
    def path(file):
        if not str(file).strip():
            raise Fail(USAGE, "give the namelist a name")
        return os.path.abspath(os.path.expanduser(str(file).strip()))

    async def do_open(self, file):
        """A namelist; of one that comes with the program a copy of it is what will be saved."""
        path = shipped_find().get(file) or self.path(file)
        text, digest = case_read(path)
        is_shipped = path in shipped_find().values()
        to = os.path.abspath(os.path.basename(path)) if is_shipped else path
        return {"origin": os.path.dirname(path), "file": os.path.relpath(to) if not os.path.relpath(to).startswith("..") else to, "text": text,
                "digest": "" if is_shipped else digest, "is_shipped": is_shipped, **self.looked(text)}

    @staticmethod
    def looked(text):
        groups = look(text)
        return {"groups": groups, "model": model_of(groups), "name": name_of(groups)}

    async def do_look(self, text):
        return self.looked(text)

    async def do_keys(self, model, origin):
        return {"keys": await self.sferic.keys_of(model, origin)}

    async def do_edit(self, text, group, number, key, value, kind):
        new = edited(text, group, int(number), key, quoted(value, kind) if value else value)
        return {"text": new, **self.looked(new)}

    async def do_add(self, text, group, number):
        new = edited(text, group, int(number), "", None)
        return {"text": new, **self.looked(new)}

    async def do_drop(self, text, group, number):
        new = entry_removed(text, group, int(number))
        return {"text": new, **self.looked(new)}

    async def do_check(self, page, text, origin, out, force):
        out = self.path(out)
        job = self.jobs.newest_of(out)
        if job and job.code is None:  # that its own run is in the way is no news
            out += ".next"
        found = await self.sferic.check(str(page), text, origin, out, bool(force))
        return found or {"superseded": True}

    async def do_save(self, file, text, digest, origin, replace):
        path = self.path(file)
        if replace and os.path.exists(path):
            digest = case_read(path)[1]
        text, files = files_plan(text, origin, os.path.dirname(path))
        digest = case_save(path, text, digest)
        return {"digest": digest, "file": file, "origin": os.path.dirname(path), "brought": files_copy(files), "text": text}

    async def do_run(self, file, out, how):
        """Starts the saved namelist: how is '', 'force' or 'restart'."""
        path, out = self.path(file), self.path(out)
        before = self.jobs.newest_of(out)
        if before and before.code is None:
            raise Fail(USAGE, f"{out}: its run goes on; stop it first")
        if not os.path.isfile(path):
            raise Fail(INPUT, f"{path}: save it first")
        more = {"": [], "force": ["--force"], "restart": ["--restart", "auto"]}[how]
        job = await self.jobs.start([*self.sferic.words, "run", path, "--out", out, *more], out)
        return job.told()

    async def do_job(self, out):
        job = self.jobs.newest_of(self.path(out))
        return job.told() if job else {"state": "", "is_running": False}

    async def do_stop(self, out):
        job = self.jobs.newest_of(self.path(out))
        if job:
            job.stop()
        return await self.do_job(out)

    async def do_solid(self, run, name, frame):
        return solid_make(self.runs.get(run), name, int(frame))
