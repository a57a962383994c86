"""What tests/view.sh asks of the page, as a user does: support_view.py ROOT WORK, where WORK/out has the runs warm, cool and grating.
SPDX-License-Identifier: MIT
"""
import contextlib
import glob
import http.client
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from urllib.parse import quote, urlsplit

import netCDF4
import numpy as np
import xarray as xr
from support_browser import Browser

ROOT, WORK = sys.argv[1:]
VIEW = os.path.join(ROOT, "tools", "sferic-view")
failed = 0

MODEL = "Bokeh.documents[0].get_model_by_name('%s')"
BOX = """(() => { const v = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name('%s'));
    const b = v.el.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"""
CELL = """(() => { const v = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name('plane')); const b = v.canvas_view.el.getBoundingClientRect();
    return [b.x + v.frame.x_scale.compute(%g), b.y + v.frame.y_scale.compute(%g)]; })()"""
IMAGE = """(() => { const a = Bokeh.documents[0].get_model_by_name('%s_image').data.image[0];
    return {shape: a.shape || [a.length, a[0].length], values: Array.from(a.flat ? a.flat() : a)}; })()"""
DATA = "(() => { const d = Bokeh.documents[0].get_model_by_name('%s').data; return {x: Array.from(d.x), y: Array.from(d.y)}; })()"


def check(what, good, about=""):
    global failed
    print(f"{'ok  ' if good else 'FAIL'} {what}{'' if good else f': {about}'}", flush=True)
    failed += not good


@contextlib.contextmanager
def server(*words, program=VIEW):
    """sferic-view as a user starts it; its address."""
    process = subprocess.Popen([program, *words, "--no-browser"], cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    if not found:
        process.kill()
        raise RuntimeError(f"sferic-view says no address: {line} {process.stderr.read()}")
    try:
        yield found.group(0)
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        check("Ctrl-C ends it without a complaint", process.returncode == 0 and not said, f"{process.returncode} {said}")


class View:
    """An open page and its controls."""

    def __init__(self, browser, address, case):
        self.page = browser.open(address)
        self.page.wait(f"window.Bokeh && Bokeh.documents.length && {MODEL % 'caption'} && {MODEL % 'caption'}.text && document.title != 'sferic-view' && document.title.startsWith({case!r})")

    def get(self, name, what="text"):
        return self.page.ask(f"{MODEL % name}.{what}")

    def set(self, name, what, value, until):
        """As the browser's own widget does when a user has moved it."""
        self.page.ask(f"{MODEL % name}.{what} = {value!r}")
        return self.wait(until)

    def wait(self, until):
        return self.page.wait(until)

    def press(self, name):
        self.page.click_at(BOX % name)

    def caption_has(self, *texts):
        return " && ".join(f"{MODEL % 'caption'}.text.includes({t!r})" for t in texts)

    def image(self, name="plane"):
        image = self.page.ask(IMAGE % name)
        return np.array(image["values"], float).reshape(image["shape"])

    def shows(self, values, name="plane", patience=20):
        """The plane comes to be that: what stands beside it may change before its numbers have come."""
        end = time.monotonic() + patience
        while not same(self.image(name), values):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def data(self, name):
        data = self.page.ask(DATA % name)
        return np.array(data["x"], float), np.array(data["y"], float)


def same(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-6 * np.abs(b).max())


def run_open(name):
    files = sorted(glob.glob(os.path.join(WORK, "out", name, "history_*.nc")))
    sets = [xr.open_dataset(f, decode_times=False) for f in files]
    return xr.concat(sets, "time", data_vars="minimal", coords="minimal", compat="override")


def answer(address, path, **headers):
    """Status of a request by hand."""
    place = urlsplit(address)
    c = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    c.request("GET", path, headers=headers)
    reply = c.getresponse()
    text = reply.read()
    cookie = reply.getheader("Set-Cookie", "")
    c.close()
    return reply.status, cookie, text


def guarded(address):
    """Nothing without the token, and no other page's requests with it."""
    place = urlsplit(address)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Protocol": "bokeh, token"}
    paths = ["/", "/?token=", "/?token=x", "/view", "/style.css", "/static/js/bokeh.min.js", "/made/0", "/view/autoload.js", "/nowhere",
             "/view?" + place.query, "/case", "/case.js", "/case?file=warm_bubble", "/solid", "/plotly.js"]
    for path in paths:
        check(f"nothing without the token: {path.split('token')[0]}", answer(address, path)[0] == 403)
    c = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    c.request("POST", "/api/run", "{}", {"Content-Type": "application/json"})
    check("nothing is run without the token", c.getresponse().status == 403)
    c.close()
    check("no websocket without the token", answer(address, "/view/ws", **upgrade)[0] == 403)
    status, cookie, _ = answer(address, "/?" + place.query)
    cookie = cookie.split(";")[0]
    check("the token is taken for a cookie", status == 302 and place.query.split("=")[1] in cookie, f"{status} {cookie}")
    check("the cookie opens static files", answer(address, "/static/js/bokeh.min.js", Cookie=cookie)[0] == 200)
    check("a name that was made to lead here is refused", answer(address, "/", Cookie=cookie, Host="evil.example")[0] == 403)
    check("another page is refused", answer(address, "/view/ws", Cookie=cookie, Origin="http://127.0.0.1:1", **upgrade)[0] == 403)
    name = cookie.split("=")[0]
    check("a wrong cookie is refused", answer(address, "/", Cookie=f"{name}=x")[0] == 403)


def weather(browser, address):
    run = run_open("warm")
    view = View(browser, address, "warm_bubble")
    at = float(re.search(r"y = (\S+) km", view.get("caption").replace("−", "-")).group(1)) * 1000
    check("the last frame of w is shown", view.shows(run.w.isel(time=-1).sel(y=at, method="nearest").values))
    view.press("earlier")
    view.wait(view.caption_has("80 s"))
    check("a button: the frame before", view.shows(run.w.isel(time=2).sel(y=at, method="nearest").values))
    # A slider, moved by the keyboard as users may.
    view.page.ask(f"Bokeh.index.find_one({MODEL % 'place'}).el.shadowRoot.querySelector('.noUi-handle').focus()")
    view.page.key("ArrowRight", 39)
    j = int(np.argmin(np.abs(run.y.values - at))) + 1
    view.wait(f"{MODEL % 'place'}.value == {j} && {MODEL % 'place_text'}.text.includes('{j + 1} of 20')")
    view.wait(view.caption_has(f"{run.y.values[j] / 1000:.4g}".replace("-", "−")))
    check("the slider: the section beside", view.shows(run.w.isel(time=2, y=j).values))
    view.set("variable", "value", "theta_p", view.caption_has("θ′"))
    check("another variable", view.shows(run.theta_p.isel(time=2, y=j).values))
    view.set("axis", "active", 2, view.caption_has("z = "))
    view.set("place", "value", 3, view.caption_has(f"{run.z.values[3] / 1000:.4g}"))
    check("a level", view.shows(run.theta_p.isel(time=2, z=3).values))
    i, j = 13, 9
    view.page.click_at(CELL % (run.x.values[i] / 1000, run.y.values[j] / 1000))
    view.wait(f"{MODEL % 'value'}.text.startsWith('theta_p') && {MODEL % 'series_A'}.data.x.length == 4 && {MODEL % 'profile_A'}.data.x.length == 16")
    cell = run.theta_p.isel(x=i, y=j)
    told = view.get("value")
    check("a click: the value", abs(float(told.split()[1]) - float(cell[2, 3])) <= 1e-6 * abs(float(cell[2, 3])) and f"x = {run.x.values[i]:g} m" in told, told)
    t, series = view.data("series_A")
    check("a click: the time series", same(series, cell.isel(z=3)) and same(t, run.time))
    profile, z = view.data("profile_A")
    check("a click: the profile", same(profile, cell.isel(time=2)) and same(z, run.z / 1000))
    low, high = view.get("low", "value"), view.get("high", "value")
    view.press("first")
    view.wait(view.caption_has(", 0 s"))
    check("one scale for all times", (low, high) == (view.get("low", "value"), view.get("high", "value")) and high == -low)
    view.press("play")
    view.wait(view.caption_has("40 s"))
    view.wait(view.caption_has("120 s"))
    view.press("play")
    check("play, and pause", view.page.wait(f"!{MODEL % 'play'}.active"))
    view.set("tabs", "active", 1, f"{MODEL % 'panels'}.children.length > 0")
    check("series of the run", "Extremes of w" in view.page.ask(f"{MODEL % 'panels'}.children.flatMap(r => r.children).map(f => f.title.text).join()"))
    view.set("tabs", "active", 0, f"{MODEL % 'tabs'}.active == 0")
    view.press("last")
    view.wait(view.caption_has("120 s"))
    line = view.get("command")
    check("the command of sferic-plot", line.startswith(f"{ROOT}/tools/sferic-plot out/warm --var theta_p --section z=") and line.endswith("--time 120"), line)
    view.press("picture")
    view.wait(f"{MODEL % 'made'}.text.includes('/made/0')")
    check("a picture in the run's folder", len(glob.glob(os.path.join(WORK, "out", "warm", "*.png"))) == 1, view.get("made"))
    check("the picture is served", view.page.ask("fetch('/made/0').then(r => r.headers.get('content-type'))") == "image/png")
    check("nothing complains", not view.page.complaints, view.page.complaints)
    return view


def compare(view):
    """A second run: beside, on one scale; difference."""
    one, two = run_open("warm"), run_open("cool")
    view.set("other", "value", os.path.join(WORK, "out", "cool"), f"{MODEL % 'mode'}.active == 1 && {MODEL % 'plane_b'}.visible")
    view.wait(f"{MODEL % 'plane_b_image'}.data.image[0].length > 1")
    check("two runs beside each other", view.shows(one.theta_p[-1, 3]) and view.shows(two.theta_p[-1, 3], "plane_b"))
    view.set("mode", "active", 2, f"!{MODEL % 'plane_b'}.visible && {MODEL % 'plane'}.title.text == 'B − A'")
    check("their difference", view.shows(two.theta_p[-1, 3] - one.theta_p[-1, 3]))
    check("the command compares", "--compare out/warm out/cool --var theta_p" in view.get("command"), view.get("command"))
    view.set("other", "value", os.path.join(WORK, "out", "grating"), f"{MODEL % 'error'}.text.includes('no variable in common')")
    check("a run of another kind is told", view.get("mode", "active") == 0)


def waves(browser, address):
    run = run_open("grating")
    view = View(browser, address.split("?")[0] + "view?run=" + quote(os.path.join(WORK, "out", "grating")), "grating")
    name = view.get("variable", "value")
    check("waves: a component of E", re.fullmatch("E[xyz]", name) is not None, name)
    n = view.get("time", "value")
    shown, wanted = view.image(), run[name].isel(time=n, y=0).values
    check("waves: the middle of what is lively", same(shown, wanted), f"{shown.shape} {wanted.shape} frame {n}")
    view.press("later")
    view.wait(f"{MODEL % 'time'}.value == {n + 1}")
    view.wait(view.caption_has(f"{float(run.time[n + 1]) * 1e15:.3g} fs"))
    check("waves: the next frame", view.shows(run[name].isel(time=n + 1, y=0).values))
    view.set("tabs", "active", 1, f"{MODEL % 'panels'}.children.length > 0")
    titles = view.page.ask(f"{MODEL % 'panels'}.children.flatMap(r => r.children).map(f => f.title.text).join()")
    check("waves: energy and orders", "Energy in the domain" in titles and "Diffraction orders" in titles, titles)
    check("waves: nothing complains", not view.page.complaints, view.page.complaints)


def grows(browser, address):
    """A run that goes on, in a folder whose name would do harm."""
    name = """a 'b' "c" <img src=x onerror=alert(1)> $$x$$ ü&amp;"""
    folder = os.path.join(WORK, "out", name)
    os.makedirs(folder)
    files = sorted(glob.glob(os.path.join(WORK, "out", "warm", "history_*.nc")))
    for f in files[:2]:
        shutil.copy(f, folder)
    view = View(browser, address.split("?")[0] + "view?run=" + quote(folder), "warm_bubble")
    check("a name with markup is text", view.page.ask("(n => { const d = document.createElement('div'); d.innerHTML = n; return d.textContent; })(%s)"
                                                      % (MODEL % "heading" + ".text")).find(name) > 0)
    check("no markup of it", view.page.ask(f"Bokeh.index.find_one({MODEL % 'heading'}).el.shadowRoot.querySelectorAll('img').length") == 0)
    shutil.copy(files[2], os.path.join(folder, "part"))
    os.rename(os.path.join(folder, "part"), os.path.join(folder, os.path.basename(files[2])))
    view.wait(f"{MODEL % 'time'}.end == 2 && {MODEL % 'time'}.value == 2")
    view.wait(view.caption_has("80 s"))
    check("new frames are followed", "3 output times" in view.get("heading"))
    import shlex
    check("the command quotes it", os.path.join("out", name) in shlex.split(view.get("command")), view.get("command"))
    index = browser.open(address.split("?")[0])
    index.wait("document.title == 'sferic: runs'")
    check("the list has all names", name in index.ask("Array.from(document.querySelectorAll('a')).map(a => a.textContent).join('|')"))
    check("and no markup of them", index.ask("document.querySelectorAll('img').length") == 0)
    view.page.go(address.split("?")[0] + "view?run=" + quote("/nowhere <b>"))
    view.wait(f"window.Bokeh && Bokeh.documents.length && {MODEL % 'error'} && {MODEL % 'error'}.text.includes('no such file or folder')")
    check("a wrong folder is told", "&lt;b&gt;" in view.get("error"))


def large(browser, address):
    """10 GB, of which next to nothing lies on the disk: opened, and moved through, without reading it all."""
    folder = os.path.join(WORK, "out", "large")
    os.makedirs(folder)
    size = {"time": 25, "z": 100, "y": 500, "x": 1000}
    with netCDF4.Dataset(os.path.join(folder, "history_00000000.nc"), "w") as ds:
        ds.set_fill_off()
        ds.setncatts({"model": "dynamics", "case": "large", "namelist": ""})
        for n, count in size.items():
            ds.createDimension(n, count)
            ds.createVariable(n, "f8", (n,))[:] = np.arange(count) * 100.0
        for n in ("w", "theta_p"):
            v = ds.createVariable(n, "f4", tuple(size), contiguous=True)
            v.units = "m s-1"
            v[24, 50, 250] = np.arange(1000)
    if os.path.getsize(glob.glob(os.path.join(folder, "*.nc"))[0]) < 1e10:
        check("a large file was made", False)
    begin = time.monotonic()
    view = View(browser, address.split("?")[0] + "view?run=" + quote(folder), "large")
    took = time.monotonic() - begin
    view.set("place", "value", 250, view.caption_has("y = 25 km"))
    begin = time.monotonic()
    for n in range(24):
        view.set("time", "value", n, view.caption_has(view.page.ask("'y = '")) + f" && {MODEL % 'time_text'}.text.includes('({n + 1} of 25)')")
    scrubbed = (time.monotonic() - begin) / 24
    view.press("last")
    view.wait(f"{MODEL % 'time_text'}.text.includes('(25 of 25)')")
    view.wait(f"{MODEL % 'plane_image'}.data.image[0].length > 1")
    ok = view.page.wait("(() => { const a = Bokeh.documents[0].get_model_by_name('plane_image').data.image[0]; return Array.from(a.flat ? a.flat() : a)[50 * 1000 + 999] == 999; })()")
    check(f"10 GB: open after {took:.1f} s, a frame in {1000 * scrubbed:.0f} ms", ok)
    read = int(re.search(r"^rchar: (\d+)", open(f"/proc/{pid_of(address)}/io").read(), re.M).group(1))
    check(f"10 GB: {read / 1e6:.0f} MB were read by all this test", read < 2e9)


def made_up(browser, address):
    """Of folders that formulas fill: spectra on planes, probes, flux and transmission; scattering parameters."""
    base = address.split("?")[0]
    for kind in ("em", "ports", "rainy"):
        subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "support_plot.py"), kind, os.path.join(WORK, "out", kind)], check=True)
    subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "support_plot.py"), "bubble", os.path.join(WORK, "out", "theta"), "theta"], check=True)
    from sferic_plot.read import Run
    run = Run(os.path.join(WORK, "out", "theta"))
    whole = run.read("theta_p", 3)
    check("theta less its base state, level by level", same(run.read("theta_p", 3, "z", slice(2, None, 7)), whole[2::7]) and
          same(run.read("theta_p", 3, "z", run.axes["z"][9]), whole[9]))
    view = View(browser, base + "view?run=" + quote(os.path.join(WORK, "out", "em")), "")
    kinds = view.get("source", "options")
    planes = [k for k in kinds if k.startswith("DFT")]
    with xr.open_dataset(os.path.join(WORK, "out", "em", f"dft_{planes[0][4:]}.nc")) as ds:
        frequencies = ds.frequency.values
    view.set("source", "value", planes[0], f"{MODEL % 'time_text'}.text.includes('frequency') && " + view.caption_has("DFT", "Hz"))
    check("planes of the running DFT", view.get("time", "end") == max(len(frequencies) - 1, 1) and view.image().max() > 0)
    view.set("tabs", "active", 1, f"{MODEL % 'panels'}.children.length > 0")
    titles = view.page.ask(f"{MODEL % 'panels'}.children.flatMap(r => r.children).map(f => f.title.text).join()")
    check("probes, spectra, flux, transmission", all(t in titles for t in ("at the probes", "Spectrum of", "Flux", "Transmission")), titles)
    rainy = View(browser, base + "view?run=" + quote(os.path.join(WORK, "out", "rainy")), "")
    run = run_open("rainy")
    rainy.set("variable", "value", "rain", rainy.caption_has("Rain"))
    check("a map: rain on the ground", rainy.shows(run.rain[-1]) and rainy.get("axis", "active") == 2 and rainy.get("axis", "disabled"))
    rainy.set("variable", "value", "reflectivity", rainy.caption_has("reflectivity"))
    rainy.set("axis", "active", 2, rainy.caption_has("z = "))
    rainy.set("place", "value", 1, f"{MODEL % 'place_text'}.text.includes('(2 of ')")
    rainy.wait(rainy.caption_has(f"z = {run.z.values[1] / 1000:.4g} km"))
    check("a level of reflectivity, on the scale of radars", rainy.shows(run.reflectivity[-1, 1]) and rainy.get("high", "value") == 70)
    view.page.go(base + "view?run=" + quote(os.path.join(WORK, "out", "ports")))
    view.wait(f"window.Bokeh && Bokeh.documents.length && {MODEL % 'panels'} && {MODEL % 'panels'}.children.length > 0 && {MODEL % 'tabs'}.active == 1")
    titles = view.page.ask(f"{MODEL % 'panels'}.children.flatMap(r => r.children).map(f => f.title.text).join()")
    check("scattering parameters", "Scattering parameters" in titles and "Smith chart" in titles, titles)
    check("made-up folders: nothing complains", not view.page.complaints, view.page.complaints)


def solid(browser, address):
    """A variable in three dimensions."""
    run = run_open("warm")
    page = browser.open(address.split("?")[0] + "solid?run=" + quote(os.path.join(WORK, "out", "warm")) + "&name=theta_p&frame=3")
    page.wait("!!(document.getElementById('solid') && document.getElementById('solid').data && document.querySelector('#solid canvas'))")
    values = np.array(page.ask("Array.from(document.getElementById('solid').data[0].value)"))
    check("in three dimensions: the field", same(values, run.theta_p[3].values.ravel()))
    places = np.array([page.ask(f"Array.from(document.getElementById('solid').data[0].{a})") for a in "xyz"])
    z, y, x = np.meshgrid(run.z / 1000, run.y / 1000, run.x / 1000, indexing="ij")
    check("in three dimensions: its places", same(places, [x.ravel(), y.ravel(), z.ravel()]))
    page.ask("(() => { const e = document.getElementById('frame'); e.value = 1; e.dispatchEvent(new Event('input')); })()")
    page.wait(TEXT % "time" + ".startsWith('40 s')")
    values = np.array(page.ask("Array.from(document.getElementById('solid').data[0].value)"))
    check("in three dimensions: another time", same(values, run.theta_p[1].values.ravel()))
    check("in three dimensions: nothing complains", not page.complaints, page.complaints)


def installed():
    """From where `make install-plot` puts it, under the python that has the modules."""
    stage = os.path.join(WORK, "stage")
    words = {n: v for n, v in os.environ.items() if n not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")}
    subprocess.run(["make", "-s", "-C", ROOT, "install-plot", "prefix=/usr", f"DESTDIR={stage}"], check=True, env=words, stdout=subprocess.DEVNULL)
    os.environ["PYTHON"] = sys.executable
    with server(program=os.path.join(stage, "usr", "bin", "sferic-view")) as address:
        cookie = answer(address, "/?" + urlsplit(address).query)[1].split(";")[0]
        check("installed", all(answer(address, p, Cookie=cookie)[0] == 200 for p in ("/", "/case", "/case.js", "/solid", "/view", "/plotly.js")))
    os.environ.pop("PYTHON")


def namelists():
    """A value that is put where it stands changes nothing, in any case that comes with the program; and what is made, changed and taken
    away is what one would have written."""
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    from sferic_view.cases import files_plan, shipped_find
    from sferic_view.namelist import edited, entry_removed, groups_find, look, quoted
    values = 0
    for name, path in shipped_find().items():
        text = open(path, encoding="utf-8").read()
        for g in look(text):
            for key, held in g["keys"].items():
                if not held["several"] and edited(text, g["name"], g["number"], key, held["value"]) != text:
                    check(f"{name}: {g['name']}%{key} as it is", False)
                values += 1
        whole = [g.name for g in groups_find(text) if g.end is not None]
        if len(whole) != len(re.findall(r"^ *&\w+", text, re.M)):
            check(f"{name}: its groups", False, whole)
    check(f"{values} values of all cases put where they stand", values > 500)
    text = "! & no group / 'a\n&case name='x' / prose\n&grid\n  nx = 3  ! cells, 'west' to east\n  ny=4,\n/\n&grid dz = 2*5., 6 dx=1/"
    rows = (("grid", 0, "nx", "12", "  nx = 12 ! cells, 'west' to east\n"), ("grid", 0, "nx", "", "&grid\n  ny=4,\n/"), ("grid", 0, "nz", "7", "  ny=4,\n  nz = 7\n/"),
            ("grid", 1, "dz", "1", "dz = 1 dx=1/"), ("grid", 1, "nx", "9", "dx=1 nx = 9 /"), ("case", 0, "name", quoted("it's", "string"), "name='it''s' /"),
            ("time", 0, "dt", "1", "dx=1/\n&time\n    dt = 1\n/\n"), ("grid", 1, "dx", "", "6 /"))
    for group, number, key, value, wanted in rows:
        new = edited(text, group, number, key, value)
        check(f"{group}%{key} = {value or 'nothing'}", wanted in new, new)
    norman = shipped_find()["norman_2011"]
    copy, files = files_plan(open(norman, encoding="utf-8").read(), os.path.dirname(norman), WORK)
    check("a copy of a case brings its sounding", "sounding = 'oun_2011052212.txt'" in copy and [os.path.basename(f[1]) for f in files] == ["oun_2011052212.txt"], files)
    os.makedirs(os.path.join(WORK, "mine"))
    open(os.path.join(WORK, "secret"), "w").close()
    check("of other cases nothing is fetched from elsewhere", files_plan("&base sounding='../secret' /", os.path.join(WORK, "mine"), WORK)[1] == [])
    check("a group is taken away", entry_removed(text, "grid", 0) == text.replace("&grid\n  nx = 3  ! cells, 'west' to east\n  ny=4,\n/\n", ""))


PUT = """(async () => { const e = document.getElementById(%r); e.focus(); if (e.select) e.select(); else { e.value = %r; e.dispatchEvent(new Event('change')); } })()"""
TEXT = "document.getElementById(%r).textContent"
CHECKED = TEXT % "checked" + ".includes(%r)"
BAD = "Array.from(document.querySelectorAll('.key.bad')).map(e => e.textContent).find(t => t.startsWith(%r))"


def start(browser, address):
    """A case from the list to a run that is stopped and goes on."""
    base = address.split("?")[0]
    page = browser.open(base)
    page.wait("document.title == 'sferic: runs' && document.readyState == 'complete'")
    page.click_at("(() => { const a = Array.from(document.querySelectorAll('a')).find(a => a.textContent == 'warm_bubble'); a.scrollIntoView();"
                         "const b = a.getBoundingClientRect(); return [b.x + 5, b.y + 5]; })()")
    page.wait("location.pathname == '/case' && document.readyState == 'complete'")
    page.wait(CHECKED % "no errors")
    check("what it will cost", "wall time: about" in page.ask(TEXT % "brief") and "limits of the time step" in page.ask(TEXT % "costs"))
    about = page.ask("document.getElementById('grid-0-dx').parentNode.textContent")
    check("unit, range, default and meaning", "cell size west to east" in about and "real [m] 1e-12 to 10000000; default 1000" in about, about)

    def put(name, value):
        """Typed by a user into the field of a key."""
        page.ask(PUT % (name, value))
        if page.ask(f"document.getElementById({name!r}).tagName") == "INPUT":
            page.type(value)

    put("grid-0-nx", "many")
    page.wait(CHECKED % "1 error")
    told = page.wait(BAD % "nx")
    check("an error at its key", told.startswith("nx") and "expected an integer" in told, told)
    check("and at its line", "line 21: grid%nx" in page.ask(TEXT % "findings"), page.ask(TEXT % "findings"))
    for name, value in (("nx", "24"), ("ny", "20"), ("nz", "16"), ("dx", "500"), ("dy", "500"), ("dz", "625")):
        put(f"grid-0-{name}", value)
        page.wait(f"document.getElementById('text').value.includes('    {name} = {value} ')")
    put("boundary-0-west", "periodic")
    page.wait(CHECKED % "1 error")
    told = page.wait(BAD % "west")
    check("a contradiction at its key", told.startswith("west") and "must both be 'periodic'" in told, told)
    put("boundary-0-west", "wall")
    put("time-0-dt", "2")
    put("time-0-duration", "1e6")
    page.wait("document.getElementById('text').value.includes('duration = 1e6 ') && " + CHECKED % "no errors")
    page.ask(PUT % ("search", ""))
    page.type("blending wind_u")
    page.wait(TEXT % "found" + " == '0 keys'")
    page.ask(PUT % ("search", ""))
    page.type("restart interval")
    page.wait("!!document.getElementById('time-0-restart_interval')")
    check("the search finds keys of groups that are not given", page.ask("document.querySelectorAll('.key').length") < 20)
    page.ask("(() => { const e = document.getElementById('search'); e.value = ''; e.dispatchEvent(new Event('input')); })()")
    page.ask("(() => { const e = document.getElementById('text'); e.value += '&nonsense x = 1 /'; e.dispatchEvent(new Event('input')); })()")
    page.wait(CHECKED % "1 error")
    check("an error in the text", "unknown group" in page.ask(TEXT % "findings"), page.ask(TEXT % "findings"))
    page.ask("(() => { const e = document.getElementById('text'); e.value = e.value.replace('&nonsense x = 1 /', ''); e.dispatchEvent(new Event('input')); })()")
    page.wait(CHECKED % "no errors")

    name = "mein 'Fall' <b>ü & co.nml"
    put("file", name)
    put("out", "out/from page ü")
    page.click_at("(() => { const b = document.getElementById('run').getBoundingClientRect(); return [b.x + 5, b.y + 5]; })()")
    page.wait(TEXT % "state" + " == 'running' && " + TEXT % "terminal" + ".includes('steps/s')")
    check("progress as on the terminal", re.search(r"\[.*\].*%.*of.*steps/s", page.ask(TEXT % "terminal")) is not None, page.ask(TEXT % "terminal"))
    saved = open(os.path.join(WORK, name), encoding="utf-8").read()
    check("the file is the text of the page", saved == page.ask("document.getElementById('text').value"))
    shipped = open(os.path.join(ROOT, "namelists", "warm_bubble.nml"), encoding="utf-8").read()
    changed = [a for a, b in zip(saved.split("\n"), shipped.split("\n")) if a != b]
    check("nothing else than what was typed has changed", len(changed) == 8 and all(a.index("!") == b.index("!") for a, b in zip(saved.split("\n"), shipped.split("\n")) if a != b), changed)
    viewer = browser.open(base + "view?run=" + quote(os.path.join(WORK, "out", "from page ü")))
    viewer.wait(f"window.Bokeh && Bokeh.documents.length && {MODEL % 'heading'} && {MODEL % 'heading'}.text.includes('running')")
    check("the run is seen while it goes on", True)
    page.ask("document.getElementById('stop').click()")
    page.wait(TEXT % "state" + ".startsWith('stopped, with a checkpoint')")
    check("it is stopped", '"exit_code": 75' in open(os.path.join(WORK, "out", "from page ü", "status.json")).read())
    again = browser.open(base + "case?file=" + quote(os.path.join(WORK, name)))
    again.wait("document.readyState == 'complete'")
    again.wait(CHECKED % "no errors")
    again.ask("(() => { const e = document.getElementById('out'); e.value = 'out/from page ü'; e.dispatchEvent(new Event('input')); })()")
    again.wait(CHECKED % "no errors" + " && " + TEXT % "findings" + ".includes('results of an earlier run')")
    told = again.ask(TEXT % "findings")
    check("results of a case are no error of it", "restart goes on from them" in told and again.ask("document.querySelectorAll('#findings .error, #checked.error').length") == 0, told)
    page.ask("document.getElementById('restart').click()")
    page.wait(TEXT % "state" + " == 'running' && " + TEXT % "terminal" + ".includes('going on from')")
    check("and goes on", True)
    check("the page complains of nothing", not page.complaints, page.complaints)
    return page


def pid_of(address):
    """The server's process, by its port: it alone has a command line that ends in --no-browser here."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = open(path, "rb").read().split(b"\0")
            if VIEW.encode() in words and os.path.realpath(path.replace("cmdline", "cwd")) == os.path.realpath(WORK):
                return path.split("/")[2]
    raise RuntimeError("no server")


def terminal():
    """A terminal that is closed takes the server with it."""
    master, slave = pty.openpty()
    process = subprocess.Popen([VIEW, "--no-browser"], cwd=WORK, stdin=slave, stdout=slave, stderr=slave, preexec_fn=lambda: (os.setsid(), __import__("fcntl").ioctl(0, 0x540E, 0)))
    os.close(slave)
    said = b""
    while b"Ctrl-C ends it\r\n" not in said:
        said += os.read(master, 4096)
    os.close(master)
    try:
        check("a closed terminal ends it", process.wait(timeout=60) == 0, process.returncode)
    except subprocess.TimeoutExpired:
        process.kill()
        check("a closed terminal ends it", False)


def usage():
    def tell(*words):
        done = subprocess.run([VIEW, *words], cwd=WORK, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr
    code, _, said = tell("nowhere")
    check("no folder", code == 4 and said.count("\n") == 1 and "no such folder or file" in said, said)
    code, _, said = tell("--port", "70000")
    check("no port", code == 2 and said.count("\n") == 1 and "1 to 65535" in said, said)
    for what, text, words in (("a picture", b"\x89PNG\r\n\0\0", "not a text"), ("a page", b"# A title\n\nand a & b\n", "no namelist, for it has no group"),
                              ("an empty file", b"", "no group"), ("a file of netCDF", b"\x89HDF\r\n", "a netCDF file: give the folder"),
                              ("a case of gprMax", b"#title: a\n#domain: 1 1 1\n", "sferic-import makes a case of it")):
        with open(os.path.join(WORK, "other.nml"), "wb") as f:
            f.write(text)
        code, out, said = tell("--no-browser", "other.nml")
        check(f"{what} is no namelist", code == 4 and not out and said.count("\n") == 1 and words in said, f"{code} {out} {said}")
    os.remove(os.path.join(WORK, "other.nml"))
    code, _, said = tell("warm_bubbel")
    check("no case of that name", code == 4 and said.count("\n") == 1 and "did you mean the case 'warm_bubble'?" in said, said)
    for words, case in (("norman", "norman_2011"), ("heat.nml", "heat"), ("namelists/diploe.nml", "dipole")):
        code, _, said = tell(words)
        check(f"no case {words}", code == 4 and said.count("\n") == 1 and f"did you mean the case '{case}'?" in said, said)
    code, out, _ = tell("--help")
    check("help", code == 0 and "--compare" in out)


def main():
    usage()
    namelists()
    with server("out/warm") as address, Browser(WORK) as browser:
        guarded(address)
        view = weather(browser, address)
        waves(browser, address)
        check("two pages at a time", "warm_bubble" in view.page.ask("document.title") and "120 s" in view.get("caption"))
        compare(view)
        grows(browser, address)
        large(browser, address)
        made_up(browser, address)
        solid(browser, address)
        start(browser, address)
    status = open(os.path.join(WORK, "out", "from page ü", "status.json")).read()
    check("a run that the page began ends with the server, in a checkpoint", '"exit_code": 75' in status, status)
    terminal()
    installed()
    print("all passed" if not failed else f"{failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
