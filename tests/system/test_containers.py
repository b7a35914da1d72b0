# SPDX-License-Identifier: BSD-3-Clause
"""In a container, where some transports have no room in the name of a port, jobs are resized all the same."""

import os
import shutil
import subprocess
from typing import Any

import pytest
from commands import COMMAND

LIMIT = 120.0
OWN = ("unshare", "--pid", "--ipc", "--fork", "--mount-proc")
JOINS = """\
name = "joins"
verify = true
[data]
variable_bytes = 80000
[resize]
process_strategies = ["join"]
[[phases]]
iterations = 4000
[[phases.stages]]
type = "pi"
time = "1 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 10
[[groups]]
ranks = 2
"""


@pytest.fixture(scope="module", autouse=True)
def container() -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("containers are made of namespaces by the program unshare, as root")
    made = subprocess.run([*OWN, "true"], capture_output=True, text=True, check=False, timeout=LIMIT)
    if made.returncode != 0:
        pytest.skip(f"namespaces cannot be made here: {made.stderr.strip()}")


def test_processes_join_in_a_container_by_transports_that_fit(site: Any, mpich: str) -> None:
    words = ["emulate", str(site.write("joins.toml", JOINS)), "--mpi", mpich, "--json", "--no-picture"]
    done = subprocess.run(
        [*OWN, *COMMAND, *words],
        cwd=site.folder,
        env=site.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    assert '"data_intact": true' in done.stdout
    assert '"undone": []' in done.stdout
