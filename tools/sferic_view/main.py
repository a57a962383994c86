"""The server: from its address on the terminal to its end with the terminal. SPDX-License-Identifier: MIT"""
import asyncio
import contextlib
import html
import logging
import os
import signal
import socket
import sys
import tempfile
import webbrowser
from urllib.parse import urlencode

from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.server.server import BaseServer
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop

from sferic_plot.words import IO, Fail, outcome

from .cases import Sferic
from .command import Maker
from .guard import Guard, Guarded, Web
from .index import Index, Made
from .jobs import Jobs
from .page import View
from .runs import Runs
from .solid import Library, Solid
from .start_page import Api, Case


def listen(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        s.bind(("127.0.0.1", port))
    except OSError as e:
        raise Fail(IO, f"port {port} of 127.0.0.1: {e.strerror}; --port 0 takes a free one") from e
    s.listen(64)
    s.setblocking(False)
    return s


def first_of(options):
    """Where the page begins."""
    if not options.what:
        return "/"
    if os.path.isfile(options.what):
        return "/case?" + urlencode({"file": os.path.abspath(options.what)})
    query = {"run": os.path.abspath(options.what)} | ({"with": os.path.abspath(options.compare)} if options.compare else {})
    return "/view?" + urlencode(query)


@contextlib.contextmanager
def browser_opened(address, wanted):
    """Where there is a screen. A command line can be read by others, and the address has the token: the browser is sent to a file of this
    user's alone, which sends it on."""
    if not wanted or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        yield
        return
    place = os.environ.get("XDG_RUNTIME_DIR") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "sferic")
    path = None
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place, prefix="sferic-view.", suffix=".html", delete=False) as f:  # mode 0600
            path = f.name
            f.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(address)}">')
        webbrowser.open("file://" + path)
    except (OSError, webbrowser.Error):
        pass  # the address stands on the terminal
    try:
        yield
    finally:
        if path:
            os.remove(path)


async def serve(options):
    guard, runs, maker, jobs = Guard(), Runs(), Maker(), Jobs()
    sferic = Sferic(options.sferic)
    s = listen(options.port)
    port = s.getsockname()[1]
    patterns = [(r"/", Index, {"guard": guard, "first": first_of(options)}), (r"/made/(\d+)", Made, {"maker": maker}), (r"/case", Case),
                (r"/solid", Solid), (r"/plotly\.js", Library), (r"/(style\.css|case\.js|solid\.js)", Web),
                (r"/api/(open|look|keys|edit|add|drop|check|save|run|job|stop|solid)", Api, {"sferic": sferic, "jobs": jobs, "runs": runs})]
    view = Application(FunctionHandler(lambda document: View(document, runs, maker)))
    pages = Guarded(guard, {"/view": view}, use_index=False, extra_patterns=patterns, extra_websocket_origins=["127.0.0.1:*", "localhost:*"],
                    websocket_max_message_size_bytes=1 << 20, check_unused_sessions_milliseconds=5000, unused_session_lifetime_milliseconds=10000)
    http = HTTPServer(pages, max_body_size=4 << 20)
    http.add_socket(s)
    server = BaseServer(IOLoop.current(), pages, http)
    server.start()
    ended = asyncio.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Ctrl-C, kill, and a terminal that is closed
        asyncio.get_running_loop().add_signal_handler(getattr(signal, name), ended.set)
    address = f"http://127.0.0.1:{port}/?token={guard.token}"
    print(f"sferic-view: {address}\nsferic-view: Ctrl-C ends it", flush=True)
    with browser_opened(address, not options.no_browser):
        await ended.wait()
    maker.stop()
    sferic.stop()
    await jobs.end()
    server.stop(wait=False)
    http.stop()
    await http.close_all_connections()


def main(options):
    for name in None, "bokeh", "tornado":
        logging.getLogger(name).setLevel(logging.ERROR)
    return outcome("sferic-view", lambda: asyncio.run(serve(options)))
