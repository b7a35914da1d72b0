# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI can do what: a table whose cells are commands of `nereus`, each run to its end.

    python bench/mpis.py [--mpi NAME]... [--only COLUMN]... [--json]
    python bench/mpis.py --of FILE...

Takes the builds that are installed. The columns of hosts need root and the program ip; that of Slurm is tried
where the script runs in an allocation. A cell is "yes" where the command ended well, made all resizes in the
way that was asked for, and found its data right. --json prints a document in place of the table; --of makes
the table of such documents; cells that are in several of them say how many runs failed.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts, Wanted, local_hosts
from nereus.launch import Build, builds, choose

# Seconds for a command; with the time for the trial whether processes can join, at the first of an MPI.
LIMIT = 200.0
NEREUS = str(Path(sys.executable).parent / "nereus")
# In what an MPI calls itself, beside its name and the number of its version.
NOT_SHOWN = re.compile(r"\(R\)| Version:| Library| for .*|,.*|(?<= )v(?=\d)")
# In the warning of `nereus emulate`, before the reason.
CANNOT_JOIN = " here: "
SIZES = (1, 3, 1)
EXPERIMENT = """\
name = "cell"
verify = true
[data]
constant_bytes = 8000000
variable_bytes = 800000
memory = "{memory}"
[resize]
process_method = "{method}"
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
[[groups]]
ranks = 1
iterations = 5
[[groups]]
ranks = 3
iterations = 5
[[groups]]
ranks = 1
"""
# Open MPI has windows between processes that were spawned apart with some of these, by its version.
WINDOWS = {"OMPI_MCA_osc": "ucx", "OMPI_MCA_osc_ucx_tls": "any"}
WINDOWS_BY_UCX = {
    "OMPI_MCA_osc": "ucx",
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
}


@dataclass(frozen=True)
class Column:
    """How its cells are made: what stands behind `nereus`, and how {file} resizes."""

    command: str = "emulate {file} --mpi {mpi} --json --no-picture --quiet"
    strategies: tuple[str, ...] = ()
    transfer: str = "auto"
    memory: str = "private"
    method: str = "merge"
    #: Why what was printed, and written into a folder, is not what it should be; "" where it is.
    failure: Callable[["Column", str, Path], str] = lambda column, printed, _: failed_resizes(column, printed)

    @property
    def file(self) -> str:
        """The name of its experiment."""
        return "-".join(["cell", self.method, self.transfer, self.memory, *self.strategies]) + ".toml"

    @property
    def experiment(self) -> str:
        """From 1 to 3 processes and back; newcomers that join come while it goes on."""
        return EXPERIMENT.format(
            method=self.method,
            strategies=json.dumps(list(self.strategies)),
            transfer=self.transfer,
            memory=self.memory,
            iterations={"join": 600, "auto": 1000}.get("".join(self.strategies), 20),
        )


@dataclass(frozen=True)
class Cell:
    """What came of a command, and with which settings beside those that `nereus` has by itself."""

    mpi: str
    library: str
    column: str
    works: bool | None
    seconds: float = 0.0
    command: str = ""
    reason: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def failed_resizes(column: Column, printed: str) -> str:
    """Of an experiment's document."""
    document = json.loads(printed)
    if document["undone"]:
        return str(document["undone"][0]["reason"])
    made = document["resizes"]
    if [resize["to"] for resize in made] != list(SIZES[1:]):
        return f"it made resizes to {[resize['to'] for resize in made]}"
    if column.transfer not in ("auto", made[0]["transfer_method"]):
        return f"it moved data by {made[0]['transfer_method']}"
    if "auto" not in column.strategies and set(made[0]["process_strategies"]) != {*column.strategies}:
        return f"it made processes by {' and '.join(made[0]['process_strategies']) or 'spawn'}"
    if made[0]["process_method"] != column.method:
        return f"it was done by {made[0]['process_method']}"
    if column.memory == "shared" and not made[0]["shared_bytes"]:
        return "it shared no memory"
    return "" if document["data_intact"] else "data arrived changed"


def failed_way(column: Column, printed: str, folder: Path) -> str:
    """Of the document of a bench with one way to make processes."""
    (row,) = json.loads(printed)["rows"]
    return "" if row.get("works", True) and not row.get("reason") else str(row["reason"])


def failed_record(column: Column, printed: str, folder: Path) -> str:
    """Of what a monitor wrote beside the document of an experiment."""
    events = [json.loads(line) for line in (folder / "record.jsonl").read_text().splitlines()]
    ends = [event["end"] for event in events if event["event"] == "process"]
    if ends.count("finalized") != max(SIZES):
        return f"it has processes that ended so: {', '.join(ends) or 'none'}"
    if not any(event["event"] == "moved" for event in events):
        return "it has no messages"
    return failed_resizes(column, printed)


def failed_capture(column: Column, printed: str, folder: Path) -> str:
    """Of an experiment that was made from a run of an application."""
    document = json.loads(printed)
    return "" if document["ranks"] == 2 and (folder / "captured.toml").exists() else "it found no experiment"


EMULATE = Column.command
COLUMNS: Mapping[str, Column] = {
    "spawn": Column(),
    "join": Column(strategies=("join",)),
    "wake": Column(
        "bench processes --mpi {mpi} --from 1 --to 3 --methods merge --strategies wake --repeat 1 --json",
        failure=failed_way,
    ),
    "restart": Column(method="restart"),
    "shm": Column(memory="shared"),
    "p2p": Column(transfer="p2p"),
    "col": Column(transfer="col"),
    "rma": Column(transfer="rma-lock"),
    "monitor": Column(f"monitor --output record.jsonl --quiet -- {NEREUS} {EMULATE}", failure=failed_record),
    "capture": Column(
        "capture --output captured.toml --mpi {mpi} --json -- mpiexec {as_root} -n 2 nereus-cg --poisson 40",
        failure=failed_capture,
    ),
    "hosts: spawn": Column(EMULATE + " --hosts {hosts} --rsh {rsh}"),
    "hosts: join": Column(EMULATE + " --hosts {hosts} --rsh {rsh}", strategies=("join",)),
    "Slurm": Column(strategies=("auto",)),
}


@dataclass(frozen=True)
class Place:
    """A folder to work in, and hosts if there are some."""

    folder: Path
    hosts: LocalHosts | None

    def has(self, column: str) -> bool:
        """Whether a cell of the column can be made here."""
        if "hosts" in column:
            return self.hosts is not None
        return column != "Slurm" or "SLURM_JOB_ID" in os.environ

    def words(self, column: Column, build: Build) -> list[str]:
        """What stands behind `nereus`."""
        file = self.folder / column.file
        file.write_text(column.experiment)
        names = self.hosts.names if self.hosts else ()
        listed, rsh = ",".join(f"{name}:1" for name in names), self.hosts.rsh if self.hosts else ""
        as_root = "--allow-run-as-root" if build.family == "openmpi" and os.geteuid() == 0 else ""
        return shlex.split(
            column.command.format(file=file, mpi=build.name, hosts=listed, rsh=rsh, as_root=as_root)
        )

    def shown(self, words: Sequence[str]) -> str:
        """The command as one types it."""
        short = shlex.join(["nereus", *words]).replace(f"{self.folder}/", "").replace(NEREUS, "nereus")
        if self.hosts is None:
            return short
        return short.replace(str(self.hosts.rsh), "rsh").replace(self.hosts.prefix, "host-")

    def why_not(self, column: Column, words: Sequence[str], settings: Mapping[str, str]) -> str:
        """Runs the command, and says why it failed: "" where it did not."""
        complete = [NEREUS, *words]
        if self.hosts is not None and "--hosts" in words:
            complete = [str(self.hosts.enter), self.hosts.names[0], shlex.join(complete)]
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            try:
                done = subprocess.run(
                    complete,
                    cwd=folder,
                    env={**os.environ, **settings},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=LIMIT,
                )
            except subprocess.TimeoutExpired:
                return f"it did not end within {LIMIT:g} s"
            return self._failure(column, done, Path(folder))

    def _failure(self, column: Column, done: "subprocess.CompletedProcess[str]", folder: Path) -> str:
        """What says most: a warning why processes cannot join, a document, the last line of a launcher."""
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        last = said[-1].removeprefix("nereus: ")
        try:
            reason = column.failure(column, done.stdout, folder) or ("" if done.returncode == 0 else last)
        except (OSError, ValueError, KeyError):
            reason = last
        warned = next((line.partition(CANNOT_JOIN)[2] for line in said if CANNOT_JOIN in line), "")
        return warned if reason and warned else reason


def settings_for(column: str, build: Build) -> list[Mapping[str, str]]:
    """Those to try in turn."""
    return [{}, *([WINDOWS, WINDOWS_BY_UCX] if column == "rma" and build.family == "openmpi" else [])]


def cell(name: str, build: Build, place: Place) -> Cell:
    known = (build.name, build.library_version, name)
    if not place.has(name):
        return Cell(*known, works=None)
    column = COLUMNS[name]
    words = place.words(column, build)
    first = ""
    begun = time.monotonic()
    for settings in settings_for(name, build):
        reason = place.why_not(column, words, settings)
        seconds = time.monotonic() - begun
        if not reason:
            return Cell(*known, True, seconds, place.shown(words), settings=settings)
        first = first or reason
    return Cell(*known, False, seconds, place.shown(words), first)


def cells(chosen: Sequence[Build], columns: Sequence[str]) -> Iterator[Cell]:
    """Row by row."""
    with ExitStack() as stack:
        # Here, because nodes of a cluster have a /tmp each.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nereus-mpis-", dir=Path.cwd())))
        wants_hosts = any("hosts" in column for column in columns) and os.geteuid() == 0
        hosts = stack.enter_context(local_hosts(Wanted("nmp", "abc"))) if wants_hosts else None
        yield from (cell(column, build, Place(folder, hosts)) for build in chosen for column in columns)


def table(found: Sequence[Cell], columns: Sequence[str]) -> str:
    """In Markdown; reasons and settings are numbered and stand below."""
    notes: dict[str, int] = {}

    def noted(word: str, text: str) -> str:
        return f"{word} ({notes.setdefault(text, len(notes) + 1)})"

    def shown(one: Cell) -> str:
        if one.works is None:
            return "-"
        if one.reason:
            return noted("yes" if one.works else "no", f"{one.reason[:1].upper()}{one.reason[1:]}.")
        settings = " ".join(f"{name}={value}" for name, value in one.settings.items())
        return noted("yes", f"With `{settings}`.") if settings else "yes"

    lines = [f"| MPI | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for mpi in dict.fromkeys(one.mpi for one in found):
        row = {one.column: one for one in found if one.mpi == mpi}
        library = next(iter(row.values())).library
        lines.append(
            f"| {NOT_SHOWN.sub('', library)} | {' | '.join(shown(row[column]) for column in columns)} |"
        )
    return "\n".join([*lines, "", *(f"{number}. {text}" for text, number in notes.items())])


def stored(files: Sequence[str]) -> list[Cell]:
    """Of documents; one that was made several times says how often it failed."""
    made: dict[tuple[str, str], list[Cell]] = {}
    for file in files:
        for one in json.loads(Path(file).read_text())["cells"]:
            made.setdefault((one["mpi"], one["column"]), []).append(Cell(**one))
    return [together(same) for same in made.values()]


def together(made: Sequence[Cell]) -> Cell:
    """Runs of one cell as one."""
    good = [one for one in made if one.works]
    bad = [one for one in made if one.works is False]
    if not good or not bad:
        return (good or bad or list(made))[-1]
    runs = len(good) + len(bad)
    return replace(good[-1], reason=f"{len(bad)} of {runs} runs failed: {bad[-1].reason}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    again = "may be given again"
    parser.add_argument("--mpi", action="append", metavar="NAME", help=f"this build only; {again}")
    parser.add_argument("--only", action="append", choices=list(COLUMNS), help=f"this column only; {again}")
    parser.add_argument("--json", action="store_true", help="one JSON document with each command")
    parser.add_argument("--of", nargs="+", metavar="FILE", help="the table of such documents; nothing is run")
    arguments = parser.parse_args()
    columns = [column for column in COLUMNS if not arguments.only or column in arguments.only]
    found = []
    if arguments.of:
        found = stored(arguments.of)
    else:
        chosen = [choose(name) for name in arguments.mpi] if arguments.mpi else builds()
        for one in cells(chosen, columns):
            found.append(one)
            print(f"{one.mpi}: {one.column}: {one.works} {one.reason} ({one.seconds:.1f} s)", file=sys.stderr)
    if arguments.json:
        print(json.dumps({"cells": [asdict(one) for one in found]}, indent=1))
    else:
        print(table(found, [column for column in columns if any(one.column == column for one in found)]))


if __name__ == "__main__":
    main()
