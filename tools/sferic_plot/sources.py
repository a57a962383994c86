"""What the namelist of a run, which its output holds, says of its sources. SPDX-License-Identifier: MIT"""
import math
import os
import re

import numpy as np

TOKEN = re.compile(r"\s*(?:(\d+)\*)?('(?:[^']|'')*'|[^\s,!'/]+)\s*,?")


def entries_read(text, group):
    """The entries of a group as the program prints them, each a dictionary of texts: the group stands there once for each, or once with
    lists. A key begins a line, its values may go on on the next ones; what is not given is not there."""
    entries = []
    for body in re.findall(rf"^&{group}\b(.*?)^/", text, re.S | re.M | re.I):
        values, mine = {}, []
        for line in body.splitlines():
            head = re.match(r"\s*(\w+)\s*=", line)
            if head:
                mine, line = values.setdefault(head.group(1).lower(), []), line[head.end():]
            while token := TOKEN.match(line):
                word = token.group(2)
                mine += [word[1:-1].replace("''", "'") if word[0] == "'" else word] * int(token.group(1) or 1)
                line = line[token.end():]
        for n in range(max(map(len, values.values()), default=0)):
            entries.append({k: v[n] for k, v in values.items() if n < len(v)})
    return entries


def file_end(folder, name):
    """Last time at which a file of time and value is not 0 for good."""
    lines = [re.split(r"[#!]", line)[0].replace(",", " ").split() for line in open(os.path.join(folder, name), encoding="utf-8")]
    t, y = np.array([[float(w) for w in line] for line in lines if line]).T
    some = np.flatnonzero(y)
    return float(t[min(some[-1] + 1, len(t) - 1)]) if len(some) else 0.0


def waveform_end(keys, folder):
    """When a source is over, s: docs/guide.md has the waveforms."""
    kind, f = keys.get("waveform", "gaussian"), float(keys.get("frequency", 1e9))
    band, delay = float(keys.get("bandwidth", 0)) or 0.5 * f, float(keys.get("delay", -1))
    half = math.sqrt(2 * math.log(2))
    if kind == "ramped_sine":
        return math.inf
    if kind == "file":
        try:
            return max(delay, 0) + file_end(folder, keys.get("file", ""))
        except (OSError, ValueError):
            return 0.0
    scale, reach = {"gaussian": (half / (2 * math.pi * f), 6), "differentiated_gaussian": (1 / (2 * math.pi * f), 6.5),
                    "ricker": (1 / (math.pi * f), 4.75), "modulated_gaussian": (half / (math.pi * band), 6)}[kind]
    return (delay if delay >= 0 else reach * scale) + reach * scale


def sources_end(text, folder):
    """When the last of them is over, s; 0 without any."""
    keys = [k for k in entries_read(text, "source") if k.get("kind", "none") != "none"]
    keys += [k for k in entries_read(text, "plane_wave") if k.get("direction", "none") != "none"]
    if any(k.get("kind", "none") != "none" for k in entries_read(text, "port")):
        given = entries_read(text, "excitation") or [{"waveform": "modulated_gaussian"}]
        keys += [k for k in given if k.get("port", "1") != "0"]
    return max((waveform_end(k, folder) for k in keys), default=0.0)
