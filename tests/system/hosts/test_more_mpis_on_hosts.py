# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI 5 cannot do over several hosts is refused, where it would end the job."""

from collections.abc import Callable
from typing import Any

import pytest

LIMIT = 90.0
REASON = "Open MPI 5 does not connect processes on several hosts that were spawned apart"
EXPERIMENT = """\
verify = true
[data]
variable_bytes = 80000
[[phases]]
iterations = 20
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 10
[[groups]]
ranks = 3
process_strategies = ["multiple"]
"""


@pytest.mark.whole  # takes half a minute
def test_parties_of_their_own_on_other_hosts_are_refused_with_open_mpi_5(
    site: Any, openmpi5: str, hosts: Any, on_host_a: Callable[[list[str]], Any]
) -> None:
    listed = ",".join(f"{name}:1" for name in hosts.names)
    where = ["--mpi", openmpi5, "--hosts", listed, "--rsh", str(hosts.rsh)]
    file = str(site.write("parties.toml", EXPERIMENT))
    with on_host_a(["emulate", file, "--output", "out", "--no-picture", "--quiet", *where]) as (process, _):
        process.wait(LIMIT)
    events = {event["event"]: event for event in site.events()}
    assert REASON in events["resize_undone"]["reason"], (site.folder / "written").read_text()
    assert events["finished"]["data_intact"]
