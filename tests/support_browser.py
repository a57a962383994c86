"""A headless Chromium for tests of pages, spoken to by the DevTools protocol over a websocket of tornado: no driver, no package beside.

    with Browser(folder) as browser:
        page = browser.open(address)
        page.wait("document.title.startsWith('sferic')")
        page.click_at("[100, 20]")

SPDX-License-Identifier: MIT
"""
import asyncio
import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request

from tornado.websocket import websocket_connect

NAMES = "chromium", "chromium-browser", "google-chrome"
PATIENCE = float(os.environ.get("PATIENCE", 300))  # s, for a busy machine


def browser_find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A Chromium with a profile of its own in a folder."""

    def __init__(self, folder):
        self.loop = asyncio.new_event_loop()
        self.folder = os.path.join(folder, "profile")
        # As root, and in containers, there is no sandbox to be had; the pages are this test's own.
        self.process = subprocess.Popen(
            [browser_find(), "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio", "--hide-scrollbars",
             "--window-size=1400,1150", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place = os.path.join(self.folder, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE
        while not os.path.exists(place) or not open(place).read().strip():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.05)
        self.port = int(open(place).read().split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def open(self, address="about:blank"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request) as answer:
            target = json.load(answer)
        page = Page(self.loop, target["webSocketDebuggerUrl"])
        if address != "about:blank":
            page.go(address)
        return page


class Page:
    """A tab."""

    def __init__(self, loop, address):
        self.loop, self.count, self.complaints = loop, 0, []
        self.socket = loop.run_until_complete(self._connect(address))
        for domain in ("Page", "Runtime", "Log"):
            self.do(domain + ".enable")

    @staticmethod
    async def _connect(address):
        return await websocket_connect(address, max_message_size=1 << 28)

    def do(self, method, **parameters):
        """A command of the protocol, and its answer."""
        self.count += 1
        return self.loop.run_until_complete(asyncio.wait_for(self._do(self.count, method, parameters), PATIENCE))

    async def _do(self, number, method, parameters):
        await self.socket.write_message(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            text = await self.socket.read_message()
            if text is None:
                raise RuntimeError("the tab is gone")
            answer = json.loads(text)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                about = answer["params"]["exceptionDetails"]
                self.complaints.append(about.get("exception", {}).get("description", about.get("text")))
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.complaints.append(answer["params"]["entry"]["text"] + " " + answer["params"]["entry"].get("url", ""))

    def go(self, address):
        self.do("Page.navigate", url=address)

    def ask(self, expression):
        """The value of an expression of JavaScript."""
        answer = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            about = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {about.get('exception', {}).get('description', about['text'])}")
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        """Until an expression is true; its value."""
        end = time.monotonic() + patience
        while True:
            try:
                value = self.ask(expression)
            except RuntimeError as e:
                value = None
                wrong = str(e)
            else:
                wrong = ""
            if value:
                return value
            if time.monotonic() > end:
                there = self.ask("location.href + ': ' + document.body.innerText.slice(0, 400)")
                raise RuntimeError(f"never true: {expression} {wrong} {self.complaints} at {there}")
            time.sleep(0.05)

    def click_at(self, expression):
        """Where an expression says, [x, y], once that stays where it is: a page that is still being laid out moves."""
        before = None
        while (here := self.ask(expression)) != before:
            before = here
            time.sleep(0.1)
        self.click(*here)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=0 if kind == "mouseMoved" else 1)

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)

    def type(self, text):
        self.do("Input.insertText", text=text)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.do("Page.captureScreenshot", format="png")["data"]))
