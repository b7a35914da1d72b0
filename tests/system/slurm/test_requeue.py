# SPDX-License-Identifier: BSD-3-Clause
"""The batch script of docs/howto/stop-and-resume.md: a job that is warned saves, is requeued, continues."""

import json
import shlex
import textwrap
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND

from conftest import ROOT, said_in
from nereus.launch import choose

_PAGE = ROOT / "docs" / "howto" / "stop-and-resume.md"
_PLATE = ("--rows", "300", "--columns", "300", "--tolerance", "0", "--iterations", "60000")


def script_of_the_page() -> str:
    """The indented block that begins as a script does."""
    text = _PAGE.read_text()
    begin = text.index("    #!/bin/sh\n")
    lines = text[begin:].split("\n")
    end = next(number for number, line in enumerate(lines) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(lines[:end]))


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def is_running(cluster: Any, number: str) -> bool:
    """Whether the program in the script has opened its job."""
    host = cluster.asked("squeue", "--noheader", "--jobs", number, "--format=%B")
    if host not in cluster.nodes:
        return False
    jobs = json.loads(cluster.on(host, *COMMAND, "jobs", "--json").stdout)["jobs"]
    return [job["state"] for job in jobs] == ["running"]


@pytest.mark.whole  # takes minutes, most of them waiting
def test_script_of_the_page_saves_requeues_and_continues(cluster: Any, mpich: str, tmp_path: Path) -> None:
    folder = cluster.folder / tmp_path.name
    folder.mkdir()
    executable(folder / "nereus", f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    halo = choose(mpich).program("nereus-halo")
    executable(folder / "application", f"#!/bin/sh\nexec {halo} {' '.join(_PLATE)} --result result\n")
    script = script_of_the_page()
    assert "--save-signal USR1" in script and "scontrol requeue" in script
    executable(folder / "script", script.replace("-n 16", f"-n 2 --mpi {mpich}"))
    sizes = ("--nodes=1", "--ntasks-per-node=2", f"--chdir={folder}", f"--output={folder / 'output'}")
    environment = {
        "PATH": f"{folder}:{cluster.environment['PATH']}",
        "XDG_CACHE_HOME": str(cluster.folder / "cache"),
    }
    done = cluster.on(cluster.login, "sbatch", "--parsable", *sizes, folder / "script", **environment)
    assert done.returncode == 0, done.stderr
    number = done.stdout.strip()

    def output() -> str:
        return (folder / "output").read_text() if (folder / "output").exists() else ""

    cluster.wait_until(lambda: is_running(cluster, number), "the job does not begin")
    cluster.asked("scancel", "--batch", "--signal=USR1", number)
    cluster.wait_until(lambda: "stopped after epoch 1" in output(), "the job does not stop")
    cluster.wait_until(lambda: number not in cluster.jobs, f"the job does not end: {output()}")
    continued = json.loads((folder / "result").read_text())
    assert (continued["iterations"], continued["ranks"]) == (60000, 2), output()
    words = [*COMMAND, "run", "-q", "-n", "2", "--mpi", mpich, "--", str(halo), *_PLATE]
    undisturbed = cluster.on(cluster.nodes[0], *words, **environment)
    assert continued["checksum"] == said_in(undisturbed.stdout)["checksum"]
