# SPDX-License-Identifier: BSD-3-Clause
"""Makes the site of the documentation: all pages, the C API, and the source files that pages link to.

python docs/site/build.py FOLDER     writes FOLDER/html/index.html; `make site` does
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from layout import Checkout, Layout, headers

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NEEDED = "doxygen"
_DOXYGEN = {
    "FILE_PATTERNS": "*.h",
    "GENERATE_HTML": "NO",
    "GENERATE_LATEX": "NO",
    "GENERATE_XML": "YES",
    "OPTIMIZE_OUTPUT_FOR_C": "YES",
    "EXTRACT_ALL": "YES",
    "MACRO_EXPANSION": "YES",
    "EXPAND_ONLY_PREDEF": "YES",
    "PREDEFINED": "NEREUS_API= NEREUS_DEPRECATED(x)=",
    "JAVADOC_AUTOBRIEF": "YES",
    "QUIET": "YES",
    "WARN_IF_DOC_ERROR": "NO",
    "WARN_IF_INCOMPLETE_DOC": "NO",
}


def build(into: Path) -> int:
    """Sphinx's exit code: 1 where a link leads nowhere."""
    checkout = Checkout.at(ROOT)
    with tempfile.TemporaryDirectory(prefix="nereus-site-") as name:
        source, xml = Path(name) / "source", Path(name) / "doxygen"
        Layout(checkout, source).write()
        shutil.copyfile(HERE / "index.md", source / "index.md")
        _write_api(checkout, source / "docs" / "api", xml)
        options = ["-q", "-n", "-W", "--keep-going", "-b", "html", "-c", str(HERE)]
        options += ["-d", str(Path(name) / "doctrees"), "-D", f"breathe_projects.nereus={xml / 'xml'}"]
        line = [sys.executable, "-m", "sphinx", *options, str(source), str(into / "html")]
        return subprocess.run(line, check=False).returncode


def _write_api(checkout: Checkout, pages: Path, xml: Path) -> None:
    """A page for each header, in the order of headers()."""
    pages.mkdir(parents=True)
    names = [file.stem for file in headers(checkout)]
    for name in names:
        text = f"# {name}.h\n\n```{{doxygenfile}} {name}.h\n:project: nereus\n```\n"
        (pages / f"{name}.md").write_text(text)
    listed = "\n".join(names)
    (pages / "index.md").write_text(f"# The C API\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")
    settings = _DOXYGEN | {"INPUT": str(ROOT / "include" / "nereus"), "OUTPUT_DIRECTORY": str(xml)}
    xml.mkdir()
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    subprocess.run([NEEDED, "-"], input=text, text=True, check=True)


def main() -> int:
    if len(sys.argv) != 2:
        print("nereus: usage: python docs/site/build.py FOLDER", file=sys.stderr)
        return 2
    if shutil.which(NEEDED) is None:
        print(f"nereus: {NEEDED}: not found; the package {NEEDED} has it", file=sys.stderr)
        return 2
    into = Path(sys.argv[1]).absolute()
    code = build(into)
    if code == 0:
        print(f"written: {into / 'html' / 'index.html'}")
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
