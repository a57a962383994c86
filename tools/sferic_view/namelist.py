"""A namelist as a text that is edited: where its groups, keys and values stand, and single values changed with all else left as it is,
comments too. What is wrong with it is sferic's own to say. SPDX-License-Identifier: MIT
"""
import re

from sferic_prepare.namelist import TOKEN

OUTSIDE = re.compile(r"[^&!]+|![^\n]*|&(?![a-z])", re.I)  # prose and comments between groups
HEAD = re.compile(r"&([a-z]\w*)", re.I)
SINGLE = {"string", "choice"}


class Group:
    """A group: name (lower case), begin (of its &), keys {name: [Value]}, end (of its / or &end, None where that is missing)."""

    def __init__(self, name, begin, body):
        self.name, self.begin, self.body = name, begin, body
        self.keys, self.end = {}, None


class Value:
    """key = value: begin (of the key), low and high (of the value), at (the number in brackets, or '')."""

    def __init__(self, begin, low, at):
        self.begin, self.low, self.high, self.at = begin, low, low, at


def groups_find(text):
    """Groups in their order, as far as the text can be read."""
    groups, at = [], 0
    while True:
        while (skipped := OUTSIDE.match(text, at)) is not None:
            at = skipped.end()
        head = HEAD.match(text, at)
        if head is None:
            return groups
        group = Group(head[1].lower(), at, head.end())
        groups.append(group)
        at = group_read(text, group)


def group_read(text, group):
    """Where reading goes on behind it: behind its end, or at what no namelist holds."""
    at, value = group.body, None
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            return at + 1
        if token["end"]:
            group.end = token.start()
            return token.end()
        if token["key"]:
            name = token["key"].lower()
            value = Value(token.start(), token.end(), token["at"] or "")
            group.keys.setdefault(name, []).append(value)
        elif (token["word"] or token["quote"]) and value is not None:
            value.low = token.start() if value.high == value.low else value.low
            value.high = token.end()
        at = token.end()
    return at


def position_of(text, line, column):
    """Offset of a line and column, from 1; columns are bytes, as sferic counts them."""
    rows = text.split("\n")
    if not 1 <= line <= len(rows):
        return 0
    before = rows[line - 1].encode()[:max(column - 1, 0)].decode("utf-8", "ignore")
    return sum(len(r) + 1 for r in rows[:line - 1]) + len(before)


def look(text):
    """What the form shows: every group with its number among those of its name, its line, and the values of its keys as they are written."""
    count, found = {}, []
    for g in groups_find(text):
        n = count[g.name] = count.get(g.name, -1) + 1
        keys = {k: {"value": text[v[-1].low:v[-1].high], "several": len(v) > 1 or bool(v[-1].at)} for k, v in g.keys.items()}
        found.append({"name": g.name, "number": n, "line": text.count("\n", 0, g.begin) + 1, "keys": keys})
    return found


def key_at(text, position):
    """(group, number, key) of what stands at a position; key '' outside of all values of a group, None outside of groups."""
    count, found = {}, None
    for g in groups_find(text):
        n = count[g.name] = count.get(g.name, -1) + 1
        if g.begin > position:
            break
        end = g.end if g.end is not None else len(text)
        if position > end:
            continue
        found = g.name, n, ""
        for key, values in g.keys.items():
            for v in values:
                if v.begin <= position <= max(v.high, v.low):
                    return g.name, n, key
    return found


def quoted(value, kind):
    """A value as the namelist has it: one string or word in quotes, numbers and lists as they are."""
    value = value.strip()
    if kind in SINGLE and not re.fullmatch(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", value):
        return "'" + value.replace("'", "''") + "'"
    return value


def edited(text, name, number, key, value):
    """The text with one value changed: of the group of that name and number, which is made where it is not there. An empty value takes the
    key away, and None makes an empty group."""
    groups = [g for g in groups_find(text) if g.name == name]
    if number >= len(groups):
        more = "" if value in ("", None) else f"    {key} = {value}\n"
        if value == "":
            return text
        return text + ("" if text.endswith("\n") or not text else "\n") + f"&{name}\n{more}/\n"
    g = groups[number]
    if g.end is None:
        raise ValueError(f"&{name} has no end: write its / in the text first")
    held = g.keys.get(key, [])
    if not held:
        return text if value in ("", None) else inserted(text, g, f"{key} = {value}")
    v = held[-1]
    if len(held) > 1 or v.at:
        raise ValueError(f"{name}%{key} is given more than once, or element by element: change it in the text")
    if value in ("", None):
        return removed(text, v)
    space = " " if text[v.low - 1] == "=" and v.low == v.high else ""
    behind = text[v.high:]
    if (gap := re.match(r"( +)!", behind)) is not None:  # the comment stays in its column
        behind = " " * max(1, len(gap[1]) + v.high - v.low - len(space + value)) + behind[len(gap[1]):]
    return text[:v.low] + space + value + behind


def inserted(text, g, what):
    line = text.rfind("\n", 0, g.end) + 1
    if line > g.begin and not text[line:g.end].strip():  # the / has a line of its own
        rows = text[g.begin:line].split("\n")
        indent = next((re.match(r"[ \t]*", r)[0] for r in rows[1:] if r.strip() and not r.strip().startswith("!")), "    ") or "    "
        return text[:line] + f"{indent}{what}\n" + text[line:]
    space = "" if text[g.end - 1] in " \t" else " "
    return text[:g.end] + f"{space}{what} " + text[g.end:]


def removed(text, v):
    """Without the assignment; without its line where nothing but a comment stands beside it."""
    first, last = text.rfind("\n", 0, v.begin) + 1, text.find("\n", v.high)
    last = len(text) if last < 0 else last
    behind = re.match(r"[ \t]*,?[ \t]*", text[v.high:last])
    rest = text[v.high + behind.end():last]
    if not text[first:v.begin].strip() and (not rest or rest.startswith("!")):
        return text[:first] + text[last + 1:]
    return text[:v.begin] + text[v.high + behind.end():]


def entry_removed(text, name, number):
    """Without a whole group."""
    groups = [g for g in groups_find(text) if g.name == name]
    if number >= len(groups) or groups[number].end is None:
        raise ValueError(f"there is no whole &{name} number {number + 1}")
    g = groups[number]
    end = TOKEN.match(text, g.end).end()
    first, last = text.rfind("\n", 0, g.begin) + 1, text.find("\n", end)
    if not text[first:g.begin].strip() and (last < 0 or not text[end:last].strip()):
        return text[:first] + (text[last + 1:] if last >= 0 else "")
    return text[:g.begin] + text[end:]
