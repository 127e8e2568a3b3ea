# SPDX-License-Identifier: MIT
# Configures Sphinx, which makes the book of the pages in this folder: `make book`. The reference of the
# headers is read from the XML that doxygen writes (docs/Doxyfile); tools/build_book calls both.
import os
import re

from docutils import nodes

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
    release = re.search(r"project\(keel VERSION ([\d.]+)", file.read())[1]

project = "Keel"
author = "The Keel authors"
copyright = "The Keel authors, MIT licence"
version = release

extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 5  # links name headings as they do on GitHub
myst_enable_extensions = ["deflist", "colon_fence"]

breathe_projects = {"keel": ""}  # tools/build_book says where
breathe_default_project = "keel"
breathe_domain_by_extension = {"h": "c"}
primary_domain = "c"
highlight_language = "none"

man_pages = [
    ("reference/programs/keel-inspect", "keel-inspect", "show a saved world of Keel in the browser", author, 1),
    ("reference/programs/keel-save", "keel-save", "check, print and compare saved worlds of Keel", author, 1),
    ("reference/programs/orrery", "orrery", "compute and draw the solar system", author, 1),
]

html_theme = "furo"
html_title = "Keel"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_favicon = "_static/keel.svg"
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_theme_options = {
    "light_logo": "keel.svg",
    "dark_logo": "keel.svg",
    "light_css_variables": {"color-brand-primary": "#0a6477", "color-brand-content": "#0a6477"},
    "dark_css_variables": {"color-brand-primary": "#6fd0e3", "color-brand-content": "#6fd0e3"},
}


def link_outside(app, docname, source):
    """Makes links to files outside of the book downloads: Sphinx copies the files, so that they open without the repository."""
    here = os.path.dirname(app.env.doc2path(docname))

    def download(match):
        text, target = match[1], match[2]
        path = os.path.normpath(os.path.join(here, target))
        if ":" in target or path.startswith(os.path.join(app.srcdir, "")):
            return match[0]
        if os.path.isdir(path):
            target = os.path.join(target, "README.md")
        return "{download}`" + text.strip("`") + " <" + target + ">`"

    source[0] = re.sub(r'(<a href="[\w/]+)\.md"', r'\1.html"', source[0])  # of the cards, which are HTML
    source[0] = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)#\s]+)\)", download, source[0])


def break_lines(app, docname, source):
    """Puts "See also" at the end of a page on a line of its own, below "Next"."""
    source[0] = re.sub(r"(?<=[^\n\\])\n(?=\*\*See also:\*\*)", r"\\\n", source[0])


def link_names(app, doctree, docname):
    """Makes each public name that stands in a sentence as code a link to the page of its header."""
    places = {name: (page, anchor) for name, _, _, page, anchor, _ in app.env.get_domain("c").get_objects()}
    for node in list(doctree.findall(nodes.literal)):
        name = re.match(r"(?:keel|KEEL)_\w+", node.astext())
        page, anchor = places.get(name[0] if name else "", ("", ""))
        if page and page != docname and not isinstance(node.parent, nodes.reference):
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(docname, page) + "#" + anchor)
            node.replace_self(link)
            link += node


def setup(app):
    app.connect("source-read", link_outside)
    app.connect("source-read", break_lines)
    app.connect("doctree-resolved", link_names)
