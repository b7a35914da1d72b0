# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a line that says what is wrong with a file, to a traceback, a hang or a signal.

Every exception that reaches `main` is a defect, whatever the file. Each parser gets a good file with
something strange in it, and files that broke one.
"""

import gzip
import json
import resource
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, save_npz

from nereus.cli.main import run
from nereus.launch import choose
from nereus.matrix import write_matrix
from nereus.reading import MOST_WRITTEN

REPOSITORY = Path(__file__).resolve().parents[2]
LIMIT = 60.0

MATRIX = csr_array(np.array([[0, 5.0, 1], [2, 0, 3], [0, 1, 0]]))
MARKET = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5.0\n2 3 1.0"
PAIRS = "source,destination,generation,phase,kind,messages,bytes\n0,1,0,,point_to_point,2,10\n"
HOSTS = """\
[[hosts]]
name = "n[1-2]"
slots = 4
[[switches]]
name = "s"
below = ["n[1-2]"]
[costs]
host = 2.0
"""
PROF = "E\t0\t1\t10 bytes\t2 msgs sent\t" + ",".join("0" for _ in range(66)) + "\n"
TRACE = "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n"
RECORD = [
    {"event": "header", "format": "nereus-monitor", "version": 1, "run": "0", "command": ["./a"]},
    {
        **{
            "event": "process",
            "world": "w",
            "rank": 0,
            "ranks": 2,
            "host": "h",
            "process": 1,
            "end": "finalize",
        },
        "lost_messages": 0,
    },
    {
        **{"event": "moved", "kind": "point_to_point", "generation": 0, "call": "Send"},
        "to": [[1, 2, 10, {"3": 2}]],
    },
    {
        "event": "communicator",
        "communicator": 1,
        "name": "c",
        "own_rank": 0,
        "two_sides": False,
        "members": [],
    },
    {"event": "generation", "generation": 0, "job": "j", "own_rank": 0, "members": [[0, 0, 2, 1]]},
]


def example(name: str) -> bytes:
    return (REPOSITORY / "examples" / name).read_bytes()


def numpy_file(save: Callable[[Any, Any], Any], what: Any, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"m{ending}"
        save(file, what)
        return file.read_bytes()


def lines(events: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@dataclass(frozen=True)
class Parser:
    """A file that is good, and the command line that reads it, where FILE stands for it."""

    good: bytes
    name: str
    words: str


PLACE = "place --topology core:8 --matrix FILE"
PARSERS = {
    "record": Parser(lines(RECORD), "r.jsonl", "report FILE"),
    "prof": Parser(PROF.encode(), "a.0.prof", "report FILE"),
    "results": Parser(
        lines([{"event": "header", "format": "nereus-run", "version": 1}]), "run.jsonl", "report FILE"
    ),
    "record to place": Parser(lines(RECORD), "r.jsonl", PLACE),
    "binary matrix": Parser(numpy_file(write_matrix, MATRIX, ".nm"), "m.nm", PLACE),
    "facts": Parser(numpy_file(write_matrix, MATRIX, ".nm"), "m.nm", "matrix info FILE"),
    "npz": Parser(numpy_file(save_npz, MATRIX, ".npz"), "m.npz", PLACE),
    "npy": Parser(numpy_file(np.save, MATRIX.toarray(), ".npy"), "m.npy", PLACE),
    "market": Parser(MARKET.encode(), "m.mtx", PLACE),
    "packed market": Parser(gzip.compress(MARKET.encode()), "m.mtx.gz", PLACE),
    "market to binary": Parser(MARKET.encode(), "m.mtx", "matrix convert FILE FILE.nm --force"),
    "rows": Parser(b"0 5 1\n2 0 3\n0 1 0\n", "m.txt", PLACE),
    "pairs": Parser(PAIRS.encode(), "m.csv", PLACE),
    "hosts": Parser(HOSTS.encode(), "h.toml", "place --matrix GOOD --topology FILE"),
    "current": Parser(b"[0, 1, 2]", "c.json", "place --matrix GOOD --topology core:8 --current FILE"),
    "experiment": Parser(example("emulate/cg.toml"), "e.toml", "emulate FILE --print"),
    "Proteo's INI": Parser(example("emulate/cg.ini"), "e.ini", "emulate FILE --print"),
    "study": Parser(example("study/short.toml"), "s.toml", "study FILE --plan"),
    "scenario": Parser(example("simulate/use-case-a.toml"), "s.toml", "simulate FILE"),
    "workload": Parser(TRACE.encode(), "w.swf", "simulate FILE --cores 8"),
}
STRANGE = [
    *(
        b"",
        b"\x00",
        b"\xff",
        b"\n",
        b" ",
        b",",
        b"-",
        b"[",
        b"]",
        b'"',
        b"e",
        b"0",
        b"-1",
        b"1e308",
        b"1e999",
    ),
    *(b"nan", b"null", b"true", b"9" * 5000, b"{" * 3000, b"10000000000000", b"99999999999999999999"),
    *(b"\\ud800", b"\x1b[2J", "\U0001f600".encode(), b"\xff\xfe"),
]
# What ended in a traceback, a signal, or all of the memory.
BAD_INDPTR = MATRIX.copy()
BAD_INDPTR.indptr = np.array([0, 2, 900, 5], dtype=BAD_INDPTR.indptr.dtype)
CORPUS = [
    ("npz", numpy_file(save_npz, BAD_INDPTR, ".npz")),
    ("record", lines(RECORD[:1])),
    ("record", lines([*RECORD[:2], {**RECORD[2], "to": [[1, 2**62, 2**62, {"3": 2}]] * 4}])),
    ("record", lines([*RECORD[:2], {**RECORD[2], "to": [[1, 2, 10, {"x": 2}]]}])),
    ("record", lines([*RECORD[:3], {**RECORD[3], "members": [[0, 0, 2**22, 1]] * 1000}])),
    ("prof", b"E\t0\t" + b"9" * 5000 + b"\t1 bytes\t1 msgs sent\n"),
    ("prof", b"E\t0\t1\t%d bytes\t1 msgs sent\n" % 10**30),
    ("rows", b"1e308 1e308\n1e308 1e308\n"),
    ("rows", b"0 1e308\n1 0\n"),
    ("pairs", PAIRS.encode() + b'"a,b"\n'),
    ("pairs", PAIRS.encode() + b"\xf0\x9f,1,0,,point_to_point,2,10\n"),
    ("hosts", HOSTS.replace("1-2", "1-" + "9" * 1_000_000).encode()),
    ("hosts", HOSTS.replace("1-2", ",".join(["0-999999"] * 10_000)).encode()),
    ("hosts", HOSTS.replace("2.0", "1e308").encode()),
    ("hosts", b"#" * (MOST_WRITTEN + 1)),
    ("market", MARKET.encode() + b"x"),
    ("market", MARKET.replace("3 3 2", "3 3 10000000000000").encode()),
    ("market", MARKET.replace("3 3 2", "10000000000000 10000000000000 2").encode()),
    ("market", b"%%MatrixMarket matrix array real general\n1000000 1000000\n1\n"),
    ("packed market", gzip.compress(MARKET.replace("3 3 2", "3 3 10000000000000").encode())),
    ("packed market", gzip.compress(MARKET.encode())[:-9]),
    ("npz", b"PK\x03\x04"),
    (
        "npy",
        b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 2), }\n",
    ),
    ("npy", b"\x93NUMPY\x01\x00\x06\x00{'a'(\n"),
    ("binary matrix", b"NEREUS-M" + np.array([1, 2**60, 2**60, 2**60], "<i8").tobytes()),
    ("experiment", b"a = " + b"[" * 100_000),
    ("experiment", b"a." * 100_000 + b"a = 1"),
    ("workload", TRACE.replace("100", "1e308").encode()),
]


def outcome(parser: Parser, content: bytes) -> int:
    """The exit code; whatever is raised is raised here."""
    with tempfile.TemporaryDirectory(prefix="nereus-parsers-") as folder:
        file = Path(folder) / parser.name
        file.write_bytes(content)
        good = Path(folder) / "good.nm"
        if "GOOD" in parser.words:
            good.write_bytes(PARSERS["binary matrix"].good)
        words = parser.words.replace("FILE", str(file)).replace("GOOD", str(good)).split()
        return run(words)


@pytest.fixture(autouse=True)
def little_memory() -> Any:
    """What asks for all of it fails here, in place of the host."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", [name for name in PARSERS if name != "results"])
def test_the_good_file_is_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the tests below would look at nothing."""
    assert outcome(PARSERS[name], PARSERS[name].good) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_something_strange_in_it_is_read_or_refused_in_a_line(
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
def test_a_file_that_broke_a_parser_is_read_or_refused_in_a_line(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = CORPUS[number]
    code = outcome(PARSERS[name], content)
    err = capsys.readouterr().err
    assert code == 0 or (code == 2 and err.startswith("nereus: ") and err.count("\n") == 1)


def test_a_device_that_never_ends_is_refused() -> None:
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
def test_xml_that_is_not_of_hwloc_is_refused_and_ends_nothing_by_a_signal(
    content: bytes, tmp_path: Path, nereus_place: str
) -> None:
    file = tmp_path / "host.xml"
    file.write_bytes(content)
    done = read_host(nereus_place, file)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(str(file)) and done.stderr.count(b"\n") == 1


@pytest.fixture
def nereus_place() -> str:
    return str(choose().program("nereus-place"))


SETS = 'cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1"'
HWLOC = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" {SETS} allowed_cpuset="0x3" allowed_nodeset="0x1" gp_index="1">
<object type="NUMANode" os_index="0" {SETS} gp_index="2"/>
<object type="PU" os_index="0" {SETS.replace("0x3", "0x1")} gp_index="3"/>
<object type="PU" os_index="1" {SETS.replace("0x3", "0x2")} gp_index="4"/>
</object>
</topology>
""".encode()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_xml_is_read_or_refused_in_a_line(data: st.DataObject, nereus_place: str, tmp_path: Path) -> None:
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
