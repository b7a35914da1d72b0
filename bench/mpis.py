# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI can do what: a table whose cells are commands of `nereus`, each run to its end.

    python bench/mpis.py [--mpi NAME]... [--only COLUMN]... [--json]

Takes the builds that are installed. The columns of hosts need root and the program ip; that of Slurm is
tried where the script runs in an allocation. A cell is "yes" where the command ended well, made all resizes,
and found its data right.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts
from nereus.launch import Build, builds, choose

# Seconds for a command; with the time for the trial whether processes can join, at the first of an MPI.
LIMIT = 200.0
NEREUS = str(Path(sys.executable).parent / "nereus")
SIZES = (1, 3, 1)
EXPERIMENT = """\
name = "cell"
verify = true
[data]
constant_bytes = 8000000
variable_bytes = 800000
[resize]
process_strategies = {strategies}
transfer_method = "{transfer}"
[[phases]]
iterations = {iterations}
[[phases.stages]]
type = "pi"
time = "10 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
"""
GROUP = "[[groups]]\nranks = {ranks}\n"
# With the second of these Open MPI has windows between processes that were spawned apart.
USUAL: Mapping[str, str] = {}
WINDOWS = {"OMPI_MCA_osc": "ucx", "OMPI_MCA_osc_ucx_tls": "any"}
WINDOWS_BY_UCX = {
    "OMPI_MCA_osc": "ucx",
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
}


@dataclass(frozen=True)
class Cell:
    """What came of a command, and with which settings beside those that `nereus` has by itself."""

    mpi: str
    library: str
    column: str
    works: bool | None
    seconds: float
    command: str
    reason: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """A folder to work in, and hosts if there are some."""

    folder: Path
    hosts: LocalHosts | None

    def experiment(self, sizes: Sequence[int], strategies: Sequence[str] = (), transfer: str = "auto") -> str:
        """The name of a file that resizes to these sizes, one after another."""
        iterations = 600 if "join" in strategies else 20
        text = EXPERIMENT.format(
            strategies=json.dumps(list(strategies)), transfer=transfer, iterations=iterations
        )
        first = "".join(f"{GROUP.format(ranks=ranks)}iterations = 5\n" for ranks in sizes[:-1])
        file = self.folder / f"{'-'.join([transfer, *strategies, *map(str, sizes)])}.toml"
        file.write_text(text + first + GROUP.format(ranks=sizes[-1]))
        return str(file)

    def run(self, words: Sequence[str], environment: Mapping[str, str], on_host: bool) -> tuple[str, str]:
        """What the command printed on stdout, and why it failed: "" where it did not."""
        complete = [NEREUS, *words]
        if on_host and self.hosts is not None:
            complete = [str(self.hosts.enter), self.hosts.names[0], shlex.join(complete)]
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            try:
                done = subprocess.run(
                    complete,
                    cwd=folder,
                    env={**os.environ, **environment},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=LIMIT,
                )
            except subprocess.TimeoutExpired:
                return "", f"it did not end within {LIMIT:g} s"
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return done.stdout, "" if done.returncode == 0 else said[-1].removeprefix("nereus: ")


def emulation(mpi: str, file: str, *more: str) -> list[str]:
    return ["emulate", file, "--mpi", mpi, "--json", "--no-picture", "--quiet", *more]


def commands(column: str, mpi: str, place: Place) -> list[str] | None:
    """The words behind `nereus`; None where the cell cannot be tried here."""
    fixed = emulation(mpi, place.experiment(SIZES[1:2]))
    match column:
        case "spawn" | "shm":
            return emulation(mpi, place.experiment(SIZES))
        case "join":
            return emulation(mpi, place.experiment(SIZES, ["join"]))
        case "wake":
            ways = ("--methods", "merge", "--strategies", "wake")
            return [
                "bench",
                "processes",
                "--mpi",
                mpi,
                "--from",
                "1",
                "--to",
                "3",
                *ways,
                "--repeat",
                "1",
                "--json",
            ]
        case "p2p" | "col":
            return emulation(mpi, place.experiment(SIZES, transfer=column))
        case "rma":
            return emulation(mpi, place.experiment(SIZES, transfer="rma-lock"))
        case "monitor":
            return ["monitor", "--output", "record.jsonl", "--", NEREUS, *fixed]
        case "capture":
            return ["capture", "--output", "captured.toml", "--force", "--json", "--", NEREUS, *fixed]
        case "hosts: spawn" | "hosts: join" if place.hosts is not None:
            a, b, c = place.hosts.names
            where = ("--hosts", f"{a}:1,{b}:1,{c}:1", "--rsh", str(place.hosts.rsh))
            return emulation(mpi, place.experiment(SIZES, ["join"] if "join" in column else []), *where)
        case "Slurm" if "SLURM_JOB_ID" in os.environ:
            return emulation(mpi, place.experiment(SIZES, ["join"]))
    return None


COLUMNS = (
    *("spawn", "join", "wake", "shm", "p2p", "col", "rma", "monitor", "capture"),
    *("hosts: spawn", "hosts: join", "Slurm"),
)


def failure(column: str, printed: str) -> str:
    """Why what a command printed is not what it should be; "" where it is."""
    if column in ("monitor", "capture"):
        return "" if printed.strip() else "it printed nothing"
    try:
        document = json.loads(printed)
    except ValueError:
        return "it printed no document"
    if column == "wake":
        (row,) = document["rows"]
        return "" if row.get("works", True) and not row.get("reason") else str(row["reason"])
    undone = document["undone"]
    if undone:
        return str(undone[0]["reason"])
    made = [resize["to"] for resize in document["resizes"]]
    if made != list(SIZES[1:]):
        return f"it made resizes to {made}"
    return "" if document["data_intact"] else "data arrived changed"


def settings_for(column: str, build: Build) -> list[Mapping[str, str]]:
    """Those to try in turn."""
    own: Mapping[str, str] = {"NEREUS_MEMORY": "shared" if column == "shm" else "private"}
    by_ucx = [WINDOWS, WINDOWS_BY_UCX] if column == "rma" and build.family == "openmpi" else []
    return [{**own, **more} for more in (USUAL, *by_ucx)]


def cell(column: str, build: Build, place: Place) -> Cell:
    words = commands(column, build.name, place)
    if words is None:
        return Cell(build.name, build.library_version, column, None, 0.0, "", "not tried here")
    shown = shlex.join(["nereus", *words]).replace(f"{place.folder}/", "").replace(NEREUS, "nereus")
    first = ""
    for settings in settings_for(column, build):
        begun = time.monotonic()
        printed, reason = place.run(words, settings, "hosts" in column)
        # A document says more than the last line of a launcher.
        reason = (failure(column, printed) if printed or not reason else "") or reason
        seconds = time.monotonic() - begun
        if not reason:
            return Cell(build.name, build.library_version, column, True, seconds, shown, settings=settings)
        first = first or reason
    return Cell(build.name, build.library_version, column, False, seconds, shown, first)


def cells(chosen: Sequence[Build], columns: Sequence[str]) -> Iterator[Cell]:
    """Row by row."""
    with tempfile.TemporaryDirectory(prefix="nereus-mpis-") as folder:
        wants_hosts = any("hosts" in column for column in columns) and os.geteuid() == 0
        if not wants_hosts:
            yield from (
                cell(column, build, Place(Path(folder), None)) for build in chosen for column in columns
            )
            return
        with local_hosts(Wanted("nmp", "abc")) as hosts:
            yield from (
                cell(column, build, Place(Path(folder), hosts)) for build in chosen for column in columns
            )


def table(found: Sequence[Cell], columns: Sequence[str]) -> str:
    """In Markdown; reasons are numbered and stand below."""
    notes: list[str] = []

    def note(text: str) -> str:
        if text not in notes:
            notes.append(text)
        return f"({notes.index(text) + 1})"

    def shown(one: Cell) -> str:
        extra = {name: value for name, value in one.settings.items() if name not in ("NEREUS_MEMORY",)}
        if one.works is None:
            return "-"
        if one.works:
            return (
                f"yes {note('with ' + ' '.join(f'`{k}={v}`' for k, v in extra.items()))}" if extra else "yes"
            )
        return f"no {note(one.reason)}"

    lines = [f"| MPI | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name in dict.fromkeys(one.mpi for one in found):
        row = [one for one in found if one.mpi == name]
        lines.append(f"| {row[0].library.split(',')[0]} | {' | '.join(map(shown, row))} |")
    return "\n".join([*lines, "", *(f"{number}. {text}" for number, text in enumerate(notes, start=1))])


def main() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", action="append", metavar="NAME", help="this build only; may be given again")
    parser.add_argument(
        "--only", action="append", choices=COLUMNS, help="this column only; may be given again"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document with each command")
    arguments = parser.parse_args()
    chosen = [choose(name) for name in arguments.mpi] if arguments.mpi else builds()
    columns = [column for column in COLUMNS if not arguments.only or column in arguments.only]
    found = []
    for one in cells(chosen, columns):
        found.append(one)
        print(f"{one.mpi}: {one.column}: {one.works} {one.reason} ({one.seconds:.1f} s)", file=sys.stderr)
    if arguments.json:
        print(json.dumps({"cells": [asdict(one) for one in found]}, indent=1))
    else:
        print(table(found, columns))


if __name__ == "__main__":
    main()
