# SPDX-License-Identifier: BSD-3-Clause
"""An MPI build made of scripts: what `nereus` does around a job can be tried without any MPI."""

import json
import sys
from pathlib import Path

from an_mpiexec import MPIEXEC

PROBE = """#!/bin/sh
echo '{"library": "MPICH Version: 9.9", "thread_level": "multiple"}'
echo '{"feature": "spawn", "works": SPAWN, "reason": "REASON"}'
[ SPAWN = false ] && exit 0
for feature in merge intercommunicator_alltoallv ports disconnect; do
    echo "{\\"feature\\": \\"$feature\\", \\"works\\": true, \\"reason\\": \\"\\"}"
done
"""

# Writes the events of docs/formats/results.md: each group makes its iterations and resizes into the next.
EMULATOR = """#!PYTHON
import json, os, signal, sys, time
mode = os.environ.get("FAKE_EMULATOR", "good")
run = json.load(open(sys.argv[1]))
out = open(sys.argv[3], "w")
def write(event, **keys):
    line = {"event": event, "time": 1.0, "generation": keys.pop("generation", 0), **keys}
    print(json.dumps(line), file=out, flush=True)
write("header", format="nereus-results", version=1, nereus_version="0", mpi="MPICH 9.9", host="h",
      started="2026-01-01T00:00:00Z", started_unix=0.0, seed=run["seed"], units={}, run=run)
if mode == "complain":
    print("nereus-emulator: run.json: seed: found -1, allowed 0 .. 2^63-1", file=sys.stderr)
    sys.exit(2)
if mode == "tell-limit":
    print("nereus-emulator: at most", os.environ["NEREUS_MAX_RANKS"], file=sys.stderr)
done = 0
for number, group in enumerate(run["groups"]):
    ranks = group["ranks"]
    write("generation_started", generation=number, group=number, ranks=ranks, hosts=["h"] * ranks)
    for _ in range(2):
        write("iteration", generation=number, group=number, phase=0, iteration=done, start=done * 0.1,
              seconds=0.1, stage_seconds=[0.1] * len(run["phases"][0]["stages"]), background=False)
        done += 1
    if mode == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "hang":
        time.sleep(600)
    if number + 1 < len(run["groups"]):
        write("committed", generation=number + 1, request=number + 1, **{"from": ranks},
              to=run["groups"][number + 1]["ranks"], process_method="merge", process_strategies=[],
              transfer_method="p2p", transfer_strategy="blocking", variable_bytes=8, variable_seconds=0.01,
              pause_seconds=0.02, bytes_moved=8, bytes_minimum=8, verified=True)
if mode != "endless":
    write("finished", generation=len(run["groups"]) - 1, iterations=done, total_seconds=1.0,
          calibration_seconds=0.1, data_intact=True)
"""


def install(folder: Path, name: str = "mpich", can_spawn: bool = True) -> Path:
    """Put a build of scripts called `name` into a folder of builds."""
    prefix = folder / name
    (prefix / "bin").mkdir(parents=True)
    probe = PROBE.replace("SPAWN", "true" if can_spawn else "false")
    _script(prefix / "mpiexec", MPIEXEC)
    _script(
        prefix / "bin" / "nereus-probe", probe.replace("REASON", "" if can_spawn else "Error in spawn call")
    )
    _script(prefix / "bin" / "nereus-emulator", EMULATOR.replace("PYTHON", sys.executable))
    description = {"name": name, "mpiexec": str(prefix / "mpiexec"), "library_version": "MPICH Version: 9.9"}
    (prefix / "mpi.json").write_text(json.dumps(description))
    return prefix


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
