# SPDX-License-Identifier: BSD-3-Clause
"""Nothing more can be written: results, records, temporary files, the store of the daemon.

Commands see a small file system of their own in the folder `full`, which nobody else sees.
"""

import os
import shutil
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from commands import COMMAND, started
from test_daemon import PATIENT, job, said

from conftest import LIMIT, Result, Site, wait_until

EXPERIMENT = """\
[[phases]]
iterations = 20
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 2
"""
#: SIZE, then the command. Where a file `fill` is there, now or later, no space is left from then on.
SCRIPT = """\
mount -t tmpfs -o size=$1 none full || exit 99
shift
fill() { dd if=/dev/zero of=full/filler bs=4096 2> filled.new; mv filled.new filled; }
wait_to_fill() { until [ -e fill ] || [ -e over ]; do sleep 0.05; done; [ -e over ] || fill; }
if [ -e fill ]; then fill; else wait_to_fill & fi
"$@"
code=$?
touch over
wait
exit $code
"""
_APART = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))


class Disk:
    """A small one, as commands see it."""

    def __init__(self, site: Site) -> None:
        """Skips the test where commands cannot have a file system of their own."""
        self._site = site
        (site.folder / "full").mkdir()
        if shutil.which("unshare") is None:
            pytest.skip("unshare is not there")
        tried = subprocess.run(
            [*_APART, "sh", "-c", SCRIPT, "sh", "64k", "true"],
            cwd=site.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        (site.folder / "over").unlink(missing_ok=True)
        if tried.returncode != 0:
            pytest.skip(f"commands cannot have a file system of their own here: {tried.stderr.strip()}")

    def fill(self) -> None:
        """No space is left from now on."""
        (self._site.folder / "fill").touch()

    def started(
        self, size: str, *arguments: str | Path, **environment: str
    ) -> "AbstractContextManager[subprocess.Popen[str]]":
        """A command with a disk of this size, ended at the latest with the block."""
        words = [*_APART, "sh", "-c", SCRIPT, "sh", size, *COMMAND, *arguments]
        return started(words, self._site.folder, self._site.environment | environment)

    def nereus(self, size: str, *arguments: str | Path, **environment: str) -> Result:
        """One to its end."""
        with self.started(size, *arguments, **environment) as process:
            out, err = process.communicate(timeout=LIMIT)
        return Result(process.returncode, out, err)


@pytest.fixture
def disk(site: Site) -> Disk:
    return Disk(site)


def emulate(mpi: str, output: str = "full/out") -> tuple[str, ...]:
    return ("emulate", "experiment.toml", "--mpi", mpi, "--no-picture", "--output", output)


def test_nothing_is_started_when_the_results_cannot_be_created(site: Site, disk: Disk, mpich: str) -> None:
    site.write("experiment.toml", EXPERIMENT)
    disk.fill()
    refused = disk.nereus("64k", *emulate(mpich))
    assert refused.code == 2, refused
    assert refused.err == "nereus: --output = full/out: cannot be written: No space left on device\n"


@pytest.mark.parametrize("size", ["4k", "8k"])  # for run.json alone, and for what the run writes
def test_results_cut_off_by_a_full_disk_are_reported(site: Site, disk: Disk, mpich: str, size: str) -> None:
    site.write("experiment.toml", EXPERIMENT)
    result = disk.nereus(size, *emulate(mpich))
    assert result.code == 1, result
    said = [line for line in result.err.splitlines() if line.startswith("nereus: ")]
    assert said != []
    assert all("full/out" in line for line in said), said
    assert any("No space left on device" in line or "no space is left on" in line for line in said), said


def test_run_needs_no_space_for_temporary_files(site: Site, disk: Disk, mpich: str) -> None:
    site.write("experiment.toml", EXPERIMENT)
    disk.fill()
    result = disk.nereus("64k", *emulate(mpich, "out"), TMPDIR=str(site.folder / "full"))
    assert result.code == 0, result


def test_record_that_cannot_be_written_is_an_error(site: Site, disk: Disk, mpich: str) -> None:
    disk.fill()
    words = ("monitor", "--mpi", mpich, "--output", "full/record", "--", *COMMAND, "run", "--mpi", mpich)
    result = disk.nereus("64k", *words, "-n", "2", site.program(mpich, "talks"))
    assert result.code != 0, result
    assert "full/record: cannot be written: No space left on device" in result.err, result


def test_record_cut_off_by_a_full_disk_is_an_error(site: Site, disk: Disk, mpich: str) -> None:
    line = '{"event": "unseen", "what": "some", "why": "of a test"}'
    fills = f"yes '{line}' >> full/record 2> yes.log; exit 0"
    result = disk.nereus("16k", "monitor", "--mpi", mpich, "--output", "full/record", "--", "sh", "-c", fills)
    assert result.code == 1, result
    assert "full/record: the record has no end: No space left on device" in result.err, result


def test_daemon_whose_store_cannot_be_created_is_refused(disk: Disk) -> None:
    disk.fill()
    refused = disk.nereus("64k", "daemon", "--store", "full/store.db")
    assert refused.code == 2, refused
    (line,) = refused.err.splitlines()
    assert line.startswith("nereus: --store = "), line
    assert "full" in line


def test_jobs_and_daemon_continue_when_the_store_is_full(site: Site, disk: Disk, mpich: str) -> None:
    with disk.started("256k", "daemon", "--json", "--store", "full/store.db") as process:
        try:
            wait_until((site.runtime / "nereus" / "daemon.line").is_socket)
            disk.fill()
            wait_until((site.folder / "filled").exists)
            result = site.nereus(*job(site, mpich, "20", "10", "5", "10"), **PATIENT)
            assert result.code == 0, result.err
            assert [code for _, code, _ in said(result.out, "io")] == ["NEREUS_OK"] * 4
        finally:
            stopped = site.nereus("daemon", "stop")
            out, err = process.communicate(timeout=LIMIT)
    assert stopped.code == 0, stopped.err
    assert process.returncode == 0, err
    assert "full" in out + err, "it is said once"
    # The next one is to know that not all could be written.
    (site.runtime / "nereus" / "daemon.unsure").unlink()
    (site.runtime / "nereus").rmdir()
