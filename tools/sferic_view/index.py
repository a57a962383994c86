"""The first page: output folders that are there. And the pictures that were made. SPDX-License-Identifier: MIT"""
import html
import os
from urllib.parse import urlencode

from .guard import Page
from .runs import folders_find, status_read

STYLE = """body{font:14px sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222}h1{font-size:20px}
td,th{padding:.25em 1em .25em 0;text-align:left}a{color:#1b6ca8}"""


class Style(Page):
    def get(self):
        self.set_header("Content-Type", "text/css; charset=utf-8")
        self.finish(STYLE)


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
        rows = []
        for folder in folders_find("out", "."):
            state = str(status_read(folder).get("state", ""))
            link = "/view?" + urlencode({"run": folder})
            rows.append(f'<tr><td><a href="{html.escape(link)}">{html.escape(os.path.relpath(folder))}</a></td><td>{html.escape(state)}</td></tr>')
        body = "<h1>sferic: runs</h1>" + (f"<table>{''.join(rows)}</table>" if rows else "") + \
            ("" if rows else f"<p>No folder in {html.escape(os.path.abspath('out'))} holds a history_*.nc yet. "
             "<code>sferic run CASE.nml</code> writes one there; any other: <code>sferic-view OUT</code>.</p>")
        self.finish(page_text("sferic: runs", body))


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
