# SPDX-License-Identifier: BSD-3-Clause
"""All that reads files of others, each with a file that is good, and what broke one of them once."""

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock
from zipfile import ZIP_DEFLATED, ZipFile

import cbor2
import numpy as np
import zmq
from calls_of import Call, write
from scipy.sparse import csr_array, save_npz

from nereus import UserError
from nereus.adapters import load_adapter
from nereus.analysis.capture import Wishes, capture, read_traces
from nereus.bench import stored_costs
from nereus.bench.costs import _KIND, _key
from nereus.cli.main import run
from nereus.cli.messages import complain
from nereus.daemon.keys import read_keys
from nereus.launch import Build, builds
from nereus.placement.matrix import write_matrix
from nereus.probe.cache import remember
from nereus.reading import MOST_WRITTEN

REPOSITORY = Path(__file__).resolve().parents[2]

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
ACCOUNTING = """\
JobID|Submit|ElapsedRaw|Timelimit|AllocCPUS|State
12|2026-01-31T23:59:50|100|00:05:00|4|COMPLETED
12.batch|2026-01-31T23:59:50|100||4|COMPLETED
13_1|2026-01-31T23:59:59|10|1-00:00:00|2|CANCELLED by 7
"""
MACHINE = """
cores = 8
order = ["easy", "conservative"]
[[jobs]]
name = "a"
ranks = 4
seconds = 100
limit = 200.0
[[jobs]]
name = "b"
submit = 10
ranks = 6
seconds = 10
limit = 20
"""
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


PROTEO = {
    "general": {"Total_Resizes": 0, "Total_Phases": 1, "SDR": 500.0, "ADR": 1e3, "Datasize": 4, "Rigid": 0},
    "phases": [
        {
            "Total_Iters": 1,
            "Total_Stages": 1,
            "stages": [{"Stage_Type": 1, "Stage_Bytes": 0, "Stage_Time": 0.5}],
        }
    ],
    "groups": [
        {
            **{
                "Iters": 5,
                "Procs": 2,
                "FactorS": 1,
                "Dist": "compact",
                "Spawn_Method": 0,
                "Spawn_Strategy": [0],
            },
            **{"Redistribution_Method": 1, "Redistribution_Strategy": [0]},
        }
    ],
}
LIVE = """\
policies = ["none", "blocking"]
[cluster]
cores = 8
[storage]
bandwidth = 1e7
[live]
repetitions = 2
[[jobs]]
name = "A1"
ranks = 2
iterations = 20
time = { fixed = 0.01, divided = 0.4 }
io_every = 5
io_seconds = 0.5
"""
MEASURED = [
    {"event": "header", "format": "nereus-measured", "version": 1, "program": "/opt/bin/cg"},
    {
        **{"event": "generation_ended", "generation": 0, "ranks": 2, "hosts": ["a", "a"], "cores": 8},
        **{"iterations": 10, "iteration_seconds": [0.5, 0.5], "iteration_total_seconds": [5.0, 5.0]},
        **{"constant_bytes": 800, "variable_bytes": 80, "memory": "private"},
        "stages": [
            {
                **{"name": "s", "kind": "allreduce", "bytes": 8, "total_seconds": [3.0, 1.0]},
                **{"iterations": [10, 10], "seconds": [0.3, 0.1]},
            }
        ],
    },
]
RESIZED = {"event": "resized", "before": 2, "ranks": 4, "seconds": 0.25}
BUILD = """{"name": "x", "mpiexec": "/usr/bin/mpiexec", "library_version": "MPICH\\t4"}\n"""
COSTS = json.dumps(
    {
        **{"format": "nereus-costs", "version": 1, "mpi": "x", "library": "MPICH", "host": "h"},
        "made": "2026-01-01T00:00:00Z",
        "costs": [
            {
                **{"method": "p2p", "strategy": "blocking", "fixed_seconds": 1e-4, "seconds_per_array": 1e-5},
                **{"seconds_per_byte": 1e-9, "pause_seconds": 0.0, "omega": 1.0, "deviation": 0.1},
            }
        ],
    }
)
PUBLIC, SECRET = (key.decode() for key in zmq.curve_keypair())
KEYS = json.dumps({"public": PUBLIC, "secret": SECRET, "clients": [PUBLIC]})


def example(name: str) -> bytes:
    return (REPOSITORY / "examples" / name).read_bytes()


def numpy_file(save: Callable[[Any, Any], Any], what: Any, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"m{ending}"
        save(file, what)
        return file.read_bytes()


def lines(events: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def traced() -> dict[str, bytes]:
    """The two files of a process, by their endings."""
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder), [Call("Allreduce"), Call("Send", bytes=100)] * 20)
        return {each.suffix: each.read_bytes() for each in (file, file.with_suffix(".calls"))}


def captured(file: Path) -> object:
    return capture(read_traces(file.parent), Wishes("x", force=True))


def costs_in(file: Path) -> None:
    """As a command finds them: at their place in the cache."""
    build = Build("x", file.parent / "x", Path("mpiexec"), "MPICH")
    with (
        mock.patch.dict(os.environ, XDG_CACHE_HOME=str(file.parent)),
        mock.patch.object(Build, "files") as files,
    ):
        files.return_value = []
        remember(_KIND, _key(build), [], {})
        (kept,) = (file.parent / "nereus").iterdir()
        kept.write_bytes(file.read_bytes())
        stored = stored_costs(build)
    if stored.complaint and "another installation" not in stored.complaint:
        raise UserError(stored.complaint)


TRACED = traced()
_SCENARIO = example("simulate/use-case-a.toml").decode()
MEASURED_SCENARIO = f'{_SCENARIO}\n[reconfiguration]\nmeasured = "m.jsonl"\n'.encode()


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


@dataclass(frozen=True)
class Parser:
    """A file that is good, and the command line that reads it, where FILE is it and FOLDER its folder.

    `read`: where no command reads it without starting something; `beside`: what else is in the folder.
    """

    good: bytes
    name: str
    words: str = ""
    read: Callable[[Path], object] | None = None
    beside: Mapping[str, bytes] = field(default_factory=dict)


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
    "hosts": Parser(HOSTS.encode(), "h.toml", "place --matrix FOLDER/good.nm --topology FILE"),
    "current": Parser(
        b"[0, 1, 2]", "c.json", "place --matrix FOLDER/good.nm --topology core:8 --current FILE"
    ),
    "experiment": Parser(example("emulate/cg.toml"), "e.toml", "emulate FILE --print"),
    "Proteo's INI": Parser(example("emulate/cg.ini"), "e.ini", "emulate FILE --print"),
    "study": Parser(example("study/short.toml"), "s.toml", "study FILE --plan"),
    "scenario": Parser(example("simulate/use-case-a.toml"), "s.toml", "simulate FILE"),
    "workload": Parser(TRACE.encode(), "w.swf", "simulate FILE --cores 8"),
    "jobs of a machine": Parser(MACHINE.encode(), "w.toml", "simulate workload FILE"),
    "trace of a machine": Parser(
        TRACE.encode(), "w.swf", "simulate workload FILE --cores 8 --order easy --skip-bad"
    ),
    "Slurm's accounting": Parser(
        ACCOUNTING.encode(), "w.sacct", "simulate workload FILE --cores 8 --order easy --skip-bad"
    ),
    "Proteo's JSON": Parser(json.dumps(PROTEO, indent=1).encode(), "e.json", "emulate FILE --print"),
    "live study": Parser(LIVE.encode(), "s.toml", "study FILE --plan"),
    "measured": Parser(lines(MEASURED), "m.jsonl", "emulate --from FILE --print"),
    "facts of a trace": Parser(
        TRACED[".json"], "w-0.json", read=captured, beside={"w-0.calls": TRACED[".calls"]}
    ),
    "calls of a trace": Parser(
        TRACED[".calls"], "w-0.calls", read=captured, beside={"w-0.json": TRACED[".json"]}
    ),
    "record in CBOR": Parser(b"".join(map(cbor2.dumps, RECORD)), "r.jsonl", "report FILE"),
    "CBOR to place": Parser(b"".join(map(cbor2.dumps, RECORD)), "r.jsonl", PLACE),
    "build": Parser(
        BUILD.encode(), "x/mpi.json", read=lambda file: builds({"NEREUS_BUILDS": str(file.parents[1])})
    ),
    "adapter": Parser(example("adapters/gromacs.toml"), "a.toml", read=load_adapter),
    "costs": Parser(COSTS.encode(), "c.json", read=costs_in),
    "resizes of a daemon": Parser(
        lines([RESIZED]), "m.jsonl", "simulate FOLDER/s.toml", beside={"s.toml": MEASURED_SCENARIO}
    ),
    "XML of hwloc": Parser(HWLOC, "h.xml", "place --matrix FOLDER/good.nm --oversubscribe --topology FILE"),
    "policy": Parser(
        example("policies/careful.py"),
        "p.py",
        "simulate FOLDER/s.toml --policy FILE:Careful",
        beside={"s.toml": example("simulate/use-case-a.toml")},
    ),
    "keys": Parser(KEYS.encode(), "server.json", read=lambda file: read_keys(file.parent)),
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
CBOR = [
    b"\x5b" + b"\xff" * 8,  # a string without an end
    b"\x9b" + b"\xff" * 8,
    b"\x81" * 100_000,
    b"\xc2\x5a\x00\x98\x96\x80" + b"\xff" * 10_000_000,  # an integer of ten megabytes
    b"\xd8\x1c\x81\xd8\x1d\x00",  # a list that holds itself
    b"\xd8\x23\x61(",
    b"\xd8\x24\x63abc",
    b"\xf9\x7e\x00",
]


def zip_bomb() -> bytes:
    """Of a few kilobytes, which are 16 GiB of zeros when they are unpacked; its directory says so."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.npz"
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            archive.writestr("data.npy", b"0" * 100)
        content = bytearray(file.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    return bytes(content)


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
    ("pairs", b"source,destination" + b",a" * 100_000 + b"\n"),
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
    ("npz", zip_bomb()),
    (
        "packed market",
        gzip.compress(b"%%MatrixMarket matrix coordinate real general\n" + b"%\n" * 1000)[:-20],
    ),
    ("Proteo's JSON", b"[" * 100_000),
    ("Proteo's JSON", json.dumps(PROTEO).replace("500.0", "9" * 5000).encode()),
    ("Proteo's JSON", json.dumps(PROTEO).replace("500.0", "NaN").encode()),
    ("live study", LIVE.replace("20", "9" * 5000).encode()),
    ("measured", lines(MEASURED[:1])),
    ("measured", lines([*MEASURED, {**MEASURED[1], "cores": 2**70}])),
    ("facts of a trace", TRACED[".json"].replace(b"0.0", b"1e999")),
    ("facts of a trace", TRACED[".json"].replace(b"40", b"-40")),
    ("calls of a trace", TRACED[".calls"][:-1]),
    ("calls of a trace", b"\xff" * len(TRACED[".calls"])),
    *(("record in CBOR", cbor2.dumps(RECORD[0]) + more) for more in CBOR),
    ("build", b"[" * 100_000),
    ("build", b"\xff"),
    ("costs", b"[" * 100_000),
    ("costs", COSTS.replace("1.0", "1e999").encode()),
    ("resizes of a daemon", lines([{**RESIZED, "ranks": 10**400}])),
    (
        "resizes of a daemon",
        lines([{**RESIZED, "seconds": 1e308}, {**RESIZED, "seconds": 1e308, "ranks": 3}]),
    ),
    ("resizes of a daemon", b"[" * 100_000),
    ("XML of hwloc", HWLOC[:200]),
    ("XML of hwloc", HWLOC.replace(b"0x3", b"0x" + b"f" * 100_000)),
    ("policy", b"raise SystemExit(0)"),
    ("policy", b"(" * 100_000),
    ("policy", b"#" * (MOST_WRITTEN + 1)),
    ("keys", b"[" * 100_000),
    ("keys", KEYS.replace(PUBLIC, "x" * 40).encode()),
]


def outcome(parser: Parser, content: bytes) -> int:
    """The exit code; whatever is raised is raised here."""
    with tempfile.TemporaryDirectory(prefix="nereus-parsers-") as name:
        folder = Path(name)
        files = {**parser.beside, parser.name: content}
        if "FOLDER/good.nm" in parser.words:
            files["good.nm"] = PARSERS["binary matrix"].good
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(text)
        file = folder / parser.name
        if parser.read is None:
            return run(parser.words.replace("FILE", str(file)).replace("FOLDER", name).split())
        try:
            parser.read(file)
        except UserError as error:  # what `run` makes of it
            for line in error.lines:
                complain(line)
            return 2
        return 0
