"""Namelists of Fortran with the place of every value. SPDX-License-Identifier: MIT"""
import re
from collections import namedtuple

from .source import wrong

Value = namedtuple("Value", "group name text line")  # text: as it stands, without quotes

HEAD = re.compile(r"[ \t]*[&$](\w+)")
TOKEN = re.compile(r"(?P<space>\s+|![^\n]*|,)|(?P<end>/|[&$]end\b)|(?P<key>[a-z_]\w*)\s*(?:\(\s*(?P<at>\d+)\s*\))?\s*=|"
                   r"(?P<quote>['\"])(?P<text>(?:(?!(?P=quote))[^\n]|(?P=quote){2})*)(?P=quote)|(?P<word>[^\s,!'\"/=&$]+)", re.I)


def values_read(text, path):
    """All values in their order; of a list each key(n) is one. What stands outside of groups is prose, but for lines that look like settings."""
    values, at = [], 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        head = HEAD.match(text, at)
        if head:
            found, at = group_read(text, head.end(), head[1].lower(), path)
            values += found
            continue
        outside = text[at:stop].split("!")[0]
        if re.match(r"\s*[a-z_]\w*\s*=", outside, re.I):
            raise wrong(path, text.count("\n", 0, at) + 1, f"'{outside.strip()}' stands outside of all groups: put it between &group and /")
        at = stop + 1
    return values


def group_read(text, at, group, path):
    found, key, number = [], None, 0
    begin = text.count("\n", 0, at) + 1

    def line():
        return text.count("\n", 0, at) + 1

    while True:
        token = TOKEN.match(text, at)
        if at >= len(text) or (token is None and text[at] in "&$"):
            raise wrong(path, begin, f"&{group} has no end: close it with / before line {line()}")
        if token is None:
            raise wrong(path, line(), f"&{group}: cannot read '{text[at:at + 20].split(chr(10))[0]}'")
        if token["end"]:
            if key and number == 0:
                raise wrong(path, line(), f"&{group}: {key} has no value")
            return found, token.end()
        if token["key"]:
            if key and number == 0:
                raise wrong(path, line(), f"&{group}: {key} has no value")
            key, number = token["key"].lower() + (f"({token['at']})" if token["at"] else ""), 0
        elif not token["space"]:
            if key is None:
                raise wrong(path, line(), f"&{group}: '{token[0]}' stands before any key =")
            value = token["text"].replace(token["quote"] * 2, token["quote"]) if token["quote"] else token["word"]
            times = re.fullmatch(r"(\d{1,4})\*(.+)", value) if not token["quote"] else None
            for _ in range(int(times[1]) if times else 1):
                number += 1
                found.append(Value(group, key if number == 1 else f"{key}({number})", times[2] if times else value, line()))
        at = token.end()
