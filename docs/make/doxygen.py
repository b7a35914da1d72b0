# SPDX-License-Identifier: BSD-3-Clause
"""The C API as Doxygen reads it from the headers: XML, of which site and man pages are made."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDED = "doxygen"
_SETTINGS = {
    "INPUT": str(ROOT / "include" / "nereus"),
    "FILE_PATTERNS": "*.h",
    "GENERATE_HTML": "NO",
    "GENERATE_LATEX": "NO",
    "GENERATE_XML": "YES",
    "OPTIMIZE_OUTPUT_FOR_C": "YES",
    "EXTRACT_ALL": "YES",
    "MACRO_EXPANSION": "YES",
    "EXPAND_ONLY_PREDEF": "YES",
    "PREDEFINED": "NEREUS_API= NEREUS_DEPRECATED(x)=",
    "QUIET": "YES",
    "WARN_IF_DOC_ERROR": "NO",
    "WARN_IF_INCOMPLETE_DOC": "NO",
}


def write_xml(folder: Path) -> Path:
    """Into a folder below; where that is."""
    folder.mkdir(parents=True)
    settings = _SETTINGS | {"OUTPUT_DIRECTORY": str(folder)}
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    subprocess.run([NEEDED, "-"], input=text, text=True, check=True)
    return folder / "xml"
