# SPDX-License-Identifier: BSD-3-Clause
"""Commands of a job on its host: when one is asked to end, nothing that it has started stays."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from a_slurm import WITHIN, until

from nereus.allocation import contract

_WITH_FOLDER = Path(contract.__file__).with_name("with_folder")
# A launcher that ignores SIGTERM, and a rank in a session of its own.
_LAUNCHER = """\
trap '' TERM
setsid sh -c 'echo $$ >"$0/rank"; exec sleep 600' {folder} &
echo $$ >{folder}/launcher
wait
"""


Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts commands that share a folder; all are killed after the test."""
    processes: list[subprocess.Popen[str]] = []

    def started(command: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            ["/bin/sh", str(_WITH_FOLDER), str(tmp_path / "temporary"), command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield started
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    for file in tmp_path.glob("rank"):
        with suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)


def _is_there(file: Path) -> bool:
    """Whether the process whose number is in a file is, and has not ended."""
    try:
        stat = Path(f"/proc/{file.read_text().strip()}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_command_reads_what_is_sent_to_it(start: Start, tmp_path: Path) -> None:
    process = start("cat; exit 3")
    assert process.communicate("text\n", timeout=WITHIN) == ("text\n", "")
    assert process.returncode == 3
    assert not (tmp_path / "temporary").exists()


def test_command_ignores_no_signal(start: Start) -> None:
    out, _ = start("cat /proc/self/status").communicate(timeout=WITHIN)
    [ignored] = [line.split()[1] for line in out.splitlines() if line.startswith("SigIgn:")]
    assert int(ignored, 16) & sum(1 << number - 1 for number in (signal.SIGINT, signal.SIGQUIT)) == 0


@pytest.mark.parametrize("whole_group", [False, True], ids=["process", "group"])
def test_nothing_stays_of_a_command_that_is_asked_to_end(
    start: Start, tmp_path: Path, whole_group: bool
) -> None:
    other = start("sleep 600")
    process = start(_LAUNCHER.format(folder=tmp_path))
    started = [tmp_path / "launcher", tmp_path / "rank"]
    until(lambda: all(file.exists() and file.read_text().endswith("\n") for file in started))
    assert all(map(_is_there, started))
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGTERM)
    process.communicate(timeout=WITHIN)
    assert process.returncode != 0
    assert not any(map(_is_there, started))
    # A command of the same job beside it goes on, in the folder of both.
    assert (other.poll(), (tmp_path / "temporary").exists()) == (None, True)
    os.killpg(other.pid, signal.SIGTERM)
    other.communicate(timeout=WITHIN)
    assert not (tmp_path / "temporary").exists()
