"""Who is served. Other users of this machine, and pages of other places that a browser has open, can reach any port of 127.0.0.1:
nothing is served without the token, be it a page, a static file or a websocket. The address on the terminal has it once; the browser
then keeps it as a cookie. SPDX-License-Identifier: MIT
"""
import hmac
import os
import secrets
from urllib.parse import urlsplit

from bokeh.server.tornado import BokehTornado
from tornado.web import RequestHandler

LOCAL = "127.0.0.1", "localhost"
WEB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "web")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class Guard:
    """The token of one server."""

    def __init__(self):
        self.token = secrets.token_urlsafe(24)
        self.cookie = "sferic_view_" + secrets.token_hex(4)  # cookies know no ports: servers side by side have one each

    def is_token(self, text):
        return hmac.compare_digest(str(text or "").encode(), self.token.encode())

    def reason(self, request):
        """Why a request is refused; None where it is not."""
        # A page of another place whose name was made to lead here has that name in Host, or itself in Origin.
        if urlsplit("//" + request.host).hostname not in LOCAL:
            return "this server answers to 127.0.0.1 and localhost alone"
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return "a page of another place asks"
        held = request.cookies.get(self.cookie)
        if held is not None and self.is_token(held.value):
            return None
        asks = request.method == "GET" and request.path == "/" and self.is_token(request.query_arguments.get("token", [b""])[0].decode("utf-8", "replace"))
        return None if asks else "open the address that sferic-view printed on its terminal: it has the token"


class Refusal(RequestHandler):
    """What those get who are not served."""

    def initialize(self, reason):
        self.reason = reason

    def prepare(self):
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"sferic-view: {self.reason}\n")


class Guarded(BokehTornado):
    """All of a server's pages, files and websockets behind its guard."""

    def __init__(self, guard, *arguments, **named):
        self.guard = guard
        super().__init__(*arguments, **named)

    def find_handler(self, request, **named):
        reason = self.guard.reason(request)
        if reason:
            return self.get_handler_delegate(request, Refusal, {"reason": reason})
        return super().find_handler(request, **named)


class Page(RequestHandler):
    """A page of this program: in no frame of another, with scripts of its own alone, of an address that is told to none."""

    def set_default_headers(self):
        self.set_header("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")


class Web(Page):
    """A file of the page."""

    def get(self, name):
        with open(os.path.join(WEB, name), encoding="utf-8") as f:
            self.set_header("Content-Type", KINDS[os.path.splitext(name)[1]] + "; charset=utf-8")
            self.finish(f.read())
