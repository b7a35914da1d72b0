# SPDX-License-Identifier: BSD-3-Clause
"""A program that saves its own state is resized over the hosts that its job began with."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[1] / "counting_program.py"
LIMIT = 60.0
ADAPTER = """\
[save]
request_file = "stop"
files = ["state"]
[restart]
arguments = ["continue"]
[progress]
file = "log"
pattern = 'step ([0-9]+) '
"""


def test_program_that_saves_itself_is_resized_over_hosts(
    site: Any, hosts: Any, on_host_a: Callable[[list[str]], Any], mpich: str
) -> None:
    site.write("adapter.toml", ADAPTER)
    of_job = ["run", "--adapter", "adapter.toml", "--mpi", mpich, "-n", "1", "--name", "count"]
    listed = ["--hosts", f"{hosts.a}:1,{hosts.b}:2", "--rsh", str(hosts.rsh)]
    with on_host_a([*of_job, *listed, "--", sys.executable, str(PROGRAM), "100000"]) as (process, runtime):

        def asked(*words: str) -> Any:
            return site.nereus(*words, XDG_RUNTIME_DIR=str(runtime))

        def placed() -> list[str]:
            (job,) = asked("jobs", "--json").document["jobs"]
            found: list[str] = job["hosts"]
            return found

        while not (site.folder / "log").exists():
            assert process.poll() is None, (site.folder / "written").read_text()
        for ranks, there in ((3, [hosts.a, hosts.b, hosts.b]), (2, [hosts.a, hosts.b])):
            result = asked("resize", "count", str(ranks))
            assert result.code == 0, (result.err, (site.folder / "written").read_text())
            assert placed() == there
        refused = asked("resize", "count", "4")
        assert (refused.code, "have 3 slots" in refused.err) == (1, True), refused.err
        assert asked("save", "count", "--stop").code == 0
        assert process.wait(LIMIT) == 75
    steps = re.findall(r"step (\d+) on", (site.folder / "log").read_text())
    assert list(map(int, steps)) == list(range(1, len(steps) + 1))
