# SPDX-License-Identifier: BSD-3-Clause
"""A trace has the processes of all hosts on one time line, also those that a resize brings."""

from collections.abc import Callable
from typing import Any

from commands import COMMAND

from nereus.analysis.trace.run import read_run
from nereus.launch import choose

LIMIT = 120.0
HALO = ("--rows", "60", "--columns", "200", "--iterations", "60", "--resize", "20:6")


def test_trace_has_the_processes_of_all_hosts(
    site: Any, hosts: Any, mpi: str, on_host_a: Callable[[list[str]], Any]
) -> None:
    listed = ",".join(f"{name}:1" for name in hosts.names)
    where = ["--mpi", mpi, "--hosts", listed, "--rsh", str(hosts.rsh), "-n", "3", "--oversubscribe"]
    program = [str(choose(mpi).program("nereus-halo")), *HALO, "--nereus-process-strategies=none"]
    job = [*COMMAND, "run", *where, "--", *program]
    with on_host_a(["trace", "--mpi", mpi, "-o", "traced", "--", *map(str, job)]) as (process, _):
        code = process.wait(LIMIT)
    assert code == 0, (site.folder / "written").read_text()
    run = read_run(site.folder / "traced")
    assert sorted(track.host for track in run.tracks) == sorted(2 * hosts.names)
    assert {span.generation for span in run.generations} == {0, 1}
    assert len(run.successions) == 3
    between = {
        (run.tracks[message["source"]].host, run.tracks[message["destination"]].host)
        for message in run.messages
    }
    assert any(source != destination for source, destination in between)
    assert run.unmatched == 0
    assert run.notes == []
