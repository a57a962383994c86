"""input_sounding: a line with pressure (hPa), theta (K) and vapour (g/kg) at the ground, then lines of height (m), theta, vapour, u and v (m/s).

sferic reads it as it is; here it is looked at, for what is wrong to be told with its line, and written. SPDX-License-Identifier: MIT
"""
import os

from sferic_plot.words import INPUT, Fail

from .source import number_read, text_read, wrong

LEAST = 2  # levels above the ground


def sounding_read(path, winds):
    """(ground, levels): lists of numbers. winds: must each level have u and v?"""
    ground, levels, columns = None, [], 5 if winds else 3
    for n, line in enumerate(text_read(path).split("\n"), 1):
        words = line.split("!")[0].replace(",", " ").split()
        if not words:
            continue
        wanted = 3 if ground is None else columns
        if len(words) < wanted:
            what = "pressure, theta, vapour" if ground is None else "height, theta, vapour, u, v" if winds else "height, theta, vapour"
            raise wrong(path, n, f"{len(words)} numbers, not {wanted}: {what}")
        numbers = [number_read(w, path, n, "input_sounding") for w in words[:5 if ground is not None else 3]]
        if ground is None:
            ground = numbers
        elif levels and numbers[0] <= levels[-1][0]:
            raise wrong(path, n, f"height {numbers[0]:g} m is not above the one before it, {levels[-1][0]:g} m")
        else:
            levels.append(numbers)
    if len(levels) < LEAST:
        raise Fail(INPUT, f"{path}: {len(levels)} levels above the first line: at least {LEAST} are needed")
    return ground, levels


def sounding_find(c, options):
    path = options.sounding or os.path.join(os.path.dirname(c.path), "input_sounding")
    if not os.path.exists(path):
        raise Fail(INPUT, f"{path}: no such file, which isnd = {c.whole('isnd')} reads: put it beside {c.path}, or give --sounding FILE")
    return path


def sounding_text(ground, levels):
    """In input_sounding's own form, u and v 0 where there are none."""
    lines = ["{:.6g} {:.9g} {:.6g}".format(*ground)]
    lines += [" ".join(f"{x:.9g}" for x in (level + [0.0, 0.0])[:5]) for level in levels]
    return "\n".join(lines) + "\n"
