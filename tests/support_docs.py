"""The built site: support_docs.py SITE SFERIC. What its pages point to is there, nothing of it comes from elsewhere, all keys are on it.
SPDX-License-Identifier: MIT
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if a.get("id"):
            self.ids.add(a["id"])
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        if tag in ("script", "img", "iframe", "source") and a.get("src"):
            self.loads.append(a["src"])
        if tag == "link" and a.get("href") and a.get("rel") not in ("index", "search", "next", "prev", "canonical"):
            self.loads.append(a["href"])


def main(site, sferic):
    faults = []
    pages = {}
    for d, _, files in os.walk(site):
        for f in files:
            path = os.path.join(d, f)
            if f.endswith(".html"):
                pages[os.path.normpath(path)] = Page(path)
            elif f.endswith(".css"):
                with open(path, encoding="utf-8") as css:
                    faults += [f"{path}: loads {u}" for u in re.findall(r"(?:url\(|@import\s+)[\"']?(https?://[^\"')]+)", css.read())]
    for path, page in sorted(pages.items()):
        name = os.path.relpath(path, site)
        for target in page.links + page.loads:
            url = urllib.parse.urlsplit(target)
            if url.scheme in ("data", "mailto"):
                continue
            if url.scheme or url.netloc:
                if target in page.loads:
                    faults.append(f"{name}: loads {target} from elsewhere")
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            if os.path.isdir(to):
                to = os.path.join(to, "index.html")
            if not os.path.exists(to):
                faults.append(f"{name}: {target} is not there")
            elif url.fragment and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].ids:
                faults.append(f"{name}: {target}: no such place")
    keys = json.loads(subprocess.run([sferic, "explain", "--json"], capture_output=True, text=True, check=True).stdout)
    for k in keys:
        path = os.path.normpath(os.path.join(site, "reference", k["group"] + ".html"))
        if path not in pages:
            faults.append(f"no page of &{k['group']}")
            continue
        text = getattr(pages[path], "text", None)
        if text is None:
            with open(path, encoding="utf-8") as f:
                text = pages[path].text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", f.read())))
        for what in (f"{k['group']}%{k['key']}", " ".join(k["meaning"].split()), k["default"], k["unit"] if k["unit"] != "1" else ""):
            if what not in text:
                faults.append(f"&{k['group']} {k['key']}: '{what}' is not on its page")
    index = os.path.join(site, "index.html")
    for page in pages:
        if os.path.relpath(page, site) not in ("index.html", "search.html", "genindex.html") and page != index:
            if not any(os.path.normpath(os.path.join(os.path.dirname(index), urllib.parse.urlsplit(x).path)) == page for x in pages[os.path.normpath(index)].links):
                faults.append(f"{os.path.relpath(page, site)}: not reached from the first page")
    print("\n".join(faults[:40]) or f"{len(pages)} pages, {len(keys)} keys")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.path.abspath(sys.argv[2])))
