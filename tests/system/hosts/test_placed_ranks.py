# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that send each other much are on one host after a resize, and the program's results are the same."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import choose

LIMIT = 120.0
PLATE = ("--rows", "60", "--columns", "2000", "--ring", "--iterations", "400", "--resize", "40:6")


def run(site: Any, hosts: Any, on_host_a: Any, mpi: str, placement: str) -> dict[str, Any]:
    """nereus-halo on three hosts with a rank each, which becomes twice as large; what its results have."""
    build = choose(mpi)
    listed = ",".join(f"{name}:1" for name in hosts.names)
    where = ["--mpi", mpi, "--hosts", listed, "--rsh", str(hosts.rsh), "--placement", placement]
    settings = ["--nereus-results=results", "--nereus-process-strategies=none"]
    program = [str(build.program("nereus-halo")), *PLATE, *settings, "--result", "line"]
    with on_host_a(["run", "-n", "3", "--oversubscribe", *where, "--", *program]) as (process, _):
        code = _code(process)
    assert code == 0, (site.folder / "written").read_text()
    events = [json.loads(line) for line in (site.folder / "results").read_text().splitlines()]
    ended = [event for event in events if event["event"] == "generation_ended"]
    committed = [event for event in events if event["event"] == "committed"]
    letters = ["".join(host[-1] for host in event["hosts"]) for event in ended]
    return {"hosts": letters, "resize": committed[0], "line": json.loads((site.folder / "line").read_text())}


def _code(process: "subprocess.Popen[bytes]") -> int:
    return process.wait(LIMIT)


def test_neighbours_share_a_host_after_a_resize(
    site: Any, hosts: Any, mpi: str, on_host_a: Callable[[list[str]], Any]
) -> None:
    usual = run(site, hosts, on_host_a, mpi, "compact")
    placed = run(site, hosts, on_host_a, mpi, "measured")
    assert usual["hosts"] == ["abc", "abcabc"]
    assert usual["resize"]["placed"] == ""
    assert placed["hosts"][0] == "abc"
    ring = placed["hosts"][1]
    assert sorted(ring) == sorted("aabbcc")
    assert re.search(r"(.)\1(.)\2(.)\3", ring + ring), f"{ring}: neighbours in a ring are on three hosts"
    told = placed["resize"]
    assert told["placed"].startswith("ranks are placed by what they sent each other")
    # A ring of six: all six borders were between hosts, three are left.
    assert told["between_hosts"] == pytest.approx(told["usual_between_hosts"] / 2, rel=0.05)
    assert placed["line"]["checksum"] == usual["line"]["checksum"]


def test_order_is_kept_without_measurement(
    site: Any, hosts: Any, mpich: str, start: Any, tmp_path: Path
) -> None:
    with start(mpich, "a:1,b:1,c:1", "--oversubscribe", "-n", "3") as job:
        document = job.resize(6, "--placement", "measured", "--process-strategies", "none")
        assert document["name"] == "NEREUS_RESIZED"
        assert "what they send each other was not measured" in document["report"]["placed"]
        job.expect("abcabc")
        job.stop()
