# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx makes the site of what docs/make/make_site.py has laid out; its options are set there."""

project = "Nereus"
author = "the Nereus developers"
copyright = f"2026, {author}"
extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 5  # links go to headings, as on a forge
breathe_default_project = "nereus"
breathe_domain_by_extension = {"h": "c"}
# A structure and the type of its name are one declaration in C. Doxygen refers to headers by labels
# that Breathe does not make (ref.ref); links of pages are myst.xref_missing, and are looked at.
suppress_warnings = ["duplicate_declaration.c", "ref.ref", "toc.not_included"]
# Types of C and of MPI.
nitpick_ignore_regex = [("c:identifier", r"u?int\d+_t|size_t|MPI_\w+")]
html_theme = "furo"
html_title = "Nereus"
html_copy_source = False
html_show_sphinx = False
