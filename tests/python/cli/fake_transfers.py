# SPDX-License-Identifier: BSD-3-Clause
"""A program in the place of nereus-transfers: ways work, are refused, hang or kill the job, as it is told."""

import sys
from pathlib import Path

PROGRAM = """#!PYTHON
import json, os, signal, sys, time
FATES = json.loads(os.environ.get("FAKE_FATES", "{}"))
def say(**line):
    print(json.dumps(line), flush=True)
with open("HERE/jobs", "a") as log:
    print(*sys.argv[1:], file=log)
if "--limits" in sys.argv:
    say(limits={"memcpy_one_core": 10.0, "memcpy_all_cores": 18.0, "process_vm_readv": None,
                "isend_irecv": 2.0, "first_touch": 3.0})
for way in [word for word in sys.argv[1:] if ":" in word]:
    fate = FATES.get(way, "works")
    say(trying=way)
    if fate == "hangs":
        open("HERE/hangs", "w").close()
        time.sleep(600)
    if fate == "dies":
        print("nereus-transfers: rank 0: all is lost", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if fate != "works":
        say(way=way, works=False, reason=fate)
        continue
    strategy = way.split(":")[3]
    behind = strategy != "blocking"
    say(way=way, works=True, reason="", transfer_method="p2p", transfer_strategy=strategy,
        process_seconds=0.1, constant_seconds=0.75 if behind else 0.5, variable_seconds=0.0,
        predicted_seconds=-1.0,
        pause_seconds=0.01 if behind else 0.5, background_iterations=20 if behind else 0,
        constant_bytes=10**9, variable_bytes=0, shared_bytes=0, bytes_minimum=5 * 10**8, loop_before=0.02,
        loop_background_median=0.025 if behind else None, loop_background_mean=0.03 if behind else None,
        loop_after=0.02, first_iteration=0.06, later_iteration=0.04, over_seconds=0.9 if behind else 0.6,
        iterations_since_request=21 if behind else 1)
"""


def install(prefix: Path) -> Path:
    """Put the program into a build; returns the file in which it notes its command lines."""
    path = prefix / "bin" / "nereus-transfers"
    path.write_text(PROGRAM.replace("PYTHON", sys.executable).replace("HERE", str(prefix)))
    path.chmod(0o755)
    return prefix / "jobs"
