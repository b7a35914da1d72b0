# SPDX-License-Identifier: BSD-3-Clause
"""Man pages of all commands and of the C API.

python docs/make/make_man.py FOLDER     writes FOLDER/man1/nereus.1, man3/nereus_open.3, ...; `make man` does
"""

import sys
import tempfile
from pathlib import Path

import command_pages
import doxygen
import function_pages
from made import main

#: The page of a release has its day; a page of this tree is the same whenever it is made.
DAY = "2026-11-01"


def make(into: Path) -> int:
    """1 where a comment of a header holds what no page can show."""
    with tempfile.TemporaryDirectory(prefix="nereus-man-") as name:
        xml = doxygen.write_xml(Path(name) / "doxygen")
        try:
            functions = function_pages.write_pages(xml, into, DAY)
        except ValueError as problem:
            print(f"nereus: {problem}", file=sys.stderr)
            return 1
    print(f"{len(functions)} pages in {functions[0].parent}; man -M {into} nereus_open shows one")
    commands = command_pages.write_pages(into, DAY)
    print(f"{len(commands)} pages in {commands[0].parent}; man -M {into} nereus shows one")
    return 0


if __name__ == "__main__":
    sys.exit(main("make_man.py", [command_pages.NEEDED, doxygen.NEEDED], make))
