"""A namelist of sferic as it grows, and its text: every line says of which setting it came. SPDX-License-Identifier: MIT"""
import textwrap

COMMENT = 40  # column of comments, where lines are shorter
ORDER = ("case", "grid", "time", "boundary", "dynamics", "turbulence", "surface", "water", "base", "forcing", "terrain", "initial", "statistics",
         "maxwell", "cpml",
         "medium", "pole", "geometry", "source", "element", "port", "excitation", "spectrum", "output")
LONG = 150


def number_text(x):
    """The shortest text that reads as x to 12 digits: 0.002, 1.5e9."""
    if isinstance(x, bool):
        return ".true." if x else ".false."
    if isinstance(x, int):
        return str(x)
    texts = [f"{x:.12g}"]
    if x and not 1e-3 <= abs(x) < 1e6:
        mantissa, _, power = f"{x:.11e}".partition("e")
        texts.append(f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}")
    return min(texts, key=len).replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def value_text(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (list, tuple)):
        return ", ".join(runs_text(value))
    return number_text(value)


def runs_text(values):
    """Equal neighbours as 4*0.5."""
    texts, out = [value_text(v) for v in values], []
    for n, text in enumerate(texts):
        if n and text == texts[n - 1]:
            out[-1][0] += 1
        else:
            out.append([1, text])
    return [t if n == 1 else f"{n}*{t}" for n, t in out]


class Deck:
    """Groups with keys, their values and what is said of each. Entries of lists are groups of their own."""

    def __init__(self):
        self.groups, self.entries = {}, []  # {name: {key: (value, comment)}}, [(name, {key: (value, comment)})]

    def put(self, target, value, comment=""):
        """target: 'group%key'."""
        group, key = target.split("%")
        self.groups.setdefault(group, {})[key] = value, comment

    def get(self, target, default=None):
        group, key = target.split("%")
        return self.groups.get(group, {}).get(key, (default, ""))[0]

    def entry(self, group, **keys):
        """One more of a list; values are plain, or pairs with what is said of them."""
        made = {k: v if isinstance(v, tuple) and len(v) == 2 and isinstance(v[1], str) else (v, "") for k, v in keys.items() if v is not None}
        self.entries.append((group, made))
        return made

    def text(self, head):
        lines = [("! " + line).rstrip() for line in head] + [""]
        single = [(name, keys) for name, keys in self.groups.items()]
        for name, keys in sorted(single + self.entries, key=lambda g: ORDER.index(g[0])):
            lines += [f"&{name}"] + [line for key, (value, comment) in keys.items() for line in key_lines(key, value, comment)] + ["/"]
        return "\n".join(lines) + "\n"


def key_lines(key, value, comment):
    """Lines of one key; lists of many values go on below."""
    text = f"    {key} = {value_text(value)}"
    lines = textwrap.wrap(text.strip(), LONG - 40, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False,
                          initial_indent="    ") if len(text) > LONG and isinstance(value, (list, tuple)) else [text]
    if comment:
        lines[-1] = lines[-1].ljust(COMMENT) + " ! " + comment
    return lines
