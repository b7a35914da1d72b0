# SPDX-License-Identifier: BSD-3-Clause
"""make man: a page for each command and each C function, which a reader of man pages takes without a word."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree.ElementTree import fromstring

import doxygen
import function_pages
import pytest
from roff import Reader, term

from conftest import ROOT

MAKER = ROOT / "docs" / "make" / "make_man.py"
HEADERS = ROOT / "include" / "nereus"
needs_doxygen = pytest.mark.skipif(not shutil.which("doxygen"), reason="doxygen is not installed")


def make(*arguments: str | Path, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, str(MAKER), *map(str, arguments)]
    env = os.environ if path is None else {**os.environ, "PATH": path}
    return subprocess.run(line, capture_output=True, text=True, timeout=280, check=False, env=env)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of the C API alone: those of the commands take a minute."""
    folder = tmp_path_factory.mktemp("man")
    function_pages.write_pages(doxygen.write_xml(folder / "doxygen"), folder, "2026-11-01")
    return folder


def leads_elsewhere(page: Path) -> bool:
    return page.read_text().startswith(".so ")


def faults(pages: list[Path]) -> str:
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed: pages are made, and not looked at")
    line = ["mandoc", "-Tlint", "-W", "style", *map(str, pages)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False).stdout


def declared() -> dict[str, str]:
    """The prototype of each function of the headers, with single blanks."""
    found = {}
    for header in HEADERS.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        text = re.sub(r"^#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
        text = re.sub(r'NEREUS_API|NEREUS_DEPRECATED\(".*?"\)|extern "C"|^typedef .*?;', "", text, flags=re.M)
        for result, name, parameters in re.findall(r"([\w ]+[\s*]+?)(nereus_\w+)\(([^()]*)\);", text):
            found[name] = " ".join(f"{result}{name}({parameters.strip()});".split())
    return found


def section(page: Path, title: str) -> str:
    """Its lines, without fonts, dashes of their own and marks against hyphens."""
    _, _, rest = page.read_text().partition(f".SH {title}\n")
    text = re.split(r"^\.SH ", rest, flags=re.MULTILINE)[0]
    return re.sub(r"\\f[BIP]|\\%", "", text).replace("\\-", "-")


@needs_doxygen
@pytest.mark.skipif(not shutil.which("help2man"), reason="help2man is not installed")
def test_each_command_has_a_page_without_faults(tmp_path: Path) -> None:
    done = make(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for number, example in ((3, "nereus_open"), (1, "nereus")):
        folder = tmp_path / f"man{number}"
        count = sum(not leads_elsewhere(page) for page in folder.iterdir())
        assert f"{count} pages in {folder}; man -M {tmp_path} {example} shows one\n" in done.stdout
    pages = {page.stem: page for page in (tmp_path / "man1").glob("*.1")}
    assert {"nereus", "nereus-run", "nereus-bench", "nereus-bench-transfer", "nereus-daemon-status"} <= set(
        pages
    )
    text = pages["nereus-bench-transfer"].read_text()
    assert text.splitlines()[1].startswith(".TH NEREUS-BENCH-TRANSFER ")
    assert "nereus-bench-transfer \\- time each way to move data" in " ".join(text.split())
    assert "\\-\\-process\\-strategies" in text
    assert '.SH "EXIT STATUS"' in text
    assert faults(list(pages.values())) == ""


@needs_doxygen
def test_each_c_function_has_a_page_with_its_prototype(made: Path) -> None:
    prototypes = declared()
    assert len(prototypes) > 40
    assert {"nereus_open", "nereus_count", "nereus_version", "nereus_monitor_read"} <= set(prototypes)
    for name, prototype in prototypes.items():
        shown = " ".join(section(made / "man3" / f"{name}.3", "SYNOPSIS").split())
        # Where a line is too long, parameters begin on the next one.
        assert f" {prototype} " in shown.replace("( ", "("), name
    assert ".B #include <nereus/nereus.h>" in section(made / "man3" / "nereus_io_begin.3", "SYNOPSIS")
    assert ".B #include <nereus/monitor.h>" in section(made / "man3" / "nereus_monitor_read.3", "SYNOPSIS")


@needs_doxygen
def test_a_c_function_s_page_explains_each_parameter_and_what_is_returned(made: Path) -> None:
    for name, prototype in declared().items():
        page = made / "man3" / f"{name}.3"
        parameters = prototype.partition("(")[2].removesuffix(");")
        wanted = re.findall(r"(\w+)(?:,|$)", parameters) if parameters != "void" else []
        terms = re.findall(r"^\.TP\n(.*?)(?: \(.*)?$", section(page, "PARAMETERS"), flags=re.MULTILINE)
        explained = [each for term in terms for each in term.split(", ")]
        assert sorted(explained) == sorted(wanted), name
        assert section(page, "RETURN VALUE").strip(), name
        assert section(page, "DESCRIPTION").strip(), name


@needs_doxygen
def test_c_types_and_codes_are_found_by_name(made: Path) -> None:
    options = made / "man3" / "nereus_resize_options.3"
    assert "    enum nereus_placement placement;\n" in section(options, "SYNOPSIS")
    fields = re.findall(r"^\.TP\n\.I (\w+)\n(.+)$", section(options, "DESCRIPTION"), flags=re.MULTILINE)
    assert ("placement", "where new processes go") in fields
    link = made / "man3" / "NEREUS_ERR_RANGE.3"
    assert link.read_text() == ".so man3/nereus_code.3\n"
    assert "NEREUS_ERR_RANGE = -3" in section(made / "man3" / "nereus_code.3", "SYNOPSIS")
    for page in (made / "man3").iterdir():
        if leads_elsewhere(page):
            assert (made / page.read_text().split()[1]).exists(), page


@needs_doxygen
def test_pages_of_c_refer_to_pages_that_exist(made: Path) -> None:
    for page in (made / "man3").iterdir():
        for name, number in re.findall(r"(nereus[\w-]*)(?:\\fP| )\((\d)\)", page.read_text()):
            found = (made / "man3" / f"{name}.3").exists() if number == "3" else name == "nereus"
            assert found, (page, name, number)
    related = section(made / "man3" / "nereus_resize.3", "SEE ALSO")
    assert {"nereus (1),", "nereus_checkpoint (3),", "nereus_resize_options (3),"} <= set(
        re.findall(r"^\.BR (.*)$", related, flags=re.MULTILINE)
    )


@needs_doxygen
def test_pages_of_c_have_no_faults(made: Path) -> None:
    assert faults([page for page in (made / "man3").iterdir() if not leads_elsewhere(page)]) == ""


def test_what_no_page_can_show_is_refused_and_not_left_out() -> None:
    para = fromstring("<para>Before <table/> and after.</para>")
    with pytest.raises(ValueError, match=r"nereus_open: a comment holds table, which no page shows yet"):
        Reader("nereus_open", frozenset(), frozenset()).read([para])


def test_dots_and_dashes_of_a_comment_are_no_requests() -> None:
    para = fromstring("<para>'x' of 1 .. 2^31-1 &amp; <computeroutput>a-b</computeroutput> \\ é</para>")
    comment = Reader("nereus_open", frozenset(), frozenset()).read([para])
    assert comment.paragraphs == ["'x' of 1 .. 2\\(ha31\\-1 & \\fBa\\-b\\fP \\e \\[u00E9]"]
    assert list(term(".B x", comment.paragraphs))[2].startswith("\\&'x' of 1 ..")


def test_without_a_folder_the_usage_is_told() -> None:
    done = make()
    assert done.returncode == 2
    assert done.stderr == "nereus: usage: python docs/make/make_man.py FOLDER\n"


def test_a_program_that_is_missing_is_named_with_its_package(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "help2man").symlink_to("/bin/true")
    done = make(tmp_path / "man", path=str(programs))
    assert done.returncode == 2
    assert done.stderr == "nereus: doxygen: not found; the package doxygen has it\n"
    assert not (tmp_path / "man").exists()
