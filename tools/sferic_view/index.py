"""The first page: runs that are there, cases to begin with. And the pictures that were made. SPDX-License-Identifier: MIT"""
import html
import os
from urllib.parse import urlencode

from .cases import caption_of, kind_of
from .files import shipped_find
from .guard import Page
from .runs import folders_find, status_read

def page_text(title, body):
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            f'<link rel="stylesheet" href="/style.css"></head><body>{body}</body></html>')


class Index(Page):
    """Takes the token of the address in exchange for a cookie, and goes to where the command line pointed; without one, lists."""

    def initialize(self, guard, first):
        self.guard, self.first = guard, first

    def get(self):
        if self.get_query_argument("token", None) is not None:
            self.set_cookie(self.guard.cookie, self.guard.token, httponly=True, samesite="Lax", path="/")
            self.redirect(self.first or "/")
            return
        self.finish(page_text("sferic: runs", "<h1>sferic</h1>" + runs_text() + open_text() + cases_text()))


def link(path, **query):
    return html.escape(f"{path}?{urlencode(query)}")


def runs_text():
    rows = [f'<tr><td><a href="{link("/view", run=f)}">{html.escape(os.path.relpath(f))}</a></td>'
            f'<td>{html.escape(str(status_read(f).get("state", "")))}</td></tr>' for f in folders_find("out", ".")]
    return "<h2>runs</h2>" + (f"<table>{''.join(rows)}</table>" if rows else
                              f"<p>No folder in {html.escape(os.path.abspath('out'))} holds output yet: run a case.</p>")


def open_text():
    own = sorted(f for f in os.listdir(".") if f.endswith(".nml"))
    rows = "".join(f'<tr><td><a href="{link("/case", file=f)}">{html.escape(f)}</a></td></tr>' for f in own)
    return ('<h2>namelists</h2><form action="/case"><input name="file" size="50" placeholder="path of a namelist" required> <button>open</button></form>'
            f"<table>{rows}</table>")


def cases_text():
    kinds = {}
    for name, path in shipped_find().items():
        row = f'<tr><td><a href="{link("/case", file=name)}">{html.escape(name)}</a></td><td>{html.escape(caption_of(path))}</td></tr>'
        kinds.setdefault(kind_of(path), []).append(row)
    tables = [f"<h3>{html.escape(k)}</h3><table>{''.join(kinds[k])}</table>" for k in sorted(kinds, key=lambda k: (k[0] == "m", k[0] == "E"))]
    return "<h2>cases that come with the program</h2>" + "".join(tables)


class Made(Page):
    """A picture that was made from a page."""

    def initialize(self, maker):
        self.maker = maker

    def get(self, number):
        path = self.maker.made[int(number)] if int(number) < len(self.maker.made) else ""
        kind = {".png": "image/png", ".gif": "image/gif", ".mp4": "video/mp4"}.get(os.path.splitext(path)[1])
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError:
            self.set_status(404)
            self.set_header("Content-Type", "text/plain")
            self.finish("no such picture\n")
            return
        self.set_header("Content-Type", kind)
        self.finish(data)
