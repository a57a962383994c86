"""Sphinx reads this for the site: `make site`, which tools/site runs on a folder that it has put together.
SPDX-License-Identifier: MIT
"""
import os

project = "Sferic"
author = "the Sferic authors"
copyright = "the Sferic authors, MIT licence"  # noqa: A001 - Sphinx's name for it
version = release = os.environ.get("SFERIC_VERSION", "")
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 4  # links to headings as on a forge: numerics.md#terrain
suppress_warnings = []
highlight_language = "none"  # namelists and commands have no colours that would be right
smartquotes = False  # quotes and -- belong to namelists and commands
html_theme = "furo"
html_title = f"Sferic {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_last_updated_fmt = None
singlehtml_sidebars = {}


def setup(app):
    # {key} `group%key`: in the index, in the search, with a link of its own.
    app.add_object_type("key", "key", objname="key of the namelist", indextemplate="pair: %s; key")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
