# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a line that says what is wrong with a file, to a traceback, a hang or a signal.

Every exception that reaches `main` is a defect, whatever the file. Each parser gets a good file with
something strange in it, and files that broke one.
"""

import os
import resource
import subprocess
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parser_corpus import CORPUS, HWLOC, PARSERS, STRANGE, outcome

from nereus.cli.main import run
from nereus.launch import mpi_independent

LIMIT = 60.0


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """What asks for all of it fails here, in place of the host."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", [name for name in PARSERS if name != "results"])
def test_valid_file_is_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the tests below would look at nothing."""
    assert outcome(PARSERS[name], PARSERS[name].good) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_file_with_strange_content_is_read_or_refused_with_one_line(
    name: str, data: st.DataObject, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = PARSERS[name]
    content = bytearray(parser.good)
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(content)))
        end = begin + data.draw(st.sampled_from([0, 1, 4, 20]))
        content[begin:end] = data.draw(st.sampled_from(STRANGE))
    said_before_this = capsys.readouterr()
    assert said_before_this is not None
    code = outcome(parser, bytes(content))
    complaints = [line for line in capsys.readouterr().err.splitlines() if "warning:" not in line]
    assert code in (0, 2)
    if code == 2:
        assert complaints, "a line for each problem"
        assert all(line.startswith("nereus: ") and line.isprintable() for line in complaints)


@pytest.mark.parametrize("number", range(len(CORPUS)))
def test_file_that_once_broke_a_parser_gives_at_most_one_line(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = CORPUS[number]
    code = outcome(PARSERS[name], content)
    err = capsys.readouterr().err
    assert code == 0 or (code == 2 and err.startswith("nereus: ") and err.count("\n") == 1)


# Of what a parser may take the square of, there is so much that this would take minutes.
MANY = 10**5
LONG = [
    b"9" * 10**7,
    *(
        each * MANY
        for each in (b"[", b"{", b'{"a":', b'"', b"\\", b"a.", b"[a]\n", b"\n", b"1,", b"#", b"\x81")
    ),
]
MOST_CPU_SECONDS = 60


@pytest.mark.parametrize("name", PARSERS)
def test_long_or_deep_content_takes_little_cpu_time(name: str) -> None:
    """What computes more than all of them may, ends by a signal: a busy machine changes nothing of that."""
    parser = PARSERS[name]
    middle = len(parser.good) // 2
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            spent = int(sum(os.times()[:2]))
            resource.setrlimit(resource.RLIMIT_CPU, (spent + MOST_CPU_SECONDS, spent + MOST_CPU_SECONDS))
            for long in LONG:
                content = parser.good[:middle] + long + parser.good[middle:]
                assert outcome(parser, content) in (0, 2), long[:8]
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_endless_device_is_refused() -> None:
    for words in ("place --matrix FILE --topology core:8", "emulate FILE --print", "simulate FILE"):
        assert run(words.replace("FILE", "/dev/zero").split()) == 2


def read_host(program: str, file: Path) -> "subprocess.CompletedProcess[bytes]":
    words = [program, "host", "--xml", str(file)]
    return subprocess.run(words, capture_output=True, timeout=LIMIT, check=False)


DTD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology {}>\n<topology version="2.0"></topology>\n'


@pytest.mark.parametrize(
    "content",
    [
        DTD.format('[<!ENTITY a "b">]').encode(),
        DTD.format("").encode(),
        DTD.format('PUBLIC "a" "b"').encode(),
        DTD.format('SYSTEM "/etc/passwd"').encode(),
        DTD.format("[]").encode("utf-16"),
        DTD.replace("UTF-8", "EBCDIC-CP-US").format('[<!ENTITY a "b">]').encode("cp037"),
        b"<topology",
        b"",
        b"\xff" * 1000,
    ],
)
def test_foreign_xml_is_refused_without_a_crash(content: bytes, tmp_path: Path, nereus_place: str) -> None:
    file = tmp_path / "host.xml"
    file.write_bytes(content)
    done = read_host(nereus_place, file)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(str(file)) and done.stderr.count(b"\n") == 1


@pytest.fixture
def nereus_place() -> str:
    return str(mpi_independent("nereus-place"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_xml_is_read_or_refused_with_one_line(
    data: st.DataObject, nereus_place: str, tmp_path: Path
) -> None:
    content = bytearray(HWLOC)
    for _ in range(data.draw(st.integers(0, 2))):
        begin = data.draw(st.integers(0, len(content)))
        content[begin : begin + data.draw(st.sampled_from([0, 1, 4, 20]))] = data.draw(
            st.sampled_from(STRANGE)
        )
    file = tmp_path / "host.xml"
    file.write_bytes(content)
    done = read_host(nereus_place, file)
    assert done.returncode in (0, 2)
    assert done.returncode == 0 or done.stderr.decode("utf-8", "replace").startswith(str(file))
