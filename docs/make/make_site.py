# SPDX-License-Identifier: BSD-3-Clause
"""Makes the site of the documentation: all pages, the C API, and the source files that pages link to.

python docs/make/make_site.py FOLDER     writes FOLDER/html/index.html; `make site` does
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import doxygen
from layout import Checkout, Layout, headers
from made import main

HERE = Path(__file__).parent


def make(into: Path) -> int:
    """1 where a link leads nowhere."""
    checkout = Checkout.at(doxygen.ROOT)
    with tempfile.TemporaryDirectory(prefix="nereus-site-") as name:
        source = Path(name) / "source"
        Layout(checkout, source).write()
        shutil.copyfile(HERE / "index.md", source / "index.md")
        _write_api(checkout, source / "docs" / "api")
        xml = doxygen.write_xml(Path(name) / "doxygen")
        _separate_parameters(xml)
        options = ["-q", "-n", "-W", "--keep-going", "-b", "html", "-c", str(HERE)]
        options += ["-d", str(Path(name) / "doctrees"), "-D", f"breathe_projects.nereus={xml}"]
        line = [sys.executable, "-m", "sphinx", *options, str(source), str(into / "html")]
        if subprocess.run(line, check=False).returncode != 0:
            return 1
    print(f"written: {into / 'html' / 'index.html'}")
    return 0


def _write_api(checkout: Checkout, pages: Path) -> None:
    """A page for each header, in the order of headers()."""
    pages.mkdir(parents=True)
    names = [file.stem for file in headers(checkout)]
    for name in names:
        text = f"# {name}.h\n\n```{{doxygenfile}} {name}.h\n:project: nereus\n```\n"
        (pages / f"{name}.md").write_text(text)
    listed = "\n".join(names)
    (pages / "index.md").write_text(f"# The C API\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")


def _separate_parameters(xml: Path) -> None:
    """An entry for each of several that a comment explains at once: Breathe takes the first for a type."""
    for file in xml.glob("*_8h.xml"):
        tree = ElementTree.parse(file)
        for each in tree.iterfind(".//parameterlist[@kind='param']"):
            each[:] = [alone for item in each for alone in _one_by_one(item)]
        tree.write(file, encoding="utf-8", xml_declaration=True)


def _one_by_one(item: Element) -> Iterator[Element]:
    for number in range(len(item[0])):
        alone = deepcopy(item)
        alone[0][:] = [alone[0][number]]
        yield alone


if __name__ == "__main__":
    sys.exit(main("make_site.py", [doxygen.NEEDED], make))
