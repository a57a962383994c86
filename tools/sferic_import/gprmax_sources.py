"""Waveforms and sources of gprMax. SPDX-License-Identifier: MIT"""
import math
from collections import namedtuple

from sferic_plot.words import INPUT, Fail

from .gprmax_grid import place_read, tidy
from .report import NEAR, SAME
from .source import beside, number_read, text_read

Wave = namedtuple("Wave", "kind frequency amplitude delay over file pairs near first")
# kind: of sferic; amplitude: a factor; delay, over (when it has ended, from its begin): s; pairs: [(time, value)] of a file; near: how, or ''

SOURCES = "hertzian_dipole", "magnetic_dipole", "voltage_source", "transmission_line"
HALF = math.sqrt(2 * math.log(2))  # gaussians of gprMax have a spectrum exp(-f2 / 2 f0^2): half at HALF f0
PI = math.pi
CORNERS = "its corners make waves of few cells, which layers return in another way"
LOUDEST = 1e9  # A or V: sferic takes fields up to 1e18 V/m
SAMPLES = 256  # of a period in a file


def wave_make(kind, f, dt):
    """The waveform of a type of gprMax, of amplitude 1; None: there is no such."""
    narrow, broad = 1 / f, math.sqrt(2) / f  # delays of gprMax
    steep = (2 * PI * f) ** 2
    formulas = {
        "gaussian": ("gaussian", HALF * f, 1.0, narrow),
        "gaussiandot": ("differentiated_gaussian", f, 2 * PI * f * math.exp(-0.5), narrow),
        "gaussianprime": ("differentiated_gaussian", f, 2 * PI * f * math.exp(-0.5), narrow),
        "gaussiandotnorm": ("differentiated_gaussian", f, 1.0, narrow),
        "gaussiandotdot": ("ricker", f, -0.5 * steep, broad),
        "gaussiandotdotnorm": ("ricker", f, -1.0, broad),
        "gaussiandoubleprime": ("ricker", math.sqrt(2) * f, -steep, narrow),
        "ricker": ("ricker", f, 1.0, broad),
    }
    if kind in formulas:
        name, frequency, amplitude, delay = formulas[kind]
        return Wave(name, frequency, amplitude, delay, 2 * delay, None, None, "", f)
    if kind == "sine":
        pairs = [(n / SAMPLES / f, math.sin(2 * PI * n / SAMPLES)) for n in range(SAMPLES + 1)]
        return Wave("file", f, 1.0, 0.0, 1 / f, None, pairs, CORNERS, f)
    if kind == "contsine":
        return Wave("ramped_sine", f, 1.0, 4 / f, math.inf, None, None, "it grows smoothly over the four periods in which gprMax has a line", f)
    if kind == "impulse":
        return Wave("file", f, 1.0, 0.0, dt, None, [(0.0, 1.0), (0.999 * dt, 1.0), (dt, 0.0)], "as long as a step; " + CORNERS, f)
    return None


KINDS = ("gaussian gaussiandot gaussiandotnorm gaussiandotdot gaussiandotdotnorm gaussianprime gaussiandoubleprime ricker sine contsine impulse user").split()


def waveform(c, command):
    kind, name = command.words[0].lower(), command.words[3]
    amplitude, f = c.number(command, 1, "amplitude"), c.number(command, 2, "frequency")
    if name in c.waveforms:
        raise c.wrong(command, f"a waveform '{name}' is there already")
    if not f > 0:
        raise c.wrong(command, "the frequency must be above 0")
    wave = wave_make(kind, f, c.dt)
    if wave is None:
        more = "give it by #excitation_file" if kind == "user" else "there are " + ", ".join(KINDS)
        raise c.wrong(command, f"no waveform '{kind}': {more}")
    c.waveforms[name] = wave._replace(amplitude=wave.amplitude * amplitude)
    how = f"waveform = '{wave.kind}'" + ("" if wave.kind == "file" else f", frequency = {wave.frequency:.6g}, delay = {wave.delay:.6g}")
    c.told(command, NEAR if wave.near else SAME, how + (f": {wave.near}" if wave.near else ""))


def excitation_file(c, command):
    """Columns of values under their names, one of them time."""
    path = beside(command.path, command.words[0])
    if path is None:
        raise Fail(INPUT, f"{command.path}:{command.line}: {command.words[0]}: no such file, neither here nor beside {command.path}")
    lines = [(n, line.split()) for n, line in enumerate(text_read(path).split("\n"), 1) if line.split()]
    if len(lines) < 3:
        raise Fail(INPUT, f"{path}: a line of names and two of values at least")
    names = lines[0][1]
    rows = []
    for n, words in lines[1:]:
        if len(words) != len(names):
            raise Fail(INPUT, f"{path}:{n}: {len(words)} values under {len(names)} names")
        rows.append([number_read(w, path, n, "value") for w in words])
    timed = names[0].lower() == "time"
    times = [r[0] for r in rows] if timed else [n * c.dt for n in range(len(rows))]
    if any(b <= a for a, b in zip(times, times[1:])):
        raise Fail(INPUT, f"{path}: its times do not grow")
    for column, name in enumerate(names):
        if timed and column == 0:
            continue
        if name in c.waveforms:
            raise c.wrong(command, f"a waveform '{name}' is there already")
        c.waveforms[name] = Wave("file", frequency_of(times), 1.0, 0.0, times[-1], None, [(t, r[column]) for t, r in zip(times, rows)], "",
                                 frequency_of(times))
    plain = len(command.words) == 1 or command.words[1] == "linear"
    how = "waveform = 'file': straight lines between its values, 0 beyond them"
    c.told(command, SAME if plain else NEAR, how)


def frequency_of(times):
    """A frequency to begin the band of a port with: ten samples a period."""
    return 0.1 * (len(times) - 1) / (times[-1] - times[0])


def scale_of(c):
    """What amplitudes are divided by, a power of ten: the derivatives of gprMax that are not normalised make fields beyond single precision."""
    used = {w.words[5 if w.name in ("voltage_source", "transmission_line") else 4] for name in SOURCES for w in c.all(name)}
    most = max((abs(c.waveforms[n].amplitude) for n in used if n in c.waveforms), default=0.0)
    scale = 10.0 ** math.ceil(math.log10(most)) if most > LOUDEST else 1.0
    note = f"Amplitudes of all sources are divided by {scale:g}, and so are all fields."
    if scale > 1 and note not in c.notes:
        c.notes += ["", note]
    return scale


def wave_of(c, command, at):
    name = command.words[at]
    if name not in c.waveforms:
        raise c.wrong(command, f"no waveform '{name}': define it with #waveform")
    return c.waveforms[name]


def wave_keys(c, command, at):
    """(keys of a waveform without amplitude, its amplitude, notes): start and stop behind its name count."""
    wave, name, notes = wave_of(c, command, at), command.words[at], []
    begin = 0.0
    if len(command.words) > at + 1:
        if len(command.words) != at + 3:
            raise c.wrong(command, "start and stop, or neither")
        begin, stop = c.numbers(command, at + 1, 2, "time")
        if begin < 0 or stop <= begin:
            raise c.wrong(command, "start is 0 or more, stop after it")
        if begin + wave.over > stop and stop < c.window:
            notes.append(f"it goes on after {stop:g} s, where gprMax cuts it off")
    if wave.near:
        notes.append(wave.near)
    scale = scale_of(c)
    if scale > 1:
        notes.append(f"its amplitude is divided by {scale:g}, as that of all sources")
    amplitude = wave.amplitude / scale
    keys = {"waveform": wave.kind}
    if wave.kind == "file":
        file = c.file_name(command, name)
        c.files[file] = "".join(f"{t:.12g} {v:.12g}\n" for t, v in wave.pairs)
        keys |= {"file": file, "delay": tidy(begin)}
        return keys, amplitude, notes
    keys["frequency"] = float(f"{wave.frequency:.12g}")
    if wave.kind == "ramped_sine":
        if begin:
            notes.append("it begins at once: a ramped_sine has no start")
        keys["delay"] = tidy(wave.delay)
    else:
        keys["delay"] = tidy(wave.delay + begin)
    return keys, amplitude, notes


def source_add(c, command, said=None, **keys):
    c.sources.append(command)
    c.deck.entry("source", kind=(keys.pop("kind"), said or c.text_of(command)), **keys)


def told(c, command, how, notes):
    c.told(command, NEAR if notes else SAME, how + ("; " + "; ".join(notes) if notes else ""))


def hertzian(c, command):
    axis, place, length, _ = place_read(c, command, electric=True)
    keys, amplitude, notes = wave_keys(c, command, 4)
    source_add(c, command, kind="electric", axis=axis, **place, amplitude=tidy(amplitude * length), **keys)
    told(c, command, f"&source kind = 'electric': a moment of {amplitude * length:.6g} A m, the current by the length of a cell", notes)


def magnetic(c, command):
    axis, place, _, scale = place_read(c, command, electric=False)
    keys, amplitude, notes = wave_keys(c, command, 4)
    sign = -1.0 if c.axes.flat == 2 else 1.0  # the change of y and z turns H
    source_add(c, command, kind="magnetic", axis=axis, **place, amplitude=tidy(sign * amplitude * scale), **keys)
    told(c, command, "&source kind = 'magnetic'", notes)


def voltage(c, command):
    """A source with its resistance is a current of V / R beside that resistance; without one it sets the field."""
    axis, place, length, scale = place_read(c, command, electric=True)
    resistance = c.number(command, 4, "resistance")
    if resistance < 0:
        raise c.wrong(command, "the resistance is 0 or more")
    keys, amplitude, notes = wave_keys(c, command, 5)
    if resistance == 0:
        source_add(c, command, kind="electric", drive="hard", axis=axis, **place, amplitude=tidy(-amplitude * scale / length), **keys)
        told(c, command, "&source drive = 'hard': the field of that voltage along a cell", notes)
        return
    source_add(c, command, kind="electric", axis=axis, **place, amplitude=tidy(amplitude / resistance * length), **keys)
    c.deck.entry("element", axis=(axis, c.text_of(command)), **place, resistance=tidy(resistance * scale))
    told(c, command, f"&element resistance = {resistance:g} ohm and a current of V / R beside it", notes)


def line(c, command):
    """A line is its resistance with twice the wave's voltage behind it: a port."""
    axis, place, length, scale = place_read(c, command, electric=True)
    resistance = c.number(command, 4, "resistance")
    if not 0 < resistance < 376.73:
        raise c.wrong(command, "the resistance is above 0 and below 376.73 ohm")
    keys, amplitude, notes = wave_keys(c, command, 5)
    if sum(len(c.all(name)) for name in SOURCES) > 1:
        c.deck.entry("element", axis=(axis, c.text_of(command)), **place, resistance=tidy(resistance * scale))
        source_add(c, command, kind="electric", axis=axis, **place, amplitude=tidy(2 * amplitude / resistance * length), **keys)
        told(c, command, "&element and &source in place of a port, which is driven alone", notes + ["no record of its voltage and current"])
        return
    c.deck.entry("port", kind=("lumped", c.text_of(command)), axis=axis, **place, resistance=tidy(resistance * scale))
    c.deck.put("excitation%port", 1, c.text_of(command))
    for key, value in {"amplitude": tidy(2 * amplitude * scale), **keys}.items():
        c.deck.put(f"excitation%{key}", value, "V: twice the wave on the line" if key == "amplitude" else "")
    f = wave_of(c, command, 5).first
    c.deck.put("spectrum%from", float(f"{0.1 * f:.6g}"), "Hz, for ports.nc: change it as you like")
    c.deck.put("spectrum%to", float(f"{2 * f:.6g}"), "Hz")
    c.deck.put("spectrum%count", 96)
    c.told(command, NEAR, "&port kind = 'lumped', &excitation: the line's resistance and twice its wave's voltage; waves, voltage, current and impedance over frequency in ports.nc in place "
                          "of records over time" + ("; " + "; ".join(notes) if notes else ""))


